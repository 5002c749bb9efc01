/* trace_tar.h -- a job's timelines as an archive of one file a rank. */
#ifndef CLG_CLI_TRACE_TAR_H
#define CLG_CLI_TRACE_TAR_H

#include "base/error.h"
#include "trace/recorded_job.h"

/* Perfetto opens a tar of traces as one (https://perfetto.dev/docs/analysis/merging-traces), and a
 * large job written so needs the memory of its largest rank only. Times are on the job's clock.
 * Written beside the path and renamed. */
clg_status clg_trace_tar_write(const char *path, const clg_recorded_job *job, clg_error *error);

#endif
