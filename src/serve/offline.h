/* offline.h -- the most a replica makes, all requests at once. */
#ifndef CLG_SERVE_OFFLINE_H
#define CLG_SERVE_OFFLINE_H

#include "serve/serve_answer.h"

/* With the places it has or, where those are more than the cache holds and sequences are preempted,
 * with as many as it holds to their ends. `found` of every prompt is in the cache. */
void clg_serve_offline(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                       clg_reuse found, clg_serve_answer *answer);

#endif
