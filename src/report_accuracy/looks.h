/* looks.h -- first looks at sources, and pairs of rows, as text. */
#ifndef CLG_REPORT_ACCURACY_LOOKS_H
#define CLG_REPORT_ACCURACY_LOOKS_H

#include "base/text.h"
#include "validate/first_look.h"
#include "validate/pairs.h"

/* Every source, whether it was seen before, the mean of all; every row that was set aside. */
void clg_report_first_look(clg_text *text, const clg_validation *validation,
                           const clg_looks *looks);

/* By source and column; every pair as a line of CSV. */
void clg_report_pairs(clg_text *text, const clg_validation *validation, const clg_pairs *pairs);
void clg_report_pair_rows(clg_text *text, const clg_validation *validation, const clg_pairs *pairs);

#endif
