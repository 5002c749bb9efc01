/* goodput.h -- what of a cluster's time is training: failures, checkpoints, restarts. */
#ifndef CLG_ECONOMICS_GOODPUT_H
#define CLG_ECONOMICS_GOODPUT_H

#include "base/arena.h"
#include "base/error.h"

/* What running a cluster loses and costs (data/operations/defaults.json, or given). */
typedef struct clg_operations {
    double failures_per_gpu_s;
    double restart_s;                 /* from a failure to the next step, on nodes that are there */
    double short_rent_s, short_nodes; /* more nodes than that are let for no less */
    double dear_share; /* what sooner may cost over the cheapest, where only money is limited */
    double swap_s;     /* and until a spare has the place of a node, on top of it */
    double node_share; /* of failures, those that take a node out, 0..1 */
    double repair_s;   /* until such a node is back */
    double checkpoint_bytes_per_s;     /* per GPU */
    double checkpoint_parameter_bytes; /* bytes written per parameter */
    double token_bytes;                /* of one token on disk */
    double pue;                        /* building over machines, >= 1 */
    double usd_per_joule;
} clg_operations;

clg_status clg_operations_default(clg_arena *arena, clg_operations *operations, clg_error *error);

/* From a failure to the next step where spares are at hand, mean. */
double clg_down_s(const clg_operations *operations);

typedef struct clg_goodput {
    double mean_time_between_failures_s; /* of the whole job */
    double checkpoint_s;                 /* one write */
    double interval_s;                   /* between writes: Young's sqrt(2 checkpoint MTBF) */
    double share;                        /* of wall time that is training, 0..1 */
} clg_goodput;

/* First-order optimum of Young 1974 (Communications of the ACM 17:9) and Daly 2006: with interval
 * tau, cost delta and mean time M the lost share is delta/tau + tau/(2M) + down/M. */
clg_goodput clg_goodput_of(const clg_operations *operations, double gpus, double parameters);

/* GPUs of one's own. */
typedef struct clg_owning {
    double capex_usd;      /* of one GPU with its share of node and network; 0: not asked */
    double life_s;         /* > 0 */
    double utilization;    /* share of its life that it works, above 0 */
    double residual_share; /* of capex_usd that it sells for at the end, 0..1 */
    double interest;       /* a year, on what is tied up: 0.08; 0: money costs nothing */
} clg_owning;

/* Dollars per second of its life that pay for it, used or not: the level payment whose present
 * value is the price less that of the sale, paid without pause (capital recovery, as in any book of
 * engineering economy). Without interest: (price - sale) / life. */
double clg_capital_usd_per_s(const clg_owning *owning);

/* Dollars per second of work: capital over use, plus electricity. `gpu_w`: draw with its share of
 * the host. */
double clg_owned_usd_per_s(const clg_operations *operations, const clg_owning *owning,
                           double gpu_w);

#endif
