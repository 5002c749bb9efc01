/* serving_accuracy.h -- serving predicted against measured, as text, CSV, JSON and a page. */
#ifndef CLG_REPORT_ACCURACY_SERVING_ACCURACY_H
#define CLG_REPORT_ACCURACY_SERVING_ACCURACY_H

#include "measured/measured.h"
#include "report_accuracy/validation.h"

/* A line per source and measure, the groups that are furthest off or with `groups` all of them,
 * and why rows were not scored, a line per reason. */
void clg_report_measured(clg_text *text, const clg_measured_table *table, bool groups);
void clg_report_measured_rows(clg_text *text, const clg_measured_table *table);

/* Where it can be trusted, rows never fitted on apart. */
void clg_report_measured_page(clg_text *text, const clg_measured_table *table);

/* Its section on other tools, beside ours on the rows they predicted; nothing where there are none.
 */
void clg_report_measured_peers(clg_text *text, const clg_measured_table *table);
void clg_json_measured(clg_json_writer *writer, const clg_measured_table *table);

#endif
