/* serving_rows.h -- serving economics as CSV: an answer in one row, tables of replicas, the terms
 * of a job, the models of a fleet. A cell without a number is blank. */
#ifndef CLG_REPORT_SERVING_SERVING_ROWS_H
#define CLG_REPORT_SERVING_SERVING_ROWS_H

#include "report_serving/demand_report.h"
#include "report_serving/fleet_report.h"
#include "serve/batch_job.h"
#include "serve/headroom.h"

void clg_report_demand_row(clg_text *csv, const clg_serve_question *question,
                           const clg_serve_answer *answer, const clg_serve_headroom *headroom);

/* Rows of a table by its name; the header goes before the first. */
void clg_report_lever_head(clg_text *csv);
void clg_report_lever_rows(clg_text *csv, const char *table, const clg_lever *row, int count);

void clg_report_job_rows(clg_text *csv, const clg_serve_question *question,
                         const clg_batch_job *job);

void clg_report_fleet_head(clg_text *csv);
void clg_report_fleet_rows(clg_text *csv, const clg_fleet_shown *shown);

#endif
