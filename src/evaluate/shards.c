/* shards.c -- traffic of sharded weights: layer by layer, beside the passes of a chunk. */
#include "evaluate/composition.h"

#include <math.h>

/* Layers done again in the backward: all, or the first n of each chunk. */
double clg_recomputed_share(const clg_layout *layout, int layers) {
    if (layout->recompute_layers == 0 || layers <= layout->recompute_layers) return 1;
    return (double)layout->recompute_layers / layers;
}

/* Seconds and overlap of the collectives of one kind that make one message. */
static double message_s(const composition *c, const clg_updates *updates, clg_update_when when,
                        clg_collective kind, double *share) {
    double seconds = 0;
    for (int i = 0; i < updates->count; i++) {
        const clg_update *update = &updates->update[i];
        if (update->when != when || update->op.kind != CLG_OP_COLLECTIVE) continue;
        if (update->op.collective != kind) continue;
        seconds += clg_update_s(&c->pricing, &update->op);
        *share = update->op.overlap;
    }
    return seconds;
}

/* Copies into and out of messages: memory-bound kernels of the pass. */
static clg_pass_cost copies_cost(const composition *c, const clg_updates *updates,
                                 clg_update_when when) {
    clg_pass_cost cost = {0};
    for (int i = 0; i < updates->count; i++) {
        const clg_update *update = &updates->update[i];
        if (update->when != when || update->op.kind != CLG_OP_MEMORY) continue;
        cost.memory_s += clg_update_s(&c->pricing, &update->op);
        cost.hbm_bytes += update->op.hbm_bytes;
    }
    return cost;
}

/* Behind all of a backward: weights of the layer below are gathered, and gradients of the layer
 * above scattered, while a layer is done again and both halves of its backward run. */
static void hide_behind_backward(clg_pass_cost pass[CLG_PASSES], double seconds, double share,
                                 const clg_stack *stack) {
    static const clg_pass order[] = {CLG_PASS_BACKWARD_WEIGHT, CLG_PASS_BACKWARD_INPUT,
                                     CLG_PASS_RECOMPUTE};
    double left = seconds * share;
    for (int i = 0; i < 3; i++) left -= clg_pass_hide(&pass[order[i]], CLG_AXIS_DP, left, stack);
    pass[CLG_PASS_BACKWARD_WEIGHT].exposed_s[CLG_AXIS_DP] += seconds * (1 - share) + left;
}

/* Sharded weights of a chunk, layer by layer: gathered under the compute of the layer before, their
 * gradients scattered under the backward of the layer after. Nothing hides the first gather of a
 * forward, nor the last scatter of the step. */
static void hide_messages(composition *c, stage *s, const messages *m, int count,
                          clg_pass_cost pass[CLG_PASSES]) {
    const clg_stack *stack = &c->scenario->stack;
    clg_pass_add(&pass[CLG_PASS_FORWARD], &m->copies, count);
    clg_pass_add(&pass[CLG_PASS_FORWARD], &m->first_copies,
                 count / (double)c->layout->accumulation);
    clg_pass_add(&pass[CLG_PASS_BACKWARD_WEIGHT], &m->backward_copies, count);
    clg_pass_communicate(&pass[CLG_PASS_FORWARD], CLG_AXIS_DP, m->gather_s * (count - 1),
                         m->gather_share, stack);
    pass[CLG_PASS_FORWARD].exposed_s[CLG_AXIS_DP] += m->gather_s;
    hide_behind_backward(pass, m->again_s * count, m->gather_share, stack);
    hide_behind_backward(pass, m->scatter_s * count, m->scatter_share, stack);
    hide_behind_backward(pass, m->sum_s * count, m->sum_share, stack);
    if (m->scatter_s > s->scatter_tail_s) s->scatter_tail_s = m->scatter_s;
}

static void price_messages(composition *c, messages *m) {
    clg_updates updates;
    clg_layout layout = *c->layout;
    if (m->edge && layout.precision >= CLG_FP8) layout.precision = CLG_BF16;
    clg_step_updates(&c->scenario->model, &c->scenario->stack, &layout, &c->priced->step,
                     (clg_held){.dense = m->dense, .expert = m->expert}, &updates);
    m->gather_s = message_s(c, &updates, CLG_UPDATE_FORWARD, CLG_ALL_GATHER, &m->gather_share);
    /* Once a step: its share of the mean micro-batch. */
    m->gather_s += message_s(c, &updates, CLG_UPDATE_FIRST, CLG_ALL_GATHER, &m->gather_share) /
                   (double)c->layout->accumulation;
    m->copies = copies_cost(c, &updates, CLG_UPDATE_FORWARD);
    m->first_copies = copies_cost(c, &updates, CLG_UPDATE_FIRST);
    m->backward_copies = copies_cost(c, &updates, CLG_UPDATE_BACKWARD);
    m->again_s = message_s(c, &updates, CLG_UPDATE_BACKWARD, CLG_ALL_GATHER, &m->gather_share);
    m->scatter_s =
        message_s(c, &updates, CLG_UPDATE_BACKWARD, CLG_REDUCE_SCATTER, &m->scatter_share);
    m->sum_s = message_s(c, &updates, CLG_UPDATE_BACKWARD, CLG_ALL_REDUCE, &m->sum_share);
}

/* Chunks with equal layers send equal messages: priced once. */
static void shard_messages(composition *c, stage *s, messages wanted, int count,
                           clg_pass_cost pass[CLG_PASSES]) {
    messages *last = &c->last_messages;
    if (last->dense != wanted.dense || last->expert != wanted.expert || last->edge != wanted.edge) {
        *last = wanted;
        price_messages(c, last);
    }
    hide_messages(c, s, last, count, pass);
}

/* Matrices of a layer: one per product of its forward. */
static int matrices_of(const clg_block *block) {
    int count = 0;
    for (int i = 0; i < block->ops; i++)
        count += block->op[i].pass == CLG_PASS_FORWARD && clg_op_is_product(&block->op[i]);
    return count;
}

/* The host copies every rank's part of every matrix after a gather, and before a scatter, while the
 * GPU waits (DeepSpeed's ZeRO-3 of 2021). A layer that is done again is gathered again. Vectors
 * stay whole on every rank (stage3_param_persistence_threshold) and are left out. */
static void copy_by_rank(const composition *c, const int of_kind[CLG_LAYER_KINDS], double again,
                         clg_pass_cost pass[CLG_PASSES]) {
    const clg_step *step = &c->priced->step;
    double ranks = step->shard_group.ranks, each_s = c->scenario->stack.host.copy_s;
    double matrices = 0;
    if (c->layout->zero < 3 || ranks <= 1 || !(each_s > 0)) return;
    for (int kind = 0; kind < step->kinds; kind++)
        matrices += of_kind[kind] * matrices_of(&step->kind[kind]);
    double seconds = each_s * matrices * ranks;
    pass[CLG_PASS_FORWARD].host_s += seconds;
    if (c->layout->recompute == CLG_RECOMPUTE_FULL)
        pass[CLG_PASS_RECOMPUTE].host_s += seconds * again;
    pass[CLG_PASS_BACKWARD_INPUT].host_s += seconds;
    pass[CLG_PASS_BACKWARD_WEIGHT].host_s += seconds;
}

/* Matrices of a layer that are modules of their own: four of attention; experts run one by one are
 * one by one, else stacks of them, beside a router. */
static double modules_of(const clg_layer_kind *kind, const clg_stack *stack, int ep) {
    const clg_mlp *mlp = &kind->mlp;
    double each = mlp->gated ? 3 : 2;
    if (mlp->kind != CLG_MLP_MOE) return 4 + each;
    double routed = stack->experts.rows == CLG_ROWS_LOOPED ? each * mlp->experts / ep : 2;
    return 4 + 1 + routed + (mlp->shared_ffn > 0 ? each : 0);
}

/* The host waits for no less than it did for layer by layer. */
static void gather_beside(clg_pass_cost *pass, const clg_pricing *pricing, double matrices) {
    double before_s = pass->host_s;
    pass->gathers += matrices;
    clg_pass_host(pass, pricing);
    pass->host_s = fmax(before_s, pass->host_s);
}

/* DeepSpeed's ZeRO-3 fetches module by module, from Python (host_gather_s): in the forward, again
 * where layers are done again, and in the backward, of which half the work is either pass's. */
static void gather_modules(const composition *c, const int of_kind[CLG_LAYER_KINDS], double again,
                           clg_pass_cost pass[CLG_PASSES]) {
    const clg_model *model = &c->scenario->model;
    const clg_stack *stack = &c->scenario->stack;
    double modules = 0;
    if (c->layout->zero < 3 || !(stack->host.gather_s > 0)) return;
    if (c->priced->step.shard_group.ranks <= 1) return;
    for (int kind = 0; kind < model->kinds; kind++)
        modules += of_kind[kind] * modules_of(&model->kind[kind], stack, c->layout->ep);
    gather_beside(&pass[CLG_PASS_FORWARD], &c->pricing, modules);
    if (c->layout->recompute == CLG_RECOMPUTE_FULL)
        gather_beside(&pass[CLG_PASS_RECOMPUTE], &c->pricing, modules * again);
    gather_beside(&pass[CLG_PASS_BACKWARD_INPUT], &c->pricing, modules / 2);
    gather_beside(&pass[CLG_PASS_BACKWARD_WEIGHT], &c->pricing, modules / 2);
}

void clg_sharded_traffic(composition *c, stage *s, int depth, const int of_kind[CLG_LAYER_KINDS],
                         clg_pass_cost pass[CLG_PASSES]) {
    const clg_step *step = &c->priced->step;
    int layers = 0; /* and those of modules that predict further */
    double dense = 0, expert = 0, edges = 0;
    if (c->layout->zero < 2) return;
    for (int kind = 0; kind < step->kinds; kind++) {
        dense += of_kind[kind] * step->kind[kind].dense_parameters;
        expert += of_kind[kind] * step->kind[kind].expert_parameters;
        layers += of_kind[kind];
    }
    if (layers > 0) { /* a stage may have tables alone */
        double again = clg_recomputed_share(c->layout, c->layers_of[depth]);
        copy_by_rank(c, of_kind, again, pass);
        gather_modules(c, of_kind, again, pass);
        messages layer = {.dense = dense / layers, .expert = expert / layers};
        shard_messages(c, s, layer, layers, pass);
    }
    if (depth == 0) edges += step->embedding.dense_parameters;
    if (depth == c->layout->pp * c->layout->vpp - 1) edges += step->head.dense_parameters;
    if (edges > 0) shard_messages(c, s, (messages){.dense = edges, .edge = true}, 1, pass);
}
