/* evaluate.h -- the one place where modules meet: a scenario and a layout become an answer.
 *
 * Search, scaling, economics, validation, reports and tests all call clg_evaluate; nobody composes
 * step, cost, schedule, simulate, memory and power again. */
#ifndef CLG_EVALUATE_EVALUATE_H
#define CLG_EVALUATE_EVALUATE_H

#include "evaluate/evaluation.h"
#include "evaluate/scenario.h"
#include "timeline/timeline.h"

/* Evaluates a complete layout. An illegal layout is CLG_BAD_INPUT; one that does not fit is an
 * answer with fits = false. `timeline` may be NULL; else the step's passes are drawn into it.
 * With detail, per-stage reports live in `arena`. */
clg_status clg_evaluate(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                        bool detail, clg_timeline *timeline, clg_evaluation *evaluation,
                        clg_error *error);

#endif
