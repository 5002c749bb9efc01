/* curve_parts.h -- internal to report_plan/: parts of a curve's text that are there when asked for.
 */
#ifndef CLG_REPORT_PLAN_CURVE_PARTS_H
#define CLG_REPORT_PLAN_CURVE_PARTS_H

#include "report_plan/curve_report.h"

/* In growth: what is trained where, and by which ladder. */
void clg_report_grown(clg_text *text, const clg_curve *curve);

/* With --useful: tokens, and what they still teach. */
void clg_report_useful(clg_text *text, const clg_curve *curve);

/* With several sites: what the link between them costs. */
void clg_report_sites(clg_text *text, const clg_curve *curve);

#endif
