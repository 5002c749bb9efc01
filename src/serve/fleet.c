/* fleet.c -- equal replicas on a demand: simulated, counted, sorted into percentiles. */
#include "serve/serve_answer.h"

#include "base/quantile.h"
#include "serve/crowd.h"
#include "serve/route.h"

#include <math.h>

/* Replicas dealt in turn are alike: as many are simulated as give the tails, and requests enough to
 * tell one late in a hundred; of more than a million requests another replica tells nothing new. */
enum { SIMULATED = 16, SIMULATED_REQUESTS = 6000, TELLING_REQUESTS = 1000000 };

static int64_t place_of(double share, int64_t count) {
    int64_t place = (int64_t)ceil(share * (double)count) - 1;
    return place < count ? place : count - 1;
}

/* Nearest-rank percentiles; moves the values. */
static clg_percentiles percentiles_of(double *value, int64_t count) {
    if (count == 0) return (clg_percentiles){0};
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += value[i];
    int64_t half = place_of(0.50, count), most = place_of(0.90, count), all = place_of(0.99, count);
    clg_percentiles p = {.mean = sum / (double)count};
    p.p50 = clg_select(value, count, half);
    p.p90 = clg_select(value + half, count - half, most - half);
    p.p99 = clg_select(value + most, count - most, all - most);
    return p;
}

/* When requests were served; without lists (NULL) only how many of them well. */
typedef struct times {
    double *ttft, *tpot, *e2e;
    int64_t count, decoded, well, late_first, late_token;
    int64_t refused;    /* that can never fit: not served well, whatever the others are */
    bool hurries, lost; /* ends once more than most_late are late */
    int64_t most_late;
} times;

static void add_request(times *t, const clg_served *s, const clg_arrival *q,
                        const clg_serve_target *target) {
    double ttft = s->first_token_s - s->arrival_s, tpot = 0;
    if (q->output_tokens > 1) {
        tpot = (s->finish_s - s->first_token_s) / (q->output_tokens - 1);
        if (t->tpot) t->tpot[t->decoded++] = tpot;
    }
    if (t->ttft) t->ttft[t->count] = ttft;
    if (t->e2e) t->e2e[t->count] = s->finish_s - s->arrival_s;
    t->count++;
    t->late_first += ttft > target->ttft_s;
    t->late_token += tpot > target->tpot_s;
    t->well += ttft <= target->ttft_s && tpot <= target->tpot_s;
}

static void add_replica(times *t, const clg_demand *d, const clg_served *served,
                        const clg_serve_target *target) {
    for (int64_t i = 0; i < d->count; i++)
        if (served[i].finish_s >= 0)
            add_request(t, &served[i], &d->request[i], target);
        else
            t->refused++;
}

static double well_served(const times *t) {
    int64_t asked = t->count + t->refused;
    return asked > 0 ? (double)t->well / (double)asked : 1;
}

static double share_of(int64_t part, const times *t) {
    return t->count > 0 ? (double)part / (double)t->count : 0;
}

static void add_totals(clg_serve_totals *sum, const clg_serve_totals *t) {
    sum->finished += t->finished;
    sum->refused += t->refused;
    sum->prompt_tokens += t->prompt_tokens;
    sum->output_tokens += t->output_tokens;
    sum->cached_tokens += t->cached_tokens;
    sum->read_tokens += t->read_tokens;
    sum->preemptions += t->preemptions;
    sum->iterations += t->iterations;
    sum->events += t->events;
    sum->busy_s += t->busy_s;
    sum->sequence_s += t->sequence_s;
    if (t->end_s > sum->end_s) sum->end_s = t->end_s;
}

static clg_reuse found_of(const clg_serve_totals *t) {
    double prompts = (double)t->prompt_tokens;
    if (prompts <= 0) return (clg_reuse){0};
    return (clg_reuse){(double)t->cached_tokens / prompts, (double)t->read_tokens / prompts};
}

static void settle(clg_fleet *f, const clg_serve_totals *sum, const clg_demand *d, double begin_s) {
    f->requests = sum->finished + sum->refused;
    f->refused = sum->refused;
    f->preemptions = sum->preemptions;
    f->span_s = fmax(d->span_s, sum->end_s - begin_s);
    double paid = f->span_s * (double)f->simulated;
    double scale = (double)f->replicas / (double)f->simulated / fmax(f->span_s, 1e-9);
    f->busy_share = paid > 0 ? sum->busy_s / paid : 0;
    f->mean_sequences = sum->busy_s > 0 ? sum->sequence_s / sum->busy_s : 0;
    f->output_tokens_per_s = (double)sum->output_tokens * scale;
    f->found = found_of(sum);
}

static int64_t simulated_of(int64_t replicas, const clg_demand *d) {
    double each = fmax((double)d->count / (double)replicas, 1e-9);
    double telling = d->telling > 0 ? d->telling : TELLING_REQUESTS;
    double some = fmin(SIMULATED, ceil(telling / each));
    double enough = fmax(some, ceil(SIMULATED_REQUESTS / each));
    return enough < (double)replicas ? (int64_t)enough : replicas;
}

/* Prompts that have begun before go where they did; others in turn. */
static bool routed(const clg_replica *r, const clg_demand *d, int64_t replicas) {
    return replicas > 1 && d->prefix && !r->in_turn && !r->rules.no_prefix_cache && d->clients <= 0;
}

/* Requests that the simulated replicas get, or more. */
static int64_t dealt(const clg_replica *r, const clg_demand *d, int64_t replicas) {
    int64_t some = simulated_of(replicas, d), each = (d->count + replicas - 1) / replicas;
    return routed(r, d, replicas) || some * each > d->count ? d->count : some * each;
}

/* One replica with those requests; it stops when more are late than are left to be borne. */
static void serve_one(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                      const clg_serve_target *target, times *t, clg_serve_totals *sum) {
    clg_replica own = *r;
    clg_served *served = clg_arena_room(arena, (size_t)d->count + 1, sizeof *served);
    clg_serve_totals one;
    if (t->hurries && !r->prefill) {
        own.rules.give_up_at = t->most_late - (t->count - t->well) + 1;
        own.rules.late_first_s = target->ttft_s;
        own.rules.late_token_s = target->tpot_s;
    }
    clg_replica_serve(arena, &own, d, served, &one);
    t->lost = own.rules.give_up_at > 0 && one.late >= own.rules.give_up_at;
    if (t->lost) return;
    add_totals(sum, &one);
    add_replica(t, d, served, target);
    t->lost = t->hurries && t->count - t->well > t->most_late;
}

/* What each replica gets: by route, or in turn where that is NULL. */
static clg_demand part_of(clg_arena *arena, const clg_demand *d, const int32_t *route,
                          int64_t replica, int64_t replicas) {
    return route ? clg_route_part(arena, d, route, replica)
                 : clg_demand_dealt(arena, d, replica, replicas);
}

static int32_t *route_of(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                         int64_t replicas) {
    return routed(r, d, replicas) ? clg_route_requests(arena, &r->engine, d, replicas) : NULL;
}

/* Clients are those of the whole fleet. */
static clg_replica with_clients(const clg_replica *r, const clg_demand *d, int64_t replicas) {
    clg_replica own = *r;
    if (d->clients > 0) own.rules.clients = (int64_t)ceil(d->clients / (double)replicas);
    return own;
}

static clg_serve_totals serve_all(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                                  int64_t replicas, const clg_serve_target *target, times *t) {
    clg_serve_totals sum = {0};
    int32_t *route = route_of(arena, r, d, replicas);
    clg_replica own = with_clients(r, d, replicas);
    for (int64_t i = 0; i < simulated_of(replicas, d) && !t->lost; i++) {
        clg_arena_mark mark = clg_arena_here(arena);
        clg_demand part = part_of(arena, d, route, i, replicas);
        serve_one(arena, &own, &part, target, t, &sum);
        clg_arena_back_to(arena, mark);
    }
    return sum;
}

/* Users ask a fleet as fast as it answers. */
static clg_demand asked_of(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                           int64_t replicas) {
    return d->apart ? clg_crowd_on(arena, r, d, replicas) : *d;
}

clg_reuse clg_fleet_found(clg_arena *arena, const clg_replica *r, const clg_demand *all,
                          int64_t replicas) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand asked = asked_of(arena, r, all, replicas), *d = &asked;
    clg_replica own = with_clients(r, d, replicas);
    int32_t *route = route_of(arena, r, d, replicas);
    clg_served *served = clg_take(arena, (size_t)d->count + 1, clg_served);
    clg_serve_totals sum = {0}, one;
    for (int64_t i = 0; i < replicas && sum.finished < SIMULATED_REQUESTS; i++) {
        clg_arena_mark each = clg_arena_here(arena);
        clg_demand part = part_of(arena, d, route, i, replicas);
        clg_replica_serve(arena, &own, &part, served, &one);
        add_totals(&sum, &one);
        clg_arena_back_to(arena, each);
    }
    clg_arena_back_to(arena, mark);
    return found_of(&sum);
}

bool clg_fleet_meets(clg_arena *arena, const clg_replica *r, const clg_demand *all,
                     int64_t replicas, const clg_serve_target *target) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand asked = asked_of(arena, r, all, replicas), *d = &asked;
    double borne = (1 - target->share) * (double)dealt(r, d, replicas);
    times t = {.hurries = true, .most_late = (int64_t)borne + 1}; /* one for rounding */
    serve_all(arena, r, d, replicas, target, &t);
    clg_arena_back_to(arena, mark);
    return !t.lost && well_served(&t) >= target->share;
}

void clg_fleet_run(clg_arena *arena, const clg_replica *r, const clg_demand *all, int64_t replicas,
                   const clg_serve_target *target, clg_fleet *f) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand asked = asked_of(arena, r, all, replicas), *d = &asked;
    size_t n = (size_t)dealt(r, d, replicas);
    times t = {.ttft = clg_arena_room(arena, n, sizeof *t.ttft),
               .tpot = clg_arena_room(arena, n, sizeof *t.tpot),
               .e2e = clg_arena_room(arena, n, sizeof *t.e2e)};
    *f = (clg_fleet){.replicas = replicas, .simulated = simulated_of(replicas, d)};
    clg_serve_totals sum = serve_all(arena, r, d, replicas, target, &t);
    settle(f, &sum, d, d->count > 0 ? d->request[0].arrival_s : 0);
    f->well_served = well_served(&t);
    f->late_first = share_of(t.late_first, &t);
    f->late_token = share_of(t.late_token, &t);
    f->ttft_s = percentiles_of(t.ttft, t.count);
    f->tpot_s = percentiles_of(t.tpot, t.decoded);
    f->e2e_s = percentiles_of(t.e2e, t.count);
    clg_arena_back_to(arena, mark);
}

double clg_fleet_first_token_s(clg_arena *arena, const clg_replica *r, const clg_demand *all,
                               int64_t replicas, const clg_serve_target *target, double *share) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand asked = asked_of(arena, r, all, replicas), *d = &asked;
    size_t n = (size_t)dealt(r, d, replicas);
    times t = {.ttft = clg_arena_room(arena, n, sizeof *t.ttft)};
    serve_all(arena, r, d, replicas, target, &t);
    *share = well_served(&t);
    double p99 = t.count > 0 ? clg_select(t.ttft, t.count, place_of(0.99, t.count)) : 0;
    clg_arena_back_to(arena, mark);
    return p99;
}

double clg_fleet_well_served(clg_arena *arena, const clg_replica *r, const clg_demand *all,
                             int64_t replicas, const clg_serve_target *target) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand asked = asked_of(arena, r, all, replicas), *d = &asked;
    times t = {0};
    serve_all(arena, r, d, replicas, target, &t);
    clg_arena_back_to(arena, mark);
    return well_served(&t);
}
