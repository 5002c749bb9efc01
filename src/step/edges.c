/* edges.c -- what only the first and the last stage do: embedding, output head, loss. */
#include "step/block.h"

#include <math.h>

/* Look-up: read and write a row per token; the backward adds rows into an fp32 or 16-bit table. */
void clg_block_embedding(clg_block *block, const clg_shard *shard) {
    double w = shard->wide_bytes, s = shard->stream_bytes, hidden = (double)shard->model->hidden;
    double elements = shard->tokens * hidden;
    clg_block_begin(block, "embedding");
    clg_block_memory(block, "embedding look-up", elements * 2 * s, 2, elements * (s + 8), 2);
    if (shard->tp.ranks > 1) {
        clg_collective reduce = shard->layout->sp ? CLG_REDUCE_SCATTER : CLG_ALL_REDUCE;
        clg_block_collective(block, CLG_PASS_FORWARD, "sum vocabulary shards", CLG_AXIS_TP, reduce,
                             shard->tp, elements * w, 0);
        if (shard->layout->sp)
            clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, "gather embedding gradient",
                                 CLG_AXIS_TP, CLG_ALL_GATHER, shard->tp, elements * w, 0);
    }
    if (shard->hidden_dropout) {
        clg_block_memory(block, "dropout", elements * (2 * s + 1), 1, elements * (2 * s + 1), 1);
        block->saved_bytes += shard->own_tokens * hidden;
    }
    bool whole = shard->stack->memory.whole_embedding && !shard->model->tied;
    block->dense_parameters =
        (double)shard->model->embedding_parameters / (whole ? 1 : shard->layout->tp);
}

static bool is_gated(const clg_shard *shard) {
    return shard->model->kinds > 0 && shard->model->kind[0].mlp.gated;
}

/* Hugging Face's models copy the logits of all but the last token (logits[..., :-1,
 * :].contiguous()), as fp32 where the model turns them so first (modeling_llama.py and those like
 * it), else in 16 bit: a read and a write; the backward fills zeros and copies into them. */
static void shift(clg_block *block, const clg_shard *shard, double logits) {
    double bytes = logits * (is_gated(shard) ? 4 : shard->wide_bytes);
    clg_block_memory(block, "shift logits", 2 * bytes, 1, 3 * bytes, 2);
}

/* Logits that no one turns to fp32 stay 16 bit in the loss, but under autocast or of a head that
 * was cast to fp32 itself, as PEFT's preparation of 4 and 8 bits does. That Accelerate has
 * it on where FSDP shards is left out: too little there. */
static double loss_width(const clg_shard *shard) {
    bool wide = shard->autocast || clg_rest_is_wide(shard->layout, shard->stack);
    bool stays = shard->stack->loss.by_model && !is_gated(shard) && !wide;
    return shard->wide_bytes / (stays && shard->wide_bytes == 2 ? 4 : 2);
}

/* The loss of so many logits. Unfused, Megatron-LM's cross_entropy.py: logits to fp32 (read 2,
 * write 4), maximum (4), subtract (8), exponentiate (8), sum (4), divide (8); backward scales the
 * softmax (8) and writes the 16-bit gradient (read 4, write 2). PyTorch's own, of fp32 logits, is
 * as many bytes in all: log_softmax reads three times and writes, its backward reads two tensors
 * twice and writes, and the picked gradient is a tensor of zeros (SoftMax.cu). Fused: two passes
 * over 16-bit logits forward, one read and write backward. Memory: fused, the logits and their
 * gradient, which may be written over them; unfused, what the stack's loss keeps and needs (twice
 * that where activations are fp32); in chunks, of one chunk, whose gradient is taken at once. */
static void loss_of(clg_block *block, const clg_shard *shard, double logits) {
    bool fused = shard->stack->fused.cross_entropy;
    double w = shard->wide_bytes;
    clg_block_memory(block, "cross-entropy", logits * (fused ? 3 * w : w + 36), fused ? 2 : 6,
                     logits * (fused ? 2 * w : 12 + w), fused ? 1 : 3);
    if (shard->stack->loss.shifted_logits && !fused) shift(block, shard, logits);
    double kept = fused ? w : shard->stack->loss.kept_bytes * loss_width(shard);
    bool shared = shard->tp.ranks > 1 && !shard->stack->loss.gathered &&
                  shard->stack->loss.shard_peak_bytes > 0;
    double most = shared ? shard->stack->loss.shard_peak_bytes : shard->stack->loss.peak_bytes;
    double peak = fused ? (shard->stack->loss.in_place ? w : 2 * w) : most * loss_width(shard);
    if (shard->stack->loss.chunks > 1) {
        block->transient_bytes += logits * peak / shard->stack->loss.chunks;
        return;
    }
    block->saved_bytes += logits * kept;
    block->transient_bytes += logits * (peak - kept);
}

/* Capped logits, cap x tanh(logits / cap) (transformers modeling_gemma2.py): a division, the tanh
 * and a product, each a read and a write; backward the same, of the tanh with its result, which is
 * kept. Left out where the loss is fused, which does it on its way (Liger). */
static void cap_logits(clg_block *block, const clg_shard *shard, double logits) {
    double w = shard->wide_bytes;
    bool fused = shard->stack->fused.elementwise;
    if (!shard->model->capped_logits || shard->stack->fused.cross_entropy) return;
    clg_block_memory(block, "cap logits", logits * (fused ? 2 * w : 6 * w), fused ? 1 : 3,
                     logits * (fused ? 3 * w : 7 * w), fused ? 1 : 3);
    block->saved_bytes += logits * w;
}

/* Over the shards of the vocabulary, or over gathered logits on every tensor rank. */
static void loss(clg_block *block, const clg_shard *shard, double local) {
    double logits = shard->tokens * local;
    cap_logits(block, shard, logits);
    if (shard->stack->loss.gathered && shard->tp.ranks > 1) {
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

/* Logits, of this rank's part of the vocabulary. */
static void vocabulary(clg_block *block, const clg_shard *shard, const char *name, double hidden,
                       double local) {
    clg_matrix head = clg_matrix_of(name, shard->tokens, hidden, local);
    head.wide = true;
    clg_block_linear(block, shard, head);
}

/* A multi-token-prediction module beside its layer (which the last stage does once more): norms of
 * state and embedding, their 2h x h projection, and the shared head and loss again (DeepSeek-V3,
 * arXiv:2412.19437, section 2.2). What a loss has for a moment is gone before the next begins. */
static void predict_further(clg_block *block, const clg_shard *shard, double hidden, double local) {
    double elements = shard->own_tokens * hidden, before = block->transient_bytes;
    clg_block_norm(block, shard, "prediction norms", 2 * elements, false);
    clg_block_linear(block, shard,
                     clg_matrix_of("prediction projection", shard->own_tokens, 2 * hidden, hidden));
    block->saved_bytes += 3 * elements * shard->wide_bytes;
    vocabulary(block, shard, "prediction head", hidden, local);
    block->transient_bytes = 0;
    loss(block, shard, local);
    block->transient_bytes = fmax(block->transient_bytes, before);
    block->dense_parameters += 2 * hidden * hidden + 3 * hidden;
}

void clg_block_head(clg_block *block, const clg_shard *shard) {
    const clg_model *model = shard->model;
    double hidden = (double)model->hidden, local = (double)model->vocab / shard->layout->tp;
    clg_block_begin(block, "output head and loss");
    clg_block_norm(block, shard, "final norm", shard->own_tokens * hidden,
                   model->kinds > 0 && model->kind[0].layer_norm);
    block->saved_bytes += shard->own_tokens * hidden * (shard->stream_bytes + shard->wide_bytes);
    clg_block_cast_input(block, shard, shard->own_tokens * hidden, 1);
    clg_block_enter_tensor(block, shard, "head input", false);
    vocabulary(block, shard, "output head", hidden, local);
    if (shard->layout->sp) /* autograd keeps what the head was given, as of layers (step.c) */
        block->saved_bytes += shard->stack->memory.kept_gathers *
                              (shard->tokens - shard->own_tokens) * hidden * shard->wide_bytes;
    loss(block, shard, local);
    double table =
        model->tied ? (double)(model->vocab * model->hidden) : (double)model->head_parameters;
    block->dense_parameters = table / shard->layout->tp + (double)model->final_parameters;
    bool trained = shard->layout->adapter.kind == CLG_ADAPTER_NONE;
    if (shard->stack->loss.wide_head)
        block->transient_bytes += (trained ? 8 : 4) * table / shard->layout->tp;
    for (int i = 0; i < model->prediction_layers; i++) predict_further(block, shard, hidden, local);
}
