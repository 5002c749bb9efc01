/* operations_report.h -- the operations behind a number: a table for people, CSV for programs. */
#ifndef CLG_REPORT_PLAN_OPERATIONS_REPORT_H
#define CLG_REPORT_PLAN_OPERATIONS_REPORT_H

#include "base/text.h"
#include "explain/operations.h"

/* The operations a number of the ledger is made of, largest first, and what each is priced by.
 * Nothing for numbers that are no sum of operations. */
void clg_report_terms(clg_text *text, const clg_scenario *scenario,
                      const clg_evaluation *evaluation, const char *number);

/* Rows of a table as CSV, its head included. */
void clg_report_operation_rows(clg_text *text, const clg_operations_table *table);

/* Every operation of the busiest stage. */
void clg_report_term_rows(clg_text *text, const clg_scenario *scenario,
                          const clg_evaluation *evaluation);

#endif
