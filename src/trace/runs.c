/* runs.c -- which recordings are of one run. */
#include "trace/runs.h"

#include "base/order.h"
#include "base/text.h"
#include "record/ns.h"

#include <string.h>

/* Nanoseconds since 1970 rather than since a machine was started. */
static const int64_t absolute_ns = INT64_C(1000000000000000000);

enum { MOST_OF_HOST = 64 }; /* GPUs */

typedef struct one {
    const clg_trace *trace;
    int32_t world;
    int run;
} one;

typedef struct run {
    size_t ranks;
    int64_t start_ns;
} run;

static int by_world_and_start(const void *a, const void *b) {
    const one *x = a, *y = b;
    if (x->world != y->world) return x->world < y->world ? -1 : 1;
    int64_t p = x->trace->ledger.start_ns, q = y->trace->ledger.start_ns;
    return (p > q) - (p < q);
}

/* The only world size that is told, for those that do not tell one; else -1. */
static int32_t only_world(const clg_trace *traces, size_t count) {
    int32_t world = -1;
    for (size_t i = 0; i < count; i++) {
        if (traces[i].world_size <= 0 || traces[i].world_size == world) continue;
        if (world > 0) return -1;
        world = traces[i].world_size;
    }
    return world;
}

/* Numbers runs; how many, or 0: they cannot be told apart. `last` is by rank. */
static int number_runs(one *list, size_t count, clg_map *last) {
    int runs = 0;
    size_t first = 0; /* of the run */
    for (size_t i = 0; i < count; i++) {
        const clg_trace *t = list[i].trace;
        uint64_t rank = (uint64_t)t->rank + 1;
        uint32_t known = clg_map_get(last, rank, UINT32_MAX);
        bool other = i == 0 || list[i].world != list[i - 1].world;
        bool again = !other && known != UINT32_MAX && known >= first;
        if (again) {
            const clg_ledger *l = &list[known].trace->ledger;
            if (l->start_ns < absolute_ns ||
                clg_ns_plus(l->start_ns, l->span_ns) > t->ledger.start_ns)
                return 0;
        }
        if (other || again) {
            runs++;
            first = i;
        }
        list[i].run = runs - 1;
        clg_map_put(last, rank, (uint32_t)i);
    }
    return runs;
}

static int choose(const one *list, size_t count, run *sum) {
    int best = 0;
    for (size_t i = 0; i < count; i++) {
        run *r = &sum[list[i].run];
        if (r->ranks++ == 0) r->start_ns = list[i].trace->ledger.start_ns;
        const run *b = &sum[best];
        if (r->ranks > b->ranks || (r->ranks == b->ranks && r->start_ns >= b->start_ns))
            best = list[i].run;
    }
    return best;
}

static const char *reason(clg_arena *arena, const one *o, int32_t world, int64_t start_ns) {
    double apart_s = 1e-9 * (double)clg_ns_minus(o->trace->ledger.start_ns, start_ns);
    if (o->world != world)
        return clg_arena_print(arena, "another run, of %d ranks: give its files alone", o->world);
    return clg_arena_print(arena, "another run, %.0f s %s: give its files alone",
                           apart_s < 0 ? -apart_s : apart_s, apart_s < 0 ? "earlier" : "later");
}

size_t clg_trace_runs_apart(clg_arena *arena, clg_trace *traces, size_t count, const char **why) {
    clg_arena scratch = {0};
    one *list = clg_take(&scratch, count + 1, one);
    clg_trace *copy = clg_take(&scratch, count + 1, clg_trace);
    run *sum = clg_take(&scratch, count + 1, run);
    int32_t only = only_world(traces, count);
    clg_map last = {.arena = &scratch};
    size_t kept = 0, left = 0;
    bool ranks = count > 0;
    for (size_t i = 0; i < count; i++) {
        ranks = ranks && traces[i].rank >= 0;
        copy[i] = traces[i];
        list[i] = (one){&copy[i], traces[i].world_size > 0 ? traces[i].world_size : only, 0};
    }
    clg_order(&scratch, list, count, sizeof *list, by_world_and_start);
    int runs = ranks ? number_runs(list, count, &last) : 0, best = choose(list, count, sum);
    int32_t world = -1;
    int *of = clg_take(&scratch, count + 1, int);
    for (size_t i = 0; i < count; i++) {
        of[list[i].trace - copy] = list[i].run;
        if (list[i].run == best) world = list[i].world;
    }
    for (size_t i = 0; runs > 1 && i < count; i++) {
        one o = {&copy[i], copy[i].world_size > 0 ? copy[i].world_size : only, of[i]};
        if (of[i] == best)
            traces[kept++] = copy[i];
        else
            why[left++] = reason(arena, &o, world, sum[best].start_ns);
    }
    for (size_t i = 0, at = kept; runs > 1 && i < count; i++)
        if (of[i] != best) traces[at++] = copy[i];
    clg_arena_clear(&scratch);
    return runs > 1 ? kept : count;
}

/* But not the same recording twice. */
static bool at_once(const clg_trace *a, const clg_trace *b) {
    bool same = a->ledger.start_ns == b->ledger.start_ns && a->ledger.span_ns == b->ledger.span_ns;
    return !same && clg_ns_plus(a->ledger.start_ns, a->ledger.span_ns) > b->ledger.start_ns &&
           clg_ns_plus(b->ledger.start_ns, b->ledger.span_ns) > a->ledger.start_ns;
}

void clg_trace_number_hosts(clg_trace *traces, size_t count) {
    int32_t before = 0, most = 0; /* ranks of the files before; of them and this one */
    bool twice = false;
    for (size_t i = 0; i < count; i++) {
        const clg_trace *t = &traces[i];
        if (t->world_size > 0 || t->rank < 0 || t->rank != t->device) return;
        if (t->rank >= MOST_OF_HOST) return;
        bool first = t->rank == 0 && traces[0].rank == 0 && i > 0;
        twice = twice || (first && strcmp(t->file, traces[0].file) && at_once(t, &traces[0]));
    }
    for (size_t i = 0; twice && i < count; i++) {
        if (i > 0 && strcmp(traces[i].file, traces[i - 1].file) != 0) before = most;
        if (before > INT32_MAX - MOST_OF_HOST) return;
        traces[i].rank += before;
        if (traces[i].rank >= most) most = traces[i].rank + 1;
    }
}
