/* bound.c -- lower bounds of a step's time and memory in constant time.
 *
 * Two facts hold for every schedule: the busiest stage does at least the mean work of all stages
 * for every micro-batch; and the stage that holds depth p-1 first cannot start before a forward has
 * passed p-1 chunks, nor may the step end before its last backward has passed back through them
 * (where weight gradients wait, they may fill that time: only the forward counts; DualPipe starts
 * at both ends: nothing does). Gathers, reductions and sends are left out, which only lowers the
 * bound. tests/search compares with brute force. */
#include "evaluate/compose.h"

#include "schedule/schedule.h"

#include <math.h>

/* Seconds of all layers, embedding and head in the given passes, one micro-batch. */
static double model_s(const clg_scenario *scenario, const clg_priced *priced, const int *layers,
                      const clg_pass *passes, int count) {
    double seconds = 0;
    for (int i = 0; i < count; i++) {
        for (int kind = 0; kind < scenario->model.kinds; kind++)
            seconds += layers[kind] * clg_pass_s(&priced->layer[kind][passes[i]]);
        seconds += clg_pass_s(&priced->embedding[passes[i]]);
        seconds += clg_pass_s(&priced->head[passes[i]]);
    }
    return seconds;
}

static double cheapest_layer_s(const clg_scenario *scenario, const clg_priced *priced,
                               const clg_pass *passes, int count) {
    double least = 0;
    for (int kind = 0; kind < scenario->model.kinds; kind++) {
        double seconds = 0;
        for (int i = 0; i < count; i++) seconds += clg_pass_s(&priced->layer[kind][passes[i]]);
        if (kind == 0 || seconds < least) least = seconds;
    }
    return least;
}

/* Of the layers of the fullest chunk that are recomputed; every chunk recomputes this share. */
static double least_share(const clg_model *model, const clg_layout *layout) {
    int fullest = clg_layout_most(model, layout);
    if (layout->recompute_layers == 0 || layout->recompute_layers >= fullest) return 1;
    return (double)layout->recompute_layers / fullest;
}

double clg_compose_bound_s(const clg_scenario *scenario, const clg_layout *layout,
                           const clg_priced *priced) {
    static const clg_pass sure[] = {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT,
                                    CLG_PASS_BACKWARD_WEIGHT, CLG_PASS_RECOMPUTE};
    const int *layers = priced->layers_of_kind;
    const clg_model *model = &scenario->model;
    bool whole = layout->recompute == CLG_RECOMPUTE_FULL && layout->recompute_layers == 0;
    int passes = whole ? 4 : 3, fewest = clg_layout_fewest(model, layout);
    double mean = model_s(scenario, priced, layers, sure, 3) / layout->pp;
    if (layout->recompute == CLG_RECOMPUTE_FULL)
        mean += least_share(model, layout) * model_s(scenario, priced, layers, sure + 3, 1) /
                layout->pp;
    /* Some stage holds the share rounded up. */
    double layer_s = cheapest_layer_s(scenario, priced, sure, passes);
    int most = (model->layers + layout->pp - 1) / layout->pp;
    if (most * layer_s > mean) mean = most * layer_s;
    int before = layout->pp > 1 ? (layout->pp - 1) * fewest : 0;
    const clg_schedule *schedule = clg_schedule_of((clg_schedule_kind)layout->schedule);
    int chain = schedule->weight_copies > 1 || schedule->crosses_steps ? 0
                : schedule->splits_backward                            ? 1
                                                                       : passes;
    double fill = before * cheapest_layer_s(scenario, priced, sure, chain);
    /* The mean need not be the work of the stage behind the fill: only one of the two is sure. */
    double work = (double)layout->accumulation * mean;
    double behind = (double)layout->accumulation * layout->vpp * fewest * layer_s;
    double host = scenario->stack.host_step_s + scenario->data_loading_s +
                  (double)layout->accumulation * layout->vpp * scenario->stack.host_micro_batch_s;
    if (scenario->stack.stages_by_cost)
        behind = fill = 0; /* the last stage may hold fewer layers */
    double sure_s = fmax(work, behind + fill) + host;
    /* With pipelines the stage that decides may wait more for its shards than the mean. */
    double wait = layout->pp == 1 ? clg_shard_wait_share(scenario, layout) : 0;
    return sure_s * (1 + clg_straggler_share(scenario, layout) + wait);
}

static double least(double a, double b) { return a < b ? a : b; }

/* The first stage holds at least the even share of layers, each at least as large as the smallest
 * kind, and its activations as often as the schedule keeps them alive. */
static double first_stage_bytes(const clg_scenario *scenario, const clg_layout *layout,
                                const clg_priced *priced) {
    const clg_step *step = &priced->step;
    double parameters = INFINITY, saved = INFINITY, rebuilt = INFINITY;
    for (int kind = 0; kind < step->kinds; kind++) {
        if (priced->layers_of_kind[kind] == 0) continue;
        const clg_block *block = &step->kind[kind];
        parameters = least(parameters, block->dense_parameters);
        saved = least(saved, block->saved_bytes);
        rebuilt = least(rebuilt, block->rebuilt_bytes);
    }
    int layers = clg_layout_fewest(&scenario->model, layout);
    clg_pipeline pipeline = clg_pipeline_of(layout);
    const clg_schedule *schedule = clg_schedule_of(pipeline.kind);
    double held = layers * layout->vpp * parameters;
    double shards = (double)layout->dp * layout->cp;
    double weights =
        layout->zero == 3 ? clg_shard_bytes(layout, &scenario->stack) : clg_weight_bytes(layout);
    bool frozen = layout->adapter.kind != CLG_ADAPTER_NONE;
    double gradients = frozen ? 0 : clg_gradient_held_bytes(layout, &scenario->stack);
    double bytes = held * (layout->zero == 3 ? weights / shards : weights) +
                   held * (layout->zero >= 2 ? gradients / shards : gradients);
    if (!layout->offload && !frozen)
        bytes += held * clg_optimizer_bytes_per_parameter(layout, &scenario->stack) /
                 (layout->zero >= 1 ? shards : 1);
    int again = layout->recompute_layers > 0 && layout->recompute_layers < layers
                    ? layout->recompute_layers
                    : layers;
    return bytes + (again * saved + (layers - again) * rebuilt) * schedule->alive(pipeline, 0);
}

double clg_compose_bound_bytes(const clg_scenario *scenario, const clg_layout *layout,
                               const clg_priced *priced) {
    double states =
        clg_memory_bound(&scenario->model, priced->expert_parameters, &scenario->stack, layout);
    double first = first_stage_bytes(scenario, layout, priced);
    first = (first + scenario->stack.workspace_bytes) * (1 + scenario->stack.reserve_share);
    return states > first ? states : first;
}
