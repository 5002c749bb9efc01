/* route.c -- see the header. */
#include "serve/route.h"

#include "base/real.h"

#include <math.h>

/* Replicas by tokens given, the least first: a heap. */
typedef struct loads {
    double *given;
    int32_t *heap, *place;
    int64_t count;
    double sum;
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

static void give(loads *l, int32_t replica, double tokens) {
    l->given[replica] += tokens;
    l->sum += tokens;
    for (int64_t at = l->place[replica];;) {
        int64_t least = at;
        for (int64_t child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < l->count && lighter(l, child, least)) least = child;
        if (least == at) return;
        swap(l, at, least);
        at = least;
    }
}

static loads loads_open(clg_arena *arena, int64_t replicas) {
    size_t n = (size_t)replicas;
    loads l = {.given = clg_take(arena, n, double),
               .heap = clg_take(arena, n, int32_t),
               .place = clg_take(arena, n, int32_t),
               .count = replicas};
    for (int64_t i = 0; i < replicas; i++) l.heap[i] = l.place[i] = (int32_t)i;
    return l;
}

/* A block's replica, counted from 1; 0: nobody's; ANYBODYS: several have had it. */
enum { ANYBODYS = -1 };

/* Who alone had the longest beginning of a prompt, if it is half of it; -1: nobody. */
static int32_t keeper(const clg_demand *d, const clg_arrival *q, const int32_t *owner,
                      double *matched) {
    int32_t found = -1, depth = 0;
    for (; depth < q->blocks && owner[d->prefix[q->block + (uint32_t)depth]] != 0; depth++) {
        int32_t at = owner[d->prefix[q->block + (uint32_t)depth]];
        if (at != ANYBODYS) found = at - 1;
    }
    *matched = fmin((double)depth * d->prefix_tokens, q->prompt_tokens);
    return 2 * *matched >= q->prompt_tokens ? found : -1;
}

static void own(const clg_demand *d, const clg_arrival *q, int32_t replica, int32_t *owner) {
    for (int32_t b = 0; b < q->blocks; b++) {
        int32_t *at = &owner[d->prefix[q->block + (uint32_t)b]];
        *at = *at == 0 || *at == replica + 1 ? replica + 1 : ANYBODYS;
    }
}

/* What was given a while ago counts for less: all of it at once, when weights have grown large. */
static double weight_at(loads *l, double time_s, double *since_s) {
    static const double remembered_s = 30, most = 200; /* times e */
    if (time_s - *since_s > most * remembered_s) {
        double shrink = clg_exp(-(time_s - *since_s) / remembered_s);
        for (int64_t i = 0; i < l->count; i++) l->given[i] *= shrink;
        l->sum *= shrink;
        *since_s = time_s;
    }
    return clg_exp((time_s - *since_s) / remembered_s);
}

int32_t *clg_route_requests(clg_arena *arena, const clg_demand *d, int64_t replicas) {
    static const double uneven = 1.25;
    int32_t *route = clg_take(arena, (size_t)d->count + 1, int32_t);
    clg_arena_mark mark = clg_arena_here(arena);
    int32_t *owner = clg_take(arena, (size_t)d->prefixes + 1, int32_t);
    loads l = loads_open(arena, replicas);
    double since_s = 0, matched;
    for (int64_t i = 0; i < d->count; i++) {
        const clg_arrival *q = &d->request[i];
        double weight = weight_at(&l, q->arrival_s, &since_s);
        int32_t to = keeper(d, q, owner, &matched);
        double tokens = weight * (q->prompt_tokens - matched + q->output_tokens);
        if (to >= 0 && l.given[to] > uneven * l.sum / (double)replicas + tokens &&
            l.given[to] - l.given[l.heap[0]] > weight * matched)
            to = -1; /* waiting there takes longer than computing it anew elsewhere */
        if (to < 0) to = l.heap[0];
        give(&l, to, tokens);
        own(d, q, to, owner);
        route[i] = to;
    }
    clg_arena_back_to(arena, mark);
    return route;
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
