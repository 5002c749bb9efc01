/* score.h -- internal to validate/: runs become scores, and the model to beat. */
#ifndef CLG_VALIDATE_SCORE_H
#define CLG_VALIDATE_SCORE_H

#include "search/search.h"
#include "validate/validate.h"

/* Of the runs that count. */
clg_score clg_score_runs(clg_arena *arena, const clg_run *runs, const bool *counts, int count,
                         const char *name);

/* The one-constant model: a rate per GPU for each GPU kind, precision and dense or MoE, the one
 * with the least mean absolute error on the runs that count (a weighted median of their rates). 0:
 * there are none. */
double clg_best_rate(const clg_run *runs, const bool *counts, int count, const char *group);

/* What else is put in the place of a row's scenario before its plan is predicted: blank columns are
 * completed with it. Says why it cannot be, or NULL. */
typedef const char *(*clg_validate_change)(const void *context, clg_arena *arena,
                                           clg_scenario *scenario);

/* A row, read once to be predicted often. */
typedef struct clg_plan {
    clg_scenario scenario;
    clg_space space;
    clg_layout layout;
    bool network_open;
} clg_plan;
const char *clg_plan_read(clg_arena *arena, const clg_csv *csv, int row, clg_plan *plan);

/* clg_validate_row of such a plan, changed; `change` may be NULL. The scenario lives as long as the
 * plan and what the change took from `arena`. */
const char *clg_plan_predict(clg_arena *arena, const clg_plan *plan, clg_validate_change change,
                             const void *context, clg_scenario *scenario,
                             clg_evaluation *evaluation);

/* Table and row of every run. */
void clg_rows_of_tables(const clg_csv *tables, int count, const clg_csv **table, int *row);

#endif
