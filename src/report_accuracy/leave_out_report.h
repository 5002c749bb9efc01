/* leave_out_report.h -- scores of runs that the terms were not fitted on, as text, Markdown and
 * JSON. */
#ifndef CLG_REPORT_ACCURACY_LEAVE_OUT_REPORT_H
#define CLG_REPORT_ACCURACY_LEAVE_OUT_REPORT_H

#include "base/text.h"
#include "validate/leave_out.h"

void clg_report_leave_out(clg_text *text, const clg_leave_out *scores);

/* The part of `validate --markdown`, of [CLG_FOLD_KINDS] kinds. */
void clg_report_leave_out_page(clg_text *text, const clg_leave_out *kinds);

/* The members of an open object. */
void clg_json_leave_out(clg_json_writer *writer, const clg_leave_out *scores);

#endif
