/* diagnose_report.h -- a diagnosis as text and JSON. */
#ifndef CLG_REPORT_PLAN_DIAGNOSE_REPORT_H
#define CLG_REPORT_PLAN_DIAGNOSE_REPORT_H

#include "base/text.h"
#include "diagnose/diagnose.h"

void clg_report_diagnosis(clg_text *text, const clg_scenario *scenario, const clg_evaluation *plan,
                          const clg_observations *seen, const clg_diagnosis *diagnosis);

/* Newline included. */
void clg_json_diagnosis(clg_json_writer *writer, const clg_scenario *scenario,
                        const clg_evaluation *plan, const clg_observations *seen,
                        const clg_diagnosis *diagnosis);

/* In the text format of Prometheus: measured and expected step, chances. Of what was not measured
 * there is no line. */
void clg_metrics_diagnosis(clg_text *text, const clg_evaluation *plan, const clg_observations *seen,
                           const clg_diagnosis *diagnosis);

#endif
