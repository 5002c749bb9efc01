/* balance_report.h -- how large a model a budget is in balance with. */
#ifndef CLG_REPORT_PLAN_BALANCE_REPORT_H
#define CLG_REPORT_PLAN_BALANCE_REPORT_H

#include "base/text.h"
#include "economics/cluster.h"

/* One line where there is a budget: parameters and tokens it pays for, were every operation as
 * cheap as in this run. */
void clg_report_balance(clg_text *text, const clg_sizing *asked, const clg_cluster *taken);

#endif
