/* pooled.c -- attention over pooled keys, and residual streams, in a training step (DeepSeek-V4;
 * transformers modeling_deepseek_v4.py).
 *
 * Left out: sinks' work, kernels of elementary operations (pooling and mixing are one kernel each
 * way), doing the mixing again instead of keeping streams (errs towards more memory), and what a
 * context rank lacks of the pool of the one before. */
#include "step/block.h"
#include "step/sizes.h"

#include <math.h>

bool clg_attention_pools(const clg_shard *shard, const clg_attention *attention) {
    return attention->pooling.every > 0 && shard->layout->attention != CLG_ATTENTION_UNFUSED;
}

/* A value and a weight of each token for every channel of an entry; their mean, normed and rotated:
 * read once, and written one in so many. */
static void pool(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                 const clg_widths *w) {
    double hidden = (double)shard->model->hidden, wide = shard->wide_bytes;
    if (attention->pooling.every == 0) return;
    double made = shard->tokens * w->pooled * wide;
    double entries = shard->tokens / attention->pooling.every * attention->head_dim * wide;
    clg_block_linear(block, shard,
                     (clg_matrix){.name = "pooled values and weights",
                                  .rows = shard->tokens,
                                  .in = hidden,
                                  .out = w->pooled,
                                  .wide = true});
    clg_block_memory(block, "pool", made + entries, 1, 2 * made + entries, 1);
    block->saved_bytes += made + entries;
}

void clg_block_pooled(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                      const clg_widths *w) {
    double tokens = shard->tokens, hidden = (double)shard->model->hidden;
    double rank = attention->query_rank, from = rank > 0 ? rank : hidden;
    if (rank > 0) {
        clg_block_linear(block, shard,
                         clg_matrix_of("query down projection", tokens, hidden, rank));
        clg_block_norm(block, shard, "query norm", tokens * rank, false);
    }
    clg_block_linear(block, shard, clg_matrix_of("query up projection", tokens, from, w->queries));
    clg_block_norm(block, shard, "norm of heads", tokens * w->queries, false);
    clg_block_linear(block, shard, clg_matrix_of("key projection", tokens, hidden, w->keys));
    clg_block_norm(block, shard, "key norm", tokens * w->keys, false);
    block->saved_bytes += tokens * 2 * (rank + w->queries + w->keys) * shard->wide_bytes;
    pool(block, shard, attention, w);
}

/* Rotated back, since a value is a rotated key; then each group's product. */
double clg_block_pooled_output(clg_block *block, const clg_shard *shard,
                               const clg_attention *attention, const clg_widths *w) {
    double each = w->results * attention->output_rank / fmax(1, w->output);
    double bytes = 2 * shard->tokens * w->results * shard->wide_bytes;
    clg_block_memory(block, "rotation of results", bytes, 1, bytes, 1);
    clg_block_linear(block, shard,
                     clg_matrix_of("output down projection", shard->tokens, each, w->output));
    block->saved_bytes += shard->tokens * w->output * clg_block_operand_bytes(shard);
    return w->output;
}

/* Streams are read for what the part takes in, and read and written with what it gives. */
static void mix(clg_block *block, const clg_shard *shard) {
    double elements = shard->own_tokens * (double)shard->model->hidden;
    double streams = shard->model->streams * elements * shard->stream_bytes;
    double one = elements * shard->wide_bytes;
    clg_block_memory(block, "residual streams", 3 * streams + 2 * one, 2, 5 * streams + 3 * one, 2);
    block->saved_bytes += streams;
}

/* What later parts take in: the residual and inputs of earlier blocks, each with a weight of the
 * token, which is a norm of it times trained values (NVIDIA-NeMo/Automodel models/kimi_k3/model.py,
 * _apply_attn_res). Sources are read twice, once for weights; the backward reads and writes their
 * gradients, too. Left out: that the first part of a block mixes one less. */
static void mix_blocks(clg_block *block, const clg_shard *shard) {
    double elements = shard->own_tokens * (double)shard->model->hidden, s = shard->stream_bytes;
    double sources = clg_mixed_blocks(shard->model) + 1;
    if (shard->model->mixed_layers == 0) return;
    clg_block_memory(block, "earlier blocks", elements * s * (2 * sources + 1), 2,
                     elements * s * (4 * sources + 1), 2);
    block->saved_bytes += elements * s;
}

void clg_block_join(clg_block *block, const clg_shard *shard) {
    if (shard->model->streams > 1)
        mix(block, shard);
    else
        clg_block_residual(block, shard);
    mix_blocks(block, shard);
}
