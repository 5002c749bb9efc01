/* by_step.h -- GPU work by the profiler step that launched it. */
#ifndef CLG_RECORD_BY_STEP_H
#define CLG_RECORD_BY_STEP_H

#include "record/trace.h"

/* Puts every GPU event into the step in whose annotation it was launched, or, without a record of
 * its launch, in whose annotation it started; and makes the ledgers of the steps. */
void clg_steps_assign(clg_arena *scratch, clg_trace *trace);

#endif
