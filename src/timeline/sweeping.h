/* sweeping.h -- who has each nanosecond, where some work hides other work. */
#ifndef CLG_TIMELINE_SWEEPING_H
#define CLG_TIMELINE_SWEEPING_H

#include "base/arena.h"

#include <stdint.h>

enum { CLG_SWEEP_CLASSES = 20 };

typedef struct clg_sweep_part {
    int64_t start_ns, end_ns;
    int class; /* lower hides higher */
} clg_sweep_part;

/* A stretch of time, without its end. */
typedef struct clg_span {
    int64_t start_ns, end_ns;
} clg_span;

typedef struct clg_sweep_sum {
    int64_t span_ns, own_ns[CLG_SWEEP_CLASSES], none_ns; /* own and none add up to span */
} clg_sweep_sum;

/* From the first start to the last end. */
clg_sweep_sum clg_sweep_all(clg_arena *scratch, const clg_sweep_part *parts, size_t count);

/* Of each span, which are in order and do not overlap. */
void clg_sweep_spans(clg_arena *scratch, const clg_sweep_part *parts, size_t count,
                     const clg_span *spans, size_t span_count, clg_sweep_sum *sums);

#endif
