/* sizing.c -- see the header. */
#include "serve/sizing.h"

#include <math.h>

enum {
    ALONE_REQUESTS = 20000,
    STEADY_REQUESTS = 6000, /* enough that start and drain are a few per cent */
    BISECTIONS = 9,
    HALVINGS = 24, /* below a 16-millionth of what a replica does there is no rate */
    MOST_REPLICAS = 1 << 20
};

static const uint64_t sample_seed = 20240518;

/* Prompts that have begun before are found: in a cache that holds all of them no fleet finds more.
 * Those of a row are taken, for a sample would lack what they begin with. */
static clg_replica remembering(const clg_replica *r) {
    clg_replica own = *r;
    own.rules.blocks = (int64_t)1 << 40;
    return own;
}

static bool finds_alone(const clg_replica *r, const clg_demand *d) {
    return d->prefix && !r->rules.no_prefix_cache && !r->prefill;
}

static clg_demand far_apart(clg_arena *arena, const clg_demand *d, bool finds) {
    static const double apart_s = 1e6;
    int64_t every = finds ? 1 : (d->count + ALONE_REQUESTS - 1) / ALONE_REQUESTS;
    clg_demand apart = *d;
    apart.count = d->count / every;
    if (apart.count > ALONE_REQUESTS) apart.count = ALONE_REQUESTS;
    apart.request = clg_take(arena, (size_t)apart.count, clg_arrival);
    for (int64_t i = 0; i < apart.count; i++) {
        apart.request[i] = d->request[i * every];
        apart.request[i].arrival_s = apart_s * (double)i;
    }
    if (!finds) apart.prefix = NULL;
    apart.clients = 0;
    apart.apart = false;
    apart.span_s = apart_s * (double)apart.count;
    return apart;
}

clg_fleet clg_fleet_alone(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                          const clg_serve_target *target) {
    clg_fleet fleet = {.well_served = 1};
    bool finds = finds_alone(r, d);
    if (d->count == 0) return fleet;
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand apart = far_apart(arena, d, finds);
    clg_replica own = finds ? remembering(r) : *r;
    clg_fleet_run(arena, &own, &apart, 1, target, &fleet);
    clg_arena_back_to(arena, mark);
    return fleet;
}

double clg_share_alone(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                       const clg_serve_target *target) {
    bool finds = finds_alone(r, d);
    if (d->count == 0) return 1;
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand apart = far_apart(arena, d, finds);
    clg_replica own = finds ? remembering(r) : *r;
    double share = clg_fleet_well_served(arena, &own, &apart, 1, target);
    clg_arena_back_to(arena, mark);
    return share;
}

clg_serve_target clg_target_of_part(clg_arena *arena, const clg_replica *r, const clg_demand *part,
                                    const clg_serve_target *target, double alone_share) {
    clg_serve_target own = *target;
    if (alone_share >= 1) return own;
    double alone = clg_share_alone(arena, r, part, target);
    own.share = fmin(target->share / alone_share, 1) * alone;
    return own;
}

static bool steady_meets(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                         const clg_serve_target *target, double alone_share, double requests_per_s,
                         double dealt) {
    clg_arena_mark mark = clg_arena_here(arena);
    bool chained = d->prefix && d->count < STEADY_REQUESTS; /* who comes again finds nothing */
    clg_demand sample = clg_demand_resample(arena, d, chained ? d->count : STEADY_REQUESTS,
                                            requests_per_s, dealt, sample_seed);
    clg_serve_target own = clg_target_of_part(arena, r, &sample, target, alone_share);
    bool meets = clg_fleet_meets(arena, r, &sample, 1, &own);
    clg_arena_back_to(arena, mark);
    return meets;
}

double clg_steady_rate_per_s(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                             const clg_serve_target *target, double most, double dealt) {
    double low = 0, high = most, alone = clg_share_alone(arena, r, d, target);
    if (alone < target->share) return 0;
    if (steady_meets(arena, r, d, target, alone, most, dealt)) return most;
    for (int i = 0; i < (low > 0 && high - low <= low / 8 ? BISECTIONS : HALVINGS); i++) {
        double middle = low > 0 ? (low + high) / 2 : high / 2;
        if (steady_meets(arena, r, d, target, alone, middle, dealt))
            low = middle;
        else
            high = middle;
    }
    return low;
}

clg_demand clg_demand_for_sizing(const clg_demand *d, double count, double replicas) {
    if ((double)d->count <= count) return *d;
    clg_demand part = clg_demand_busiest(d, (int64_t)(count / 3 * fmax(1, replicas)));
    part.telling = count / 3;
    return part;
}

/* Doubled or cut until one fleet meets the target and one does not, then bisected. A replica for
 * each request is as many as can help. */
int64_t clg_fleet_needed(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                         const clg_serve_target *target, double guess, int64_t meets) {
    if (d->count == 0) return 0;
    int64_t most = d->count < MOST_REPLICAS ? d->count : MOST_REPLICAS;
    int64_t fails = 0, n = (int64_t)fmin(fmax(1, ceil(guess)), (double)most);
    while (meets == 0 || meets - fails > 1) {
        if (n == meets || clg_fleet_meets(arena, r, d, n, target))
            meets = n;
        else
            fails = n;
        if (fails >= most) return most;
        if (meets == 0)
            n = n + (n + 2) / 3;
        else if (fails == 0 && meets > 1)
            n = (int64_t)fmax(1, floor((double)meets * 0.8));
        else
            n = (fails + meets) / 2;
        if (n > most) n = most;
    }
    return meets;
}
