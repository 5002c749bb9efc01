/* goodput.h -- what of a cluster's time is training: failures, checkpoints, restarts. */
#ifndef CLG_ECONOMICS_GOODPUT_H
#define CLG_ECONOMICS_GOODPUT_H

#include "base/arena.h"
#include "base/error.h"

/* What running a cluster loses and costs (data/operations/defaults.json, or given). */
typedef struct clg_operations {
    double failures_per_gpu_s;
    double restart_s;
    double repair_s;                   /* until a node that failed is back */
    double checkpoint_bytes_per_s;     /* per GPU */
    double checkpoint_parameter_bytes; /* bytes written per parameter */
    double token_bytes;                /* of one token on disk */
    double pue;                        /* building over machines, >= 1 */
    double usd_per_joule;
} clg_operations;

clg_status clg_operations_default(clg_arena *arena, clg_operations *operations, clg_error *error);

typedef struct clg_goodput {
    double mean_time_between_failures_s; /* of the whole job */
    double checkpoint_s;                 /* one write */
    double interval_s;                   /* between writes: Young's sqrt(2 checkpoint MTBF) */
    double share;                        /* of wall time that is training, 0..1 */
} clg_goodput;

/* First-order optimum of Young 1974 (Communications of the ACM 17:9) and Daly 2006: with interval
 * tau, cost delta and mean time M the lost share is delta/tau + tau/(2M) + restart/M. */
clg_goodput clg_goodput_of(const clg_operations *operations, double gpus, double parameters);

/* Dollars per second of an owned GPU: price over life and use, plus its electricity.
 * `gpu_w`: draw with its share of the host. */
double clg_owned_usd_per_s(const clg_operations *operations, double capex_usd, double life_s,
                           double utilization, double gpu_w);

#endif
