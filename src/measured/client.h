/* client.h -- what drives an engine in a measurement, from data/client. */
#ifndef CLG_MEASURED_CLIENT_H
#define CLG_MEASURED_CLIENT_H

#include "stack/engine.h"

typedef struct clg_client {
    double in_process;      /* 1: no front end, no text */
    double reckoned;        /* 1: limits are reckoned from memory: measured/bench_limits.h */
    double settled;         /* 1: what the first round is is not measured: measured/settled.h */
    double memory_share;    /* for the cache, where the plan says none; 0: the engine's */
    double wait_iterations; /* prompts wait for all ranks, at most so long; 0: they do not */
    clg_graph_sizes graphs; /* count 0: the engine's */
} clg_client;

clg_status clg_client_find(clg_arena *arena, const char *name, clg_client *client,
                           clg_error *error);

#endif
