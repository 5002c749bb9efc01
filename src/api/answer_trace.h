/* answer_trace.h -- recordings of a job, from wherever their bytes come, to one answer.
 *
 * A host opens files and inflates them; what a file is, how it is read and how the ranks of a job
 * come together is here. */
#ifndef CLG_API_ANSWER_TRACE_H
#define CLG_API_ANSWER_TRACE_H

#include "api/request.h"
#include "base/csv.h"
#include "base/parcel.h"
#include "base/text.h"
#include "report/trace.h"

/* What one file held, with memory of its own: threads may read several at once. */
typedef struct clg_recording {
    clg_arena arena;
    const char *file;
    clg_trace *traces;
    int count;
    clg_nccl_rows benchmarks;
    clg_train_logs logs;
    clg_stages_list stages;
    clg_executions executions;
    clg_status status;
    clg_error error;
} clg_recording;

/* Reads a file: `head` are its first (inflated) bytes, which the source gives again; `table` is
 * that of clg_trace_kernels_read. Status and error are in the recording. */
void clg_recording_read(const char *file, clg_slice head, clg_trace_source source,
                        const clg_csv *table, clg_recording *into);
void clg_recording_end(clg_recording *recording);

/* A recording as bytes and back (base/parcel.h), to be read in one process and joined in another.
 * While unpacking, `file` has to be set, and what comes lives in the recording's arena. The form
 * changes with any field: only processes of one build understand each other. */
enum { CLG_RECORDING_FORM = 1 };
void clg_recording_walk(clg_parcel *parcel, clg_recording *recording);

/* Files that could not be read. */
typedef struct clg_trace_skips {
    clg_trace_skipped *row;
    int count;
} clg_trace_skips;

/* The job of all recordings, in their order; it lives as long as they do. The first error where
 * there is nothing to say. */
clg_status clg_recordings_join(clg_arena *arena, const clg_recording *recordings, int count,
                               clg_job *job, clg_trace_skips *skips, clg_error *error);

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
