/* answer.h -- a request becomes an answer, and an answer JSON: what every door to the core shares.
 *
 * The command line adds text for people, the page draws; neither composes reading, search and
 * evaluation again, so the same request gives the same bytes at both. */
#ifndef CLG_API_ANSWER_H
#define CLG_API_ANSWER_H

#include "api/request.h"
#include "base/text.h"
#include "report/curve_report.h"
#include "scaling/families.h"
#include "search/fits_with.h"
#include "timeline/timeline.h"

typedef struct clg_answer {
    clg_scenario scenario;
    clg_space space;
    clg_found found;
    clg_evaluation evaluation; /* in detail: filled by clg_answer_explain */
    /* Where nothing fits, by clg_answer_plan: the fastest plan on more GPUs, or NULL. */
    const clg_evaluation *on_more;
    clg_layout_family family[CLG_LAYOUT_FAMILIES]; /* by clg_answer_plan, where something fits */
    int families;
    clg_fits_with fits_with[CLG_FITS_WITH]; /* where nothing fits */
    int fitting;
    double tokens; /* to train on; 0: not said */
} clg_answer;

/* The best layouts and the front of time against memory. Nothing fits is an answer. */
clg_status clg_answer_plan(clg_arena *arena, const clg_request *request, clg_progress progress,
                           clg_answer *answer, clg_error *error);

/* The best layout within the risk, else the fastest that is predicted to fit, else the nearest, in
 * detail; `timeline` may be NULL. */
clg_status clg_answer_explain(clg_arena *arena, const clg_request *request, clg_progress progress,
                              clg_timeline *timeline, clg_answer *answer, clg_error *error);

/* A curve, and the one beside it when both regimes or another machine were asked for. The drawn
 * point into the answer itself: it must not be copied. */
typedef struct clg_scale_answer {
    clg_scenario scenario, other;
    clg_space space; /* of the first size */
    clg_curve curve, other_curve;
    clg_drawn one, beside;
    bool two;
} clg_scale_answer;

/* The best layout at every size of --gpus, the walls and the knee. */
clg_status clg_answer_scale(clg_arena *arena, const clg_request *request, clg_progress progress,
                            clg_scale_answer *answer, clg_error *error);

/* The answers as JSON, newline included. `seconds` is what the search took, 0 when not timed. */
void clg_answer_plan_json(clg_text *text, const clg_answer *answer, double seconds);
void clg_answer_explain_json(clg_text *text, const clg_answer *answer);
/* The step as a trace for ui.perfetto.dev. */
void clg_answer_timeline_json(clg_text *text, const clg_timeline *timeline);
void clg_answer_scale_json(clg_text *text, const clg_scale_answer *answer);

/* What explain says about a layout in text only: {"kind":"why", "undone": the plan with one thing
 * undone, "moves": what would move it, "mend": the smallest change that fits, "launch": the flags
 * of trainers}. */
clg_status clg_answer_why_json(clg_arena *arena, const clg_answer *answer, clg_text *text,
                               clg_error *error);

/* A picture in JSON: {"kind":"picture","svg":...}, newline included. */
void clg_answer_picture_json(clg_text *text, const clg_text *svg);

#endif
