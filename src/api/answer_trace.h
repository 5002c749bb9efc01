/* answer_trace.h -- recordings of a job, from wherever their bytes come, to one answer.
 *
 * A host opens files and inflates them, record/ reads them; how they come together is here. */
#ifndef CLG_API_ANSWER_TRACE_H
#define CLG_API_ANSWER_TRACE_H

#include "api/request.h"
#include "base/text.h"
#include "record/recording.h"
#include "report/trace_report.h"

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

/* Files of a host that has no file system: the next bytes of the n-th, 0 at its end. */
typedef struct clg_files {
    size_t (*read)(void *context, int file, char *to, size_t capacity);
    void *context;
    const char **name; /* [count] */
    int count;
    int others; /* the last of them are of the run to compare with */
} clg_files;

/* Reads all files, one after the other, and appends the answer as JSON, or its picture, newline
 * included. */
clg_status clg_answer_trace_json(clg_arena *arena, const clg_request *request,
                                 const clg_files *files, bool picture, clg_progress progress,
                                 clg_text *text, clg_error *error);

#endif
