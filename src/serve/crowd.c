/* crowd.c -- see the header. */
#include "serve/crowd.h"

#include "demand/random.h"
#include "serve/sizing.h"

static const uint64_t begin_seed = 20240519;

clg_demand clg_crowd_of(clg_arena *arena, const clg_demand *demand, double answer_s) {
    clg_demand crowd = *demand;
    clg_random random = {begin_seed};
    double now_s = 0;
    crowd.request = clg_take(arena, (size_t)demand->count, clg_arrival);
    for (int64_t i = 0; i < demand->count; i++) {
        crowd.request[i] = demand->request[i];
        crowd.request[i].arrival_s = now_s;
        if ((double)(i + 1) < demand->clients)
            now_s += answer_s / demand->clients * clg_random_gamma(&random, 1);
    }
    return crowd;
}

/* Little: users over the time of an answer is the rate they ask at. */
int64_t clg_crowd_needed(clg_arena *arena, const clg_replica *r, const clg_demand *crowd,
                         const clg_serve_target *target, double answer_s, double rate) {
    double output = clg_demand_means_of(crowd).output_tokens;
    double guess = crowd->clients / answer_s * output / rate;
    return clg_fleet_needed(arena, r, crowd, target, guess, 0);
}
