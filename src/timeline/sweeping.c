/* sweeping.c -- from edge to edge in order of time. */
#include "timeline/sweeping.h"

#include "base/order.h"

typedef struct edge {
    int64_t at_ns;
    int class, step; /* +1 start, -1 end */
} edge;

static int by_time(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static edge *edges_of(clg_arena *scratch, const clg_sweep_part *parts, size_t count) {
    edge *edges = clg_take(scratch, 2 * count + 1, edge);
    for (size_t i = 0; i < count; i++) {
        edges[2 * i] = (edge){parts[i].start_ns, parts[i].class, 1};
        edges[2 * i + 1] = (edge){parts[i].end_ns, parts[i].class, -1};
    }
    clg_order(scratch, edges, 2 * count, sizeof *edges, by_time);
    return edges;
}

/* Gives what lies between two edges to the spans it lies in, from span `at` on. */
static size_t share(const clg_span *spans, size_t count, size_t at, int64_t from_ns, int64_t to_ns,
                    int class, clg_sweep_sum *sums) {
    while (at < count && spans[at].end_ns <= from_ns) at++;
    for (size_t i = at; i < count && spans[i].start_ns < to_ns; i++) {
        int64_t start_ns = from_ns > spans[i].start_ns ? from_ns : spans[i].start_ns;
        int64_t end_ns = to_ns < spans[i].end_ns ? to_ns : spans[i].end_ns;
        if (end_ns > start_ns) sums[i].own_ns[class] += end_ns - start_ns;
    }
    return at;
}

static void finish(clg_sweep_sum *sum, const clg_span *span) {
    sum->span_ns = sum->none_ns = span->end_ns - span->start_ns;
    for (int c = 0; c < CLG_SWEEP_CLASSES; c++) sum->none_ns -= sum->own_ns[c];
}

static void sweep(const edge *edges, size_t count, const clg_span *spans, size_t span_count,
                  clg_sweep_sum *sums) {
    int64_t active[CLG_SWEEP_CLASSES] = {0};
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        int class = 0;
        while (class < CLG_SWEEP_CLASSES && active[class] == 0) class ++;
        if (class < CLG_SWEEP_CLASSES)
            at = share(spans, span_count, at, edges[i - 1].at_ns, edges[i].at_ns, class, sums);
        active[edges[i].class] += edges[i].step;
    }
}

void clg_sweep_spans(clg_arena *scratch, const clg_sweep_part *parts, size_t count,
                     const clg_span *spans, size_t span_count, clg_sweep_sum *sums) {
    clg_arena_mark mark = clg_arena_here(scratch);
    for (size_t i = 0; i < span_count; i++) sums[i] = (clg_sweep_sum){0};
    sweep(edges_of(scratch, parts, count), 2 * count, spans, span_count, sums);
    for (size_t i = 0; i < span_count; i++) finish(&sums[i], &spans[i]);
    clg_arena_back_to(scratch, mark);
}

clg_sweep_sum clg_sweep_all(clg_arena *scratch, const clg_sweep_part *parts, size_t count) {
    clg_span all = {INT64_MAX, INT64_MIN};
    clg_sweep_sum sum = {0};
    for (size_t i = 0; i < count; i++) {
        if (parts[i].start_ns < all.start_ns) all.start_ns = parts[i].start_ns;
        if (parts[i].end_ns > all.end_ns) all.end_ns = parts[i].end_ns;
    }
    if (count) clg_sweep_spans(scratch, parts, count, &all, 1, &sum);
    return sum;
}
