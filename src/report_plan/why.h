/* why.h -- where a number comes from: formula, inputs with their sources. */
#ifndef CLG_REPORT_PLAN_WHY_H
#define CLG_REPORT_PLAN_WHY_H

#include "base/text.h"
#include "evaluate/evaluate.h"

/* Appends what is behind the number called `name` ("mfu", "bubble", "activations" ...); an unknown
 * name is CLG_BAD_INPUT with the nearest. */
clg_status clg_report_why(clg_text *text, const clg_scenario *scenario,
                          const clg_evaluation *evaluation, const char *name, clg_error *error);

#endif
