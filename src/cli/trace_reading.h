/* trace_reading.h -- all recordings of a job, read with as many threads as there are cores. */
#ifndef CLG_CLI_TRACE_READING_H
#define CLG_CLI_TRACE_READING_H

#include "cli/trace_files.h"
#include "report_recorded/trace_report.h"

typedef struct clg_trace_reading clg_trace_reading;

/* Reads the operands; `threads` 0: one a core. A file that is none is skipped, and an error only
 * when all are. The job lives as long as the reading. Where the session is shared, each process
 * reads a part of the files, and nothing else changes. */
clg_status clg_trace_reading_do(clg_session *session, const char *const *operands, int count,
                                int threads, clg_trace_reading **reading, clg_recorded_job *job,
                                clg_error *error);
const clg_trace_skipped *clg_trace_reading_skipped(const clg_trace_reading *reading, int *count);
/* Whether a path is one of the files that were read. */
bool clg_trace_reading_has(const clg_trace_reading *reading, const char *path);
void clg_trace_reading_end(clg_trace_reading *reading); /* NULL: nothing */

/* The other processes: read what the first one gives them and send it what was in it, until it has
 * no more. */
void clg_trace_reading_serve(clg_session *session);

#endif
