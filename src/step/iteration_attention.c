/* iteration_attention.c -- the attention half of a layer in an engine's iteration, without its
 * contexts: products, norms, rotation, what an indexer does for each token. */
#include "step/iteration_writer.h"

#include "step/sizes.h"

#include <math.h>

/* Engines make the latent together with the low rank of queries, and meet heads with it. */
static void project_latent(const clg_writer *w, const clg_attention *a, const clg_widths *x) {
    if (a->query_rank > 0) {
        clg_write_projection(w, "query and key-value down projection", a->query_rank + x->latent,
                             w->hidden);
        clg_write_projection(w, "query up projection", x->queries, a->query_rank);
    } else {
        clg_write_projection(w, "query and key-value projection", x->queries + x->latent,
                             w->hidden);
    }
    if (a->gate_dim > 0) {
        clg_write_projection(w, "output gate projection", x->heads * a->gate_dim, w->hidden);
        clg_write_stream(w, "output gate", 6 * w->tokens * x->results);
    }
    clg_write_projection(w, "queries to latents", x->heads * x->plain, a->kv_rank)->latent = true;
    clg_write_projection(w, "latents to results", x->results, a->kv_rank)->latent = true;
    clg_write_projection(w, "attention output projection", w->hidden, x->results);
}

/* Norms on queries and keys: one kernel each; over all heads, sums of squares cross the group. */
static void norm_heads(const clg_writer *w, const clg_attention *a, const clg_widths *x) {
    if (!a->query_key_norm) return;
    clg_write_stream(w, "query norm", 4 * w->tokens * x->queries);
    if (!a->borrows) clg_write_stream(w, "key norm", 4 * w->tokens * x->keys);
    int times = w->s->engine->apart_sums > 0 && !a->borrows ? 2 : 1;
    if (a->norm_over_heads) clg_write_sums(w, "sums of squares", 8 / times * w->tokens, times);
}

/* The low ranks of queries and the key in one product, norms of heads with their rotation, and back
 * in the output; what is pooled, and its mean, in fp32. */
static void project_pooled(const clg_writer *w, const clg_attention *a, const clg_widths *x) {
    double results = x->results / fmax(1, x->output) * a->output_rank, t = w->tokens;
    clg_write_projection(w, "query and key down projection", a->query_rank + x->keys, w->hidden);
    if (a->query_rank > 0)
        clg_write_projection(w, "query up projection", x->queries, a->query_rank);
    if (x->pooled > 0) {
        clg_write_product(w, "pooled values and weights", CLG_BF16, t, x->pooled, w->hidden);
        clg_write_stream(w, "pool", 8 * t * x->pooled);
    }
    clg_write_stream(w, "norms and rotation", 4 * t * (x->queries + x->keys));
    clg_write_stream(w, "rotation of results", 4 * t * x->results);
    if (a->output_rank > 0) clg_write_projection(w, "output down projection", x->output, results);
    clg_write_projection(w, "attention output projection", w->hidden,
                         a->output_rank > 0 ? x->output : x->results);
}

static void project_grouped(const clg_writer *w, const clg_attention *a, const clg_widths *x) {
    clg_write_projection(w, "query-key-value projection", x->columns, w->hidden);
    clg_write_projection(w, "attention output projection", w->hidden, x->results);
    double turned = x->queries + (a->borrows ? 0 : x->keys);
    if (a->rotary) clg_write_stream(w, "rotary embedding", 4 * w->tokens * turned);
    if (a->gate_dim > 0) clg_write_stream(w, "output gate", 6 * w->tokens * x->results);
    norm_heads(w, a, x);
}

/* Projections of a state layer, its convolution and its gated norm. */
static void project_state(const clg_writer *w, const clg_attention *a, const clg_widths *x) {
    if (x->rank > 0) {
        clg_write_projection(w, "gate down projections", x->low_gates * x->rank, w->hidden);
        clg_write_projection(w, "decay up projection", x->heads * a->head_dim, x->rank);
        if (x->low_gates > 1) clg_write_projection(w, "gate up projection", x->results, x->rank);
    }
    if (a->convolution > 0) clg_write_stream(w, "causal convolution", 4 * w->tokens * x->channels);
    clg_write_projection(w, "state input projection", x->columns, w->hidden);
    clg_write_projection(w, "state output projection", w->hidden, x->results);
    clg_write_stream(w, "gated norm", 6 * w->tokens * x->results);
    if (a->state != CLG_STATE_CONVOLUTION)
        clg_write_op(w, CLG_OP_ATTENTION, "state")->kernel = CLG_KERNEL_STATE;
}

bool clg_dense_prompts(const clg_serving *s) {
    return s->prompt_tokens <= s->engine->dense_prompt_tokens;
}

/* The indexer beside scores and choice, whole on every rank: queries in the weights' format; key
 * and weights of heads in one 16-bit product; norm, rotation, and casts of queries and key. */
static void index_tokens(const clg_writer *w, const clg_attention *a) {
    const clg_indexer *i = &a->indexer;
    if (!clg_is_sparse(a) || i->shared) return;
    bool weighed = clg_indexer_weighs(a);
    double queries = (double)i->heads * i->dim, t = w->tokens, keys = i->dim;
    if (a->pooling.every > 0) keys *= 2 * a->pooling.series;
    clg_write_projection(w, "index query projection", queries,
                         weighed && a->query_rank > 0 ? a->query_rank : w->hidden);
    clg_write_product(w, "index key projection", CLG_BF16, t, keys + (weighed ? i->heads : 0),
                      w->hidden);
    clg_write_stream(w, "index key norm", 4 * t * i->dim);
    clg_write_stream(w, "index rotation", 4 * t * (queries + i->dim));
    clg_write_stream(w, "cast of index queries", 3 * t * queries);
    clg_write_stream(w, "cast of index keys", 3 * t * i->dim);
    clg_iteration_op *choice = clg_write_op(w, CLG_OP_ATTENTION, "scores and choice of keys");
    choice->kernel = CLG_KERNEL_INDEX;
    choice->context = w->s->context_tokens / fmax(1, a->pooling.every);
    choice->top_k = (double)i->top_k;
}

void clg_write_attention(const clg_writer *w, const clg_attention *a) {
    clg_writer beside = *w;
    clg_widths x = clg_widths_of(a, w->s->layout->tp);
    if (a->kind == CLG_ATTENTION_NONE) return;
    if (a->kind == CLG_ATTENTION_LINEAR) {
        project_state(w, a, &x);
        return;
    }
    if (a->kind == CLG_ATTENTION_LATENT)
        project_latent(w, a, &x);
    else if (a->shared_values)
        project_pooled(w, a, &x);
    else
        project_grouped(w, a, &x);
    beside.part = CLG_SPENT_ATTENTION;
    clg_write_op(&beside, CLG_OP_ATTENTION, "attention core")->kernel = CLG_KERNEL_CACHE;
    index_tokens(&beside, a);
}
