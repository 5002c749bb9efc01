/* placing_report.h -- which model was placed on which kind of GPU, and why. */
#ifndef CLG_REPORT_SERVING_PLACING_REPORT_H
#define CLG_REPORT_SERVING_PLACING_REPORT_H

#include "report_serving/fleet_report.h"
#include "serve/place_models.h"

void clg_report_placing(clg_text *text, const clg_placement *placing);
/* The members of an object that is open. */
void clg_json_placing(clg_json_writer *writer, const clg_placement *placing);

#endif
