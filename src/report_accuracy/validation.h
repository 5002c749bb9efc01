/* validation.h -- predicted against measured runs, as text, CSV, JSON and a picture. */
#ifndef CLG_REPORT_ACCURACY_VALIDATION_H
#define CLG_REPORT_ACCURACY_VALIDATION_H

#include "base/text.h"
#include "validate/leave_out.h"

void clg_report_validation(clg_text *text, const clg_validation *validation);

/* Names of stacks that nobody knows, and how many rows were predicted without them; nothing for
 * none. */
void clg_report_unknown_stacks(clg_text *text, const clg_validation *validation);

/* Every run as a line of CSV: plan, predicted, measured. */
void clg_report_validation_rows(clg_text *text, const clg_validation *validation);

/* Predicted against measured step time, both axes logarithmic, one colour per source. */
void clg_picture_validation(clg_text *svg, const clg_validation *validation);

/* How far predictions are from what was measured: shares; bias is the median of the signed ones. */
typedef struct clg_errors {
    int rows, scored;
    double mape, median_ape, p90_ape, bias;
} clg_errors;

/* Members of an open object. */
void clg_json_errors(clg_json_writer *writer, clg_errors errors);

/* left_out NULL: not asked for. */
void clg_json_validation(clg_json_writer *writer, const clg_validation *validation,
                         const clg_leave_out *left_out);

#endif
