/* edges.c -- what only the first and the last stage do: embedding, output head, loss. */
#include "step/block.h"

/* Look-up: read and write a row per token; the backward adds rows into an fp32 or 16-bit table. */
void clg_block_embedding(clg_block *block, const clg_shard *shard) {
    double w = shard->wide_bytes, hidden = (double)shard->model->hidden;
    double elements = shard->tokens * hidden;
    clg_block_begin(block, "embedding");
    clg_block_memory(block, "embedding look-up", elements * 2 * w, 2, elements * (w + 8), 2);
    if (shard->tp.ranks > 1) {
        clg_collective reduce = shard->layout->sp ? CLG_REDUCE_SCATTER : CLG_ALL_REDUCE;
        clg_block_collective(block, CLG_PASS_FORWARD, "sum vocabulary shards", CLG_AXIS_TP, reduce,
                             shard->tp, elements * w, 0);
        if (shard->layout->sp)
            clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, "gather embedding gradient",
                                 CLG_AXIS_TP, CLG_ALL_GATHER, shard->tp, elements * w, 0);
    }
    if (shard->stack->dropout) {
        clg_block_memory(block, "dropout", elements * (2 * w + 1), 1, elements * (2 * w + 1), 1);
        block->saved_bytes += shard->own_tokens * hidden;
    }
    bool whole = shard->stack->whole_embedding && !shard->model->tied;
    block->dense_parameters =
        (double)shard->model->embedding_parameters / (whole ? 1 : shard->layout->tp);
}

/* The loss of so many logits. Unfused: logits to fp32 (read 2, write 4), max,
 * subtract, exponentiate and sum, divide, pick: about 26 bytes per logit in fp32; backward reads
 * the softmax and writes the 16-bit gradient. Fused: two passes over 16-bit logits forward, one
 * read and write backward. Memory: fused, the logits and their gradient; unfused, what the stack's
 * loss keeps and needs (twice that where activations are fp32). */
static void loss_of(clg_block *block, const clg_shard *shard, double logits) {
    bool fused = shard->stack->fused_cross_entropy;
    double w = shard->wide_bytes;
    clg_block_memory(block, "cross-entropy", logits * (fused ? 3 * w : w + 24), fused ? 2 : 6,
                     logits * (fused ? 2 * w : 12 + w), fused ? 1 : 3);
    double kept = fused ? w : shard->stack->loss_kept_bytes * w / 2;
    bool shared = shard->tp.ranks > 1 && !shard->stack->gathered_loss &&
                  shard->stack->loss_shard_peak_bytes > 0;
    double most = shared ? shard->stack->loss_shard_peak_bytes : shard->stack->loss_peak_bytes;
    double peak = fused ? 2 * w : most * w / 2;
    block->saved_bytes += logits * kept;
    block->transient_bytes += logits * (peak - kept);
}

/* Over the shards of the vocabulary, or over gathered logits on every tensor rank. */
static void loss(clg_block *block, const clg_shard *shard, double local) {
    double logits = shard->tokens * local;
    if (shard->stack->gathered_loss && shard->tp.ranks > 1) {
        logits *= shard->layout->tp;
        clg_block_collective(block, CLG_PASS_FORWARD, "gather logits", CLG_AXIS_TP, CLG_ALL_GATHER,
                             shard->tp, logits * shard->wide_bytes, 0);
        loss_of(block, shard, logits);
        return;
    }
    loss_of(block, shard, logits);
    if (shard->tp.ranks > 1) {
        double bytes = shard->tokens * 4;
        for (int i = 0; i < 3; i++) /* maximum, target logit, sum of exponentials */
            clg_block_collective(block, CLG_PASS_FORWARD, "loss over vocabulary shards",
                                 CLG_AXIS_TP, CLG_ALL_REDUCE, shard->tp, bytes, 0);
    }
}

/* A multi-token-prediction module beside its layer (which the last stage does once more): norms of
 * state and embedding, their 2h x h projection, and the shared head and loss again (DeepSeek-V3,
 * arXiv:2412.19437, section 2.2). */
static void predict_further(clg_block *block, const clg_shard *shard, double hidden, double local) {
    double elements = shard->own_tokens * hidden;
    clg_block_norm(block, shard, "prediction norms", 2 * elements, false);
    clg_block_linear(block, shard, "prediction projection", shard->own_tokens, 2 * hidden, hidden,
                     true);
    block->saved_bytes += 3 * elements * shard->wide_bytes;
    clg_block_linear(block, shard, "prediction head", shard->tokens, hidden, local, false);
    loss(block, shard, local);
    block->dense_parameters += 2 * hidden * hidden + 3 * hidden;
}

void clg_block_head(clg_block *block, const clg_shard *shard) {
    const clg_model *model = shard->model;
    double hidden = (double)model->hidden, local = (double)model->vocab / shard->layout->tp;
    clg_block_begin(block, "output head and loss");
    clg_block_norm(block, shard, "final norm", shard->own_tokens * hidden,
                   model->kinds > 0 && model->kind[0].layer_norm);
    block->saved_bytes += 2 * shard->own_tokens * hidden * shard->wide_bytes;
    clg_block_enter_tensor(block, shard, "head input", false);
    clg_block_linear(block, shard, "output head", shard->tokens, hidden, local, false);
    if (shard->layout->sp) /* autograd keeps what the head was given, as of layers (step.c) */
        block->saved_bytes += shard->stack->kept_gathers * (shard->tokens - shard->own_tokens) *
                              hidden * shard->wide_bytes;
    loss(block, shard, local);
    double table =
        model->tied ? (double)(model->vocab * model->hidden) : (double)model->head_parameters;
    block->dense_parameters = table / shard->layout->tp + (double)model->final_parameters;
    for (int i = 0; i < model->prediction_layers; i++) predict_further(block, shard, hidden, local);
}
