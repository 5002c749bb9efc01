/* measured.h -- serving predicted against measured, as text, CSV and JSON. */
#ifndef CLG_REPORT_MEASURED_H
#define CLG_REPORT_MEASURED_H

#include "report/json.h"
#include "serve/measured.h"

void clg_report_measured(clg_text *text, const clg_measured_table *table);
void clg_report_measured_rows(clg_text *text, const clg_measured_table *table);
void clg_json_measured(clg_json_writer *writer, const clg_measured_table *table);

#endif
