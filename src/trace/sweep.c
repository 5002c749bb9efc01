/* sweep.c -- from edge to edge in order of time. */
#include "trace/sweep.h"

#include <stdlib.h>

typedef struct edge {
    int64_t at_ns;
    int class, step; /* +1 start, -1 end */
} edge;

static int by_time(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

clg_sweep_sum clg_sweep(clg_arena *scratch, const clg_sweep_part *parts, size_t count) {
    clg_sweep_sum sum = {0};
    int64_t active[CLG_SWEEP_CLASSES] = {0};
    edge *edges = clg_take(scratch, 2 * count + 1, edge);
    for (size_t i = 0; i < count; i++) {
        edges[2 * i] = (edge){parts[i].start_ns, parts[i].class, 1};
        edges[2 * i + 1] = (edge){parts[i].end_ns, parts[i].class, -1};
    }
    if (count) qsort(edges, 2 * count, sizeof *edges, by_time);
    for (size_t i = 0; i < 2 * count; i++) {
        int64_t ns = i ? edges[i].at_ns - edges[i - 1].at_ns : 0;
        int class = 0;
        while (class < CLG_SWEEP_CLASSES && active[class] == 0) class ++;
        *(class < CLG_SWEEP_CLASSES ? &sum.own_ns[class] : &sum.none_ns) += ns;
        sum.span_ns += ns;
        active[edges[i].class] += edges[i].step;
    }
    return sum;
}
