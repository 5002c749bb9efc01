/* links.c -- transfers of one kind, group beside group. */
#include "trace/links.h"

#include "base/quantile.h"

#include <stdlib.h>

static const double SLOW = 1.2;

/* Collectives with a transfer: by kind, then by group, then by time. */
typedef const clg_trace_collective *moved;

static int by_kind(moved x, moved y) {
    if (x->operation != y->operation) return x->operation < y->operation ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return (x->group_size > y->group_size) - (x->group_size < y->group_size);
}

static int by_group(const void *a, const void *b) {
    moved x = *(const moved *)a, y = *(const moved *)b;
    int kind = by_kind(x, y);
    if (kind != 0) return kind;
    if (x->group_key != y->group_key) return x->group_key < y->group_key ? -1 : 1;
    return (x->transfer_ns > y->transfer_ns) - (x->transfer_ns < y->transfer_ns);
}

typedef struct groups {
    clg_arena *arena;
    clg_slow_group *row;
    size_t count, capacity;
} groups;

/* Groups of one kind, with their medians. */
static size_t take_groups(groups *g, const moved *list, size_t count) {
    size_t before = g->count;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && list[next]->group_key == list[i]->group_key;) next++;
        clg_slow_group row = {.example = list[i],
                              .count = (int)(next - i),
                              .transfer_ns = list[i + (next - i - 1) / 2]->transfer_ns};
        CLG_APPEND(g->arena, g->row, g->count, g->capacity, row);
    }
    return g->count - before;
}

/* Keeps the slow ones of the last `count` groups. */
static void keep_slow(groups *g, clg_arena *scratch, size_t count) {
    clg_slow_group *own = g->row + (g->count - count);
    int64_t *medians = clg_take(scratch, count + 1, int64_t);
    for (size_t i = 0; i < count; i++) medians[i] = own[i].transfer_ns;
    clg_sort_integers(medians, count);
    g->count -= count;
    for (size_t i = 0; i < count && count > 1; i++) {
        own[i].usual_ns = medians[(count - 1) / 2];
        if ((double)own[i].transfer_ns >= SLOW * (double)own[i].usual_ns && own[i].usual_ns > 0)
            g->row[g->count++] = own[i];
    }
}

static double lost(const clg_slow_group *s) {
    return (double)(s->transfer_ns - s->usual_ns) * s->count;
}

static int most_lost(const void *a, const void *b) {
    const clg_slow_group *x = a, *y = b;
    if (lost(x) != lost(y)) return lost(x) > lost(y) ? -1 : 1;
    return (x->example > y->example) - (x->example < y->example);
}

/* Traces are in order of rank. */
static void name_ranks(clg_arena *arena, const clg_recorded_job *job, clg_slow_group *s) {
    int32_t *rank = clg_take(arena, (size_t)job->count, int32_t);
    for (int i = 0; i < job->count; i++) {
        const clg_trace *t = &job->traces[i];
        bool in = false;
        for (size_t c = 0; c < t->call_count && !in; c++)
            in = t->calls[c].instance >= 0 &&
                 job->collectives[t->calls[c].instance].group_key == s->example->group_key;
        if (in) rank[s->ranks++] = t->rank;
    }
    s->rank = rank;
}

clg_slow_groups clg_job_slow_groups(clg_arena *arena, const clg_recorded_job *job) {
    enum { MOST_NAMED = 64 };
    clg_arena scratch = {0};
    groups g = {.arena = arena};
    moved *list = clg_take(&scratch, (size_t)job->collective_count + 1, moved);
    size_t count = 0;
    for (int i = 0; i < job->collective_count; i++)
        if (job->collectives[i].transfer_ns >= 0 && job->collectives[i].bytes > 0)
            list[count++] = &job->collectives[i];
    if (count) qsort(list, count, sizeof *list, by_group);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && by_kind(list[i], list[next]) == 0;) next++;
        clg_arena_mark mark = clg_arena_here(&scratch);
        keep_slow(&g, &scratch, take_groups(&g, list + i, next - i));
        clg_arena_back_to(&scratch, mark);
    }
    if (g.count) qsort(g.row, g.count, sizeof *g.row, most_lost);
    if (g.count > MOST_NAMED) g.count = MOST_NAMED;
    for (size_t i = 0; i < g.count; i++) name_ranks(arena, job, &g.row[i]);
    clg_arena_clear(&scratch);
    return (clg_slow_groups){g.row, (int)g.count};
}
