/* compose.h -- evaluation in two halves, so that search can share the first among layouts.
 *
 * The priced half depends on tp, sp, cp, ep, etp, micro-batch, recompute, attention and whether
 * there is accumulation; the composed half on everything. clg_evaluate does both. */
#ifndef CLG_EVALUATE_COMPOSE_H
#define CLG_EVALUATE_COMPOSE_H

#include "cost/price.h"
#include "evaluate/evaluation.h"
#include "evaluate/scenario.h"
#include "timeline/timeline.h"

/* What the lower bounds read of priced blocks: the same for all layouts that share them. */
typedef struct clg_priced_sums {
    double sure_s, again_s; /* the whole model, a micro-batch: forward and backward,
                               recomputing */
    double forward_s, passes_s,
        redone_s;                      /* of the cheapest layer: forward; and backward; and again */
    double parameters, saved, rebuilt; /* bytes but for the first: the least of a layer */
} clg_priced_sums;

/* Blocks of a step with the seconds of their passes. */
typedef struct clg_priced {
    clg_step step;
    clg_pass_cost layer[CLG_LAYER_KINDS][CLG_PASSES];
    clg_pass_cost embedding[CLG_PASSES], head[CLG_PASSES];
    int layers_of_kind[CLG_LAYER_KINDS]; /* of the whole model */
    double expert_parameters;            /* of the whole model */
    clg_priced_sums sums;
    clg_known_ops *known; /* ops of this scenario priced before, NULL: none; updates go there too */
} clg_priced;

clg_pricing clg_pricing_of(const clg_scenario *scenario, const clg_layout *layout);

/* `known`: what is known of the scenario's ops, kept for the next blocks; NULL: nothing. */
void clg_price_blocks(const clg_scenario *scenario, const clg_layout *layout, clg_known_ops *known,
                      clg_priced *priced);

/* True when two layouts may share one clg_priced. */
bool clg_priced_same(const clg_layout *a, const clg_layout *b);

/* Layers of each chunk by depth, into layers_of[0 .. pp*vpp-1], cut so that the busiest stage has
 * less to do; false: as even as can be is as good. Reads of the layout pp, vpp and schedule;
 * `priced` must be of it. */
bool clg_balanced_layers(clg_arena *scratch, const clg_model *model, const clg_layout *layout,
                         const clg_priced *priced, int *layers_of);

/* How much of an answer is wanted. */
typedef struct clg_wanted {
    bool memory_alone;      /* nothing of time: step_s is 0 */
    bool detail;            /* per-stage reports, and sends told from bubbles */
    double cutoff_s;        /* a step surely longer than this is not placed; 0: always place */
    double most_bytes;      /* what needs more is not placed either: step_s a lower bound; 0: any */
    clg_timeline *timeline; /* NULL: none */
} clg_wanted;

/* `priced` must be of this layout but for its groups, which are set here. A step that is cut off
 * has fits = false and step_s its lower bound, above cutoff_s. */
clg_status clg_compose(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                       clg_priced *priced, clg_wanted wanted, clg_evaluation *evaluation,
                       clg_error *error);

/* Sums up what the bounds read; clg_price_blocks calls it. */
void clg_priced_sum(const clg_model *model, clg_priced *priced);

/* Share a synchronous step of so many GPUs is longer than its mean part; and where weights are
 * sharded, than its part without exposed traffic of the shards. */
double clg_straggler_share(const clg_scenario *scenario, const clg_layout *layout);
double clg_shard_wait_share(const clg_scenario *scenario, const clg_layout *layout);

#endif
