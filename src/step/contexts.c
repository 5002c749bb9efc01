/* contexts.c -- what contexts add to an engine's iteration: the cache that is read for sequences
 * that decode, pairs of queries and keys of prompts, states.
 *
 * Left out: windows that a sequence grows out of (windowed layers count the share of the mean
 * context they see); room for scores, which engines make in pieces; prompts of one batch that
 * differ in length, of which the mean counts; kernels of gates and lengths that engines fuse one
 * way or another. */
#include "step/iteration.h"
#include "step/sizes.h"
#include "step/step.h"

#include <math.h>

static bool attends(const clg_attention *a) {
    return a->kind != CLG_ATTENTION_NONE && a->kind != CLG_ATTENTION_LINEAR;
}

static clg_iteration_op *add(clg_iteration_ops *ops, clg_iteration_kernel kernel,
                             const clg_attention *a, double heads, const char *name) {
    clg_iteration_op *op = clg_iteration_add(ops, CLG_SPENT_ATTENTION, CLG_OP_ATTENTION, name);
    op->kernel = kernel;
    op->latent = a->kind == CLG_ATTENTION_LATENT || a->shared_values; /* one for all heads */
    op->op.precision = CLG_BF16;
    op->op.attention.heads = heads;
    op->op.attention.head_dim = a->head_dim;
    op->op.attention.value_head_dim = a->value_head_dim;
    return op;
}

/* Flop of one query and one key; latents are attended to as they are, one for all heads. */
static double pair_flop(const clg_attention *a, double heads) {
    if (a->kind == CLG_ATTENTION_LATENT) return 2 * heads * (2 * a->kv_rank + a->rope_dim);
    return 2 * heads * (a->head_dim + a->value_head_dim);
}

/* Index keys are read whole; for each query a score of 4 bytes of each is written and read, and its
 * chosen keys are gathered, or multiplied with all heads. */
static void decode_sparse(const clg_serving *s, const clg_attention *a, double heads,
                          double context, int queries, clg_iteration_ops *ops) {
    double key = clg_index_key_bytes(s, a);
    if (key > 0) {
        clg_iteration_op *index = add(ops, CLG_KERNEL_INDEX, a, heads, "index keys and scores");
        index->op.hbm_bytes = key + 8 * queries / fmax(1, a->pooling.every);
    }
    clg_iteration_op *chosen = add(ops, CLG_KERNEL_CHOSEN, a, heads, "attention to chosen keys");
    chosen->op.count = queries;
    chosen->share = clg_chosen_share(a, context);
    chosen->op.hbm_bytes = clg_entry_bytes(s, a);
    chosen->op.flop = pair_flop(a, heads);
}

void clg_context_decode(const clg_serving *s, const clg_attention *a, double context, int queries,
                        clg_iteration_ops *ops) {
    double heads = (double)a->heads / s->layout->tp;
    if (!attends(a)) return;
    if (clg_is_sparse(a)) {
        decode_sparse(s, a, heads, context, queries, ops);
        return;
    }
    double seen = clg_seen_share(s, a, context);
    clg_iteration_op *op = add(ops, CLG_KERNEL_CACHE, a, heads, "attention core");
    op->op.hbm_bytes = clg_entry_bytes(s, a) * seen * clg_cache_reads(s, a);
    op->op.flop = queries * pair_flop(a, heads) * (a->shared_values ? seen : 1);
}

/* Of all pairs of a prompt's tokens. */
static double pooled_share(const clg_attention *a, double prompt) {
    double keys = fmax(1, prompt);
    return clg_pooled_pairs(a, keys) / (keys * keys / 2);
}

/* Scores of all earlier tokens, written and read, and attention to the chosen: of a prompt of L
 * tokens k L - k^2 / 2 of L^2 / 2. */
static void pair_sparse(const clg_attention *a, double heads, double prompt,
                        clg_iteration_ops *ops) {
    const clg_indexer *i = &a->indexer;
    double share = clg_chosen_share(a, prompt), every = fmax(1, a->pooling.every);
    if (!i->shared) {
        clg_iteration_op *scores = add(ops, CLG_KERNEL_SCORES, a, heads, "index scores");
        scores->op.flop = 2.0 * i->heads * i->dim / every;
        scores->op.hbm_bytes = 8 / every;
    }
    clg_iteration_op *chosen =
        add(ops, CLG_KERNEL_CHOSEN_PROMPT, a, heads, "attention to chosen keys");
    chosen->share = a->shared_values ? pooled_share(a, prompt) : share * (2 - share);
    chosen->op.flop = pair_flop(a, heads);
}

/* A chunk of the mean prompt, by the pairs in it. */
void clg_context_pair(const clg_serving *s, const clg_attention *a, double prompt,
                      clg_iteration_ops *ops) {
    clg_widths w = clg_widths_of(a, s->layout->tp);
    if (!attends(a)) return;
    if (clg_is_sparse(a) && (a->shared_values || !clg_dense_prompts(s))) {
        pair_sparse(a, w.heads, prompt, ops);
        return;
    }
    double length = fmin(fmax(prompt, 256), s->max_tokens);
    clg_iteration_op *op = add(ops, CLG_KERNEL_PLAIN, a, w.heads, "attention of prompts");
    op->per = length * length / 2;
    op->share = a->shared_values ? pooled_share(a, prompt) : clg_seen_share(s, a, prompt / 2);
    op->op.attention.batch = 1;
    op->op.attention.query_tokens = op->op.attention.key_tokens = length;
    op->op.attention.fused = true;
    op->op.flop = 2 * w.heads * (a->head_dim + a->value_head_dim) * op->per;
}

/* Read, written, and written once for each token proposed. */
void clg_context_states(const clg_serving *s, const clg_attention *a, int drafted,
                        clg_iteration_ops *ops) {
    double heads = (double)a->heads / s->layout->tp;
    if (a->kind != CLG_ATTENTION_LINEAR) return;
    if (a->state != CLG_STATE_CONVOLUTION)
        add(ops, CLG_KERNEL_STATE, a, heads, "states")->op.hbm_bytes =
            (2 + drafted) * clg_layer_state_bytes(s, a);
    add(ops, CLG_KERNEL_TAPS, a, heads, "inputs of the convolution")->op.hbm_bytes =
        (2 + drafted) * clg_layer_taps_bytes(s, a);
}

/* Prompts come as many at a time as an iteration takes. */
void clg_context_scan(const clg_serving *s, const clg_attention *a, clg_iteration_ops *ops) {
    double most = s->max_tokens / s->layout->dp, heads = (double)a->heads / s->layout->tp;
    double length = fmin(fmax(s->prompt_tokens, 64), most);
    double sequences = fmax(1, floor(most / length));
    if (a->kind != CLG_ATTENTION_LINEAR || a->state == CLG_STATE_CONVOLUTION) return;
    bool blocks = s->engine->state_blocks > 0 && a->state == CLG_STATE_GATED_DELTA;
    clg_iteration_op *op =
        add(ops, blocks ? CLG_KERNEL_STATE_BLOCKS : CLG_KERNEL_PLAIN, a, heads, "state of chunks");
    op->per = sequences * length;
    op->op.attention.batch = sequences;
    clg_state_core(a, heads, op->per, length, false, &op->op);
}
