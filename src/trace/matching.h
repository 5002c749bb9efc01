/* matching.h -- internal to trace/: collectives of a job while their ranks are brought together. */
#ifndef CLG_TRACE_MATCHING_H
#define CLG_TRACE_MATCHING_H

#include "trace/recorded_job.h"

/* One rank's call of an instance. */
typedef struct clg_member_call {
    uint32_t instance;
    int trace;
    clg_trace_call *call;
} clg_member_call;

typedef struct clg_matching {
    clg_arena *arena;
    clg_arena scratch;
    clg_recorded_job *job;
    clg_member_call *members; /* by instance, then by trace */
    size_t count;
    size_t *first; /* [collectives + 1] where the members of an instance begin */
} clg_matching;

/* Finds how far each trace's clock is off that of the first. */
void clg_align_clocks(clg_matching *matching);

#endif
