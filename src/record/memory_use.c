/* memory_use.c -- points in time into a use. */
#include "record/memory_use.h"

#include "record/ns.h"

#include <stdlib.h>

const clg_name clg_held_kind_names[] = {{"parameters", CLG_HELD_PARAMETER, NULL},
                                        {"optimizer", CLG_HELD_OPTIMIZER, NULL},
                                        {"inputs", CLG_HELD_INPUT, NULL},
                                        {"temporary", CLG_HELD_TEMPORARY, NULL},
                                        {"activations", CLG_HELD_ACTIVATION, NULL},
                                        {"gradients", CLG_HELD_GRADIENT, NULL},
                                        {"autograd", CLG_HELD_AUTOGRAD, NULL},
                                        {"not told", CLG_HELD_UNKNOWN, NULL},
                                        {NULL, 0, NULL}};

static int by_time(const void *a, const void *b) {
    const clg_memory_point *x = a, *y = b;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
    return (x->allocated_bytes > y->allocated_bytes) - (x->allocated_bytes < y->allocated_bytes);
}

static bool in_order(const clg_memory_point *points, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (points[i].at_ns < points[i - 1].at_ns) return false;
    return true;
}

static int bin_of(int64_t at_ns, int64_t span_ns) {
    if (span_ns <= 0) return 0;
    int bin = (int)((double)at_ns / (double)span_ns * CLG_MEMORY_BINS);
    return bin < CLG_MEMORY_BINS ? bin : CLG_MEMORY_BINS - 1;
}

/* A part in which nothing changes has what was before it. */
static void fill_bins(clg_memory_use *use, const clg_memory_point *points, size_t count) {
    int64_t before = points[0].allocated_bytes;
    size_t at = 0;
    for (int bin = 0; bin < CLG_MEMORY_BINS; bin++) {
        use->bin[bin] = before;
        for (; at < count; at++) {
            int64_t since_ns = clg_ns_minus(points[at].at_ns, points[0].at_ns);
            if (bin_of(since_ns, use->span_ns) > bin) break;
            before = points[at].allocated_bytes;
            if (before > use->bin[bin]) use->bin[bin] = before;
        }
    }
}

clg_memory_use clg_memory_use_of(clg_memory_point *points, size_t count) {
    if (!in_order(points, count)) qsort(points, count, sizeof *points, by_time);
    clg_memory_use use = {.rank = -1,
                          .reserved_bytes = -1,
                          .changes = (int64_t)count,
                          .refused_bytes = -1,
                          .free_bytes = -1};
    use.least_bytes = use.peak_bytes = points[0].allocated_bytes;
    use.span_ns = clg_ns_minus(points[count - 1].at_ns, points[0].at_ns);
    for (size_t i = 0; i < count; i++) {
        int64_t bytes = points[i].allocated_bytes;
        if (bytes < use.least_bytes) use.least_bytes = bytes;
        if (bytes <= use.peak_bytes) continue;
        use.peak_bytes = bytes;
        use.peak_ns = clg_ns_minus(points[i].at_ns, points[0].at_ns);
    }
    fill_bins(&use, points, count);
    return use;
}
