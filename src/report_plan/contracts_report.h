/* contracts_report.h -- one run under every term of price, as text and JSON. */
#ifndef CLG_REPORT_PLAN_CONTRACTS_REPORT_H
#define CLG_REPORT_PLAN_CONTRACTS_REPORT_H

#include "base/text.h"
#include "economics/contracts.h"

void clg_report_contracts(clg_text *text, const clg_term_row *rows, int count);
/* "terms": [...], inside an object. */
void clg_json_contracts(clg_json_writer *writer, const clg_term_row *rows, int count);

#endif
