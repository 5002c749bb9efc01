/* count.c -- parameters of a model from its shapes, and the flop that MFU counts. */
#include "model/model.h"

#include <math.h>

/* Heads' queries, out of the hidden width or of a low rank of it. */
static int64_t query_parameters(int64_t h, const clg_attention *a) {
    int64_t queries = (int64_t)a->heads * a->head_dim, gates = h * a->heads * a->gate_dim;
    if (a->query_rank > 0) return (h + queries) * a->query_rank + gates;
    return h * queries + gates;
}

static int64_t output_parameters(int64_t h, const clg_attention *a) {
    int64_t results = (int64_t)a->heads * a->value_head_dim;
    return a->output_rank > 0 ? (results + a->output_groups * h) * a->output_rank : results * h;
}

/* In and out of the low rank that decay and gate go through. */
static int64_t gates_width(int64_t h, const clg_attention *a) {
    int64_t gate = a->whole_gate ? 0 : (int64_t)a->heads * a->value_head_dim;
    return clg_state_low_gates(a) * h + (int64_t)a->heads * a->head_dim + gate;
}

static int64_t attention_parameters(const clg_model *m, const clg_attention *a) {
    if (a->kind == CLG_ATTENTION_NONE) return 0;
    int64_t h = m->hidden, heads = a->heads;
    if (a->kind == CLG_ATTENTION_LINEAR)
        return h * clg_state_columns(a) + clg_state_channels(a) * a->convolution +
               clg_state_gate_rank(a) * gates_width(h, a) + heads * a->value_head_dim * h;
    if (a->kind == CLG_ATTENTION_LATENT) {
        int64_t nope = a->head_dim - a->rope_dim;
        return query_parameters(h, a) + h * (a->kv_rank + a->rope_dim) +
               (int64_t)a->kv_rank * heads * (nope + a->value_head_dim) +
               heads * a->value_head_dim * h;
    }
    int values = a->shared_values || a->keys_serve ? 0 : a->value_head_dim;
    int64_t keys_values = a->borrows ? 0 : h * a->kv_heads * (a->head_dim + values);
    return query_parameters(h, a) + keys_values + output_parameters(h, a);
}

/* Weights that pooled values and their weights are made with, of entries so wide, and what is added
 * to the latter; on every tensor rank. */
static int64_t pooling_parameters(const clg_model *m, const clg_pooling *p, int width) {
    return p->every == 0 ? 0 : (2 * m->hidden + p->every) * p->series * width + width;
}

double clg_mixed_blocks(const clg_model *m) {
    double sum = 0;
    for (int i = 0; m->mixed_layers > 0 && i < m->layers; i++) sum += i / m->mixed_layers + 1;
    return m->layers > 0 ? sum / m->layers : 0;
}

int clg_stream_columns(int streams) { return streams > 1 ? (2 + streams) * streams : 0; }

/* Latent: queries from the low rank of queries, a key and a weight per head from the hidden state,
 * LayerNorm on the key (deepseek-ai/DeepSeek-V3.2-Exp, inference/model.py, class Indexer). Grouped:
 * queries from the hidden state, norms on both, no weights (transformers
 * modular_minimax_m3_vl.py). Pooled: keys are pooled as attention's are. */
bool clg_indexer_weighs(const clg_attention *a) {
    return a->kind == CLG_ATTENTION_LATENT || a->pooling.every > 0;
}

int64_t clg_indexer_parameters(const clg_model *m, const clg_attention *a) {
    const clg_indexer *i = &a->indexer;
    if (i->heads == 0 || i->shared) return 0;
    bool weighed = clg_indexer_weighs(a);
    int64_t from = weighed && a->query_rank > 0 ? a->query_rank : m->hidden;
    int64_t queries = from * i->heads * i->dim, key = m->hidden * i->dim + 2 * (int64_t)i->dim;
    if (a->pooling.every > 0) key = pooling_parameters(m, &a->pooling, i->dim);
    return queries + key + (weighed ? m->hidden * i->heads : 0);
}

static int64_t mlp_matrices(const clg_mlp *mlp) { return mlp->gated ? 3 : 2; }

const clg_mlp *clg_model_experts(const clg_model *model) {
    for (int i = 0; i < model->kinds; i++)
        if (model->kind[i].mlp.kind == CLG_MLP_MOE) return &model->kind[i].mlp;
    return NULL;
}

int64_t clg_expert_input(const clg_model *m, const clg_mlp *mlp) {
    return mlp->latent > 0 ? mlp->latent : m->hidden;
}

static int parts_of(const clg_layer_kind *kind) {
    return (kind->attention.kind != CLG_ATTENTION_NONE) + (kind->mlp.kind != CLG_MLP_NONE);
}

/* A product over all streams, what is added to it, and scales. */
static int64_t stream_parameters(const clg_model *m, int columns, int scales) {
    return columns == 0 ? 0 : columns * (m->streams * m->hidden + 1) + scales;
}

static void count_layer(const clg_model *m, clg_layer_kind *kind) {
    const clg_mlp *mlp = &kind->mlp;
    clg_layer_parameters *p = &kind->parameters;
    *p = kind->extra;
    p->attention += attention_parameters(m, &kind->attention);
    int64_t width = mlp->kind == CLG_MLP_MOE ? mlp->shared_ffn : mlp->ffn;
    p->mlp += mlp->kind == CLG_MLP_NONE ? 0 : mlp_matrices(mlp) * m->hidden * width;
    p->replicated += kind->norms * kind->norm_values * m->hidden;
    if (kind->attention.kind == CLG_ATTENTION_LATENT)
        p->replicated += kind->attention.query_rank + kind->attention.kv_rank;
    else if (kind->attention.query_rank > 0) /* norms on both */
        p->replicated += kind->attention.query_rank + kind->attention.head_dim;
    p->replicated += clg_indexer_parameters(m, &kind->attention);
    p->replicated += pooling_parameters(m, &kind->attention.pooling, kind->attention.head_dim);
    /* A gate of what its table gives, and back to the hidden width; its share of the product that
     * adds the token's embedding to the table's (transformers modeling_gemma4.py). */
    if (!kind->idle) p->replicated += 3 * m->layer_input * m->hidden;
    if (m->mixed_layers > 0) p->replicated += 2 * 2 * m->hidden; /* a norm and weights a part */
    p->replicated += parts_of(kind) * stream_parameters(m, clg_stream_columns(m->streams), 3);
    if (mlp->kind != CLG_MLP_MOE) return;
    p->experts += mlp_matrices(mlp) * clg_expert_input(m, mlp) * mlp->expert_ffn * mlp->experts;
    p->replicated += m->hidden * (mlp->experts + 2 * mlp->latent);
}

void clg_layer_rest(const clg_model *m, clg_layer_kind *kind) {
    clg_layer_kind rest = {.idle = true};
    count_layer(m, kind);
    rest.extra = kind->parameters;
    *kind = rest;
}

/* At least as many as pools, low ranks of outputs and streams of a layer have. */
static double around_attention(const clg_model *m, const clg_attention *a) {
    double h = (double)m->hidden, width = (double)a->head_dim + a->indexer.dim;
    double pools = 4 * (h + a->pooling.every) * (width + 1);
    double results = (double)a->heads * a->value_head_dim + a->output_groups * h;
    double streams = 2.0 * clg_stream_columns(m->streams) * (m->streams * h + 2);
    return pools + results * a->output_rank + streams;
}

bool clg_model_countable(const clg_model *m) {
    double most = 0, h = (double)m->hidden;
    for (int i = 0; i < m->kinds; i++) {
        const clg_attention *a = &m->kind[i].attention;
        const clg_mlp *mlp = &m->kind[i].mlp;
        double width =
            ((double)a->heads + a->kv_heads) * ((double)a->head_dim + a->value_head_dim + 1);
        double ranks = (double)a->query_rank + a->kv_rank + h;
        double ffn = (double)mlp->ffn + (double)mlp->shared_ffn +
                     (double)mlp->experts * (double)mlp->expert_ffn;
        double index = (double)a->indexer.heads * a->indexer.dim;
        most = fmax(most, 4 * ranks * (width + index) + 4 * h * ffn + around_attention(m, a));
    }
    return m->layers * most + 4 * h * ((double)m->vocab + (double)m->max_seq) < 1e16;
}

void clg_model_count(clg_model *m) {
    for (int i = 0; i < m->kinds; i++) count_layer(m, &m->kind[i]);
    int64_t total = m->embedding_parameters + m->head_parameters + m->final_parameters, idle = 0;
    if (m->mixed_layers > 0) total += 2 * m->hidden; /* and what is mixed at the end */
    if (m->streams > 1) total += stream_parameters(m, m->streams, 1); /* into one at the end */
    for (int i = 0; i < m->layers; i++) {
        const clg_layer_kind *kind = &m->kind[m->layer_kind[i]];
        const clg_layer_parameters *p = &kind->parameters;
        total += p->attention + p->mlp + p->experts + p->replicated;
        if (kind->idle)
            idle += p->attention + p->mlp + p->experts + p->replicated;
        else if (p->experts > 0)
            idle +=
                p->experts / kind->mlp.experts * (kind->mlp.experts - kind->mlp.experts_per_token);
    }
    m->parameters = total;
    m->active_parameters = total - idle - m->layer_tables;
}

double clg_model_flop_per_token(const clg_model *m, int64_t seq) {
    int attending = 0;
    double states = 0;
    for (int i = 0; i < m->layers; i++) {
        const clg_attention *a = &m->kind[m->layer_kind[i]].attention;
        attending += a->kind == CLG_ATTENTION_GROUPED || a->kind == CLG_ATTENTION_LATENT;
        states += clg_state_flop_per_token(a);
    }
    return 6.0 * (double)m->active_parameters + 12.0 * attending * (double)m->hidden * (double)seq +
           3 * states;
}
