/* states.c -- bytes of weights, gradients and optimizer states, a parameter. */
#include "step/step.h"

double clg_weight_bytes(const clg_layout *layout) {
    if (layout->adapter.kind != CLG_ADAPTER_NONE) return clg_base_bytes(layout->adapter.base);
    return clg_precision_is_single(layout->precision) ? 4 : 2;
}

bool clg_rest_is_wide(const clg_layout *layout, const clg_stack *stack) {
    clg_base_format base = layout->adapter.base;
    bool casts = layout->zero < 3 && (base == CLG_BASE_NF4 || base == CLG_BASE_INT8);
    return layout->adapter.kind != CLG_ADAPTER_NONE && stack->precision.widens_rest && casts;
}

double clg_table_bytes(const clg_layout *layout, const clg_stack *stack) {
    if (layout->adapter.kind == CLG_ADAPTER_NONE) return clg_weight_bytes(layout);
    return clg_rest_is_wide(layout, stack) ? 4 : 2;
}

double clg_shard_bytes(const clg_layout *layout, const clg_stack *stack) {
    if (layout->adapter.kind != CLG_ADAPTER_NONE) return clg_weight_bytes(layout);
    bool single = clg_precision_is_single(layout->precision);
    bool master = stack->precision.sharded_masters && stack->precision.master_weights && !single;
    return master && !layout->offload ? 0 : clg_weight_bytes(layout);
}

/* Weights without a master copy that nothing shards: autograd's own gradients, in their type, which
 * DistributedDataParallel's buckets have too (torch/csrc/distributed/c10d/reducer.cpp). */
static bool plain_gradients(const clg_layout *layout, const clg_stack *stack) {
    bool alone = layout->dp * layout->cp == 1;
    bool copies = layout->zero == 0 && layout->adapter.kind == CLG_ADAPTER_NONE;
    return (alone || copies) && !stack->precision.master_weights;
}

double clg_gradient_bytes(const clg_layout *layout, const clg_stack *stack) {
    bool single = clg_precision_is_single(layout->precision);
    if (stack->precision.fp16_gradients && layout->precision == CLG_FP16) return 2;
    if (!single && layout->zero > 0 && layout->zero <= stack->precision.narrow_until) return 2;
    if (plain_gradients(layout, stack)) return clg_weight_bytes(layout);
    return clg_precision_bytes(stack->gradient);
}

double clg_gradient_held_bytes(const clg_layout *layout, const clg_stack *stack) {
    double bytes = clg_gradient_bytes(layout, stack), weight = clg_weight_bytes(layout);
    /* Summed by rank over micro-batches, they wait in the type that they will travel in. */
    if (layout->zero >= 2 && stack->traffic.narrow_reductions && clg_gradients_whole(layout, stack))
        return weight < bytes ? weight : bytes;
    /* Reduced in fp32, the shard of a gradient is put down in its weight's type. */
    if (!clg_gradients_whole(layout, stack) && !stack->precision.master_weights && weight < bytes)
        return weight;
    bool beside =
        stack->precision.gradient_copy && layout->zero < 2 && bytes > clg_weight_bytes(layout);
    return bytes + (beside ? weight : 0);
}

bool clg_gradients_whole(const clg_layout *layout, const clg_stack *stack) {
    bool each = layout->pp > 1 ? stack->traffic.scatters == CLG_SCATTERS_ANYWHERE
                               : stack->traffic.scatters != CLG_SCATTERS_ONCE;
    return layout->zero < 2 || (!each && layout->accumulation > 1);
}

/* A bf16 weight is the upper half of its fp32 master: Apex's distributed Adam keeps the lower half
 * beside it, and updates from 16-bit gradients (apex/contrib/optimizers/distributed_fused_adam.py,
 * store_param_remainders). */
static bool keeps_remainders(const clg_layout *layout, const clg_stack *stack) {
    return stack->precision.master_remainders && layout->precision != CLG_FP16;
}

double clg_update_bytes_per_parameter(const clg_layout *layout, const clg_stack *stack) {
    bool single = clg_precision_is_single(layout->precision);
    if (single || !stack->precision.master_weights || keeps_remainders(layout, stack)) return 0;
    return clg_gradient_bytes(layout, stack) < 4 ? 4 : 0;
}

/* Not said, Adam's moments follow the weights' dtype where there is no master copy. */
double clg_moment_bytes(const clg_layout *layout, const clg_stack *stack) {
    if (stack->moments != CLG_PRECISIONS) return clg_precision_bytes(stack->moments);
    return stack->precision.master_weights || clg_precision_is_single(layout->precision) ? 4 : 2;
}

double clg_foreach_bytes_per_parameter(const clg_layout *layout, const clg_stack *stack) {
    bool all =
        stack->kernels.foreach_update && !stack->fused.optimizer && layout->optimizer == CLG_ADAM;
    return all ? clg_moment_bytes(layout, stack) : 0;
}

double clg_optimizer_bytes_per_parameter(const clg_layout *layout, const clg_stack *stack) {
    bool single = clg_precision_is_single(layout->precision);
    double master = stack->precision.master_weights && !single ? 4 : 0;
    if (master > 0 && keeps_remainders(layout, stack)) master = 2;
    double one = stack->moments != CLG_PRECISIONS ? clg_precision_bytes(stack->moments) : 4;
    const double eighth = 1 + 4.0 / 256; /* a byte, and an fp32 scale a block of 256 */
    double moments[CLG_OPTIMIZERS] = {[CLG_ADAM] = 2 * clg_moment_bytes(layout, stack),
                                      [CLG_ADAM_8BIT] = 2 * eighth,
                                      [CLG_MUON] = one,
                                      [CLG_SGD] = one,
                                      [CLG_LION] = one,
                                      [CLG_LION_8BIT] = eighth};
    return master + moments[layout->optimizer];
}
