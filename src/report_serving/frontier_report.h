/* frontier_report.h -- what fleet each target would take, as text and JSON. */
#ifndef CLG_REPORT_SERVING_FRONTIER_REPORT_H
#define CLG_REPORT_SERVING_FRONTIER_REPORT_H

#include "base/text.h"
#include "serve/frontier.h"

/* Nothing where no frontier was worked out. */
void clg_report_frontier(clg_text *text, const clg_serve_question *question,
                         const clg_frontier *frontier);
void clg_json_frontier(clg_json_writer *writer, const clg_serve_question *question,
                       const clg_frontier *frontier);

#endif
