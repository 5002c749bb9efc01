/* mixed_report.h -- one job on two kinds of GPU, as text, JSON and CSV. */
#ifndef CLG_REPORT_PLAN_MIXED_REPORT_H
#define CLG_REPORT_PLAN_MIXED_REPORT_H

#include "base/text.h"
#include "scaling/mixed.h"

void clg_report_mixed(clg_text *text, const clg_mixed *mixed);
void clg_report_mixed_rows(clg_text *text, const clg_mixed *mixed);
void clg_json_mixed(clg_json_writer *writer, const clg_mixed *mixed);

#endif
