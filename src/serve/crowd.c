/* crowd.c -- see the header. */
#include "serve/crowd.h"

#include "demand/random.h"
#include "serve/sizing.h"

#include <math.h>

enum { MOST_SIZED_REQUESTS = 30000, HALVINGS = 7 };

static const uint64_t gaps_seed = 20240519;

/* Requests one after the other as often as so many ask whose answers take so long. */
static clg_demand stream_of(clg_arena *arena, const clg_demand *d, double answer_s) {
    clg_demand stream = *d;
    clg_random random = {gaps_seed};
    double now_s = 0, gap_s = answer_s / d->clients;
    stream.request = clg_take(arena, (size_t)d->count + 1, clg_arrival);
    for (int64_t i = 0; i < d->count; i++) {
        stream.request[i] = d->request[i];
        stream.request[i].arrival_s = now_s;
        now_s += gap_s * clg_random_gamma(&random, 1);
    }
    stream.span_s = now_s;
    stream.clients = 0;
    stream.apart = false;
    return stream;
}

static double answered_s(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                         int64_t replicas, double answer_s) {
    clg_serve_target any = {INFINITY, INFINITY, 0};
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand stream = stream_of(arena, d, answer_s);
    clg_fleet fleet;
    clg_fleet_run(arena, r, &stream, replicas, &any, &fleet);
    clg_arena_back_to(arena, mark);
    return fleet.e2e_s.mean;
}

/* The more often they ask, the longer answers take: between what one takes alone, and what it takes
 * at the rate that would allow, the two agree. */
clg_demand clg_crowd_on(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                        int64_t replicas) {
    static const double rare_s = 1e5, close = 1.01;
    double low = answered_s(arena, r, d, replicas, rare_s * d->clients);
    if (low <= 0) return stream_of(arena, d, 1);
    double high = answered_s(arena, r, d, replicas, low);
    for (int i = 0; i < HALVINGS && high > low * close; i++) {
        double middle = sqrt(low * high);
        if (answered_s(arena, r, d, replicas, middle) > middle)
            low = middle;
        else
            high = middle;
    }
    return stream_of(arena, d, sqrt(low * fmax(low, high)));
}

/* The users added ask what the others do, in the same order. */
clg_demand clg_crowd_grown(clg_arena *arena, const clg_demand *d, double ratio) {
    clg_demand more = *d;
    more.count = (int64_t)ceil((double)d->count * ratio);
    more.clients = d->clients * ratio;
    double times = (double)more.count / (double)d->count;
    more.prompt_tokens = (int64_t)((double)d->prompt_tokens * times);
    more.output_tokens = (int64_t)((double)d->output_tokens * times);
    more.read_tokens *= times;
    more.pairs *= times;
    more.request = clg_take(arena, (size_t)more.count, clg_arrival);
    for (int64_t i = 0; i < more.count; i++) more.request[i] = d->request[i % d->count];
    return more;
}

/* Little: users over the time of an answer is the rate they ask at. */
int64_t clg_crowd_needed(clg_arena *arena, const clg_replica *r, const clg_demand *crowd,
                         const clg_serve_target *target, double answer_s, double rate) {
    double output = clg_demand_means_of(crowd).output_tokens;
    double guess = crowd->clients / answer_s * output / rate;
    return clg_fleet_needed(arena, r, crowd, target, guess, 0);
}

bool clg_has_target(const clg_serve_question *q) {
    return q->demand->apart || clg_demand_in_time(q->demand);
}

clg_demand clg_demand_for_fleets(const clg_demand *d, double replicas) {
    return d->apart ? *d : clg_demand_for_sizing(d, MOST_SIZED_REQUESTS, replicas);
}

/* `gpus_all` is what a demand in time takes at its mean; of users, who ask as fast as they are
 * answered, GPUs for each token a second (clg_gpus_taken). */
static int64_t replicas_for(clg_arena *arena, const clg_serve_question *q, const clg_replica *slow,
                            double gpus_all, double answer_s) {
    double each = gpus_all / clg_replica_gpus(slow);
    if (!q->demand->apart) return clg_fleet_needed(arena, slow, q->demand, &q->target, each, 0);
    return clg_crowd_needed(arena, slow, q->demand, &q->target, answer_s, 1 / each);
}

double clg_gpus_of_fleet(clg_arena *arena, const clg_serve_question *q, const clg_replica *r,
                         double gpus_all) {
    double gpus = clg_replica_gpus(r), all = 0;
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica slow = clg_replica_slowed(arena, r, 1 + q->margin);
    clg_fleet alone = clg_fleet_alone(arena, &slow, q->demand, &q->target);
    if (alone.well_served >= q->target.share) {
        int64_t n = replicas_for(arena, q, &slow, gpus_all, alone.e2e_s.mean);
        bool none = n > 1 && n >= q->demand->count;
        bool part = q->demand->telling > 0; /* work is left over when it ends */
        all = none ? 0 : fmax((double)n * gpus, part ? gpus_all : 0);
    }
    clg_arena_back_to(arena, mark);
    return all;
}
