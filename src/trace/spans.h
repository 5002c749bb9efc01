/* spans.h -- the steps of a recording, as stretches of its GPU's time that follow one another.
 *
 * GPU work trails the host's step, so that the annotation of a step and the work launched in it are
 * two different stretches; neither is a part of the other. Here a step lasts from the first compute
 * it launched to the first compute that the next one launched, so that every nanosecond belongs to
 * one step and what is in it adds up. The last step has no next one: its host is taken to be as far
 * ahead at its end as it was at its start, and it ends no earlier than its work.
 *
 * Where no steps are annotated, the kernel sequence repeats: a kernel that comes once a period,
 * with nearly all kernels of the recording in every period, cuts it into steps. What lies before
 * the first and after the last is left out. Where that is not so either, a recording is one step.
 */
#ifndef CLG_TRACE_SPANS_H
#define CLG_TRACE_SPANS_H

#include "timeline/sweeping.h"
#include "trace/recorded_job.h"

typedef enum clg_span_kind {
    CLG_SPANS_WHOLE,   /* one: the recording */
    CLG_SPANS_PATTERN, /* between calls of one kernel */
    CLG_SPANS_STEPS    /* by annotations */
} clg_span_kind;
extern const clg_name clg_span_kind_names[];

/* How recordings are cut. */
typedef struct clg_span_rule {
    clg_span_kind kind;
    const char *kernel; /* of CLG_SPANS_PATTERN */
} clg_span_rule;

/* The finest cut that every trace with GPU work of these jobs allows. */
clg_span_rule clg_span_rule_of(clg_arena *scratch, const clg_recorded_job *const *jobs, int count);

typedef struct clg_spans {
    clg_span *span;
    size_t count;
    int64_t trailing_ns; /* summed: how far work outlasts its annotation; 0 without annotations */
} clg_spans;

/* In order, none overlapping. Empty for a trace without GPU work. */
clg_spans clg_spans_of(clg_arena *arena, const clg_trace *trace, const clg_span_rule *rule);

#endif
