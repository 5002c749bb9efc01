/* curve.h -- a scaling curve as text, JSON, CSV and picture. */
#ifndef CLG_REPORT_CURVE_H
#define CLG_REPORT_CURVE_H

#include "base/text.h"
#include "scaling/curve.h"
#include "scaling/sensitivity.h"

void clg_report_curve(clg_text *text, const clg_scenario *scenario, const clg_curve *curve);
void clg_report_sensitivity(clg_text *text, const clg_sensitivity *resources, int64_t gpus);
void clg_report_curve_rows(clg_text *text, const clg_curve *curve);
void clg_json_scale(clg_json_writer *writer, const clg_scenario *scenario, const clg_curve *curve);

/* Two panels over GPUs, both axes logarithmic: tokens/s with its interval, the ideal and the knee;
 * efficiency with the bound E. The cap is a line through both. */
void clg_picture_curve(clg_text *svg, const clg_scenario *scenario, const clg_curve *curve);

#endif
