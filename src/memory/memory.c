/* memory.c -- weights, gradients, states, activations and buffers of one stage. */
#include "memory/memory.h"

#include "step/step.h"

#include <string.h>

static double larger(double a, double b) { return a > b ? a : b; }

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
 * turns round. */
static double kept_activations(const clg_layout *layout, const clg_step *step,
                               const clg_stage_load *load) {
    double all = 0, layers = 0, again = 1;
    for (int i = 0; i < step->kinds; i++) layers += load->layers[i];
    if (layout->recompute_layers > 0 && layers > layout->recompute_layers * load->chunks)
        again = layout->recompute_layers * load->chunks / layers;
    for (int i = 0; i < step->kinds; i++)
        all += load->layers[i] *
               (again * step->kind[i].saved_bytes + (1 - again) * step->kind[i].rebuilt_bytes);
    if (load->embedding) all += step->embedding.saved_bytes;
    double bytes = all * load->alive / load->chunks;
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
static double gathered(const clg_layout *layout, const clg_step *step, const clg_stage_load *load) {
    if (layout->zero < 3 || step->shard_group.ranks * step->expert_group.ranks == 1) return 0;
    double tables = table_parameters(step, load);
    return (tables + 2 * largest_layer(step, load)) * clg_weight_bytes(layout);
}

/* A gradient on its way into shards is whole; kept whole, it is among the gradients. */
static double scattered(const clg_stack *stack, const clg_layout *layout, double parameters) {
    bool shards = layout->zero >= 2 && !clg_gradients_whole(layout, stack);
    return shards ? parameters * clg_gradient_bytes(layout, stack) : 0;
}

/* The fullest moment beside what is kept: the loss; a layer's backward with what it rebuilds and
 * its gradient; the end, when the tables' gradients leave and activations are gone. */
static moment fullest(const clg_stack *stack, const clg_layout *layout, const clg_step *step,
                      const clg_stage_load *load, double kept) {
    double weights = gathered(layout, step, load), trained = 1 - step->frozen_share;
    moment most = {0, 0}, end = {-kept, weights};
    for (int i = 0; i < step->kinds; i++) {
        const clg_block *block = &step->kind[i];
        if (load->layers[i] == 0) continue;
        moment backward = {block->rebuilt_bytes + block->transient_bytes,
                           weights + trained * scattered(stack, layout, layer_parameters(block))};
        most = fuller(most, backward);
    }
    /* Where the root is not kept the loss, which is outside of it, finds no weights gathered. */
    if (load->head)
        most =
            fuller(most, (moment){step->head.transient_bytes, stack->resharded_root ? 0 : weights});
    if (load->embedding)
        end.whole += trained * scattered(stack, layout, step->embedding.dense_parameters);
    if (load->head) end.whole += trained * scattered(stack, layout, step->head.dense_parameters);
    return fuller(most, end);
}

/* Gradients of 16 bits are copied to fp32 for the update: parameter by parameter, where there is
 * room once activations are gone (Megatron-LM, distrib_optimizer.py,
 * _copy_model_grads_to_main_grads); DeepSpeed's FP16_Optimizer makes one flat buffer, which finds
 * none among their pieces. */
static double update_bytes(const clg_stack *stack, const clg_layout *layout) {
    return layout->offload ? 0 : clg_update_bytes_per_parameter(layout, stack);
}

/* Beside frozen layers: the adapters, and what tables of 16 bit have over the layers' format. A
 * head that is the embedding too is there once. */
static double beside_frozen_bytes(const clg_model *model, const clg_layout *layout,
                                  const clg_step *step, const clg_stage_load *load, double owned,
                                  double held) {
    double tables = table_parameters(step, load), wide = 2;
    if (model->tied && load->embedding && load->head) tables = step->embedding.dense_parameters;
    double share = layout->zero == 3 ? owned / held : 1;
    return share *
           (held * (1 - step->frozen_share) * wide + tables * (wide - clg_weight_bytes(layout)));
}

/* A frozen copy in the type of compute; adapters have theirs already. Trainers shard it where they
 * shard weights and else hold it whole (TRL, models/utils.py, prepare_deepspeed: stage 3 or 0). */
static double reference_bytes(const clg_layout *layout, double owned, double held) {
    bool beside = layout->reference == CLG_REFERENCE_MODEL;
    if (!beside || layout->adapter.kind != CLG_ADAPTER_NONE) return 0;
    return (layout->zero == 3 ? owned : held) * clg_weight_bytes(layout);
}

clg_memory_ledger clg_memory_of_stage(const clg_model *model, const clg_stack *stack,
                                      const clg_layout *layout, const clg_step *step,
                                      const clg_stage_load *load) {
    double dense, expert;
    clg_stage_parameters(model, step, load, &dense, &expert);
    double dense_shards = step->shard_group.ranks, expert_shards = step->expert_group.ranks;
    double owned = dense / dense_shards + expert / expert_shards, held = dense + expert;
    clg_memory_ledger m = {0};
    double shard = clg_shard_bytes(layout, stack);
    double trained = 1 - step->frozen_share;
    m.weights_bytes = layout->zero == 3 ? owned * shard : held * clg_weight_bytes(layout);
    if (trained < 1) m.weights_bytes += beside_frozen_bytes(model, layout, step, load, owned, held);
    m.gradients_bytes = (clg_gradients_whole(layout, stack) ? held : owned) * trained *
                        clg_gradient_held_bytes(layout, stack);
    m.optimizer_bytes = layout->offload ? 0
                                        : (layout->zero >= 1 ? owned : held) * trained *
                                              clg_optimizer_bytes_per_parameter(layout, stack);
    if (layout->zero == 3 && shard == 0) { /* the weights are the master copy */
        m.weights_bytes = 4 * owned;
        m.optimizer_bytes -= 4 * owned;
    }
    m.weights_bytes += reference_bytes(layout, owned, held);
    double kept = kept_activations(layout, step, load);
    if (stack->kept_outputs && layout->pp > 1 && !load->head)
        kept += step->boundary_bytes * load->alive;
    moment most = fullest(stack, layout, step, load, kept);
    double update = (layout->zero >= 1 ? owned : held) * trained * update_bytes(stack, layout);
    if (!stack->flat_update)
        most = fuller(most, (moment){-kept, update + gathered(layout, step, load)});
    m.activations_bytes = kept + most.activations + 2 * step->boundary_bytes;
    m.buffers_bytes = stack->workspace_bytes + most.whole;
    if (stack->flat_update) m.buffers_bytes += update;
    double allocated = m.weights_bytes + m.gradients_bytes + m.optimizer_bytes +
                       m.activations_bytes + m.buffers_bytes;
    m.reserved_bytes = allocated * stack->reserve_share;
    m.total_bytes = allocated + m.reserved_bytes;
    return m;
}

double clg_memory_bound(const clg_model *model, double experts, const clg_stack *stack,
                        const clg_layout *layout) {
    double ranks = (double)layout->dp * layout->cp;
    double dense = ((double)model->parameters - experts) / layout->tp / layout->pp;
    double expert = experts / layout->ep / layout->etp / layout->pp;
    double span = clg_layout_shards(layout);
    double expert_span = ranks * layout->tp / ((double)layout->ep * layout->etp);
    double owned = dense / span + expert / expert_span, held = dense + expert;
    bool frozen = layout->adapter.kind != CLG_ADAPTER_NONE;
    double states = layout->offload ? 0 : clg_optimizer_bytes_per_parameter(layout, stack);
    double gradients = frozen ? 0 : clg_gradient_held_bytes(layout, stack);
    if (frozen) states = 0;
    double bytes = (layout->zero == 3 ? owned * clg_shard_bytes(layout, stack)
                                      : held * clg_weight_bytes(layout)) +
                   (layout->zero >= 2 ? owned : held) * gradients +
                   (layout->zero >= 1 ? owned : held) * states;
    return bytes * (1 + stack->reserve_share);
}
