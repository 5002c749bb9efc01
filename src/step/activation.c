/* activation.c -- what stands between the products of an MLP, or of an expert: the activation and
 * its limits, in kernels of their own or fused. */
#include "step/block.h"

#include <math.h>

/* Of an input that only the activation's backward reads. */
static double input_bytes(const clg_shard *shard) {
    return shard->stack->precision.narrow_activations ? clg_block_operand_bytes(shard)
                                                      : shard->wide_bytes;
}

typedef struct passes {
    double forward, backward; /* bytes an element */
    int forward_kernels, backward_kernels;
    double inputs; /* bytes an element that are kept beside the output */
} passes;

/* 0.5 x (1 + tanh(c (x + 0.044715 pow(x, 3)))), line by line: pow, times, plus x (two reads), times
 * c, tanh, plus 1, 0.5 x, their product (two reads): 18 words in 8 kernels. Backward of the product
 * 6, of 0.5 x 2, of tanh 3, of c 2, of 0.044715 2, of pow (squared, times 3, times the gradient) 7,
 * and the sum of x's three gradients 6: 28 in 11. Kept: x, tanh and both factors.
 * torch.autocast does pow in fp32 (autocast_mode.h), and so all but 0.5 x: cast 6 bytes, 8, 8, plus
 * x 10, 8, 8, 8, 4, product 10, cast for the next product 6: 76 in 10. Backward: cast 6, product 12
 * + 10 and a cast 6, 0.5 x 4, tanh 12, c 8, cast for x 6, 8, pow 8 + 8 + 12, cast 6, sum in 16 bit
 * 12: 118 in 15. Kept in fp32 all but 0.5 x. */
static passes gelu_in_steps(const clg_shard *shard) {
    double w = shard->wide_bytes;
    return shard->autocast ? (passes){76, 118, 10, 15, 12 + w}
                           : (passes){18 * w, 28 * w, 8, 11, 4 * w};
}

/* Gated: silu(gate) * up reads two and writes one; unfused: two kernels, and silu(gate) is kept
 * too, which the product's backward reads. Plain: bias + GeLU reads and writes; unfused: bias and
 * GeLU apart, and the bias's gradient. */
static passes passes_of(const clg_shard *shard, bool gated) {
    double w = shard->wide_bytes, in = input_bytes(shard);
    bool fused = shard->stack->fused.elementwise;
    if (gated)
        return fused ? (passes){3 * w, 5 * w, 1, 1, 2 * in} : (passes){5 * w, 9 * w, 2, 3, 3 * in};
    if (fused) return (passes){2 * w, 3 * w, 1, 1, in};
    passes p = {2 * w, 3 * w, 1, 2, in};
    if (shard->model->gelu_in_steps && shard->stack->kernels.model_gelu) p = gelu_in_steps(shard);
    p.forward += shard->model->biases ? 2 * w : 0;
    p.backward += 2 * w;
    p.forward_kernels++;
    p.backward_kernels++;
    return p;
}

static void apply(clg_block *block, const clg_shard *shard, const clg_activation *a) {
    passes p = passes_of(shard, a->gated);
    double elements = a->elements;
    if (!a->inside)
        clg_block_memory(block, "activation", elements * p.forward, p.forward_kernels,
                         elements * p.backward, p.backward_kernels);
    double w = shard->wide_bytes, output = clg_block_operand_bytes(shard);
    block->saved_bytes += elements * (p.inputs + output);
    /* Alive in the backward: the output's gradient, then the inputs' too, unless they are written
     * over these; then the output is gone, for the next product's backward was its last reader. */
    double inputs = shard->stack->memory.activation_in_place ? 0 : (a->gated ? 2 : 1) * w - output;
    double gradients = elements * (w + fmax(inputs, 0));
    block->transient_bytes = fmax(block->transient_bytes, gradients);
}

/* Gate and up cut off before they are multiplied, where the fused activation does not do it:
 * Megatron-Core (fused_bias_geglu.py) cuts each half by a kernel and puts them together again.
 * Backward, PyTorch's where(input <= limit, gradient, 0), of one half with both limits: a byte per
 * comparison. */
static void clamp(clg_block *block, const clg_shard *shard, double elements) {
    double w = shard->wide_bytes;
    double one = 3 * w + 2, both = 4 * w + 6, halves = 4 * w;
    clg_block_memory(block, "clamp gate and up", elements * 8 * w, 3,
                     elements * (one + both + halves), 9);
    block->saved_bytes += elements * 2 * w;
}

void clg_block_activate(clg_block *block, const clg_shard *shard, clg_activation a) {
    int from = block->ops;
    const clg_stack *stack = shard->stack;
    bool again = clg_block_lets_go(shard) && !stack->recompute.experts;
    double before = block->saved_bytes;
    if (a.clamped && !a.inside && !stack->fused.clamp) clamp(block, shard, a.elements);
    apply(block, shard, &a);
    if (!again) return;
    double input = a.elements * (a.gated ? 2 : 1) * input_bytes(shard);
    block->rebuilt_bytes += block->saved_bytes - before - input;
    block->saved_bytes = before + input;
    clg_block_redo(block, from);
}
