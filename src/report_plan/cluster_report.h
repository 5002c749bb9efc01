/* cluster_report.h -- which cluster, as text, JSON, CSV and picture. */
#ifndef CLG_REPORT_PLAN_CLUSTER_REPORT_H
#define CLG_REPORT_PLAN_CLUSTER_REPORT_H

#include "base/text.h"
#include "economics/cluster.h"
#include "report_plan/worth_report.h"

/* `owning`: what it would cost beside renting. */
void clg_report_clusters(clg_text *text, const clg_clusters *clusters, const clg_sizing *sizing,
                         const clg_owning *owning, const clg_worth *worth, double grams_per_joule);
void clg_json_size(clg_json_writer *writer, const clg_clusters *clusters, const clg_sizing *sizing,
                   const clg_owning *owning, const clg_worth *worth, double grams_per_joule);

/* A row for each cluster that was planned. */
void clg_report_cluster_rows(clg_text *text, const clg_clusters *clusters);
void clg_picture_clusters(clg_text *svg, const clg_clusters *clusters);

#endif
