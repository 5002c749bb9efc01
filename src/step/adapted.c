/* adapted.c -- what stands beside frozen products: two thin ones, the kernels that join them, and
 * what a base of 4 or 8 bits needs. */
#include "step/block.h"

#include <math.h>

bool clg_block_single(const clg_shard *shard) {
    const clg_adapter *a = &shard->layout->adapter;
    bool kept = a->base == CLG_BASE_NF4 || a->base == CLG_BASE_INT8; /* other bases are not cast */
    bool narrow = !clg_precision_is_single(shard->layout->precision);
    return shard->stack->precision.single_beside_frozen && a->kind != CLG_ADAPTER_NONE && kept &&
           narrow && shard->layout->zero == 0;
}

static int modules_of(const clg_matrix *m) { return m->modules > 1 ? m->modules : 1; }

static int experts_of(const clg_matrix *m) { return m->experts > 1 ? (int)(m->experts + 0.5) : 1; }

static double weights_of(const clg_matrix *m) {
    return (m->experts > 0 ? m->experts : 1) * m->in * m->out;
}

/* A cast between 16 bit and fp32, read and written; 0 where everything is one type. */
static double cast_bytes(const clg_shard *shard) { return clg_block_single(shard) ? 2 + 4 : 0; }

/* Whether adapters are fp32 beside a base of 16 bit (stack: single_adapters). */
static bool is_widened(const clg_shard *shard) {
    const clg_layout *layout = shard->layout;
    return shard->stack->precision.single_adapters && layout->adapter.base == CLG_BASE_BF16 &&
           !clg_precision_is_single(layout->precision) && layout->zero == 0;
}

/* Autocast brings both operands of their products back to 16 bit. */
static bool is_cast_back(const clg_shard *shard) {
    return shard->stack->precision.autocast && shard->stack->precision.master_weights;
}

static clg_precision thin_precision(const clg_shard *shard) {
    return is_widened(shard) && !is_cast_back(shard) ? CLG_FP32 : shard->wide;
}

/* A trained thin product, `rows` of each expert: forward, gradient to its input, to its weight. */
static void thin(clg_block *block, const clg_shard *shard, const clg_matrix *m) {
    static const clg_pass passes[] = {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT,
                                      CLG_PASS_BACKWARD_WEIGHT};
    clg_precision precision = thin_precision(shard);
    double w = clg_precision_bytes(precision);
    for (int i = 0; i < 3; i++) {
        clg_op *op = clg_block_add(block, CLG_OP_GEMM, passes[i], m->name);
        op->precision = precision;
        op->count = experts_of(m);
        op->m = i == 2 ? m->in : m->rows;
        op->n = i == 1 ? m->in : m->out;
        op->k = i == 0 ? m->in : i == 1 ? m->out : m->rows;
        op->flop = 2 * m->rows * m->in * m->out;
        op->hbm_bytes = w * (m->rows * (m->in + m->out) + m->in * m->out);
    }
}

/* What that adds, by element of inputs and results. Input: a cast to fp32 and dropout of it, 6 + 4,
 * backward the same; under autocast a cast back for the product, 6, and of its gradient. Result,
 * without: scale and sum in fp32, 4 + 4, and the cast to 16 bit, 6; backward the gradient cast up
 * and the base's part down, 12, and its scaling, 4. Hugging Face PEFT, tuners/lora/layer.py,
 * _cast_input_dtype. */
static void widen(clg_block *block, const clg_shard *shard, double in, double out, int modules) {
    double back = is_cast_back(shard) ? 16 * in : 10 * in + 16 * out;
    double forward = is_cast_back(shard) ? 16 * in : 10 * in + 14 * out;
    if (!is_widened(shard)) return;
    clg_block_memory(block, "adapter casts", forward, 2 * modules, back, 2 * modules);
}

/* As the common library runs it, one kernel each (Hugging Face PEFT, tuners/lora/layer.py: result +
 * lora_B(lora_A(dropout(x))) * scaling): dropout of the input, scaling, and the sum; backward the
 * same and a sum of input gradients. Where x is fp32, autocast casts it and both fp32 weights for
 * the products, and the gradients back. DoRA's column norms read the whole weight once more; its
 * further products are left out, so that it is priced too fast. */
void clg_block_adapt(clg_block *block, const clg_shard *shard, clg_matrix m) {
    const clg_adapter *a = &shard->layout->adapter;
    double tokens = m.rows, in = m.in, out = m.out;
    int modules = modules_of(&m);
    int experts = shard->stack->experts.adapter_shared ? 1 : experts_of(&m);
    double w = shard->wide_bytes, n = clg_precision_bytes(shard->wide), rank = a->rank;
    double kept = clg_precision_bytes(thin_precision(shard));
    double cast = cast_bytes(shard), weights = experts * rank * (modules * in + out) * cast;
    int from = block->ops, calls = (cast > 0 ? 6 : 3) * modules * experts;
    if (a->kind == CLG_ADAPTER_NONE) return;
    clg_matrix down = clg_matrix_of("adapter down", tokens / experts, in, rank);
    clg_matrix up = clg_matrix_of("adapter up", tokens / experts, rank, out / modules);
    down.experts = up.experts = experts;
    for (int i = 0; i < modules; i++) {
        thin(block, shard, &down);
        thin(block, shard, &up);
    }
    double forward = modules * tokens * in * (2 * w + 1 + cast) + tokens * out * (2 * w + 3 * n);
    double backward = modules * tokens * in * (5 * w + 1 + cast) + tokens * out * (2 * n + cast);
    clg_block_memory(block, "adapter dropout, scale, sum", forward + weights, calls,
                     backward + weights, calls);
    widen(block, shard, modules * tokens * in, tokens * out, modules * experts);
    if (a->kind == CLG_ADAPTER_DORA)
        clg_block_memory(block, "column norms", experts * in * out * n * 3, 2 * experts,
                         experts * in * out * n * 2, experts);
    block->saved_bytes += modules * tokens * (in * (kept + 1) + rank * kept);
    block->adapter_parameters += experts * rank * (modules * in + out);
    for (int i = from; i < block->ops; i++) block->op[i].adapts = true;
}

void clg_block_adapt_wide(clg_block *block, const clg_shard *shard, clg_matrix m, bool gated) {
    unsigned targets = shard->layout->adapter.targets;
    int up = targets & CLG_TARGET_UP ? 1 : 0, gate = gated && targets & CLG_TARGET_GATE ? 1 : 0;
    if (up + gate == 0) return;
    m.modules = shard->stack->fused.adapters ? 1 : up + gate;
    if (!shard->stack->fused.adapters) m.out *= (double)m.modules / (gated ? 2 : 1);
    clg_block_adapt(block, shard, m);
}

void clg_block_adapt_down(clg_block *block, const clg_shard *shard, clg_matrix m) {
    if (shard->layout->adapter.targets & CLG_TARGET_DOWN) clg_block_adapt(block, shard, m);
}

/* LLM.int8 (Dettmers et al. 2022, arXiv:2208.07339; bitsandbytes autograd/_functions.py,
 * MatMul8bitLt, of 2023-24). Forward, an element of the input: cast to fp16 where it is not, its
 * statistics read 2, both int8 copies 2 + 2, turned into the product's order 1 + 1; of the result:
 * 2 more as it is int32, brought back 4 + 2, the product of the outlying columns 2, added 2 + 2 + 2
 * and cloned 2 + 2, twice those sums in fp32. Backward: the gradient is quantized too (2 + 4),
 * though nothing reads that; weights are put in order 1 + 1 twice, cast 1 + w, scaled w + w.
 * Kernels of a forward: functional.py, double_quant 20 (five of them a sort), the columns' unique
 * indices 8, their part of the weight 6, zeroed in both copies 6, picked 2, order 2, result 4.
 * Backward: quantized 6, order 3, cast and scaled 3. Forward the host reads how many values stand
 * out, twice, and in how many columns. The int8 product itself is priced as a 16-bit one. */
static void outliers(clg_block *block, const clg_shard *shard, const clg_matrix *m) {
    double w = shard->wide_bytes, cast = cast_bytes(shard);
    double result = 2 + 6 + 2 + 2 + 4 * w + cast;
    double forward = m->rows * (modules_of(m) * m->in * (8 + cast) + m->out * result);
    double gradient = m->rows * m->out * (6 + cast), weights = weights_of(m) * (5 + 3 * w);
    int each = modules_of(m) * experts_of(m), casts = cast > 0 ? 1 : 0;
    clg_block_memory(block, "quantize, outliers, dequantize", forward, (48 + 2 * casts) * each,
                     gradient + weights, (12 + casts) * each);
    block->op[block->ops - 2].awaited = true;
}

/* nf4 and int4 are widened before each product, in the forward and again in the backward. Around it
 * the input is cast from fp32 and the result to it, and so are their gradients (bitsandbytes
 * nn/modules.py, Linear4bit.forward), for each module that reads the input. */
void clg_block_frozen(clg_block *block, const clg_shard *shard, const clg_matrix *m) {
    const clg_adapter *a = &shard->layout->adapter;
    if (a->kind == CLG_ADAPTER_NONE || a->base == CLG_BASE_BF16) return;
    if (a->base == CLG_BASE_INT8) {
        outliers(block, shard, m);
        return;
    }
    clg_widening w = clg_base_widening(a->base);
    int modules = modules_of(m), kernels = w.kernels * modules;
    double bytes = weights_of(m) * w.bytes;
    double cast = m->rows * (modules * m->in + m->out) * cast_bytes(shard);
    double each = m->in * m->out / modules * clg_precision_bytes(shard->wide);
    block->widened_bytes = fmax(block->widened_bytes, each);
    clg_block_memory(block, "widen frozen weights", bytes, kernels, bytes, kernels);
    clg_block_memory(block, "cast beside frozen weights", cast, 2 * modules, cast, 2 * modules);
}

/* LLM.int8 multiplies the gradient as it comes by the weight in the input's type, outside of
 * autocast (MatMul8bitLt.backward): both fp32 where activations are, and PyTorch does not round
 * fp32 products to TF32 unless asked to. */
clg_precision clg_block_frozen_backward(const clg_shard *shard, clg_precision forward) {
    bool int8 = shard->layout->adapter.base == CLG_BASE_INT8;
    return int8 && clg_block_single(shard) ? CLG_FP32 : forward;
}
