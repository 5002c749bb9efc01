/* fleet_growth_report.h -- when the next nodes of a fleet are due, as text and JSON. */
#ifndef CLG_REPORT_SERVING_FLEET_GROWTH_REPORT_H
#define CLG_REPORT_SERVING_FLEET_GROWTH_REPORT_H

#include "base/text.h"
#include "serve/joint_growth.h"

/* Nothing where no model grows. */
void clg_report_fleet_growth(clg_text *text, const clg_joint *joint,
                             const clg_joint_growth *growth);

/* Members of an open object. */
void clg_json_fleet_growth(clg_json_writer *writer, const clg_joint *joint,
                           const clg_joint_growth *growth);

#endif
