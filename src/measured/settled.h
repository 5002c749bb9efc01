/* settled.h -- what a client measures that waits until the load has settled.
 *
 * perf_analyzer, and GenAI-Perf on it, keep so many requests under way and count those that end
 * within windows of time, again and again, until three windows agree. The first round, which all
 * clients ask at once, is over by then; and nobody has stopped asking. Here: one window, from the
 * end of the first round to the last request that is asked. */
#ifndef CLG_MEASURED_SETTLED_H
#define CLG_MEASURED_SETTLED_H

#include "serve/replica.h"

typedef struct clg_settled {
    double ttft_s, tpot_s, answer_s; /* means over the requests that end in the window */
    double tokens_per_s;             /* their tokens over its length */
    int64_t requests;                /* 0: too few were asked for a window */
} clg_settled;

/* A closed loop of `replica->rules.clients`. */
clg_settled clg_settled_of(clg_arena *arena, const clg_replica *replica, const clg_demand *demand);

/* The same of requests that were served: what of them lies in the window. */
clg_settled clg_settled_among(const clg_served *served, const clg_demand *demand, int64_t clients);

#endif
