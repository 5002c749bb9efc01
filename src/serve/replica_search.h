/* replica_search.h -- which replica serves a demand on the fewest GPUs: formats, degrees, limits of
 * a batch, disaggregation, speculation. */
#ifndef CLG_SERVE_REPLICA_SEARCH_H
#define CLG_SERVE_REPLICA_SEARCH_H

#include "serve/format.h"
#include "serve/levers.h"

/* One replica that was weighed. */
typedef struct clg_serve_candidate {
    clg_replica_choice choice;
    clg_lever worth;
} clg_serve_candidate;

enum { CLG_CANDIDATES = 128, CLG_DEGREES = 16 };

/* How the GPUs of a copy share the work: tensor-parallel groups inside a domain, experts split with
 * them or shared out; and attention on ranks of its own with experts shared out over all of them.
 * What the choice names is kept. */
typedef struct clg_copy_degrees {
    int tp, dp, ep;
} clg_copy_degrees;

int clg_replica_degrees(const clg_scenario *scenario, const clg_replica_choice *choice,
                        clg_copy_degrees list[CLG_DEGREES]);

/* Weighs replicas over what the choice leaves open, each with each of the formats: first degrees,
 * with attention on ranks of its own where there are experts; then, of the best few, limits of
 * sequences and tokens, disaggregation, and speculation where a chance of acceptance is given. What
 * a bound shows to take half as many GPUs again as the best so far is not simulated. Last, fleets
 * of the best few at the mean are sized, of many requests on a sample. Fewest GPUs first, sized
 * ones before others; returns how many fit and were weighed. */
int clg_replica_search(clg_arena *arena, const clg_serve_question *question,
                       const clg_scenario *scenario, const clg_engine *engine,
                       const clg_replica_choice *choice, const clg_format *format, int formats,
                       clg_serve_progress progress, clg_serve_candidate found[CLG_CANDIDATES]);

/* The first that loses no quality, or the first; one that is not disaggregated where that takes no
 * more than a twentieth more GPUs; where that stands at a cliff (degree.h) the one of which the
 * fewest hold the target at P90 of the iterations, if any does; NULL of none. */
const clg_serve_candidate *clg_search_best(const clg_serve_candidate *found, int count);

#endif
