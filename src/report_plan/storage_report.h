/* storage_report.h -- what a plan asks of storage. */
#ifndef CLG_REPORT_PLAN_STORAGE_REPORT_H
#define CLG_REPORT_PLAN_STORAGE_REPORT_H

#include "base/text.h"
#include "evaluate/evaluate.h"

/* Nothing of a plan that trains adapters. */
void clg_report_storage(clg_text *text, const clg_scenario *scenario,
                        const clg_evaluation *evaluation);
void clg_json_storage(clg_json_writer *writer, const clg_scenario *scenario,
                      const clg_evaluation *evaluation);

#endif
