/* route.c -- see the header. */
#include "serve/route.h"

#include "base/real.h"

#include <math.h>

/* Replicas that serve by tokens given, the least first: a heap. */
typedef struct loads {
    double *given;
    int32_t *heap, *place; /* place -1: does not serve */
    int64_t count, all;
    double sum; /* of those that serve */
} loads;

static bool lighter(const loads *l, int64_t a, int64_t b) {
    int32_t x = l->heap[a], y = l->heap[b];
    return l->given[x] != l->given[y] ? l->given[x] < l->given[y] : x < y;
}

static void swap(loads *l, int64_t a, int64_t b) {
    int32_t x = l->heap[a];
    l->heap[a] = l->heap[b];
    l->heap[b] = x;
    l->place[l->heap[a]] = (int32_t)a;
    l->place[l->heap[b]] = (int32_t)b;
}

static void sink(loads *l, int64_t at) {
    for (int64_t least = at;; at = least) {
        for (int64_t child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < l->count && lighter(l, child, least)) least = child;
        if (least == at) return;
        swap(l, at, least);
    }
}

static void give(loads *l, int32_t replica, double tokens) {
    l->given[replica] += tokens;
    l->sum += tokens;
    sink(l, l->place[replica]);
}

static void join(loads *l, int32_t replica) {
    int64_t at = l->count++;
    l->heap[at] = replica;
    l->place[replica] = (int32_t)at;
    for (; at > 0 && lighter(l, at, (at - 1) / 2); at = (at - 1) / 2) swap(l, at, (at - 1) / 2);
}

/* The last one takes its place, and goes to where it belongs. */
static void leave(loads *l, int32_t replica) {
    int64_t at = l->place[replica], last = --l->count;
    l->sum -= l->given[replica];
    if (at != last) swap(l, at, last);
    l->place[replica] = -1;
    if (at == last) return;
    for (; at > 0 && lighter(l, at, (at - 1) / 2); at = (at - 1) / 2) swap(l, at, (at - 1) / 2);
    sink(l, at);
}

static loads loads_open(clg_arena *arena, int64_t replicas) {
    size_t n = (size_t)replicas;
    loads l = {.given = clg_take(arena, n, double),
               .heap = clg_take(arena, n, int32_t),
               .place = clg_take(arena, n, int32_t),
               .all = replicas};
    for (int64_t i = 0; i < replicas; i++) l.place[i] = -1;
    return l;
}

/* A block's replica, counted from 1; 0: nobody's; ANYBODYS: several have had it. */
enum { ANYBODYS = -1 };

/* Who alone had the longest beginning of a prompt, if it is enough of it; -1: nobody. What came up
 * before the demand begins is where its conversation goes. */
static int32_t keeper(const clg_engine *e, const clg_demand *d, const clg_arrival *q,
                      const int32_t *owner, double *matched) {
    int32_t found = -1, depth = 0, before = clg_demand_said_before(d, q);
    for (; depth < q->blocks && owner[d->prefix[q->block + (uint32_t)depth]] != 0; depth++) {
        int32_t at = owner[d->prefix[q->block + (uint32_t)depth]];
        if (at != ANYBODYS) found = at - 1;
    }
    if (depth < before) depth = before;
    *matched = fmin((double)depth * d->prefix_tokens, q->prompt_tokens);
    return *matched >= e->router_match * q->prompt_tokens ? found : -1;
}

static void own(const clg_demand *d, const clg_arrival *q, int32_t replica, int32_t *owner) {
    for (int32_t b = 0; b < q->blocks; b++) {
        int32_t *at = &owner[d->prefix[q->block + (uint32_t)b]];
        *at = *at == 0 || *at == replica + 1 ? replica + 1 : ANYBODYS;
    }
}

/* What was given a while ago counts for less: all of it at once, when weights have grown large. */
static double weight_at(loads *l, double remembered_s, double time_s, double *since_s) {
    static const double most = 200; /* times e */
    if (time_s - *since_s > most * remembered_s) {
        double shrink = clg_exp(-(time_s - *since_s) / remembered_s);
        for (int64_t i = 0; i < l->all; i++) l->given[i] *= shrink;
        l->sum *= shrink;
        *since_s = time_s;
    }
    return clg_exp((time_s - *since_s) / remembered_s);
}

/* Where a request goes that `tokens` of remain to be worked for, wherever it goes. */
static int32_t choose(const clg_engine *e, const loads *l, const clg_demand *d,
                      const clg_arrival *q, const int32_t *owner, double weight, double *tokens) {
    double matched;
    int32_t to = keeper(e, d, q, owner, &matched);
    *tokens = weight * (q->prompt_tokens - matched + q->output_tokens);
    if (to < 0 || l->place[to] < 0) return l->heap[0];
    bool crowded = l->given[to] > e->router_uneven * l->sum / (double)l->count + *tokens;
    bool slower = l->given[to] - l->given[l->heap[0]] > weight * matched;
    return crowded && slower ? l->heap[0] : to; /* waiting there takes longer than anew elsewhere */
}

/* Those that come and go until a time, and on to the first that comes where nobody serves. */
static const clg_shift *take_shifts(loads *l, const clg_shift *shift, const clg_shift *end,
                                    double until_s) {
    for (; shift < end && (shift->time_s <= until_s || l->count == 0); shift++)
        if (shift->joins)
            join(l, shift->replica);
        else
            leave(l, shift->replica);
    return shift;
}

int32_t *clg_route_shifts(clg_arena *arena, const clg_engine *e, const clg_demand *d,
                          const clg_shift *shift, int64_t shifts, int64_t replicas) {
    int32_t *route = clg_take(arena, (size_t)d->count + 1, int32_t);
    clg_arena_mark mark = clg_arena_here(arena);
    int32_t *owner = clg_take(arena, (size_t)d->prefixes + 1, int32_t);
    loads l = loads_open(arena, replicas);
    const clg_shift *end = shift + shifts;
    double since_s = 0, tokens;
    for (int64_t i = 0; i < d->count; i++) {
        const clg_arrival *q = &d->request[i];
        shift = take_shifts(&l, shift, end, q->arrival_s);
        if (!e) {
            route[i] = l.heap[i % l.count];
            continue;
        }
        double weight = weight_at(&l, e->router_memory_s, q->arrival_s, &since_s);
        int32_t to = choose(e, &l, d, q, owner, weight, &tokens);
        give(&l, to, tokens);
        own(d, q, to, owner);
        route[i] = to;
    }
    clg_arena_back_to(arena, mark);
    return route;
}

int32_t *clg_route_requests(clg_arena *arena, const clg_engine *e, const clg_demand *d,
                            int64_t replicas) {
    clg_shift *shift = clg_take(arena, (size_t)replicas, clg_shift);
    for (int64_t i = 0; i < replicas; i++) shift[i] = (clg_shift){-INFINITY, (int32_t)i, true};
    return clg_route_shifts(arena, e, d, shift, replicas, replicas);
}

clg_demand clg_route_part(clg_arena *arena, const clg_demand *d, const int32_t *route,
                          int64_t replica) {
    clg_demand part = *d;
    part.count = 0;
    for (int64_t i = 0; i < d->count; i++) part.count += route[i] == replica;
    part.request = clg_take(arena, (size_t)part.count + 1, clg_arrival);
    for (int64_t i = 0, at = 0; i < d->count; i++)
        if (route[i] == replica) part.request[at++] = d->request[i];
    return part;
}
