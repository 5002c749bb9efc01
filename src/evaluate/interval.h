/* interval.h -- how far off an answer may be: of a step early and late, of memory above what is
 * there. */
#ifndef CLG_EVALUATE_INTERVAL_H
#define CLG_EVALUATE_INTERVAL_H

#include "base/normal.h"
#include "evaluate/evaluation.h"
#include "evaluate/scenario.h"

/* P90 of a plan's memory over its prediction; P10 is as far below. */
double clg_memory_wide(const clg_scenario *scenario);

/* What is known of an evaluation's curves, scale and shape. */
clg_doubt clg_doubt_of(const clg_scenario *scenario, const clg_evaluation *evaluation);

/* Log-sigmas of a step that comes early, and late: errors of the stack, of its unexplained seconds,
 * of traffic, of borrowed curves and of what was left open; late also what no plan says, and
 * experts. */
clg_sides clg_doubt_sides(const clg_doubt *doubt, const clg_stack *stack);

/* P10 and P90 of a step at those. */
void clg_evaluation_widen(clg_evaluation *evaluation, clg_sides sides);

/* Those that its P10 and P90 were made from. */
clg_sides clg_evaluation_sides(const clg_evaluation *evaluation);

/* What the GPU and the software leave to the allocator. */
double clg_capacity_bytes(const clg_scenario *scenario, const clg_layout *layout);

/* Over it, what a layout that splits nothing leaves: totals of different layouts compare times
 * this. At least 1. */
double clg_crowding(const clg_scenario *scenario, const clg_layout *layout);

/* Chance that the plan needs more than `capacity_bytes`, by the interval of its memory taken as
 * log-normal: 0.5 where the prediction is all there is; 0 or 1 where the interval has no width. */
double clg_evaluation_overflow(const clg_evaluation *evaluation, double capacity_bytes);

/* The same of its own capacity. */
double clg_evaluation_chance_out(const clg_evaluation *evaluation);

/* Of plans that were said to run out with a chance of at most 2 %, 1 in 100 did (docs/memory.md,
 * How sure). */
bool clg_evaluation_is_safe(const clg_evaluation *evaluation);

/* The largest needed_bytes of a fullest rank that turn out more than `capacity_bytes` with a chance
 * of at most `risk`: the chance rises with them, so a search may hold bounds against this one
 * number. */
double clg_memory_limit_bytes(const clg_scenario *scenario, double capacity_bytes, double risk);

#endif
