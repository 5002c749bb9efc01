/* adapted.c -- what stands beside frozen products: two thin ones, and the kernels that join them.
 */
#include "step/block.h"

/* A trained thin product: forward, gradient to its input, gradient to its weight. */
static void thin(clg_block *block, const clg_shard *shard, const char *name, double tokens,
                 double in, double out) {
    static const clg_pass passes[] = {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT,
                                      CLG_PASS_BACKWARD_WEIGHT};
    double w = shard->wide_bytes;
    for (int i = 0; i < 3; i++) {
        clg_op *op = clg_block_add(block, CLG_OP_GEMM, passes[i], name);
        op->precision = shard->wide;
        op->m = i == 2 ? in : tokens;
        op->n = i == 1 ? in : out;
        op->k = i == 0 ? in : i == 1 ? out : tokens;
        op->flop = 2 * tokens * in * out;
        op->hbm_bytes = w * (tokens * (in + out) + in * out);
    }
}

/* As the common library runs it, one kernel each (Hugging Face PEFT, tuners/lora/layer.py: result +
 * lora_B(lora_A(dropout(x))) * scaling): dropout of the input, scaling, and the sum; backward the
 * same and a sum of input gradients. DoRA's column norms read the whole weight once more; its
 * further products are left out, so that it is priced too fast. */
void clg_block_adapt(clg_block *block, const clg_shard *shard, double tokens, double in, double out,
                     int modules) {
    const clg_adapter *a = &shard->layout->adapter;
    double w = shard->wide_bytes, rank = a->rank;
    int from = block->ops;
    if (a->kind == CLG_ADAPTER_NONE || modules == 0) return;
    for (int i = 0; i < modules; i++) {
        thin(block, shard, "adapter down", tokens, in, rank);
        thin(block, shard, "adapter up", tokens, rank, out / modules);
    }
    double forward = modules * tokens * in * (2 * w + 1) + tokens * out * 5 * w;
    double backward = modules * tokens * in * (5 * w + 1) + tokens * out * 2 * w;
    clg_block_memory(block, "adapter dropout, scale, sum", forward, 3 * modules, backward,
                     3 * modules);
    if (a->kind == CLG_ADAPTER_DORA)
        clg_block_memory(block, "column norms", in * out * w * 3, 2, in * out * w * 2, 1);
    block->saved_bytes += modules * tokens * (in * (w + 1) + rank * w);
    block->adapter_parameters += rank * (modules * in + out);
    for (int i = from; i < block->ops; i++) block->op[i].adapts = true;
}

/* A frozen weight kept narrow is widened before each product that reads it. */
void clg_block_widen(clg_block *block, const clg_shard *shard, double parameters) {
    const clg_adapter *a = &shard->layout->adapter;
    if (a->kind == CLG_ADAPTER_NONE || a->base == CLG_BASE_BF16) return;
    clg_widening w = clg_base_widening(a->base);
    clg_block_memory(block, "widen frozen weights", parameters * w.bytes, w.kernels,
                     parameters * w.bytes, w.kernels);
}
