/* attention_kernel.c -- attention kernels: fused ones by their share of peak, unfused and blockwise
 * ones as what they are: batched products and passes over the scores. */
#include "cost/kernel.h"

#include <math.h>

/* Share of peak grows with keys per query block and with head width, each as x / (x + half); both
 * are 1 at the lengths the curve was measured at (8,192 keys, width 128). */
static double saturation(double x, double half, double at) {
    return x / (x + half) * (at + half) / at;
}

/* Of a kernel timed in both, fp32 calls are so many 16-bit ones: their products are three in TF32
 * (PyTorch gemm_kernel_utils.h, OpMultiplyAddFastF32), and its 16-bit form for heads wider than
 * 128, whose results do not stay in registers, does less (fp32 results never did). */
static double timed_share(const clg_attention_curve *c, bool single, bool backward, double width) {
    double wide = backward ? c->wide_backward : c->wide_forward;
    if (single) return 1 / c->single_times;
    return width > 128 && wide > 0 ? wide : 1;
}

static double fused_s(const clg_gpu *gpu, const clg_attention_curve *c, clg_precision precision,
                      const clg_op *op) {
    /* A chip without a 16-bit rate has its own for fp32. */
    bool fp32 = precision == CLG_FP32;
    bool single = fp32 && c->single_times > 0 && gpu->peak_flop_per_s[CLG_FP16] > 0;
    double peak = gpu->peak_flop_per_s[single ? CLG_FP16 : precision];
    if (peak <= 0) peak = gpu->peak_flop_per_s[CLG_FP16];
    double keys = op->attention.window > 0 ? op->attention.window : op->attention.key_tokens;
    double width = 0.5 * (op->attention.head_dim + op->attention.value_head_dim);
    double share = op->attention.backward ? c->backward_efficiency : c->forward_efficiency;
    share *= saturation(keys, c->tokens_half, 8192);
    if (width < 128) share *= saturation(width, c->head_dim_half, 128);
    if (c->head_step > 0) share *= width / (c->head_step * ceil(width / c->head_step));
    if (single || !fp32) share *= timed_share(c, single, op->attention.backward, width);
    return c->launch_s + op->flop / (peak * share);
}

/* Keys by their places, as a query chose them: few of them leave reading queries and results (the
 * half), and each key's gradient is added to memory query by query. */
static bool is_gathered(const clg_attention_curve *c, const clg_op *op) {
    bool back = op->attention.backward;
    return op->attention.gathered && c->gathered_half > 0 &&
           (back ? c->gathered_backward : c->gathered_forward) > 0;
}

static double gathered_s(const clg_gpu *gpu, const clg_attention_curve *c, clg_precision precision,
                         const clg_op *op) {
    double keys = op->attention.window > 0 ? op->attention.window : op->attention.key_tokens;
    double share = op->attention.backward ? c->gathered_backward : c->gathered_forward;
    share *= keys / (keys + c->gathered_half);
    return c->launch_s + op->flop / (gpu->peak_flop_per_s[precision] * share);
}

/* Forward: QK^T, softmax (scale and mask fused or apart, dropout), PV. Backward: two products each
 * for both, and the softmax's gradient. The op knows the bytes of the passes over scores. */
static double unfused_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_precision precision,
                        const clg_op *op) {

    double count = op->attention.batch * op->attention.heads;
    double q = op->attention.query_tokens, s = op->attention.key_tokens;
    double d = op->attention.head_dim, v = op->attention.value_head_dim;
    double products = clg_batched_gemm_s(gpu, kernels, precision, d, q, s, d, count) +
                      clg_batched_gemm_s(gpu, kernels, precision, d, q, v, s, count);
    if (op->attention.backward)
        products += clg_batched_gemm_s(gpu, kernels, precision, d, q, d, s, count) +
                    clg_batched_gemm_s(gpu, kernels, precision, d, s, v, q, count);
    return products + 2 * clg_memory_bound_s(gpu, kernels, op->hbm_bytes / 2);
}

/* A block of scores after the other, of all heads at once: the products of unfused attention, the
 * scores again in the backward, and passes: two kernels and what a block carries. How long the loop
 * itself takes is left out (fast). */
static double blockwise_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_precision precision,
                          const clg_op *op) {
    double count = op->attention.batch * op->attention.heads, b = op->attention.block;
    double d = op->attention.head_dim, v = op->attention.value_head_dim;
    double inner = clg_batched_gemm_s(gpu, kernels, precision, d, b, b, d, count);
    double outer = clg_batched_gemm_s(gpu, kernels, precision, d, b, v, b, count);
    double products = inner + outer;
    if (op->attention.backward)
        products += clg_batched_gemm_s(gpu, kernels, precision, d, b, b, v, count) +
                    2 * clg_batched_gemm_s(gpu, kernels, precision, d, b, d, b, count);
    double bytes = op->hbm_bytes / op->attention.blocks;
    return op->attention.blocks * (products + 3 * clg_memory_bound_s(gpu, kernels, bytes / 3));
}

/* Some of the kernels carry the state from chunk to chunk: where there are too few heads and
 * sequences to fill the GPU meanwhile, they take so long a chunk. */
static double state_s(const clg_gpu *gpu, const clg_state_curve *c, clg_precision precision,
                      const clg_op *op) {
    bool backward = op->attention.backward;
    double peak = gpu->peak_flop_per_s[precision], serial = op->attention.serial_share;
    if (peak <= 0) peak = gpu->peak_flop_per_s[CLG_FP16];
    double share = backward ? c->backward_hbm_share : c->hbm_share;
    double work =
        op->flop / (peak * c->flop_share) + op->hbm_bytes / (gpu->hbm_bytes_per_s * share);
    double chunk = backward ? c->backward_chunk_s : c->chunk_s;
    return c->launch_s * (backward ? 2 : 1) + (1 - serial) * work +
           fmax(serial * work, op->attention.chunks * chunk);
}

double clg_attention_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_attention_kernel kernel,
                       clg_precision precision, const clg_op *op) {
    if (op->attention.chunks > 0) return state_s(gpu, &kernels->state, precision, op);
    if (op->attention.blocks > 0) return blockwise_s(gpu, kernels, precision, op);
    if (kernel == CLG_UNFUSED && !op->attention.fused)
        return unfused_s(gpu, kernels, precision, op);
    if (kernel == CLG_UNFUSED) kernel = CLG_FLASH2; /* kernels of their own beside unfused ones */
    if (op->attention.masked) kernel = CLG_MASKED;
    if (precision == CLG_FP32) kernel = CLG_MASKED; /* the others take 16 bit only */
    const clg_attention_curve *c = &kernels->attention[kernel];
    /* Timed at clocks that held: far from the power limit. */
    if (is_gathered(c, op)) return gathered_s(gpu, c, precision, op);
    return fused_s(gpu, c, precision, op) / kernels->gemm[precision].sustained;
}
