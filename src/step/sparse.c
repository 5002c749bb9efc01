/* sparse.c -- what sparse attention adds to a layer and leaves out of its core.
 *
 * An indexer scores every key before a query, I(t, s) = sum over its heads of w(t) ReLU(q(t) k(s)),
 * and attention sees the top_k of highest score (arXiv:2512.02556, section 2.1). This is the sparse
 * stage of training: the indexer learns apart (nothing flows back through its inputs) to match, by
 * Kullback-Leibler divergence over the chosen keys, attention's probabilities summed over heads;
 * the rest learns from the words. The dense warm-up, where all but the indexer is frozen and
 * divergence is taken over all keys (2.1 of 946 billion tokens), is left out, and so are: sums of
 * probabilities over tensor ranks, index keys of other context ranks, scores in 8 bit (they are
 * priced in 16), room for scores beyond the piece at work, and what gathering costs the core's
 * kernels. Grouped heads choose blocks of keys by the largest score within; priced alike. */
#include "step/block.h"

#include <math.h>

static double keys_of(const clg_shard *shard) { return (double)shard->layout->seq; }

/* Keys that are chosen from: pooled entries where there are any. */
static double entries_of(const clg_shard *shard, const clg_attention *attention) {
    return keys_of(shard) / fmax(1, attention->pooling.every);
}

bool clg_attention_skips(const clg_shard *shard, const clg_attention *attention) {
    return attention->indexer.heads > 0 && shard->layout->attention != CLG_ATTENTION_UNFUSED &&
           (double)attention->indexer.top_k < entries_of(shard, attention);
}

bool clg_attention_absorbs(const clg_shard *shard, const clg_attention *attention) {
    return attention->kind == CLG_ATTENTION_LATENT && clg_attention_skips(shard, attention);
}

/* Query i has min(i, k) keys: S k - k^2 / 2, or all before it. */
double clg_attention_chosen_pairs(const clg_shard *shard, const clg_attention *attention) {
    double keys = keys_of(shard), queries = keys / shard->layout->cp;
    double chosen = fmin((double)attention->indexer.top_k, keys);
    if (attention->pooling.every > 0)
        return clg_pooled_entry_pairs(attention, keys) / shard->layout->cp;
    return queries * chosen * (1 - 0.5 * chosen / keys);
}

/* Scores of so many heads, each so wide, in one kernel that keeps none. */
typedef struct scoring {
    const char *name;
    clg_pass pass;
    double heads, width;
    double pairs;    /* of query and key, of one sequence */
    double products; /* over them: scores alone are one, with both gradients three */
} scoring;

static void score(clg_block *block, const clg_shard *shard, double keys, scoring s) {
    clg_op *op = clg_block_add(block, CLG_OP_ATTENTION, s.pass, s.name);
    op->precision = shard->wide;
    op->attention.batch = shard->layout->micro_batch;
    op->attention.heads = s.heads;
    op->attention.head_dim = op->attention.value_head_dim = s.width;
    op->attention.query_tokens = keys_of(shard) / shard->layout->cp;
    op->attention.key_tokens = keys;
    op->attention.fused = true;
    op->attention.backward = s.pass == CLG_PASS_BACKWARD_INPUT;
    op->flop = shard->layout->micro_batch * s.heads * s.pairs * 2 * s.width * s.products;
}

/* Queries from the low rank of queries where there is one, key and weights from the hidden state;
 * rotation and norm are a pass over them. */
static void project(clg_block *block, const clg_shard *shard, const clg_attention *attention) {
    const clg_indexer *indexer = &attention->indexer;
    bool weighed = clg_indexer_weighs(attention);
    double tokens = shard->tokens, hidden = (double)shard->model->hidden, w = shard->wide_bytes;
    double from = weighed && attention->query_rank > 0 ? attention->query_rank : hidden;
    double queries = (double)indexer->heads * indexer->dim, weights = weighed ? indexer->heads : 0;
    double keys = indexer->dim;
    if (attention->pooling.every > 0) keys *= 2 * attention->pooling.series;
    clg_block_detached(block, shard,
                       clg_matrix_of("index query projection", tokens, from, queries));
    clg_block_detached(block, shard,
                       clg_matrix_of("index key projection", tokens, hidden, keys + weights));
    double passed = 2 * tokens * (queries + keys) * w;
    clg_block_memory(block, "index norm and rotation", passed, 2, passed, 2);
    block->saved_bytes += tokens * (queries + keys + weights) * w;
}

void clg_block_indexer(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                       double heads) {
    const clg_indexer *indexer = &attention->indexer;
    if (indexer->heads == 0 || indexer->shared) return;
    const clg_layout *layout = shard->layout;
    double keys = entries_of(shard, attention), all = keys_of(shard) / layout->cp * keys / 2;
    double chosen = clg_attention_chosen_pairs(shard, attention);
    project(block, shard, attention);
    score(block, shard, keys,
          (scoring){"index scores", CLG_PASS_FORWARD, indexer->heads, indexer->dim, all, 1});
    /* One fp32 number a pair, written and read. */
    clg_block_memory(block, "choice of keys", layout->micro_batch * all * 8, 1, 0, 0);
    block->saved_bytes += shard->tokens * fmin((double)indexer->top_k, keys) * 4; /* their places */
    /* The loss: attention's scores of chosen keys once more, those of the indexer, two gradients.
     */
    double width = attention->head_dim;
    if (clg_attention_absorbs(shard, attention)) width = attention->kv_rank + attention->rope_dim;
    score(block, shard, keys,
          (scoring){"index target", CLG_PASS_BACKWARD_INPUT, heads, width, chosen, 1});
    score(block, shard, keys,
          (scoring){"index gradients", CLG_PASS_BACKWARD_INPUT, indexer->heads, indexer->dim,
                    chosen, 3});
}
