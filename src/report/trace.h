/* trace.h -- recordings of a job as text and as JSON. */
#ifndef CLG_REPORT_TRACE_H
#define CLG_REPORT_TRACE_H

#include "base/text.h"
#include "trace/job.h"

/* A file that was given and not read. */
typedef struct clg_trace_skipped {
    const char *file, *reason;
} clg_trace_skipped;

/* Ledger of every rank with bars, waiting, collectives, stragglers, kernels, damage. */
void clg_report_trace(clg_text *text, const clg_job *job, const clg_trace_skipped *skipped,
                      int skipped_count, int top);

/* Logs of training programs. */
void clg_report_train_logs(clg_text *text, const clg_train_logs *logs);
void clg_json_train_logs(clg_json_writer *writer, const clg_train_logs *logs);

/* Names and order of docs/formats.md. */
void clg_json_trace(clg_json_writer *writer, const clg_job *job, const clg_trace_skipped *skipped,
                    int skipped_count);

#endif
