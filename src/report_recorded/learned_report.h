/* learned_report.h -- what a measured job says of its own prediction, as text and as JSON. */
#ifndef CLG_REPORT_RECORDED_LEARNED_REPORT_H
#define CLG_REPORT_RECORDED_LEARNED_REPORT_H

#include "base/text.h"
#include "calibrate/learn.h"

void clg_report_learned(clg_text *text, const clg_learned *learned);
/* Members "job" of the object that is open. */
void clg_json_learned(clg_json_writer *writer, const clg_learned *learned);

/* ln errors as people read them. */
double clg_percent_of_log(double log_error);

#endif
