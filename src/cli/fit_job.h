/* fit_job.h -- internal to cli/: a job among the operands of fit, and what its logs say of it. */
#ifndef CLG_CLI_FIT_JOB_H
#define CLG_CLI_FIT_JOB_H

#include "api/answer.h"
#include "calibrate/learn.h"
#include "cli/tool.h"
#include "record/train_log.h"

typedef struct clg_fit_job {
    clg_train_logs logs;                /* of one job; none: there is no job */
    const char *word[CLG_JOB_OPERANDS]; /* model or files of the job */
    int words;
    clg_answer plan; /* the job as it should run */
    clg_learned learned;
} clg_fit_job;

/* Takes the file that --log names, where it does. */
clg_status clg_fit_job_asked(clg_session *session, clg_fit_job *job, clg_error *error);

/* Takes an operand that is the log of a training program; false: it is none. */
bool clg_fit_job_log(clg_session *session, clg_fit_job *job, const char *operand);

/* Takes a model, or a file of a job; false: it is neither, or there are too many. */
bool clg_fit_job_word(clg_session *session, clg_fit_job *job, const char *operand);

/* Reads the job into the session's request and prices it, where there are logs. */
clg_status clg_fit_job_read(clg_session *session, clg_fit_job *job, clg_error *error);

/* Its stack, fitted to the logs' median step. */
clg_status clg_fit_job_learn(clg_session *session, clg_fit_job *job, clg_calibration *calibration,
                             clg_error *error);

#endif
