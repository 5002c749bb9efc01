/* plan_json.h -- answers as JSON: names and order of docs/formats.md. */
#ifndef CLG_REPORT_PLAN_PLAN_JSON_H
#define CLG_REPORT_PLAN_PLAN_JSON_H

#include "base/text.h"
#include "evaluate/evaluate.h"
#include "scaling/families.h"
#include "search/fits_with.h"
#include "search/search.h"

/* The member "layout" of an open object. */
void clg_json_layout(clg_json_writer *writer, const clg_layout *layout);

void clg_json_explain(clg_json_writer *writer, const char *key, const clg_scenario *scenario,
                      const clg_evaluation *evaluation);
/* The answer of explain: the same with what its batch was asked as, and what so many tokens take
 * (0: none were asked for). */
void clg_json_explained(clg_json_writer *writer, const clg_scenario *scenario,
                        const clg_space *space, const clg_evaluation *evaluation, double tokens,
                        const clg_fits_with *fits_with, int fitting);

/* The member "batch" of an open object: what was asked for, and what it became. */
void clg_json_batch(clg_json_writer *writer, const clg_space *space);

void clg_json_memory_total(clg_json_writer *writer, const clg_evaluation *evaluation);

typedef struct clg_planned {
    const clg_found *found;
    double tokens;                 /* to train on; 0: not said */
    const clg_evaluation *on_more; /* what would fit on more GPUs where nothing does; or NULL */
    const clg_layout_family *family;
    int families;
    const clg_fits_with *fits_with; /* where nothing fits */
    int fitting;
    const char *not_written; /* why the trainer of --launch cannot run the best plan; or NULL */
    double unwritten_step_s; /* of that plan */
} clg_planned;

void clg_json_plan(clg_json_writer *writer, const clg_scenario *scenario, const clg_space *space,
                   const clg_planned *planned, double seconds);

#endif
