/* answer_portfolio.h -- jobs over the life of clusters of several sizes, behind every door.
 *
 * The list of jobs comes as the request's model file. */
#ifndef CLG_API_ANSWER_PORTFOLIO_H
#define CLG_API_ANSWER_PORTFOLIO_H

#include "api/request.h"
#include "base/text.h"
#include "report/portfolio_report.h"

/* Reads the config.json that a job names by its path; NULL: only presets can be named. */
typedef struct clg_model_files {
    clg_status (*read)(void *context, const char *path, clg_attachment *file, clg_error *error);
    void *context;
} clg_model_files;

/* What is shown points into the answer itself: it must not be copied. */
typedef struct clg_portfolio_answer {
    clg_scenario scenario; /* machine and price alone */
    clg_operations operations;
    clg_job_list jobs;
    clg_portfolio portfolio;
    clg_portfolio_shown shown;
} clg_portfolio_answer;

/* Everything lives in `arena`. */
clg_status clg_answer_portfolio(clg_arena *arena, const clg_request *request,
                                const clg_model_files *files, clg_progress progress,
                                clg_portfolio_answer *answer, clg_error *error);

/* Newline included. */
void clg_answer_portfolio_json(clg_text *text, const clg_portfolio_answer *answer);

#endif
