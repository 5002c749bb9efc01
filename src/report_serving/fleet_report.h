/* fleet_report.h -- several models on one fleet, as text and JSON. */
#ifndef CLG_REPORT_SERVING_FLEET_REPORT_H
#define CLG_REPORT_SERVING_FLEET_REPORT_H

#include "base/text.h"
#include "serve/joint_growth.h"

typedef struct clg_fleet_shown {
    const clg_joint *joint;
    const char *ignored; /* columns of the table that mean nothing here; NULL: none */
    int64_t owned_gpus;  /* that there are; 0: not said */
    const clg_joint_growth *growth;
} clg_fleet_shown;

void clg_report_fleet(clg_text *text, const clg_fleet_shown *shown);
/* The members of an object that is open. */
void clg_json_fleet(clg_json_writer *writer, const clg_fleet_shown *shown);

#endif
