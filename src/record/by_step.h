/* by_step.h -- GPU work by the profiler step that launched it. */
#ifndef CLG_RECORD_BY_STEP_H
#define CLG_RECORD_BY_STEP_H

#include "record/trace.h"

/* Puts every GPU event into the step in whose annotation it was launched, or, without a record of
 * its launch, in whose annotation it started; and makes the ledgers of the steps. */
void clg_steps_assign(clg_arena *scratch, clg_trace *trace);

/* Events by step: those of step s are order[first[s]] to order[first[s + 1] - 1]. A trace without
 * steps is one step; events of no step are left out. */
typedef struct clg_step_order {
    size_t steps;
    uint32_t *order;
    size_t *first;
} clg_step_order;

#endif
