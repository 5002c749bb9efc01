/* compose.h -- evaluation in two halves, so that search can share the first among layouts.
 *
 * The priced half depends on tp, sp, cp, ep, etp, micro-batch, recompute, attention and whether
 * there is accumulation; the composed half on everything. clg_evaluate does both. */
#ifndef CLG_EVALUATE_COMPOSE_H
#define CLG_EVALUATE_COMPOSE_H

#include "cost/price.h"
#include "evaluate/evaluate.h"

/* Blocks of a step with the seconds of their passes. */
typedef struct clg_priced {
    clg_step step;
    clg_pass_cost layer[CLG_LAYER_KINDS][CLG_PASSES];
    clg_pass_cost embedding[CLG_PASSES], head[CLG_PASSES];
    int layers_of_kind[CLG_LAYER_KINDS]; /* of the whole model */
} clg_priced;

clg_pricing clg_pricing_of(const clg_scenario *scenario, const clg_layout *layout);

void clg_price_blocks(const clg_scenario *scenario, const clg_layout *layout, clg_priced *priced);

/* True when two layouts may share one clg_priced. */
bool clg_priced_same(const clg_layout *a, const clg_layout *b);

/* `priced` must be of this layout but for its groups, which are set here. */
clg_status clg_compose(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                       clg_priced *priced, bool detail, clg_timeline *timeline,
                       clg_evaluation *evaluation, clg_error *error);

/* A lower bound of step_s in constant time; never above clg_compose's. */
double clg_compose_bound_s(const clg_scenario *scenario, const clg_layout *layout,
                           const clg_priced *priced);

/* A lower bound of the fullest rank's total_bytes, likewise. */
double clg_compose_bound_bytes(const clg_scenario *scenario, const clg_layout *layout,
                               const clg_priced *priced);

/* Log-sigma of an evaluation: what is known of stack, curves, scale and shape. */
double clg_uncertainty(const clg_scenario *scenario, const clg_evaluation *evaluation);

#endif
