/* plans_picture.h -- plans beside one another: a bar of the step by cause, and one of memory. */
#ifndef CLG_REPORT_PLAN_PLANS_PICTURE_H
#define CLG_REPORT_PLAN_PLANS_PICTURE_H

#include "base/text.h"
#include "evaluate/evaluate.h"

typedef struct clg_drawn_plan {
    const char *words; /* before its layout: "2 changes"; "" for none */
    const clg_evaluation *plan;
    double waits_s; /* of every step, for what is no part of the plan; 0: nothing */
} clg_drawn_plan;

/* `count` rows, 0 and more, each at the scale of the longest step and the largest memory. */
void clg_picture_plans(clg_text *svg, const char *title, const clg_drawn_plan *rows, int count);

#endif
