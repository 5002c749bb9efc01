/* read_layers.c -- what a config.json says, spread over layers: which part each is, its attention,
 * its MLP, its norms. */
#include "model/raw_model.h"

#include <string.h>

static bool in_list(const clg_json *list, int64_t value) {
    if (!list || list->kind != CLG_JSON_ARRAY) return false;
    for (const clg_json *item = list->first; item; item = item->next)
        if (item->kind == CLG_JSON_NUMBER && item->number == (double)value) return true;
    return false;
}

/* Lists of layers, where there is one: "dense" or "sparse", 0 or 1. */
static bool listed_dense(const raw_model *raw, int64_t layer) {
    const clg_json *type =
        clg_config_item(clg_config_field(&raw->config, "mlp_layer_types"), layer);
    if (type && type->kind == CLG_JSON_STRING && strcmp(type->text, "dense") == 0) return true;
    const clg_json *flag = clg_config_item(clg_config_field(&raw->config, "moe_layer_freq"), layer);
    return flag && flag->kind == CLG_JSON_NUMBER && flag->number == 0;
}

static bool is_moe(const raw_model *raw, int64_t layer) {
    if (raw->experts == 0 || layer < raw->dense_first || listed_dense(raw, layer)) return false;
    if (in_list(clg_config_field(&raw->config, "mlp_only_layers"), layer)) return false;
    return (layer + 1) % raw->moe_every == 0;
}

static int64_t window_of(const raw_model *raw, int64_t layer) {
    const clg_json *type = clg_config_item(clg_config_field(&raw->config, "layer_types"), layer);
    if (type && type->kind == CLG_JSON_STRING)
        return strncmp(type->text, "full", 4) == 0 || strncmp(type->text, "linear", 6) == 0
                   ? 0
                   : raw->window;
    return raw->window_every > 0 && (layer + 1) % raw->window_every == 0 ? 0 : raw->window;
}

static clg_layer_part part_of(const raw_model *raw, int64_t layer) {
    return clg_state_part(&raw->config, raw->traits, layer);
}

static clg_attention attention_of(const raw_model *raw, int64_t layer) {
    clg_layer_part part = part_of(raw, layer);
    if (part == CLG_LAYER_MLP || part == CLG_LAYER_EXPERTS) return (clg_attention){0};
    if (part == CLG_LAYER_STATE) return raw->state;
    bool latent = has(raw, CLG_LATENT);
    clg_attention a = {.kind = latent ? CLG_ATTENTION_LATENT : CLG_ATTENTION_GROUPED,
                       .heads = (int)raw->heads,
                       .kv_heads = (int)(latent ? raw->heads : raw->kv_heads),
                       .head_dim = (int)raw->head_dim,
                       .value_head_dim = (int)raw->value_head_dim,
                       .window = window_of(raw, layer),
                       .chunked = clg_config_field(&raw->config, "attention_chunk_size") != NULL,
                       .query_rank = (int)raw->query_rank,
                       .kv_rank = (int)raw->kv_rank,
                       .rope_dim = (int)raw->rope_dim,
                       .rotary = raw->rotary,
                       .query_key_norm = raw->head_norms || has(raw, CLG_WIDE_NORMS),
                       .norm_over_heads = has(raw, CLG_WIDE_NORMS),
                       .output_gate = raw->output_gate,
                       .shared_values = raw->pooled.found,
                       .output_groups = (int)raw->output_groups,
                       .output_rank = (int)raw->output_rank};
    a.indexer = clg_sparse_layer(&raw->config, &raw->sparse, layer);
    if (raw->pooled.found) clg_pooled_layer(&raw->config, &raw->pooled, layer, &a);
    return a;
}

static clg_mlp mlp_of(const raw_model *raw, int64_t layer) {
    clg_layer_part part = part_of(raw, layer);
    bool one = has(raw, CLG_ONE_PART), experts = part == CLG_LAYER_EXPERTS;
    if (one && part != CLG_LAYER_MLP && !experts) return (clg_mlp){0};
    if (one ? !experts : !is_moe(raw, layer))
        return (clg_mlp){
            .kind = CLG_MLP_DENSE, .gated = has(raw, CLG_GATED), .ffn = raw->dense_ffn};
    return (clg_mlp){.kind = CLG_MLP_MOE,
                     .gated = has(raw, CLG_GATED),
                     .ffn = raw->dense_ffn,
                     .experts = (int)raw->experts,
                     .experts_per_token = (int)raw->experts_per_token,
                     .groups = (int)raw->groups,
                     .groups_per_token = (int)raw->groups_per_token,
                     .expert_ffn = raw->expert_ffn,
                     .latent = raw->latent,
                     .shared_ffn = raw->shared_ffn,
                     .biases = raw->mlp_bias,
                     .clamped = raw->clamped};
}

static int64_t attention_extra(const raw_model *raw, const clg_attention *a) {
    int64_t width = (int64_t)a->heads * a->head_dim, kv = (int64_t)a->kv_heads * a->head_dim;
    if (a->kind == CLG_ATTENTION_LINEAR) return raw->state_extra.attention;
    if (a->kind == CLG_ATTENTION_NONE) return 0;
    int64_t extra = raw->qkv_bias ? width + 2 * kv : 0;
    /* Latent attention: biases sit on the two low-rank inputs only. */
    if (a->kind == CLG_ATTENTION_LATENT)
        extra = raw->qkv_bias ? raw->query_rank + raw->kv_rank + raw->rope_dim : 0;
    if (has(raw, CLG_SINKS)) extra += a->heads;
    if (has(raw, CLG_WIDE_NORMS)) extra += width + kv;
    if (has(raw, CLG_RELATIVE)) extra += raw->hidden * width;
    return extra;
}

static int64_t mlp_bias_values(const raw_model *raw, const clg_mlp *mlp, int64_t width,
                               int64_t out) {
    return raw->mlp_bias && width > 0 ? (mlp->gated ? 2 : 1) * width + out : 0;
}

static clg_layer_parameters extra_of(const raw_model *raw, const clg_layer_kind *kind) {
    const clg_mlp *mlp = &kind->mlp;
    bool moe = mlp->kind == CLG_MLP_MOE;
    clg_layer_parameters extra = {.attention = attention_extra(raw, &kind->attention)};
    extra.mlp = mlp_bias_values(raw, mlp, moe ? mlp->shared_ffn : mlp->ffn, raw->hidden);
    clg_attention_kind attention = kind->attention.kind;
    bool attends = attention == CLG_ATTENTION_GROUPED || attention == CLG_ATTENTION_LATENT;
    extra.replicated = attends && raw->out_bias ? raw->hidden : 0;
    if (attends && raw->head_norms) extra.replicated += 2 * raw->head_dim;
    if (attention == CLG_ATTENTION_LINEAR) extra.replicated += raw->state_extra.replicated;
    if (!moe) return extra;
    int64_t out = mlp->latent > 0 ? mlp->latent : raw->hidden;
    extra.experts = mlp->experts * mlp_bias_values(raw, mlp, mlp->expert_ffn, out);
    if (raw->mlp_bias && mlp->latent > 0) extra.replicated += mlp->latent + raw->hidden;
    if (has(raw, CLG_ROUTER_BIAS)) extra.replicated += mlp->experts;
    if (has(raw, CLG_SHARED_GATE) && mlp->shared_ffn > 0) extra.replicated += raw->hidden;
    return extra;
}

int clg_raw_norm_values(const raw_model *raw) {
    return has(raw, CLG_NORM_PLAIN) ? 0 : has(raw, CLG_NORM_BIAS) ? 2 : 1;
}

/* Falcon's new decoder norms attention and MLP apart; the old one shares a norm. */
static int norms_of(const raw_model *raw) {
    const clg_json *old = clg_config_field(&raw->config, "parallel_attn");
    const clg_json *fresh = clg_config_field(&raw->config, "new_decoder_architecture");
    if (old && old->kind == CLG_JSON_BOOL && old->truth)
        return fresh && fresh->kind == CLG_JSON_BOOL && fresh->truth ? 2 : 1;
    return has(raw, CLG_FOUR_NORMS) ? 4 : has(raw, CLG_ONE_NORM | CLG_ONE_PART) ? 1 : 2;
}

static bool same_kind(const clg_layer_kind *a, const clg_layer_kind *b) {
    return a->attention.kind == b->attention.kind && a->attention.window == b->attention.window &&
           a->attention.indexer.heads == b->attention.indexer.heads &&
           a->attention.indexer.shared == b->attention.indexer.shared &&
           a->attention.pooling.every == b->attention.pooling.every && a->mlp.kind == b->mlp.kind;
}

static clg_layer_kind layer_of(const raw_model *raw, int64_t layer) {
    bool side_by_side;
    clg_error none = {0};
    clg_config config = raw->config;
    config.error = &none;
    if (clg_config_switch(&config, "use_parallel_residual|parallel_attn", has(raw, CLG_PARALLEL),
                          &side_by_side) != CLG_OK)
        side_by_side = has(raw, CLG_PARALLEL);
    clg_layer_kind kind = {.attention = attention_of(raw, layer),
                           .mlp = mlp_of(raw, layer),
                           .parallel = side_by_side,
                           .norms = norms_of(raw),
                           .layer_norm = has(raw, CLG_LAYER_NORM),
                           .norm_values = clg_raw_norm_values(raw)};
    kind.extra = extra_of(raw, &kind);
    return kind;
}

clg_status clg_raw_layers(clg_arena *arena, const raw_model *raw, clg_model *model) {
    uint8_t *index = clg_take(arena, (size_t)raw->layers, uint8_t);
    for (int64_t layer = 0; layer < raw->layers; layer++) {
        clg_layer_kind kind = layer_of(raw, layer);
        int k = 0;
        while (k < model->kinds && !same_kind(&model->kind[k], &kind)) k++;
        if (k == model->kinds) {
            if (k == CLG_LAYER_KINDS)
                return clg_config_fault(&raw->config, "layer_types", "use fewer kinds",
                                        "more than 8 different kinds of layer");
            model->kind[model->kinds++] = kind;
        }
        index[layer] = (uint8_t)k;
    }
    model->layer_kind = index;
    return CLG_OK;
}
