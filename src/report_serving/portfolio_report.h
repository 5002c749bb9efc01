/* portfolio_report.h -- jobs over the life of a cluster, as text, JSON and CSV. */
#ifndef CLG_REPORT_SERVING_PORTFOLIO_REPORT_H
#define CLG_REPORT_SERVING_PORTFOLIO_REPORT_H

#include "base/text.h"
#include "evaluate/evaluate.h"
#include "portfolio/portfolio.h"

typedef struct clg_portfolio_shown {
    const clg_scenario *scenario; /* of the machine and the price */
    const clg_job_list *jobs;
    const clg_portfolio *portfolio;
    int plans;          /* made for it */
    bool recorded;      /* the list is a log that says what jobs waited */
    clg_waiting waited; /* in truth */
} clg_portfolio_shown;

void clg_report_portfolio(clg_text *text, const clg_portfolio_shown *shown);
void clg_report_portfolio_rows(clg_text *text, const clg_portfolio_shown *shown);
void clg_picture_portfolio(clg_text *svg, const clg_portfolio_shown *shown);
void clg_json_portfolio(clg_json_writer *writer, const clg_portfolio_shown *shown);

#endif
