/* routing.h -- how evenly tokens fall on experts.
 *
 * Experts differ in how often tokens choose them: the chance of one is the mean chance times a
 * gamma variable of mean 1 and deviation `spread` (data/operations/routing.json). Layers and
 * batches are taken to be alike; which experts are popular does not matter. */
#ifndef CLG_STEP_ROUTING_H
#define CLG_STEP_ROUTING_H

#include "base/arena.h"
#include "base/error.h"

clg_status clg_routing_spread(clg_arena *arena, double *spread, clg_error *error);

/* Share of experts that at least one of `tokens` reaches; `chance`: of an expert and a token on
 * average (experts per token over experts, below 1). */
double clg_experts_reached(double spread, double chance, double tokens);

/* Rows of the fullest of `ranks`, that share `experts` out evenly, over the mean rows of a rank,
 * `rows`: 1 for one rank, at most `ranks`. */
double clg_fullest_rank(double spread, int ranks, double experts, double rows);

#endif
