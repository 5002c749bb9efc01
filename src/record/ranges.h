/* ranges.h -- what a program named itself (NVTX, user annotations), as steps.
 *
 * Where nothing is called ProfilerStep, the ranges of one name on one thread that follow each other
 * may be the steps: those called step, iteration or batch, if they cover half of the GPU's time,
 * else those that cover most, if that is nine tenths; at least two. Numbers in names do not count.
 */
#ifndef CLG_RECORD_RANGES_H
#define CLG_RECORD_RANGES_H

#include "record/trace.h"

typedef struct clg_range {
    uint64_t class, thread; /* class: thread and name */
    int64_t start_ns, duration_ns, number;
    uint32_t name; /* in names */
    bool named;    /* like a step */
    bool part;     /* of a step, never one */
} clg_range;

typedef struct clg_ranges {
    clg_arena *arena;
    clg_range *range;
    size_t count, capacity;
    clg_intern names;   /* with # for numbers; its memory is set at the first range */
    const char **first; /* [names] as first met; NULL once the numbers were others */
    size_t first_capacity;
} clg_ranges;

/* For people: the numbers stay where they are always the same. */
const char *clg_range_name(const clg_ranges *ranges, uint32_t name);

void clg_ranges_add(clg_ranges *ranges, clg_slice name, uint64_t thread, int64_t start_ns,
                    int64_t duration_ns);

/* Makes steps of them where the trace, whose ledger is done, has none. Puts ranges in order. */
void clg_ranges_to_steps(clg_ranges *ranges, clg_trace *trace);

#endif
