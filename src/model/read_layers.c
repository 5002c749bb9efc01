/* read_layers.c -- what a config.json says, spread over layers: which part each is, its attention,
 * its MLP, its norms. */
#include "model/raw_model.h"

#include <stdlib.h>
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

/* Layers with experts by number, as a list or "3,4,5"; true where there is none. */
static bool enumerated(const raw_model *raw, int64_t layer) {
    const clg_json *list = clg_config_field(&raw->config, "moe_layers_enum");
    if (!list) return true;
    if (list->kind != CLG_JSON_STRING) return in_list(list, layer);
    for (const char *c = list->text; *c; c += strcspn(c, ","), c += *c == ',')
        if (strtol(c, NULL, 10) == layer) return true;
    return false;
}

static bool is_moe(const raw_model *raw, int64_t layer) {
    if (!enumerated(raw, layer)) return false;
    if (raw->experts == 0 || layer < raw->dense_first || listed_dense(raw, layer)) return false;
    if (in_list(clg_config_field(&raw->config, "mlp_only_layers"), layer)) return false;
    return (layer + 1) % raw->moe_every == 0;
}

int64_t clg_raw_window(const raw_model *raw, int64_t layer) {
    const clg_json *type =
        clg_config_item(clg_config_field(&raw->config, "layer_types|attention_layers"), layer);
    const clg_json *flag =
        clg_config_item(clg_config_field(&raw->config, "hybrid_layer_pattern"), layer);
    if (type && type->kind == CLG_JSON_STRING)
        return strncmp(type->text, "full", 4) == 0 || strncmp(type->text, "linear", 6) == 0 ||
                       strcmp(type->text, "global") == 0
                   ? 0
                   : raw->window;
    if (flag && flag->kind == CLG_JSON_NUMBER) /* 0: sees everything */
        return flag->number == 0 ? 0 : raw->window;
    return raw->window_every > 0 && (layer + 1) % raw->window_every == 0 ? 0 : raw->window;
}

static clg_layer_part part_of(const raw_model *raw, int64_t layer) {
    return clg_state_part(&raw->config, raw->traits, layer);
}

/* Columns of the gate of a head: a list may say of each layer which (Laguna). */
static int64_t gate_of(const raw_model *raw, int64_t layer, const raw_widths *w) {
    const clg_json *types = clg_config_field(&raw->config, "gating_types|gating");
    const clg_json *type =
        types && types->kind == CLG_JSON_ARRAY ? clg_config_item(types, layer) : types;
    if (type && type->kind == CLG_JSON_STRING)
        return strstr(type->text, "head") ? 1 : strstr(type->text, "element") ? w->head_dim : 0;
    if (type && type->kind == CLG_JSON_BOOL) return type->truth ? 1 : 0;
    return raw->output_gate ? w->value_head_dim : raw->head_gate ? 1 : 0;
}

/* Layers that attend to the keys of earlier ones: the last few, or all but every n-th
 * (cross-layer attention, arXiv:2411.02265 section 2.3.1); layers without a window whose
 * keys are values, too, and tables of each layer's own. */
clg_status clg_raw_sharing(raw_model *raw) {
    const clg_config *c = &raw->config;
    bool crossing;
    if (clg_config_whole(c, "num_kv_shared_layers", 0, raw->layers - 1, 0, &raw->borrowers) !=
            CLG_OK ||
        clg_config_switch(c, "use_cla", false, &crossing) != CLG_OK ||
        clg_config_whole(c, crossing ? "cla_share_factor" : "", 1, 10000, 1, &raw->lender_every) !=
            CLG_OK ||
        clg_config_switch(c, "use_double_wide_mlp", false, &raw->borrowers_wide) != CLG_OK ||
        clg_config_switch(c, "attention_k_eq_v", false, &raw->keys_serve) != CLG_OK ||
        clg_config_whole(c, "hidden_size_per_layer_input", 0, 1 << 16, 0, &raw->layer_input) !=
            CLG_OK)
        return CLG_BAD_INPUT;
    if (clg_config_whole(c, "attn_res_block_size", 0, 10000, 0, &raw->mixed_layers) != CLG_OK)
        return CLG_BAD_INPUT;
    return clg_config_whole(c, "vocab_size_per_layer_input", 1, 1 << 28, raw->vocab,
                            &raw->layer_input_vocab);
}

/* The last few, or all but every n-th. */
static bool borrows(const raw_model *raw, int64_t layer) {
    if (raw->lender_every > 1) return layer % raw->lender_every != 0;
    return raw->borrowers > 0 && layer >= raw->layers - raw->borrowers;
}

static clg_attention attention_of(const raw_model *raw, int64_t layer, const raw_widths *w) {
    clg_layer_part part = part_of(raw, layer);
    if (part == CLG_LAYER_MLP || part == CLG_LAYER_EXPERTS || w->no_attention)
        return (clg_attention){0};
    if (part == CLG_LAYER_STATE) return raw->state;
    bool latent = has(raw, CLG_LATENT);
    clg_attention a = {.kind = latent ? CLG_ATTENTION_LATENT : CLG_ATTENTION_GROUPED,
                       .heads = (int)w->heads,
                       .kv_heads = (int)(latent ? w->heads : w->kv_heads),
                       .head_dim = (int)w->head_dim,
                       .value_head_dim = (int)w->value_head_dim,
                       .window = clg_raw_window(raw, layer),
                       .chunked = raw->chunked,
                       .query_rank = (int)raw->query_rank,
                       .kv_rank = (int)raw->kv_rank,
                       .rope_dim = (int)raw->rope_dim,
                       .rotary = raw->rotary,
                       .query_key_norm = raw->head_norms || has(raw, CLG_WIDE_NORMS),
                       .norm_over_heads = has(raw, CLG_WIDE_NORMS),
                       .gate_dim = (int)gate_of(raw, layer, w),
                       .shared_values = raw->pooled.found,
                       .borrows = borrows(raw, layer),
                       .output_groups = (int)raw->output_groups,
                       .output_rank = (int)raw->output_rank};
    a.keys_serve = raw->keys_serve && a.window == 0;
    a.indexer = clg_sparse_layer(&raw->config, &raw->sparse, layer);
    if (raw->pooled.found) clg_pooled_layer(&raw->config, &raw->pooled, layer, &a);
    return a;
}

static clg_mlp mlp_of(const raw_model *raw, int64_t layer, const raw_widths *w) {
    clg_layer_part part = part_of(raw, layer);
    bool one = has(raw, CLG_ONE_PART), experts = part == CLG_LAYER_EXPERTS;
    int64_t ffn = w->ffn * (raw->borrowers_wide && borrows(raw, layer) ? 2 : 1);
    if ((one && part != CLG_LAYER_MLP && !experts) || w->no_mlp) return (clg_mlp){0};
    if (one ? !experts : !is_moe(raw, layer))
        return (clg_mlp){.kind = CLG_MLP_DENSE, .gated = has(raw, CLG_GATED), .ffn = ffn};
    return (clg_mlp){.kind = CLG_MLP_MOE,
                     .gated = has(raw, CLG_GATED),
                     .ffn = ffn,
                     .experts = (int)raw->experts,
                     .experts_per_token = (int)raw->experts_per_token,
                     .groups = (int)raw->groups,
                     .groups_per_token = (int)raw->groups_per_token,
                     .expert_ffn = raw->expert_ffn,
                     .latent = raw->latent,
                     .shared_ffn = raw->shared_ffn,
                     .biases = raw->mlp_bias,
                     .clamped = raw->clamped,
                     .wide_router = has(raw, CLG_WIDE_ROUTER)};
}

/* One trained value per head that every query may attend to: in all layers, or by a switch in those
 * with a window or without. */
static bool has_sinks(const raw_model *raw, const clg_attention *a) {
    static const char *const windowed = "add_swa_attention_sink_bias|swa_attention_sink_enabled";
    const clg_json *on =
        clg_config_field(&raw->config, a->window > 0 ? windowed : "add_full_attention_sink_bias");
    return has(raw, CLG_SINKS) || (on && on->kind == CLG_JSON_BOOL && on->truth);
}

static int64_t attention_extra(const raw_model *raw, const clg_attention *a) {
    int64_t width = (int64_t)a->heads * a->head_dim, kv = (int64_t)a->kv_heads * a->head_dim;
    if (a->kind == CLG_ATTENTION_LINEAR) return raw->state_extra.attention;
    if (a->kind == CLG_ATTENTION_NONE) return 0;
    int64_t values = a->keys_serve ? 0 : (int64_t)a->kv_heads * a->value_head_dim;
    int64_t extra = raw->qkv_bias ? width + (a->borrows ? 0 : kv + values) : 0;
    /* Latent attention: biases sit on the two low-rank inputs only. */
    if (a->kind == CLG_ATTENTION_LATENT)
        extra = raw->qkv_bias ? raw->query_rank + raw->kv_rank + raw->rope_dim : 0;
    if (a->sinks) extra += a->heads;
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
    if (attends && raw->head_norms)
        extra.replicated += (kind->attention.borrows ? 1 : 2) * kind->attention.head_dim;
    if (attention == CLG_ATTENTION_LINEAR) extra.replicated += raw->state_extra.replicated;
    if (!moe) return extra;
    int64_t out = mlp->latent > 0 ? mlp->latent : raw->hidden;
    extra.experts = mlp->experts * mlp_bias_values(raw, mlp, mlp->expert_ffn, out);
    if (raw->mlp_bias && mlp->latent > 0) extra.replicated += mlp->latent + raw->hidden;
    if (has(raw, CLG_ROUTER_BIAS)) extra.replicated += mlp->experts;
    if (raw->latent_norm) extra.replicated += mlp->latent;
    /* Scales of the router's input and of each expert (transformers modeling_gemma4.py). */
    if (raw->dense_beside) extra.replicated += raw->hidden + mlp->experts;
    if (has(raw, CLG_SHARED_GATE) && mlp->shared_ffn > 0) extra.replicated += raw->hidden;
    return extra;
}

int clg_raw_norm_values(const raw_model *raw) {
    return has(raw, CLG_NORM_PLAIN) ? 0 : has(raw, CLG_NORM_BIAS) ? 2 : 1;
}

/* A new decoder architecture norms attention and MLP apart; the old one shares a norm. Experts
 * beside a dense MLP have norms of their own, before and after, and the MLP one after. */
static int norms_of(const raw_model *raw, const clg_layer_kind *kind) {
    const clg_json *old = clg_config_field(&raw->config, "parallel_attn");
    const clg_json *fresh = clg_config_field(&raw->config, "new_decoder_architecture");
    bool attends = kind->attention.kind != CLG_ATTENTION_NONE;
    bool multiplies = kind->mlp.kind != CLG_MLP_NONE;
    if (old && old->kind == CLG_JSON_BOOL && old->truth)
        return fresh && fresh->kind == CLG_JSON_BOOL && fresh->truth ? 2 : 1;
    if (has(raw, CLG_ONE_NORM | CLG_ONE_PART)) return 1;
    int each = has(raw, CLG_FOUR_NORMS) ? 2 : 1;
    int beside = raw->dense_beside && kind->mlp.kind == CLG_MLP_MOE ? 3 : 0;
    return each * (attends + multiplies) + beside + (raw->layer_input > 0 ? 1 : 0);
}

static bool same_attention(const clg_attention *a, const clg_attention *b) {
    return a->kind == b->kind && a->heads == b->heads && a->kv_heads == b->kv_heads &&
           a->head_dim == b->head_dim && a->value_head_dim == b->value_head_dim &&
           a->window == b->window && a->gate_dim == b->gate_dim && a->borrows == b->borrows &&
           a->keys_serve == b->keys_serve && a->indexer.heads == b->indexer.heads &&
           a->indexer.shared == b->indexer.shared && a->pooling.every == b->pooling.every;
}

static bool same_kind(const clg_layer_kind *a, const clg_layer_kind *b) {
    return same_attention(&a->attention, &b->attention) && a->mlp.kind == b->mlp.kind &&
           (a->mlp.kind == CLG_MLP_MOE || a->mlp.ffn == b->mlp.ffn) && a->idle == b->idle;
}

/* Layers that attend to what another model sees of a picture: without one, tokens go past them
 * (transformers modeling_mllama.py). Norms of queries and keys, and two gates. */
static bool is_idle(const raw_model *raw, int64_t layer) {
    return in_list(clg_config_field(&raw->config, "cross_attention_layers"), layer);
}

static clg_status layer_of(const raw_model *raw, int64_t layer, clg_layer_kind *kind) {
    raw_widths widths;
    bool side_by_side;
    if (clg_raw_widths(raw, layer, &widths) != CLG_OK) return CLG_BAD_INPUT;
    clg_error none = {0};
    clg_config config = raw->config;
    config.error = &none;
    if (clg_config_switch(&config, "use_parallel_residual|parallel_attn", has(raw, CLG_PARALLEL),
                          &side_by_side) != CLG_OK)
        side_by_side = has(raw, CLG_PARALLEL);
    *kind = (clg_layer_kind){.attention = attention_of(raw, layer, &widths),
                             .mlp = mlp_of(raw, layer, &widths),
                             .parallel = side_by_side,
                             .layer_norm = has(raw, CLG_LAYER_NORM),
                             .norm_values = clg_raw_norm_values(raw)};
    kind->attention.sinks = has_sinks(raw, &kind->attention);
    kind->norms = norms_of(raw, kind);
    kind->extra = extra_of(raw, kind);
    if (!is_idle(raw, layer)) return CLG_OK;
    kind->idle = true;
    kind->extra.replicated += 2 * (int64_t)kind->attention.head_dim + 2;
    return CLG_OK;
}

clg_status clg_raw_layers(clg_arena *arena, const raw_model *raw, clg_model *model) {
    uint8_t *index = clg_take(arena, (size_t)raw->layers, uint8_t);
    for (int64_t layer = 0; layer < raw->layers; layer++) {
        clg_layer_kind kind;
        int k = 0;
        if (layer_of(raw, layer, &kind) != CLG_OK) return CLG_BAD_INPUT;
        while (k < model->kinds && !same_kind(&model->kind[k], &kind)) k++;
        if (k == model->kinds) {
            if (k == CLG_LAYER_KINDS)
                return clg_config_fault(&raw->config, "layer_types", "use fewer kinds",
                                        "more than 16 different kinds of layer");
            model->kind[model->kinds++] = kind;
        }
        index[layer] = (uint8_t)k;
    }
    for (int k = 0; k < model->kinds; k++)
        if (model->kind[k].idle) clg_layer_rest(model, &model->kind[k]);
    model->layer_kind = index;
    return CLG_OK;
}
