/* bound.c -- lower bounds of a step's time and memory in constant time.
 *
 * Two facts hold for every schedule: the busiest stage does at least the mean work of all stages
 * for every micro-batch; and the stage that holds depth p-1 first cannot start before a forward has
 * passed p-1 chunks, nor may the step end before its last backward has passed back through them
 * (where weight gradients wait, they may fill that time: only the forward counts; DualPipe starts
 * at both ends: nothing does). Gathers, reductions and sends are left out, which only lowers the
 * bound. tests/search compares with brute force. */
#include "evaluate/bound.h"

#include "evaluate/interval.h"
#include "schedule/schedule.h"

#include <math.h>

/* Seconds of all layers, embedding and head in the given passes, one micro-batch. */
static double model_s(const clg_model *model, const clg_priced *priced, const clg_pass *passes,
                      int count) {
    double seconds = 0;
    for (int i = 0; i < count; i++) {
        for (int kind = 0; kind < model->kinds; kind++)
            seconds += priced->layers_of_kind[kind] * clg_pass_s(&priced->layer[kind][passes[i]]);
        seconds += clg_pass_s(&priced->embedding[passes[i]]);
        seconds += clg_pass_s(&priced->head[passes[i]]);
    }
    return seconds;
}

static double cheapest_layer_s(const clg_model *model, const clg_priced *priced,
                               const clg_pass *passes, int count) {
    double least = 0;
    for (int kind = 0; kind < model->kinds; kind++) {
        double seconds = 0;
        for (int i = 0; i < count; i++) seconds += clg_pass_s(&priced->layer[kind][passes[i]]);
        if (kind == 0 || seconds < least) least = seconds;
    }
    return least;
}

static double least(double a, double b) { return a < b ? a : b; }

void clg_priced_sum(const clg_model *model, clg_priced *priced) {
    static const clg_pass all[] = {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT,
                                   CLG_PASS_BACKWARD_WEIGHT, CLG_PASS_RECOMPUTE};
    clg_priced_sums *sums = &priced->sums;
    *sums = (clg_priced_sums){.sure_s = model_s(model, priced, all, 3),
                              .again_s = model_s(model, priced, all + 3, 1),
                              .forward_s = cheapest_layer_s(model, priced, all, 1),
                              .passes_s = cheapest_layer_s(model, priced, all, 3),
                              .redone_s = cheapest_layer_s(model, priced, all, 4),
                              .parameters = INFINITY,
                              .saved = INFINITY,
                              .rebuilt = INFINITY};
    for (int kind = 0; kind < priced->step.kinds; kind++) {
        if (priced->layers_of_kind[kind] == 0) continue;
        const clg_block *block = &priced->step.kind[kind];
        sums->parameters = least(sums->parameters, block->dense_parameters);
        sums->saved = least(sums->saved, block->saved_bytes);
        sums->rebuilt = least(sums->rebuilt, block->rebuilt_bytes);
    }
}

/* Of the layers of the fullest chunk that are recomputed; every chunk recomputes this share. */
static double least_share(const clg_model *model, const clg_layout *layout) {
    int fullest = clg_layout_most(model, layout);
    if (layout->recompute_layers == 0 || layout->recompute_layers >= fullest) return 1;
    return (double)layout->recompute_layers / fullest;
}

/* What a step waits for the host at least, in so many micro-batches of so many chunks. */
static double host_s(const clg_scenario *scenario, double micro_batches, int chunks) {
    return scenario->stack.host.step_s + scenario->data_loading_s +
           micro_batches * chunks * scenario->stack.host.micro_batch_s;
}

double clg_compose_bound_s(const clg_scenario *scenario, const clg_layout *layout,
                           const clg_priced *priced) {
    const clg_priced_sums *sums = &priced->sums;
    const clg_model *model = &scenario->model;
    bool whole = layout->recompute == CLG_RECOMPUTE_FULL && layout->recompute_layers == 0;
    double layer_s = whole ? sums->redone_s : sums->passes_s;
    int fewest = clg_layout_fewest(model, layout);
    double mean = sums->sure_s / layout->pp;
    if (layout->recompute == CLG_RECOMPUTE_FULL)
        mean += least_share(model, layout) * sums->again_s / layout->pp;
    /* Some stage holds the share rounded up. */
    int most = (model->layers + layout->pp - 1) / layout->pp;
    if (most * layer_s > mean) mean = most * layer_s;
    int before = layout->pp > 1 ? (layout->pp - 1) * fewest : 0;
    const clg_schedule *schedule = clg_schedule_of((clg_schedule_kind)layout->schedule);
    double chain_s = schedule->weight_copies > 1 || schedule->crosses_steps ? 0
                     : schedule->splits_backward                            ? sums->forward_s
                                                                            : layer_s;
    double fill = before * chain_s;
    /* The mean need not be the work of the stage behind the fill: only one of the two is sure. */
    double work = (double)layout->accumulation * mean;
    double behind = (double)layout->accumulation * layout->vpp * fewest * layer_s;
    if (scenario->stack.stages.by_cost)
        behind = fill = 0; /* the last stage may hold fewer layers */
    double sure_s =
        fmax(work, behind + fill) + host_s(scenario, (double)layout->accumulation, layout->vpp);
    /* With pipelines the stage that decides may wait more for its shards than the mean. */
    double wait = layout->pp == 1 ? clg_shard_wait_share(scenario, layout) : 0;
    return sure_s * (1 + clg_straggler_share(scenario, layout) + wait);
}

/* A stage of p does p times the micro-batches of 1/p of the work, whatever p: what a model-parallel
 * group of tp x cp GPUs does by itself is sure. A billionth less, for sums are rounded. */
double clg_compose_shared_bound_s(const clg_scenario *scenario, const clg_layout *layout,
                                  const clg_priced *priced) {
    double groups = (double)clg_layout_gpus(layout) / ((double)layout->tp * layout->cp);
    double micro_batches = (double)layout->global_batch / (groups * layout->micro_batch);
    double sure_s = micro_batches * priced->sums.sure_s + host_s(scenario, micro_batches, 1);
    return sure_s * (1 + clg_straggler_share(scenario, layout)) * (1 - 1e-9);
}

/* The first stage holds at least the even share of layers, each at least as large as the smallest
 * kind, and its activations as often as the schedule keeps them alive. */
clg_bytes_bound clg_compose_bytes_bound(const clg_scenario *scenario, const clg_layout *layout,
                                        const clg_priced *priced) {
    const clg_stack *stack = &scenario->stack;
    const clg_priced_sums *sums = &priced->sums;
    clg_pipeline pipeline = clg_pipeline_of(layout);
    clg_bytes_bound b = {.saved = sums->saved,
                         .rebuilt = sums->rebuilt,
                         .alive = clg_schedule_of(pipeline.kind)->alive(pipeline, 0),
                         .workspace = stack->memory.workspace_bytes,
                         .split = stack->memory.split_share,
                         .crowding = clg_crowding(scenario, layout),
                         .layers = clg_layout_fewest(&scenario->model, layout)};
    b.states = clg_memory_bound(&scenario->model, priced->expert_parameters, stack, layout);
    double held = b.layers * layout->vpp * sums->parameters;
    double shards = (double)layout->dp * layout->cp;
    clg_state_bytes sure = clg_memory_sure(stack, layout);
    b.first = held * (sure.weight / (layout->zero == 3 ? shards : 1) +
                      sure.gradient / (layout->zero >= 2 ? shards : 1) +
                      sure.optimizer / (layout->zero >= 1 ? shards : 1));
    /* Kept on the host, at most two layers' are here: none is sure. */
    if (stack->memory.activations_on_host) b.saved = b.rebuilt = 0;
    return b;
}

double clg_bytes_bound_at(const clg_bytes_bound *b, int recompute_layers) {
    int again = recompute_layers > 0 && recompute_layers < b->layers ? recompute_layers : b->layers;
    double first = b->first + (again * b->saved + (b->layers - again) * b->rebuilt) * b->alive;
    first = (first + b->workspace) * (1 + b->split);
    return fmax(b->states, first) * b->crowding;
}
