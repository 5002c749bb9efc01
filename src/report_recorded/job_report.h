/* job_report.h -- a job that was read, for people and as JSON. */
#ifndef CLG_REPORT_RECORDED_JOB_REPORT_H
#define CLG_REPORT_RECORDED_JOB_REPORT_H

#include "base/text.h"
#include "job/job.h"
#include "record/train_log.h"

void clg_report_job(clg_text *text, const clg_job *job);
/* Members of the answer, with the logs given beside its files. */
void clg_json_job(clg_json_writer *writer, const clg_job *job, const clg_train_logs *logs);

#endif
