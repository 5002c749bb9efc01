/* update.c -- what is done to a stage's parameters once per step or, sharded, once per pass. */
#include "step/step.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static clg_op *add(clg_updates *updates, clg_update_when when, clg_op_kind kind, const char *name) {
    enum { CLEARED = 8 }; /* at once: to begin takes longer than to clear one */
    static_assert(CLG_UPDATE_OPS % CLEARED == 0, "all of a stretch are the list's");
    assert(updates->count < CLG_UPDATE_OPS);
    clg_update *update = &updates->update[updates->count];
    if (updates->count++ % CLEARED == 0) memset(update, 0, CLEARED * sizeof *update);
    update->when = when;
    clg_op *op = &update->op;
    op->kind = kind;
    op->name = name;
    op->count = 1;
    op->batch = 1;
    op->group = (clg_group){1, 1};
    return op;
}

/* A stage's updates as they are written. */
typedef struct writer {
    clg_updates *updates;
    const clg_stack *stack;
    const clg_layout *layout;
    double trained; /* share of the parameters */
} writer;

typedef struct message {
    clg_update_when when;
    const char *name;
    clg_collective kind;
    clg_group group;
    double bytes, overlap;
    double times; /* it goes in so many parts; 0: whole */
} message;

static void collective(const writer *w, const message *m) {
    if (m->group.ranks <= 1 || m->bytes <= 0) return;
    clg_op *op = add(w->updates, m->when, CLG_OP_COLLECTIVE, m->name);
    op->axis = CLG_AXIS_DP;
    op->collective = m->kind;
    op->group = m->group;
    op->bytes = m->bytes;
    op->overlap = m->overlap;
    if (m->times > 0) op->bytes /= m->times, op->count = (int)m->times;
}

/* Bytes of a weight as it is gathered to be multiplied: torchao casts float8 weights before
 * (enable_fsdp_float8_all_gather; vector weights go along in this count). */
static double gathered_weight_bytes(const clg_stack *stack, const clg_layout *layout) {
    double narrow = clg_precision_bytes(layout->precision), weight = clg_weight_bytes(layout);
    bool late = stack->precision.cast_orders && layout->precision >= CLG_MXFP8;
    return stack->traffic.narrow_gathers && !late && narrow < weight ? narrow : weight;
}

/* Bytes of a gradient on its way: FSDP reduces in the type its mixed precision names, and puts the
 * shard down in the type of the weight. */
static double message_bytes(const clg_layout *layout, const clg_stack *stack) {
    double kept = clg_gradient_bytes(layout, stack);
    return stack->traffic.narrow_reductions ? fmin(kept, clg_weight_bytes(layout)) : kept;
}

/* FSDP2 and DeepSpeed gather a layer into one buffer and copy the weights out of it, and copy a
 * layer's gradients into one before they are scattered, in the type they travel in, beside compute
 * (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py, foreach_all_gather_copy_out and
 * foreach_reduce_scatter_copy_in; DeepSpeed runtime/zero/partition_parameters.py,
 * AllGatherCoalescedHandle). FSDP of 2023 gathers in place, but joins the gradients of its views
 * and divides them: as many bytes, elsewhere. A rank's own shard, 1 / ranks of it, is left out. */
static void copy_message(const writer *w, clg_update_when when, const char *name, clg_group group,
                         double bytes) {
    if (!w->stack->traffic.shard_copies || group.ranks <= 1 || bytes <= 0) return;
    add(w->updates, when, CLG_OP_MEMORY, name)->hbm_bytes = bytes;
}

typedef void sharding(const writer *, clg_group shard, clg_group replica, double parameters);

static void gather(const writer *w, clg_update_when when, const char *name, clg_group shard,
                   double parameters) {
    if (shard.ranks <= 1 || parameters <= 0) return;
    double bytes = gathered_weight_bytes(w->stack, w->layout);
    collective(w, &(message){when, name, CLG_ALL_GATHER, shard, parameters * bytes,
                             .overlap = w->stack->overlap.parameter});
    copy_message(w, when, "copy gathered weights", shard, parameters * (2 * bytes));
}

/* Fully sharded: gathers before use, scatters gradients in every backward (Zhao et al. 2023,
 * arXiv:2304.11277), or in the last of a step where they are kept whole. Stage 2 keeps what the
 * first forward of a step gathered. */
static void sharded(const writer *w, clg_group shard, clg_group replica, double parameters) {
    const clg_stack *stack = w->stack;
    const clg_layout *layout = w->layout;
    double gradient = message_bytes(layout, stack), overlap = stack->overlap.gradient;
    double summands = parameters * w->trained, gradients = summands * gradient;
    gather(w, layout->zero == 3 ? CLG_UPDATE_FORWARD : CLG_UPDATE_FIRST, "gather layer weights",
           shard, parameters);
    if (layout->zero == 3 && layout->reference == CLG_REFERENCE_MODEL)
        gather(w, CLG_UPDATE_FORWARD, "gather reference weights", shard, parameters);
    if (layout->zero == 3)
        gather(w, CLG_UPDATE_BACKWARD, "gather layer weights again", shard, parameters);
    bool whole = clg_gradients_whole(layout, stack);
    double written = whole ? clg_gradient_bytes(layout, stack) : clg_weight_bytes(layout);
    copy_message(w, whole ? CLG_UPDATE_OPTIMIZER : CLG_UPDATE_BACKWARD, "copy gradients to scatter",
                 shard, summands * (written + gradient));
    collective(w, &(message){whole ? CLG_UPDATE_GRADIENT : CLG_UPDATE_BACKWARD,
                             "reduce-scatter gradients", CLG_REDUCE_SCATTER, shard, gradients,
                             .overlap = overlap});
    collective(w, &(message){CLG_UPDATE_GRADIENT, "all-reduce gradient shards", CLG_ALL_REDUCE,
                             replica, gradients / shard.ranks, .overlap = overlap});
}

/* Stage 2 by whole sums (DeepSpeed runtime/zero/stage_1_and_2.py): gradients are copied into a
 * bucket, divided by the ranks and flattened with its others, then all-reduced, of which a rank
 * keeps its part (average_tensor, allreduce_and_scatter; use_multi_rank_bucket_allreduce); on the
 * compute's own stream, so nothing hides it (overlap_comm is off unless a configuration says
 * otherwise: fast networks lose little by that, slow ones are predicted slow). Weights are whole
 * all step and gathered after the update. */
static void summed(const writer *w, clg_group shard, clg_group replica, double parameters) {
    double gradient = message_bytes(w->layout, w->stack), summands = parameters * w->trained;
    double weight = clg_weight_bytes(w->layout), copies = weight + gradient + 4 * gradient;
    bool whole = clg_gradients_whole(w->layout, w->stack);
    copy_message(w, whole ? CLG_UPDATE_OPTIMIZER : CLG_UPDATE_BACKWARD, "copy gradients to sum",
                 shard, summands * copies);
    collective(w,
               &(message){whole ? CLG_UPDATE_GRADIENT : CLG_UPDATE_BACKWARD, "all-reduce gradients",
                          CLG_ALL_REDUCE, shard, summands * gradient, .overlap = 0});
    collective(w, &(message){CLG_UPDATE_GRADIENT, "all-reduce gradient shards", CLG_ALL_REDUCE,
                             replica, summands * gradient / shard.ranks, .overlap = 0});
    collective(w, &(message){CLG_UPDATE_PARAMETER, "gather updated weights", CLG_ALL_GATHER, shard,
                             summands * weight, .overlap = 0});
}

/* Beside compute a buffer goes bucket by bucket, each as soon as its gradients are there, or before
 * its weights are needed: every bucket pays the latency of its ring again. Megatron-Core closes one
 * at a number of parameters that grows with the ranks (distributed_data_parallel_config.py,
 * bucket_size: "larger DP sizes need larger buckets to ensure collectives do not become
 * latency-bound"); without overlap there is one. */
static double bucket_of(const clg_stack *stack, clg_group group) {
    return fmax(stack->overlap.bucket_parameters,
                stack->overlap.bucket_parameters_per_rank * group.ranks);
}

/* A bucket ends with the matrix that fills it (torch/csrc/distributed/c10d/reducer.cpp,
 * compute_bucket_assignment_by_size; Megatron-Core's param_and_grad_buffer.py): how many end in a
 * layer, of four in a row, last matrix first. 0 where buckets are larger than layers. */
static double buckets_of_layer(const clg_block *layer, double bucket) {
    enum { LAYERS = 4 };
    double filled = 0, all = 0, matrix[CLG_BLOCK_OPS];
    int ended = 0, matrices = 0;
    for (int i = layer->ops - 1; i >= 0; i--) {
        const clg_op *op = &layer->op[i];
        if (op->kind == CLG_OP_GEMM && op->pass == CLG_PASS_FORWARD)
            matrix[matrices++] = op->n * op->k;
    }
    for (int i = 0; i < LAYERS * matrices; i++) {
        filled += matrix[i % matrices];
        all += matrix[i % matrices];
        if (filled < bucket) continue;
        filled = 0;
        ended++;
    }
    return all < LAYERS * bucket ? 0 : (ended + filled / bucket) / LAYERS;
}

/* Layers of a stage by their parameters, all like `layer`; a table is a matrix. NULL: experts, of
 * matrices so small that all buckets are just full. */
static double buckets_of(const clg_block *layer, double bucket, double parameters, double tables) {
    if (bucket <= 0 || parameters <= bucket) return 1;
    double of_layer = layer ? buckets_of_layer(layer, bucket) : 0;
    if (of_layer == 0 || layer->dense_parameters <= 0) return ceil(parameters / bucket);
    double layers = fmax(0, parameters - tables) / layer->dense_parameters;
    return ceil(fmin(2, ceil(tables / bucket)) + of_layer * layers);
}

/* What is whole on every rank, and its groups; `layer`: one of those it is made of. */
typedef struct whole {
    clg_group all, shard, replica;
    const clg_block *layer;
    double parameters, tables;
} whole;

/* How its gradients are summed. */
static void sum_whole(const writer *w, const whole *p, double gradients, double buckets) {
    double overlap = w->stack->overlap.gradient;
    message all = {.when = CLG_UPDATE_GRADIENT,
                   .name = "all-reduce gradients",
                   .kind = CLG_ALL_REDUCE,
                   .group = p->shard,
                   .bytes = gradients,
                   .overlap = overlap,
                   .times = buckets};
    if (w->layout->zero == 0) {
        collective(w, &all);
    } else if (w->stack->traffic.zero_one == CLG_ZERO_ONE_BROADCASTS) {
        all.group = p->all;
        collective(w, &all);
    } else if (w->stack->traffic.zero_one == CLG_ZERO_ONE_SUMS_AFTER) {
        all.overlap = all.times = 0;
        collective(w, &all);
        all.name = "all-reduce gradients of the parts", all.group = p->replica;
        collective(w, &all);
    } else {
        all.name = "reduce-scatter gradients", all.kind = CLG_REDUCE_SCATTER;
        collective(w, &all);
        all.name = "all-reduce gradient shards", all.kind = CLG_ALL_REDUCE;
        all.group = p->replica, all.bytes = gradients / p->shard.ranks;
        collective(w, &all);
    }
}

/* Whole gradients and weights. The shards of ZeRO-1 may span part of the ranks: then the shards of
 * gradients are summed over the other parts too. */
static void replicated(const writer *w, const whole *p) {
    if (p->parameters <= 0) return;
    const clg_stack *stack = w->stack;
    double weights = p->parameters * clg_weight_bytes(w->layout);
    double gradients = p->parameters * clg_gradient_bytes(w->layout, stack);
    double bucket = bucket_of(stack, p->all), overlap = stack->overlap.parameter;
    bool beside = stack->overlap.gradient > 0 || overlap > 0;
    double most = beside ? buckets_of(p->layer, bucket, p->parameters, p->tables) : 1;
    sum_whole(w, p, gradients, stack->overlap.gradient > 0 ? most : 1);
    if (w->layout->zero == 0) return;
    message back = {.when = CLG_UPDATE_PARAMETER,
                    .name = "gather updated weights",
                    .kind = CLG_ALL_GATHER,
                    .group = p->shard,
                    .bytes = weights,
                    .overlap = overlap,
                    .times = overlap > 0 ? most : 1};
    if (stack->traffic.zero_one == CLG_ZERO_ONE_BROADCASTS) {
        /* The step ends with them; InternEvo may leave them to the next forward
         * (overlap_sync_param). */
        back.name = "broadcast updated weights", back.kind = CLG_BROADCAST;
        back.overlap = 0, back.times = p->shard.ranks;
    }
    collective(w, &back);
}

/* Adafactor of Hugging Face (transformers/optimization.py, Adafactor.step, without a first moment),
 * each line a kernel over fp32: weight's norm 4; square, plus epsilon 8 + 8; means of rows and
 * columns 4 + 4; their product written 4; times gradient 12; norm 4; clipped 8; times rate 8; added
 * 12. What is narrower is widened before, and the weight narrowed again. Left out: a largest
 * tensor's fp32 copies in memory. */
static double factored_bytes(double gradient, double weight) {
    double widened = (gradient < 4 ? gradient + 4 : 0) + (weight < 4 ? 2 * (weight + 4) : 0);
    return 4 + 8 + 8 + 4 + 4 + 4 + 12 + 4 + 8 + 8 + 12 + widened;
}

/* What Adam of PyTorch moves more where it is not `fused`, which it is not by itself (torch/optim/
 * adam.py, _multi_tensor_adam; pull request 95415): each line is a kernel over all parameters.
 * Decay reads and writes the weight; lerp, mul, addcmul a moment, the first and the last of them
 * the gradient; the root of the second moment is written beside it and read and written twice, then
 * read by addcdiv with weight and first moment. Of 4 bytes 80, 28 of them fused too. Left out: the
 * roots' memory. */
static double unfused_bytes(const clg_layout *layout, const clg_stack *stack, double wide,
                            double weight) {
    if (stack->fused.optimizer || layout->optimizer != CLG_ADAM) return 0;
    bool single = clg_precision_is_single(layout->precision);
    double updated = stack->precision.master_weights && !single ? 4 : weight;
    return 2 * updated + 10 * clg_moment_bytes(layout, stack) + wide;
}

/* Clipping reads gradients once; the update reads gradient and states, writes states and weight.
 * Gradients of 16 bits are copied to fp32 before, where master weights are (Megatron-LM
 * optimizer.py, _copy_model_grads_to_main_grads; distrib_optimizer.py has the same).
 * Offloaded: gradients go to the host and weights come back over PCIe, and the ranks of a host
 * share its memory for their updates between (`host_ranks`). */
static void optimize(const writer *w, double owned, double held, int host_ranks) {
    clg_updates *updates = w->updates;
    const clg_stack *stack = w->stack;
    const clg_layout *layout = w->layout;
    double gradient = clg_gradient_bytes(layout, stack), weight = clg_weight_bytes(layout);
    double states = clg_optimizer_bytes_per_parameter(layout, stack);
    double copy = clg_update_bytes_per_parameter(layout, stack), wide = fmax(gradient, copy);
    if (copy > 0 && !layout->offload)
        add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_MEMORY, "widen gradients")->hbm_bytes =
            owned * (gradient + copy);
    else
        wide = gradient;
    clg_op *clip = add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_MEMORY, "gradient norm");
    clip->hbm_bytes = owned * wide;
    /* Clipping scales them; a loss scale is taken out before. */
    clg_op *scale = add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_MEMORY, "scale gradients");
    scale->hbm_bytes = owned * wide * (layout->precision == CLG_FP16 ? 4 : 2);
    clg_op *zero = add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_MEMORY, "clear gradients");
    zero->hbm_bytes = (clg_gradients_whole(layout, stack) ? held : owned) * gradient;
    if (layout->offload) {
        clg_op *move = add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_COPY, "states on the host");
        move->bytes = owned * (gradient + weight);
        clg_op *host = add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_HOST, "update on the host");
        host->bytes = owned * host_ranks * clg_host_bytes_per_parameter(layout, stack);
        host->group = (clg_group){host_ranks, host_ranks};
        return;
    }
    if (layout->optimizer == CLG_ADAFACTOR) {
        clg_op *factored = add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_MEMORY, "factored moments");
        factored->hbm_bytes = owned * factored_bytes(gradient, weight);
        return;
    }
    clg_op *op = add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_OPTIMIZER, "optimizer");
    op->hbm_bytes =
        owned * (wide + weight + 2 * states + unfused_bytes(layout, stack, wide, weight));
}

/* Muon makes every update orthogonal by 5 Newton-Schulz iterations of 3 products, the smaller side
 * of the matrix square (Liu et al. 2025, arXiv:2502.16982, section 2.1); taken as square matrices.
 * Left out: gathering the matrices that ZeRO cut. */
static void orthogonalize(clg_updates *updates, double side, double owned) {
    if (owned <= 0) return;
    clg_op *op = add(updates, CLG_UPDATE_OPTIMIZER, CLG_OP_GEMM, "Newton-Schulz iterations");
    op->precision = CLG_BF16;
    op->m = op->n = op->k = side;
    op->batch = 15 * owned / (side * side);
    op->flop = 2 * side * side * side * op->batch;
}

/* The smaller side of an expert's matrices. */
static double expert_side(const clg_model *model) {
    for (int i = 0; i < model->kinds; i++)
        if (model->kind[i].mlp.kind == CLG_MLP_MOE)
            return fmin((double)clg_expert_input(model, &model->kind[i].mlp),
                        (double)model->kind[i].mlp.expert_ffn);
    return (double)model->hidden;
}

void clg_step_updates(const clg_model *model, const clg_stack *stack, const clg_layout *layout,
                      const clg_step *step, clg_held held, clg_updates *updates) {
    const clg_group alone = {1, 1};
    const writer w = {updates, stack, layout, 1 - step->frozen_share};
    updates->count = 0;
    if (layout->zero >= 2) {
        bool sums = layout->zero == 2 && stack->traffic.scatters == CLG_SCATTERS_SUMS;
        sharding *send = sums ? summed : sharded;
        send(&w, step->shard_group, step->replica_group, held.dense);
        if (held.expert > 0) send(&w, step->expert_group, alone, held.expert);
    } else {
        bool parts = layout->zero == 1;
        replicated(&w, &(whole){.all = step->dense_group,
                                .shard = parts ? step->shard_group : step->dense_group,
                                .replica = parts ? step->replica_group : alone,
                                .layer = &step->kind[0],
                                .parameters = held.dense * w.trained,
                                .tables = held.tables * w.trained});
        replicated(&w, &(whole){.all = step->expert_group,
                                .shard = step->expert_group,
                                .replica = alone,
                                .parameters = held.expert * w.trained});
    }
    if (held.tied > 0 && step->frozen_share == 0)
        collective(&w, &(message){CLG_UPDATE_OPTIMIZER, "sum tied embedding gradients",
                                  CLG_ALL_REDUCE, step->send_group,
                                  held.tied * clg_gradient_bytes(layout, stack), .overlap = 0});
    double dense_share = layout->zero >= 1 ? step->shard_group.ranks : 1;
    double expert_share = layout->zero >= 1 ? step->expert_group.ranks : 1;
    double dense_owned = held.dense / dense_share;
    double expert_owned = held.expert / expert_share;
    optimize(&w, (dense_owned + expert_owned) * w.trained, (held.dense + held.expert) * w.trained,
             step->host_ranks);
    for (int i = 0; i < updates->count; i++)
        updates->update[i].op.over_nodes =
            step->over_nodes && updates->update[i].op.kind == CLG_OP_COLLECTIVE;
    if (layout->optimizer != CLG_MUON) return;
    orthogonalize(updates, (double)model->hidden, dense_owned);
    orthogonalize(updates, expert_side(model), expert_owned);
}
