/* memory.c -- weights, gradients, states, activations and buffers of one stage. */
#include "memory/memory.h"

#include "step/step.h"

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

/* The most any block needs beside what is kept: rebuilt activations and gradients in flight. */
static double transient(const clg_step *step, const clg_stage_load *load) {
    double most = 0;
    for (int i = 0; i < step->kinds; i++)
        if (load->layers[i] > 0)
            most = larger(most, step->kind[i].rebuilt_bytes + step->kind[i].transient_bytes);
    if (load->head) most = larger(most, step->head.transient_bytes);
    return most + 2 * step->boundary_bytes;
}

/* Fully sharded: the layer at work and the one prefetched are whole, and so is one layer's
 * gradient; stage 2 keeps all gathered weights. */
static double gathered(const clg_stack *stack, const clg_layout *layout, const clg_step *step,
                       const clg_stage_load *load) {
    if (layout->zero < 2) return 0;
    double largest = 0;
    for (int i = 0; i < step->kinds; i++)
        if (load->layers[i] > 0)
            largest =
                larger(largest, step->kind[i].dense_parameters + step->kind[i].expert_parameters);
    if (load->embedding) largest = larger(largest, step->embedding.dense_parameters);
    if (load->head) largest = larger(largest, step->head.dense_parameters);
    double gradient = largest * clg_gradient_bytes(layout, stack);
    return (layout->zero == 3 ? 2 * largest * clg_weight_bytes(layout) : 0) + gradient;
}

clg_memory_ledger clg_memory_of_stage(const clg_model *model, const clg_stack *stack,
                                      const clg_layout *layout, const clg_step *step,
                                      const clg_stage_load *load) {
    double dense, expert;
    clg_stage_parameters(model, step, load, &dense, &expert);
    double dense_shards = step->shard_group.ranks, expert_shards = step->expert_group.ranks;
    double owned = dense / dense_shards + expert / expert_shards, held = dense + expert;
    clg_memory_ledger m = {0};
    m.weights_bytes = (layout->zero == 3 ? owned : held) * clg_weight_bytes(layout);
    m.gradients_bytes = (clg_gradients_whole(layout, stack) ? held : owned) *
                        clg_gradient_held_bytes(layout, stack);
    m.optimizer_bytes = layout->offload ? 0
                                        : (layout->zero >= 1 ? owned : held) *
                                              clg_optimizer_bytes_per_parameter(layout, stack);
    m.activations_bytes = kept_activations(layout, step, load) + transient(step, load);
    m.buffers_bytes = stack->workspace_bytes + gathered(stack, layout, step, load);
    m.buffers_bytes += (layout->zero >= 1 ? owned : held) *
                       (layout->offload ? 0 : clg_update_bytes_per_parameter(layout, stack));
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
    double span =
        layout->hsdp > 0 && layout->hsdp < layout->dp ? (double)layout->hsdp * layout->cp : ranks;
    double expert_span = ranks * layout->tp / ((double)layout->ep * layout->etp);
    double owned = dense / span + expert / expert_span, held = dense + expert;
    double states = layout->offload ? 0 : clg_optimizer_bytes_per_parameter(layout, stack);
    double bytes = (layout->zero == 3 ? owned : held) * clg_weight_bytes(layout) +
                   (layout->zero >= 2 ? owned : held) * clg_gradient_held_bytes(layout, stack) +
                   (layout->zero >= 1 ? owned : held) * states;
    return bytes * (1 + stack->reserve_share);
}
