/* recording.h -- what one file holds, whatever it is: the formats, and all that they can tell.
 *
 * A format is one file of this directory with a row at its end (clg_reader) and one line of
 * readers.c. What a file says of its own is made here; what files say together is made in trace/.
 */
#ifndef CLG_RECORD_RECORDING_H
#define CLG_RECORD_RECORDING_H

#include "base/csv.h"
#include "base/parcel.h"
#include "record/execution.h"
#include "record/nccl_log.h"
#include "record/stages.h"
#include "record/trace.h"
#include "record/train_log.h"

/* What one file held, with memory of its own: threads may read several at once. */
typedef struct clg_recording {
    clg_arena arena;
    const char *file;
    const clg_cores *cores; /* lent to who reads it; NULL: none */
    clg_trace *traces;
    int count;
    clg_nccl_rows benchmarks;
    clg_train_logs logs;
    clg_stages_list stages;
    clg_executions executions;
    clg_memory_uses memory; /* of files that tell it alone */
    clg_status status;
    clg_error error;
} clg_recording;

/* A format. Names of files promise nothing: `probe` looks at the first (inflated) bytes. */
typedef struct clg_reader {
    const char *name;
    bool (*probe)(clg_slice head);
    clg_status (*read)(clg_recording *into, clg_trace_source source, const clg_csv *kernels);
} clg_reader;

/* The first reader, in the order of readers.c, that takes a file for its own: never NULL. */
const clg_reader *clg_reader_of(clg_slice head);

/* Reads a file: `head` are its first (inflated) bytes, which the source gives again; `kernels` is
 * the table of clg_trace_kernels. Status and error are in the recording. */
void clg_recording_read(const char *file, clg_slice head, clg_trace_source source,
                        const clg_csv *kernels, clg_recording *into);
void clg_recording_end(clg_recording *recording);

/* Appends what `one` holds, which was read in the memory of `all` and is over then. */
void clg_recording_append(clg_recording *all, clg_recording *one);

/* A recording as bytes and back (base/parcel.h), to be read in one process and joined in another.
 * While unpacking, `file` has to be set, and what comes lives in the recording's arena. The form
 * changes with any field: only processes of one build understand each other. */
enum { CLG_RECORDING_FORM = 8 };
void clg_recording_walk(clg_parcel *parcel, clg_recording *recording);

/* For readers: all of a file (a gigabyte at most), whether it begins like JSON, and why it could
 * not be read. */
clg_slice clg_source_whole(clg_arena *arena, clg_trace_source source);
bool clg_head_is_json(clg_slice head);
clg_status clg_recording_refuse(clg_recording *into, const char *mend, const char *why);

#endif
