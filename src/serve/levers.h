/* levers.h -- what engineering does to the demand a replica needs, and which replica is best. */
#ifndef CLG_SERVE_LEVERS_H
#define CLG_SERVE_LEVERS_H

#include "serve/serve_answer.h"

/* One change to a replica, all else as asked. */
typedef struct clg_lever {
    const char *name;
    bool fits;
    int gpus;                    /* of one replica */
    const char *price;           /* of one GPU: dollars an hour, month, provider */
    bool borrowed;               /* kernel times of another GPU */
    bool contract;               /* a price for a term, not by the hour */
    double usd_per_h;            /* of the GPUs the demand takes at its mean; NaN: never meets it */
    double offline_tokens_per_s; /* output, per GPU */
    double usd_per_million;      /* of a full replica at the latency target; NaN: never meets it */
    double break_even_share;     /* of offline capacity, against the API; NaN without one */
    double break_even_per_s;     /* requests per second of one replica */
    double half_price_per_s;     /* requests per second at which a token costs twice the full one */
} clg_lever;

enum { CLG_LEVERS = 16 };

/* Measures the replica as asked and with each lever; returns how many rows were filled. */
int clg_levers(clg_arena *arena, const clg_serve_question *question,
               const clg_replica_choice *choice, clg_serve_progress progress,
               clg_lever lever[CLG_LEVERS]);

/* Fills a row with what a replica is worth to a demand. */
void clg_lever_measure(clg_arena *arena, const clg_serve_question *question,
                       const clg_replica *replica, clg_lever *row);

/* One replica that was weighed in a search. */
typedef struct clg_serve_candidate {
    clg_replica_choice choice;
    clg_lever worth;
} clg_serve_candidate;

enum { CLG_CANDIDATES = 128 };

/* Weighs replicas over degrees, batch limits and disaggregation that the choice leaves open; the
 * cheapest for the demand first. Returns how many fit. */
int clg_replica_search(clg_arena *arena, const clg_serve_question *question,
                       const clg_scenario *scenario, const clg_engine *engine,
                       const clg_replica_choice *choice, clg_serve_progress progress,
                       clg_serve_candidate found[CLG_CANDIDATES]);

/* Prepares the replica that serves the demand within the target on the fewest dollars: with the
 * choice's tp, or the best power of two inside a domain. `question->replica` is not read. */
clg_status clg_replica_choose(clg_arena *arena, const clg_serve_question *question,
                              const clg_scenario *scenario, const clg_engine *engine,
                              const clg_replica_choice *choice, clg_replica *replica,
                              clg_error *error);

#endif
