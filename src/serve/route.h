/* route.h -- internal to serve/: which replica a request goes to, where prompts begin alike. */
#ifndef CLG_SERVE_ROUTE_H
#define CLG_SERVE_ROUTE_H

#include "demand/demand.h"
#include "stack/engine.h"

/* The replica of each request, in the arena: the one that alone had `router_match` of its prompt or
 * more, unless it has `router_uneven` times what the others have to do, and more than the one with
 * least by what would have to be computed anew there; else the one that has least. The rule of
 * prefix-aware routers (SGLang's cache-aware policy), with tokens given in the last
 * `router_memory_s` or so instead of requests now running. */
int32_t *clg_route_requests(clg_arena *arena, const clg_engine *engine, const clg_demand *demand,
                            int64_t replicas);

/* A replica begins or ends to serve. */
typedef struct clg_shift {
    double time_s;
    int32_t replica;
    bool joins;
} clg_shift;

/* The same among those that serve when a request comes, `shift` in order of time; where none does,
 * to the next that begins, of which there has to be one. Engine NULL: one after the other, whoever
 * has its prompt. Who ends to serve has lost what its cache kept. */
int32_t *clg_route_shifts(clg_arena *arena, const clg_engine *engine, const clg_demand *demand,
                          const clg_shift *shift, int64_t shifts, int64_t replicas);

/* What goes to one replica. */
clg_demand clg_route_part(clg_arena *arena, const clg_demand *demand, const int32_t *route,
                          int64_t replica);

#endif
