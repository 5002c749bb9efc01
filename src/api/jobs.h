/* jobs.h -- a job's files in the place of flags. */
#ifndef CLG_API_JOBS_H
#define CLG_API_JOBS_H

#include "api/request.h"
#include "job/job.h"

/* Lays a job under a request: flags that were given stay. `layout`: with its degrees and batches of
 * a micro-batch; else the plan is free to choose them. CLG_BAD_INPUT: it names no known model. */
clg_status clg_request_job(clg_arena *arena, clg_request *request, const clg_job *job, bool layout,
                           clg_error *error);

/* Reads the files of a job that were given with a request. */
clg_status clg_request_read_job(clg_arena *arena, const clg_request *request, clg_job *job,
                                clg_error *error);

/* The same, and lays it under the request; without files nothing is done. A server's files are
 * refused unless the question is about serving. */
clg_status clg_request_files(clg_arena *arena, clg_request *request, bool layout, bool serving,
                             clg_error *error);

/* Whether a file is of a job rather than its log: scripts and configurations may quote a log in a
 * comment, texts may be one. */
bool clg_job_is_no_log(const char *name, const char *text, size_t size);

#endif
