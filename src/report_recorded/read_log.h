/* read_log.h -- a training log that was read: what a step took, for people and as JSON. */
#ifndef CLG_REPORT_RECORDED_READ_LOG_H
#define CLG_REPORT_RECORDED_READ_LOG_H

#include "base/text.h"
#include "record/train_log.h"

/* Whose log it is, and how fast it went. */
void clg_report_log(clg_text *text, const clg_train_log *log);

/* The answer of `read` to logs alone. */
void clg_report_logs(clg_text *text, const clg_train_logs *logs);
void clg_json_logs(clg_json_writer *writer, const clg_train_logs *logs);

/* The member "log" of an answer, and "logs" where there are several; nothing without any. */
void clg_json_add_logs(clg_json_writer *writer, const clg_train_logs *logs);

#endif
