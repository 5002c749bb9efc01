/* answer_trace.h -- recordings of a job, from wherever their bytes come, to one answer.
 *
 * A host opens files and inflates them, record/ reads them; how they come together is here. */
#ifndef CLG_API_ANSWER_TRACE_H
#define CLG_API_ANSWER_TRACE_H

#include "api/request.h"
#include "record/recording.h"
#include "report_recorded/trace_report.h"

/* Files that could not be read. */
typedef struct clg_trace_skips {
    clg_trace_skipped *row;
    int count;
} clg_trace_skips;

/* The job of all recordings, in their order; it lives as long as they do. The first error where
 * there is nothing to say. */
clg_status clg_recordings_join(clg_arena *arena, const clg_recording *recordings, int count,
                               clg_recorded_job *job, clg_trace_skips *skips, clg_error *error);

/* Sets a job beside the plan that --plan attached; nothing without one. */
clg_status clg_answer_trace_plan(clg_arena *arena, const clg_attachment *plan,
                                 clg_trace_answer *answer, clg_error *error);

/* Where the waiting comes from and what the job would take without it: all but a table shows it. */
void clg_answer_trace_reasons(clg_arena *arena, clg_trace_answer *answer);

#endif
