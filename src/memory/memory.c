/* memory.c -- weights, gradients, states, activations and buffers of one stage. */
#include "memory/memory.h"

#include "step/step.h"

#include <math.h>
#include <string.h>

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

void clg_stage_parameters(const clg_model *model, const clg_step *step, const clg_stage_load *load,
                          double *dense, double *expert) {
    *dense = *expert = 0;
    for (int i = 0; i < step->kinds; i++) {
        *dense += load->layers[i] * step->kind[i].dense_parameters;
        *expert += load->layers[i] * step->kind[i].expert_parameters;
    }
    if (load->embedding) *dense += step->embedding.dense_parameters;
    if (!load->head) return;
    *dense += step->head.dense_parameters;
    if (model->tied && load->embedding)
        *dense -= step->head.dense_parameters - (double)model->final_parameters;
}

double clg_stage_tables(const clg_model *model, const clg_step *step, const clg_stage_load *load) {
    double dense, expert;
    clg_stage_load ends = *load;
    memset(ends.layers, 0, sizeof ends.layers);
    clg_stage_parameters(model, step, &ends, &dense, &expert);
    return dense;
}

/* Activations kept between forward and backward: those of a mean chunk times the chunks alive.
 * The input embedding belongs to the first chunk; the head's logits live while their micro-batch
 * turns round. On the host: of all layers but the one at work and the one that moves. */
static double kept_activations(const clg_stack *stack, const clg_layout *layout,
                               const clg_step *step, const clg_stage_load *load) {
    double all = 0, layers = 0, again = 1;
    for (int i = 0; i < step->kinds; i++) layers += load->layers[i];
    if (layout->recompute_layers > 0 && layers > layout->recompute_layers * load->chunks)
        again = layout->recompute_layers * load->chunks / layers;
    for (int i = 0; i < step->kinds; i++)
        all += load->layers[i] *
               (again * step->kind[i].saved_bytes + (1 - again) * step->kind[i].rebuilt_bytes);
    double here = layers * load->alive / load->chunks;
    double stays = stack->memory.activations_on_host && here > 2 ? 2 / here : 1;
    if (load->embedding) all += step->embedding.saved_bytes;
    double bytes = stays * all * load->alive / load->chunks;
    if (load->head) bytes += step->head.saved_bytes * load->head_alive;
    return bytes;
}

/* What lives beside kept activations at one moment of a step: other activations, and weights and
 * gradients that are whole for a while. */
typedef struct moment {
    double activations, whole;
} moment;

static moment fuller(moment a, moment b) {
    return a.activations + a.whole < b.activations + b.whole ? b : a;
}

static double layer_parameters(const clg_block *block) {
    return block->dense_parameters + block->expert_parameters;
}

static double largest_layer(const clg_step *step, const clg_stage_load *load) {
    double largest = 0;
    for (int i = 0; i < step->kinds; i++)
        if (load->layers[i] > 0) largest = larger(largest, layer_parameters(&step->kind[i]));
    return largest;
}

/* Tables and head stay in 16 bit where layers are frozen in fewer. */
static double table_parameters(const clg_step *step, const clg_stage_load *load) {
    return (load->embedding ? step->embedding.dense_parameters : 0) +
           (load->head ? step->head.dense_parameters : 0);
}

/* Fully sharded: tables are whole from the forward to the end of the backward (the root unit of
 * FSDP, which is not resharded but where asked to be), and so are the layer at work and the one
 * prefetched. Stage 2 keeps all gathered weights, which are counted as weights. */
static double gathered(const clg_stack *stack, const clg_layout *layout, const clg_step *step,
                       const clg_stage_load *load) {
    if (layout->zero < 3 || step->shard_group.ranks * step->expert_group.ranks == 1) return 0;
    double tables = table_parameters(step, load) * clg_table_bytes(layout, stack);
    return tables + 2 * largest_layer(step, load) * clg_weight_bytes(layout);
}

/* A gradient on its way into shards, or into the weight at once, is whole; kept whole, it is among
 * the gradients. */
static double passing(const clg_stack *stack, const clg_layout *layout, double parameters) {
    bool shards = layout->zero >= 2 && !clg_gradients_whole(layout, stack);
    bool passes = shards || stack->memory.updates_in_backward;
    return passes ? parameters * clg_gradient_bytes(layout, stack) : 0;
}

/* One micro-batch a step, and gradients are let go after it (torch.optim, zero_grad: set_to_none
 * since PyTorch 2.0): before the first layer's backward there are none, but of the head. */
static bool come_late(const clg_stack *stack, const clg_layout *layout) {
    return stack->memory.fresh_gradients && layout->pp == 1 && layout->accumulation <= 1;
}

/* What a layer's backward has beside it: what it rebuilds, and its gradient. */
static moment layer_backward(const clg_stack *stack, const clg_layout *layout, const clg_step *step,
                             const clg_stage_load *load) {
    moment most = {0, 0};
    for (int i = 0; i < step->kinds; i++) {
        const clg_block *block = &step->kind[i];
        if (load->layers[i] == 0) continue;
        double gradient = (1 - step->frozen_share) * layer_parameters(block);
        most = fuller(most, (moment){block->rebuilt_bytes + block->transient_bytes,
                                     passing(stack, layout, gradient)});
    }
    return most;
}

/* The fullest moment beside what is kept: the loss; a layer's backward, the first of which may find
 * no gradients and the last no activations; the end, when the tables' gradients leave and
 * activations are gone. `gradients`: all that are held. */
static moment fullest(const clg_stack *stack, const clg_layout *layout, const clg_step *step,
                      const clg_stage_load *load, double kept, double gradients) {
    double weights = gathered(stack, layout, step, load), trained = 1 - step->frozen_share;
    moment layer = layer_backward(stack, layout, step, load), end = {-kept, weights};
    layer.whole += weights;
    moment most = layer; /* the head's turn is over: what it kept of that micro-batch is gone */
    if (load->head) most.activations -= step->head.saved_bytes;
    /* Where the root is not kept the loss, which is outside of it, finds no weights gathered. */
    moment loss = {step->head.transient_bytes, stack->memory.resharded_root ? 0 : weights};
    if (come_late(stack, layout)) {
        most.whole -= gradients;
        loss.whole -= gradients;
        most = fuller(most, (moment){layer.activations - kept, layer.whole});
    }
    if (load->head) most = fuller(most, loss);
    if (load->embedding)
        end.whole += trained * passing(stack, layout, step->embedding.dense_parameters);
    if (load->head) end.whole += trained * passing(stack, layout, step->head.dense_parameters);
    return fuller(most, end);
}

/* The end of a pipeline's warm-up, one micro-batch before the fullest moment. What was summed over
 * tensor ranks is still held there, whole: two outputs of each layer that the host has sent off and
 * the GPU has not reached (PyTorch CUDACachingAllocator: a block another stream reads is free once
 * its event has passed). Beside it activations of the first stages are fewer by those of one
 * micro-batch. */
static moment warmed_up(const clg_stack *stack, const clg_layout *layout, const clg_step *step,
                        const clg_stage_load *load, double kept) {
    double layers = 0, passes = load->alive - 1;
    if (stack->memory.held_layers <= 0 || layout->tp == 1 || layout->pp == 1 || passes <= 0)
        return (moment){-kept, 0};
    for (int i = 0; i < step->kinds; i++) layers += load->layers[i];
    double held = smaller(layers * passes / load->chunks, stack->memory.held_layers);
    double whole = step->boundary_bytes * (layout->sp ? layout->tp : 1);
    return (moment){2 * whole * held - kept / load->alive, 0};
}

/* Shards of everything (PyTorch FSDP CPUOffload, FSDP2 CPUOffloadPolicy; DeepSpeed offload_param).
 */
static bool on_host(const clg_stack *stack, const clg_layout *layout) {
    return stack->memory.weights_on_host && layout->zero == 3;
}

/* Gradients of 16 bits are copied to fp32 for the update: parameter by parameter, where there is
 * room once activations are gone (Megatron-LM, distrib_optimizer.py,
 * _copy_model_grads_to_main_grads); DeepSpeed makes one flat buffer (runtime/zero/stage_1_and_2.py,
 * step), which finds none among their pieces. A foreach update has the roots of all second moments.
 */
static double update_bytes(const clg_stack *stack, const clg_layout *layout) {
    if (layout->offload || on_host(stack, layout)) return 0;
    return clg_update_bytes_per_parameter(layout, stack) +
           (stack->memory.updates_in_backward ? 0 : clg_foreach_bytes_per_parameter(layout, stack));
}

/* Of what a rank updates, how much at once. */
static double updated(const clg_stack *stack, const clg_layout *layout, double owned) {
    double most = stack->memory.flat_update_most;
    bool parts = stack->memory.flat_update && layout->zero == 3 && most > 0;
    return parts ? fmin(owned, most) : owned;
}

/* Beside frozen layers: the adapters, and what tables have over the layers' format. A head that is
 * the embedding too is there once. */
static double beside_frozen_bytes(const clg_model *model, const clg_stack *stack,
                                  const clg_layout *layout, const clg_step *step,
                                  const clg_stage_load *load, double owned, double held) {
    double tables = table_parameters(step, load), wide = clg_table_bytes(layout, stack);
    if (model->tied && load->embedding && load->head) tables = step->embedding.dense_parameters;
    double share = layout->zero == 3 ? owned / held : 1;
    return share *
           (held * (1 - step->frozen_share) * 2 + tables * (wide - clg_weight_bytes(layout)));
}

/* Scales that nothing shards or moves: bitsandbytes (nn/modules.py, Linear4bit) has them in the
 * module's quant_state, which is no parameter. torchao's are sharded with the weight. */
static double whole_scales(const clg_stack *stack, const clg_layout *layout, const clg_step *step,
                           const clg_stage_load *load, double owned, double held) {
    bool frozen = layout->adapter.kind != CLG_ADAPTER_NONE;
    if (!frozen || layout->zero < 3 || !stack->memory.whole_scales) return 0;
    double counted = on_host(stack, layout) ? 0 : owned / held;
    double layers = larger(held - table_parameters(step, load), 0);
    return (1 - counted) * layers * clg_base_scale_bytes(layout->adapter.base);
}

/* A frozen copy in the type of compute; adapters have theirs already. Trainers shard it where they
 * shard weights and else hold it whole (TRL, models/utils.py, prepare_deepspeed: stage 3 or 0). */
static double reference_bytes(const clg_layout *layout, double owned, double held) {
    bool beside = layout->reference == CLG_REFERENCE_MODEL;
    if (!beside || layout->adapter.kind != CLG_ADAPTER_NONE) return 0;
    return (layout->zero == 3 ? owned : held) * clg_weight_bytes(layout);
}

/* Kept from the backward to the update. Replicas that reduce buckets have them beside (torch
 * DistributedDataParallel, gradient_as_bucket_view off). Moved states take shards of gradients with
 * them (DeepSpeed runtime/zero/stage3.py, grad_partitions_flat_buffer; stage_1_and_2.py,
 * async_accumulate_grad_in_cpu_via_gpu). */
static double gradient_bytes(const clg_stack *stack, const clg_layout *layout, double owned,
                             double held) {
    bool whole = clg_gradients_whole(layout, stack);
    bool replicas = layout->zero == 0 && layout->dp * layout->cp > 1;
    if (stack->memory.updates_in_backward && layout->accumulation <= 1) return 0;
    if (!whole && (layout->offload || on_host(stack, layout))) return 0;
    double copy =
        stack->memory.gradient_buckets && replicas ? clg_gradient_bytes(layout, stack) : 0;
    return (whole ? held : owned) * (clg_gradient_held_bytes(layout, stack) + copy);
}

/* Weights and optimizer states of the parameters a rank holds, and of its share of them. Paged
 * states are managed memory that gives way (bitsandbytes functional.py, get_paged). */
static void fill_states(const clg_model *model, const clg_stack *stack, const clg_layout *layout,
                        const clg_step *step, const clg_stage_load *load, double owned, double held,
                        clg_memory_ledger *m) {
    double shard = clg_shard_bytes(layout, stack), trained = 1 - step->frozen_share;
    m->weights_bytes = whole_scales(stack, layout, step, load, owned, held);
    if (on_host(stack, layout)) return;
    m->weights_bytes += layout->zero == 3 ? owned * shard : held * clg_weight_bytes(layout);
    if (trained < 1)
        m->weights_bytes += beside_frozen_bytes(model, stack, layout, step, load, owned, held);
    bool moved = layout->offload || stack->memory.paged_states;
    m->optimizer_bytes = moved ? 0
                               : (layout->zero >= 1 ? owned : held) * trained *
                                     clg_optimizer_bytes_per_parameter(layout, stack);
    if (layout->zero == 3 && shard == 0) { /* the weights are the master copy */
        m->weights_bytes = 4 * owned;
        m->optimizer_bytes -= 4 * owned;
    }
    m->weights_bytes += reference_bytes(layout, owned, held);
}

/* At the fullest moment gradients may be missing: then the ledger has fewer of them. */
static void fill_moment(moment most, clg_memory_ledger *m) {
    if (most.whole < 0) {
        m->gradients_bytes += most.whole;
        most.whole = 0;
    }
    m->activations_bytes += most.activations;
    m->buffers_bytes += most.whole;
}

#define PART(member, words)                                                                        \
    [offsetof(clg_memory_ledger, member) / sizeof(double)] = {#member, words}
const clg_memory_part clg_memory_parts[CLG_MEMORY_PARTS] = {
    PART(weights_bytes, "weights"),
    PART(gradients_bytes, "gradients"),
    PART(optimizer_bytes, "optimizer states"),
    PART(activations_bytes, "activations"),
    PART(buffers_bytes, "buffers"),
    PART(reserved_bytes, "allocator reserve")};

/* What the allocator holds beyond the peak. States are asked for once and fill their blocks; what
 * comes and goes leaves gaps between its pieces. */
static void fill_reserve(const clg_stack *stack, clg_memory_ledger *m) {
    double moving = m->activations_bytes + m->buffers_bytes;
    double allocated = m->weights_bytes + m->gradients_bytes + m->optimizer_bytes + moving;
    double split = allocated * stack->memory.split_share;
    m->reserved_bytes = larger(moving * stack->memory.reserve_share, split);
    m->total_bytes = allocated + m->reserved_bytes;
    m->needed_bytes = allocated + split;
}

/* One for each way the job is split, and where it is split in more ways than one another of the
 * whole job (norms, losses, barriers). Left out: several groups of one kind (data ranks with and
 * without context ranks, those of experts, embeddings that stages share). */
static int communicators(const clg_layout *l) {
    const int ranks[] = {l->dp * l->cp * clg_layout_copies(l), l->tp, l->cp, l->pp, l->ep, l->etp};
    int ways = 0;
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) ways += ranks[i] > 1;
    return ways > 1 ? ways + 1 : ways;
}

/* Whoever exchanges rows is connected with every other rank of the box; to other boxes buffers are
 * shared, which is left out. */
static double connected_share(const clg_layout *layout) {
    enum { MEASURED_RANKS = 8 };
    return (fmin(fmax(layout->ep, 1), MEASURED_RANKS) - 1) / (MEASURED_RANKS - 1);
}

double clg_memory_outside_bytes(const clg_stack *stack, const clg_layout *layout) {
    return stack->memory.context_bytes + communicators(layout) * stack->memory.communicator_bytes +
           connected_share(layout) * stack->memory.exchange_bytes;
}

clg_memory_ledger clg_memory_of_stage(const clg_model *model, const clg_stack *stack,
                                      const clg_layout *layout, const clg_step *step,
                                      const clg_stage_load *load) {
    double dense, expert;
    clg_stage_parameters(model, step, load, &dense, &expert);
    double dense_shards = step->shard_group.ranks, expert_shards = step->expert_group.ranks;
    double owned = dense / dense_shards + expert / expert_shards, held = dense + expert;
    double trained = 1 - step->frozen_share;
    clg_memory_ledger m = {0};
    fill_states(model, stack, layout, step, load, owned, held, &m);
    m.gradients_bytes = trained * gradient_bytes(stack, layout, owned, held);
    double kept = kept_activations(stack, layout, step, load);
    if (stack->memory.kept_outputs && layout->pp > 1 && !load->head)
        kept += step->boundary_bytes * load->alive;
    moment most = fullest(stack, layout, step, load, kept, m.gradients_bytes);
    double update = updated(stack, layout, trained * (layout->zero >= 1 ? owned : held)) *
                    update_bytes(stack, layout);
    if (!stack->memory.flat_update)
        most = fuller(most, (moment){-kept, update + gathered(stack, layout, step, load)});
    most = fuller(most, warmed_up(stack, layout, step, load, kept));
    m.activations_bytes = kept + 2 * step->boundary_bytes;
    m.buffers_bytes = stack->memory.workspace_bytes;
    fill_moment(most, &m);
    if (stack->memory.flat_update) m.buffers_bytes += update;
    fill_reserve(stack, &m);
    return m;
}

clg_state_bytes clg_memory_sure(const clg_stack *stack, const clg_layout *layout) {
    bool frozen = layout->adapter.kind != CLG_ADAPTER_NONE;
    bool late = come_late(stack, layout) || layout->offload || stack->memory.updates_in_backward;
    bool moved = layout->offload || stack->memory.paged_states;
    if (on_host(stack, layout)) return (clg_state_bytes){0};
    return (clg_state_bytes){
        .weight = layout->zero == 3 ? clg_shard_bytes(layout, stack) : clg_weight_bytes(layout),
        .gradient = frozen || late ? 0 : clg_gradient_held_bytes(layout, stack),
        .optimizer = frozen || moved ? 0 : clg_optimizer_bytes_per_parameter(layout, stack)};
}

double clg_memory_bound(const clg_model *model, double experts, const clg_stack *stack,
                        const clg_layout *layout) {
    double ranks = (double)layout->dp * layout->cp;
    double dense = ((double)model->parameters - experts) / layout->tp / layout->pp;
    double expert = experts / layout->ep / layout->etp / layout->pp;
    double span = clg_layout_shards(layout);
    double expert_span = ranks * layout->tp / ((double)layout->ep * layout->etp);
    double owned = dense / span + expert / expert_span, held = dense + expert;
    clg_state_bytes sure = clg_memory_sure(stack, layout);
    double bytes = (layout->zero == 3 ? owned : held) * sure.weight +
                   (layout->zero >= 2 ? owned : held) * sure.gradient +
                   (layout->zero >= 1 ? owned : held) * sure.optimizer;
    return bytes * (1 + stack->memory.split_share);
}
