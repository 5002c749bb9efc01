/* odds.h -- the chance to be in time and in budget, from what is doubted.
 *
 * Three doubts: the step (its interval), failures (how many a cluster has, when they strike, and
 * whether a spare node is there), and the price (what others ask for the same GPU, until it is
 * signed). They are taken as independent. Left out: waiting for the cluster, jobs that diverge,
 * mistakes in the plan itself.
 */
#ifndef CLG_ECONOMICS_ODDS_H
#define CLG_ECONOMICS_ODDS_H

#include "base/normal.h"
#include "economics/goodput.h"
#include "machine/machine.h"

/* What is doubted beside the step. */
typedef struct clg_doubts {
    double failure_sigma; /* of the rate of failures between clusters, as clg_factor_at has it */
    double common_share;  /* of the variance of steps that plans on one cluster have in common */
    double price_low, price_high; /* USD/s; the price is somewhere between, evenly; equal: signed */
} clg_doubts;

/* From data/operations/doubts.json and the price: one on demand may become any
 * on-demand price known for its GPU that is not below it; others are signed. */
clg_status clg_doubts_default(clg_arena *arena, const clg_price *price, clg_doubts *doubts,
                              clg_error *error);

/* NAN: there is no such limit. */
typedef struct clg_odds {
    double deadline, budget;
    double budget_at_price; /* the same were the price signed */
} clg_odds;

/* One training run on a cluster of its own. */
typedef struct clg_venture {
    double useful_s; /* of training, without losses */
    clg_sides sides; /* of the error of useful_s */
    double gpus;
    double parameters; /* of the model, for its checkpoints */
    int spares;        /* nodes that stand by for those that fail; below 0: always enough */
} clg_venture;

/* The chance that it takes at most `deadline_s` and costs at most `budget_usd`; 0: no limit. */
clg_odds clg_odds_of(const clg_venture *venture, const clg_operations *operations,
                     const clg_doubts *doubts, double deadline_s, double budget_usd);

#endif
