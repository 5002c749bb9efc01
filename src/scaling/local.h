/* local.h -- training in several places that meet seldom: local SGD with an outer optimizer.
 *
 * Every site trains a copy on its share of the batch; after so many inner steps the copies are
 * averaged over the link between sites (Douillard et al. 2023, arXiv:2311.08105). One inner step
 * and no outer optimizer is plain data parallelism over that link. Left out: sites that differ or
 * come and go, the larger batches that averaging forgives, latency of the link. */
#ifndef CLG_SCALING_LOCAL_H
#define CLG_SCALING_LOCAL_H

#include "evaluate/evaluate.h"

typedef struct clg_sites {
    int sites;             /* 0 and 1: one place */
    int inner_steps;       /* between exchanges; 0: gradients are exchanged every step */
    double bytes_per_s;    /* between sites: of each, one direction */
    double exchange_bytes; /* of one parameter as it is sent */
    bool streamed; /* in pieces, behind the inner steps: only what does not fit there is waited for
                    */
} clg_sites;

/* Seconds an inner step waits for the exchange, on average: a ring's 2 (n - 1) / n of all that the
 * sites hold, once per `inner_steps`. */
double clg_sites_exposed_s(const clg_sites *sites, double parameters, double step_s);

/* Makes the plan of one site that of all, with the exchange in it. Totals, times and rates change;
 * memory is that of a site. */
void clg_sites_join(const clg_sites *sites, double parameters, clg_evaluation *plan);

/* Loss over that of data parallelism with the same tokens, minus 1. */
typedef struct clg_loss_penalty {
    double low, expected, high;
    bool beyond; /* the size or the number of sites is outside of what was trained */
} clg_loss_penalty;

/* By the laws of data/local-sgd: one per number of copies, between them by the logarithm; the band
 * is what a joint law says, and the laws' residual. Sizes outside of the trained ones count as the
 * nearest of them: the laws would promise gains nobody has seen. */
clg_status clg_sites_penalty(clg_arena *arena, const clg_sites *sites, double parameters,
                             clg_loss_penalty *penalty, clg_error *error);

#endif
