/* composition.h -- internal to evaluate/: a layout while it is composed, stage by stage. */
#ifndef CLG_EVALUATE_COMPOSITION_H
#define CLG_EVALUATE_COMPOSITION_H

#include "evaluate/compose.h"
#include "schedule/schedule.h"

/* Everything of one stage while composing. */
typedef struct stage {
    clg_stage_load load;
    clg_pass_cost pass[CLG_PASSES]; /* all chunks, one micro-batch */
    double gradient_s;              /* reduction not overlapped with anything */
    double gradient_window_s;       /* backward it may hide under */
    double gradient_share;
    double dense, expert, tied; /* parameters a rank holds, before ZeRO */
    double scatter_tail_s;      /* the last sharded gradient of the step */
    double parameter_s, parameter_window_s, parameter_share;
    double optimizer_s;
} stage;

/* Gathers and scatters of one layer whose weights are sharded. */
typedef struct messages {
    double dense, expert; /* parameters of the layer on a rank, before ZeRO */
    bool edge;            /* embedding or head: 16 bit whatever the plan */
    double gather_s, again_s, scatter_s, sum_s, gather_share, scatter_share, sum_share;
    clg_pass_cost copies, first_copies, backward_copies; /* of a forward, the first, a backward */
} messages;

typedef struct composition {
    clg_arena *arena;
    const clg_scenario *scenario;
    const clg_layout *layout;
    clg_priced *priced;
    clg_pricing pricing;
    clg_pipeline pipeline;
    const clg_schedule *schedule;
    double send_s;   /* one boundary to the next stage, where it leaves a domain if any does */
    double inside_s; /* where it does not */
    stage *stages;   /* [pp] */
    int *layers_of;  /* [pp * vpp], by depth, and the first of each */
    int *first_of;
    double *forward_s; /* [pp * vpp] */
    double *backward_input_s, *backward_weight_s;
    messages last_messages;
} composition;

/* Share of a chunk's layers that is done again in the backward: all, or the first n of each. */
double clg_recomputed_share(const clg_layout *layout, int layers);

/* What stages hold, nothing of time. */
void clg_stages_load(composition *composition);

/* What they hold and their passes. 0; or, above `cutoff_s` (0: none), a lower bound of the step
 * that one stage alone gives: then not all are filled. */
double clg_stages_fill(composition *composition, double cutoff_s);

/* Lower bounds of the step: of one filled stage; of all, with their updates. */
double clg_least_of_stage_s(const composition *composition, const stage *stage);
double clg_least_step_s(const composition *composition);

/* How much longer a pass takes for a whole step's reduction or gather beside it. */
double clg_update_exposed_s(double seconds, double share, double window_s, const clg_stack *stack);
double clg_largest_optimizer_s(const composition *composition);

/* Puts the gathers and scatters of a chunk's sharded weights (ZeRO-2, 3) into its passes: hidden
 * under compute where there is some, exposed elsewhere. `depth` of the chunk, and its layers of
 * each kind, of which the mean is sent: never that of the stage, whose other chunks may differ. */
void clg_sharded_traffic(composition *composition, stage *stage, int depth,
                         const int of_kind[CLG_LAYER_KINDS], clg_pass_cost pass[CLG_PASSES]);

/* Fills rates, utilizations, power, cost, interval and wall of an evaluation whose layout, ledger,
 * memory, parts of compute and executed flop are there. `frozen_share` as in clg_step. */
void clg_outcome(const clg_scenario *scenario, double frozen_share, clg_evaluation *evaluation);

#endif
