/* job_files.h -- internal to cli/: the files of a job, from the disk. */
#ifndef CLG_CLI_JOB_FILES_H
#define CLG_CLI_JOB_FILES_H

#include "cli/tool.h"
#include "record/train_log.h"

/* Reads a file that is the log of a training program; false: it is none. */
bool clg_job_files_log(clg_session *session, const char *path, clg_train_logs *logs);

/* Whether this operand is a file of a job: neither a preset nor a config.json. */
bool clg_job_files_is(clg_session *session, const char *path);

#endif
