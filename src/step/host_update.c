/* host_update.c -- what an update on the host moves through the host's memory. */
#include "step/step.h"

/* DeepSpeed, in fp32: gradients are scaled in place 8 (runtime/zero/stage_1_and_2.py,
 * unscale_and_clip_grads); one kernel reads gradient 4 and states, writes states (csrc/adam/
 * cpu_adam_impl.cpp, Step_1); the weight is narrowed into what goes back, read 4 and written. Of
 * Adam with fp32 masters 28 of 42 bytes are the kernel's. Without masters the weight itself is read
 * and written; gradients are as wide as they are kept (PyTorch's FSDP moves them to the host in the
 * weights' type: fsdp/_fully_shard/_fsdp_collectives.py, foreach_reduce). PyTorch's kernel, under
 * FSDP's CPUOffload (aten/src/ATen/native/cpu/FusedAdamKernel.cpp), does neither scaling nor
 * narrowing: gradient and states are read, states written. */
double clg_host_bytes_per_parameter(const clg_layout *layout, const clg_stack *stack) {
    double states = clg_optimizer_bytes_per_parameter(layout, stack);
    double weight = clg_weight_bytes(layout), gradient = clg_gradient_bytes(layout, stack);
    bool masters = stack->precision.master_weights && !clg_precision_is_single(layout->precision);
    bool in_place = stack->memory.weights_on_host && stack->traffic.scatters != CLG_SCATTERS_SUMS;
    if (in_place) return gradient + 2 * states + (masters ? 0 : 2 * weight);
    return 3 * gradient + 2 * states + (masters ? 4 + weight : 2 * weight);
}
