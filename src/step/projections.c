/* projections.c -- the products that make queries, keys and values, and what of them every tensor
 * rank repeats. */
#include "step/block.h"
#include "step/sizes.h"

#include <math.h>

/* Adapters of queries, keys and values, each with its own, or one beside all (joined_adapters). */
static void adapt_heads(clg_block *block, const clg_shard *shard, const clg_widths *w) {
    double hidden = (double)shard->model->hidden;
    unsigned all = CLG_TARGET_QUERY | CLG_TARGET_KEY | CLG_TARGET_VALUE;
    const struct {
        unsigned target;
        double width;
    } parts[] = {{CLG_TARGET_QUERY, w->columns - w->made},
                 {CLG_TARGET_KEY, fmin(w->keys, w->made)},
                 {CLG_TARGET_VALUE, fmax(0, w->made - w->keys)}};
    if (shard->stack->fused.adapters) {
        if (shard->layout->adapter.targets & all)
            clg_block_adapt(block, shard, clg_matrix_of("", shard->tokens, hidden, w->columns));
        return;
    }
    for (int i = 0; i < 3; i++)
        if (parts[i].width > 0 && shard->layout->adapter.targets & parts[i].target)
            clg_block_adapt(block, shard, clg_matrix_of("", shard->tokens, hidden, parts[i].width));
}

/* Modules that read the same input: of gated models q, k and v, of older ones without a gate one.
 */
static int modules_of(const clg_model *model) {
    for (int i = 0; i < model->kinds; i++)
        if (model->kind[i].mlp.gated) return 3;
    return 1;
}

static void project_grouped(clg_block *block, const clg_shard *shard,
                            const clg_attention *attention, const clg_widths *w) {
    double tokens = shard->tokens, hidden = (double)shard->model->hidden, width = w->columns;
    clg_block_linear(block, shard,
                     (clg_matrix){.name = "query-key-value projection",
                                  .rows = tokens,
                                  .in = hidden,
                                  .out = width,
                                  .modules = modules_of(shard->model)});
    adapt_heads(block, shard, w);
    bool twice = shard->stack->memory.kept_projection && attention->heads == attention->kv_heads;
    if (twice) width += w->keys + w->values;
    block->saved_bytes += tokens * width * shard->wide_bytes;
}

/* Selectively, unless it is the scores of an unfused core that are done again; or always. */
static bool expands_again(const clg_shard *shard) {
    const clg_layout *layout = shard->layout;
    bool selective = layout->recompute == CLG_RECOMPUTE_SELECTIVE &&
                     layout->attention != CLG_ATTENTION_UNFUSED &&
                     shard->stack->recompute.selective != CLG_SELECTIVE_OPERATIONS;
    return selective || (shard->stack->recompute.latent && layout->recompute != CLG_RECOMPUTE_FULL);
}

/* MLA (DeepSeek-V2, arXiv:2405.04434, section 2.1): low-rank query and key-value projections, of
 * which the down ones are on every tensor rank. The expanded heads are saved; recomputing
 * selectively is to expand them again (DeepSeek-V3, arXiv:2412.19437, section 3.2.3; mla_up_proj of
 * Megatron-Core). */
static void project_latent(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                           double heads) {
    double tokens = shard->tokens, hidden = (double)shard->model->hidden, w = shard->wide_bytes;
    double nope = attention->head_dim - attention->rope_dim;
    double latent = attention->kv_rank + attention->rope_dim;
    bool again = expands_again(shard);
    if (attention->query_rank > 0) {
        clg_block_linear(
            block, shard,
            clg_matrix_of("query down projection", tokens, hidden, attention->query_rank));
        clg_block_norm(block, shard, "query norm", tokens * attention->query_rank, false);
        int up = block->ops;
        clg_block_linear(block, shard,
                         clg_matrix_of("query up projection", tokens, attention->query_rank,
                                       heads * attention->head_dim));
        if (again) clg_block_redo(block, up);
        block->saved_bytes += tokens * 2 * attention->query_rank * w;
    } else {
        clg_block_linear(
            block, shard,
            clg_matrix_of("query projection", tokens, hidden, heads * attention->head_dim));
    }
    if (attention->gate_dim > 0)
        clg_block_linear(
            block, shard,
            clg_matrix_of("output gate projection", tokens, hidden, heads * attention->gate_dim));
    clg_block_linear(block, shard,
                     clg_matrix_of("key-value down projection", tokens, hidden, latent));
    clg_block_norm(block, shard, "key-value norm", tokens * attention->kv_rank, false);
    int up = block->ops;
    clg_block_linear(block, shard,
                     clg_matrix_of("key-value up projection", tokens, attention->kv_rank,
                                   heads * (nope + attention->value_head_dim)));
    if (again) clg_block_redo(block, up);
    block->saved_bytes += tokens * (latent + attention->kv_rank) * w;
    double kept = 2 * attention->head_dim + attention->value_head_dim;
    /* Queries before and after they meet the key projection, and the latent result. */
    if (clg_attention_absorbs(shard, attention)) kept = nope + latent + attention->kv_rank;
    *(again ? &block->rebuilt_bytes : &block->saved_bytes) += tokens * heads * kept * w;
}

/* Heads of latent attention put together by elementary operations (Megatron-Core of 2026-08,
 * multi_latent_attention.py, qkv_up_proj_and_rope_apply; rope_utils.py, _apply_rotary_pos_emb_bshd
 * and autograd's formulas of its views). Turned, of queries and of the one key: pairs taken apart 2
 * passes, half negated 1, halves changed 2, two products 4, their sum 3, a copy 2, and six small
 * kernels of sines and cosines. Then queries, keys with the turned part repeated, and values are
 * copied. Backward: two products 4, negated 1, halves 2, sum 3, pairs zeroed, written and added 7,
 * the whole slice and the empty one likewise 7; queries and keys with values put together again,
 * the repeated part summed. Absorbed, keys and values are the latent and are not copied. */
void clg_block_turn_latent(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                           double heads) {
    double rope = attention->rope_dim, nope = attention->head_dim - rope;
    double value = attention->value_head_dim, unit = shard->tokens * shard->wide_bytes;
    bool absorbs = clg_attention_absorbs(shard, attention);
    double query = heads * ((absorbs ? attention->kv_rank : nope) + rope);
    double turned = (heads + 1) * rope, expanded = absorbs ? 0 : heads;
    double forward = 14 * turned + 2 * query + 2 * expanded * (nope + rope) + 2 * expanded * value;
    double back = 24 * turned + 2 * query + expanded * rope + 2 * expanded * (nope + value) +
                  2 * (attention->kv_rank + rope);
    int from = block->ops;
    clg_block_memory(block, "put latent heads together", unit * forward, absorbs ? 27 : 29,
                     unit * back, absorbs ? 30 : 32);
    if (expands_again(shard)) clg_block_redo(block, from);
}

/* Down projections of latent attention and low ranks of gates, and key-value heads (of a state: of
 * keys and queries) where there are fewer than ranks. */
double clg_attention_repeated(const clg_shard *shard, const clg_attention *attention) {
    double hidden = (double)shard->model->hidden, tp = shard->layout->tp;
    if (attention->kind == CLG_ATTENTION_NONE) return 0;
    if (attention->kind == CLG_ATTENTION_LATENT)
        return hidden * (attention->query_rank + attention->kv_rank + attention->rope_dim) *
               (1 - 1 / tp);
    double extra = fmax(1, attention->kv_heads / tp) - attention->kv_heads / tp;
    if (attention->kind == CLG_ATTENTION_LINEAR)
        return extra * 2 * attention->head_dim * (hidden + attention->convolution) +
               clg_state_low_gates(attention) * hidden * (double)clg_state_gate_rank(attention) *
                   (1 - 1 / tp);
    bool served = attention->shared_values || attention->keys_serve;
    double values = served ? 0 : attention->value_head_dim;
    if (attention->borrows) return 0;
    return hidden * extra * (attention->head_dim + values) +
           hidden * attention->query_rank * (1 - 1 / tp);
}

void clg_block_projections(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                           const clg_widths *w) {
    if (attention->kind == CLG_ATTENTION_LATENT)
        project_latent(block, shard, attention, w->heads);
    else if (attention->shared_values)
        clg_block_pooled(block, shard, attention, w);
    else
        project_grouped(block, shard, attention, w);
}
