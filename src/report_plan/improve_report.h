/* improve_report.h -- the way from a job to better ones, as text, rows and JSON. */
#ifndef CLG_REPORT_PLAN_IMPROVE_REPORT_H
#define CLG_REPORT_PLAN_IMPROVE_REPORT_H

#include "base/text.h"
#include "search/improve.h"

void clg_report_improvements(clg_text *text, const clg_gpu *gpu, const clg_evaluation *job,
                             double risk, const clg_improvements *improvements);

/* CSV: the job, then each number of changes, with the flags that differ from the job's. */
void clg_report_improvement_rows(clg_text *text, const clg_evaluation *job,
                                 const clg_improvements *improvements);

/* Newline included. */
void clg_json_improvements(clg_json_writer *writer, const clg_scenario *scenario,
                           const clg_evaluation *job, const clg_improvements *improvements);

#endif
