/* answer_demand.h -- what a demand needs to be served and what it costs, behind every door.
 *
 * Files of --trace and --profile come attached to the request; the model as for a plan. */
#ifndef CLG_API_ANSWER_DEMAND_H
#define CLG_API_ANSWER_DEMAND_H

#include "api/command.h"
#include "report_serving/deadline_report.h"
#include "report_serving/demand_report.h"
#include "report_serving/frontier_report.h"
#include "report_serving/headroom_report.h"
#include "report_serving/serving_rows.h"
#include "serve/replica_search.h"

/* Rows of a table, in order. */
typedef struct clg_lever_rows {
    clg_lever *row;
    int count;
    clg_unranked unranked; /* of --compare-gpus */
} clg_lever_rows;

/* Question and replica point into the answer itself: it must not be copied. */
typedef struct clg_demand_answer {
    clg_scenario scenario;
    clg_demand demand;
    clg_replica_choice choice;
    clg_replica replica;
    clg_api_price api;
    clg_serve_question question;
    clg_serve_answer answer;
    clg_frontier frontier; /* of a fleet that was sized */
    clg_serve_headroom headroom;
    clg_batch_job job;     /* of --deadline; requests 0: none */
    clg_lever_rows found;  /* of --search, cheapest first */
    clg_lever_rows levers; /* of --levers */
    clg_lever_rows gpus;   /* of --compare-gpus, cheapest first */
} clg_demand_answer;

/* What a fleet takes and serves: the answer without a job, headroom, frontier, and tables beside.
 * Everything lives in the question's arena. */
clg_status clg_answer_served(const clg_question *question, clg_demand_answer *answer,
                             clg_error *error);

#endif
