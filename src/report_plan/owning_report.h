/* owning_report.h -- a chosen cluster owned instead of rented, as text and JSON. */
#ifndef CLG_REPORT_PLAN_OWNING_REPORT_H
#define CLG_REPORT_PLAN_OWNING_REPORT_H

#include "base/text.h"
#include "economics/cluster.h"

/* Nothing where owning was not asked for. */
void clg_report_owning(clg_text *text, const clg_cluster *cluster, const clg_operations *operations,
                       const clg_owning *owning);
/* "owning": {...}, inside an object. */
void clg_json_owning(clg_json_writer *writer, const clg_cluster *cluster,
                     const clg_operations *operations, const clg_owning *owning);

#endif
