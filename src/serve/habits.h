/* habits.h -- how services are run when nobody says: data/operations/serving.json. */
#ifndef CLG_SERVE_HABITS_H
#define CLG_SERVE_HABITS_H

#include "serve/replica.h"

typedef struct clg_serving_habits {
    double load_bytes_per_s;        /* at which a node reads weights */
    double start_s;                 /* of an engine that has read them */
    double host_bytes;              /* for each GPU, where a cache in the host's memory is tried */
    double window_answers;          /* answers of requests alone that a window lasts at least */
    double limit_least, limit_most; /* sequences of a rank: limits tried are doubled from one on to
                                       the other */
} clg_serving_habits;

clg_status clg_serving_habits_read(clg_arena *arena, clg_serving_habits *habits, clg_error *error);

/* From an order to the first request: every node reads its part of the weights, then the engine
 * starts. Left out: waiting for the node, its image, and others that read from the same storage. */
double clg_replica_cold_start_s(const clg_replica *replica, const clg_serving_habits *habits);

#endif
