/* read_config.c -- a Hugging Face config.json into a model.
 *
 * Fields come under several names (config.h), and what no field says comes from the family
 * (family.h). Every layer is described, then equal layers share a kind. */
#include "model/config.h"
#include "model/family.h"
#include "model/model.h"
#include "model/sparse.h"
#include "model/state.h"

#include "base/name.h"

#include <stdio.h>
#include <string.h>

/* Everything the file says, before it is spread over layers. */
typedef struct raw_model {
    clg_config config;
    unsigned traits;
    int64_t hidden, layers, heads, kv_heads, head_dim, value_head_dim, ffn, dense_ffn, vocab,
        max_seq;
    int64_t groups, groups_per_token;
    int64_t experts, experts_per_token, expert_ffn, shared_ffn, dense_first, moe_every, moe_first;
    int64_t query_rank, kv_rank, rope_dim;
    int64_t window, window_every; /* every so many layers one sees everything; 0: none does */
    int64_t prediction_layers;
    clg_sparse sparse;
    int64_t embedding_width; /* OPT-350m: tokens are embedded in less than the hidden width */
    bool tied, qkv_bias, out_bias, mlp_bias, head_bias, head_norms, final_norm, clamped;
    bool output_gate, rotary, tie_stated;
    clg_attention state; /* of layers that keep one; kind NONE: there are none */
    clg_layer_parameters state_extra;
} raw_model;

static bool has(const raw_model *raw, unsigned trait) { return (raw->traits & trait) != 0; }

/* ---- which family ---- */

/* Fields that have a meaning here, whatever the family, or that shape nothing. */
static const char *const known_fields =
    " architectures model_type quantization_config hidden_size n_embd n_embed d_model "
    "num_hidden_layers n_layer "
    "n_layers "
    "num_layers num_attention_heads n_head n_heads num_heads vocab_size padded_vocab_size "
    "num_key_value_heads num_kv_heads n_head_kv n_kv_heads multi_query_group_num head_dim "
    "kv_channels "
    "attention_head_dim intermediate_size intermediate_size_mlp ffn_dim n_inner ffn_hidden_size "
    "expansion_ratio max_position_embeddings n_positions max_sequence_length max_seq_len "
    "seq_length "
    "n_ctx n_routed_experts num_local_experts num_experts moe_num_experts num_experts_per_tok "
    "num_experts_per_token experts_per_token moe_topk moe_k moe_intermediate_size n_shared_experts "
    "num_shared_experts moe_num_shared_experts shared_expert_intermediate_size "
    "shared_intermediate_size first_k_dense_replace moe_layer_start_index decoder_sparse_step "
    "interleave_moe_layer_step sliding_window sliding_window_pattern layer_switch "
    "attention_chunk_size q_lora_rank kv_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim "
    "num_nextn_predict_layers num_mtp_modules max_window_layers moe_layer_freq n_group topk_group "
    "ep_size swiglu_limit full_attention_interval mtp_num_hidden_layers hybrid_override_pattern "
    "layers_block_type ssm_state_size n_groups conv_kernel index_n_heads index_head_dim "
    "index_topk ";

static bool shapes_nothing(const char *key) {
    static const char *const parts[] = {
        "_id",   "eps",  "drop",  "range", "init",  "rope", "rotary", "coef", "alpha", "pdrop",
        "theta", "scal", "logit", "noise", "token", "cap",  "pct",    "beta", "vision"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(key, parts[i])) return true;
    return false;
}

/* Names up to six structural fields of an architecture that is not known. */
static clg_status unknown_family(const clg_config *config, const char *type) {
    char fields[240] = "", message[440], needle[80];
    int named = 0;
    for (const clg_json *c = config->root->first; c && named < 6; c = c->next) {
        snprintf(needle, sizeof needle, " %.70s ", c->key);
        bool structural = c->kind == CLG_JSON_NUMBER || c->kind == CLG_JSON_OBJECT ||
                          c->kind == CLG_JSON_ARRAY || strstr(c->key, "pattern");
        if (!structural || strstr(known_fields, needle) || strlen(c->key) > 28 ||
            shapes_nothing(c->key))
            continue;
        size_t used = strlen(fields);
        snprintf(fields + used, sizeof fields - used, "%s%s", named++ ? ", " : "", c->key);
    }
    const char *names[96];
    int count = 0;
    for (const clg_family *f = clg_families(); f->type && count < 96; f++) names[count++] = f->type;
    const char *near[2];
    char ask[120];
    int found = clg_name_near(names, count, type, near, 2);
    clg_name_ask(near, found, "", ask, sizeof ask);
    snprintf(message, sizeof message, "'%.40s' is an architecture ceiling cannot map%s%s%s", type,
             fields[0] ? " (no meaning here has: " : "", fields, fields[0] ? ")" : "");
    char mend[440];
    snprintf(mend, sizeof mend,
             "%s%sto describe it by hand write \"model_type\": \"generic\" and keep hidden_size, "
             "num_hidden_layers, num_attention_heads, num_key_value_heads, intermediate_size, "
             "vocab_size, for experts num_experts, num_experts_per_tok, moe_intermediate_size; "
             "docs/formats.md has the rest",
             ask, found > 0 ? " Or " : "");
    return clg_config_fault(config, "model_type", mend, message);
}

/* Multimodal models keep the language model in text_config. */
static clg_status find_family(clg_arena *arena, raw_model *raw) {
    clg_config *config = &raw->config;
    const clg_json *text = clg_config_field(config, "text_config|language_config|llm_config");
    bool nested = text && text->kind == CLG_JSON_OBJECT;
    /* What the whole model says of its embeddings goes before what its language model does. */
    if (nested && clg_config_switch(config, "tie_word_embeddings", false, &raw->tied) != CLG_OK)
        return CLG_BAD_INPUT;
    raw->tie_stated = nested && clg_config_field(config, "tie_word_embeddings");
    if (nested) config->root = text;
    const clg_json *type = clg_config_field(config, "model_type");
    if (!type || type->kind != CLG_JSON_STRING)
        return clg_config_fault(config, "model_type",
                                "add \"model_type\", or \"generic\" with the sizes",
                                "the file does not say which architecture it is");
    const clg_family *family = clg_family_find(type->text);
    if (!family) return unknown_family(config, type->text);
    raw->traits = family->traits;
    /* MiniMax-M3 names its language model after M2, whose norms are over the whole width. */
    const clg_json *norms = clg_config_field(config, "qk_norm_type");
    if (norms && norms->kind == CLG_JSON_STRING && strcmp(norms->text, "per_head") == 0)
        raw->traits = (raw->traits & ~(unsigned)CLG_WIDE_NORMS) | CLG_HEAD_NORMS;
    const char *defaults = nested ? clg_family_defaults(type->text) : NULL;
    clg_json *parsed;
    if (!defaults) return CLG_OK;
    if (clg_json_parse(arena, type->text, defaults, strlen(defaults), &parsed, config->error) !=
        CLG_OK)
        return CLG_BAD_INPUT;
    config->defaults = parsed;
    return CLG_OK;
}

/* ---- sizes ---- */

static clg_status read_sizes(raw_model *raw) {
    const clg_config *c = &raw->config;
    if (clg_config_needed(c, "hidden_size|n_embd|d_model|n_embed", "the hidden width", 1 << 20,
                          &raw->hidden) != CLG_OK ||
        clg_config_needed(c, "num_hidden_layers|n_layer|n_layers|num_layers",
                          "the number of layers", 10000, &raw->layers) != CLG_OK ||
        clg_config_needed(c, "num_attention_heads|n_head|n_heads|num_heads", "the number of heads",
                          1 << 16, &raw->heads) != CLG_OK ||
        clg_config_needed(c, "vocab_size|padded_vocab_size", "the vocabulary", 1 << 28,
                          &raw->vocab) != CLG_OK ||
        clg_config_whole(c,
                         "max_position_embeddings|n_positions|max_sequence_length|max_seq_len|"
                         "seq_length|n_ctx",
                         1, 1 << 30, 2048, &raw->max_seq) != CLG_OK)
        return CLG_BAD_INPUT;
    if (!clg_config_field(c, "head_dim") && !has(raw, CLG_LATENT) && raw->hidden % raw->heads != 0)
        return clg_config_fault(c, "num_attention_heads|n_head|n_heads|num_heads",
                                "fix one of the two, or give head_dim",
                                "the hidden width is no multiple of the heads");
    return clg_config_whole(c, "head_dim|attention_head_dim|kv_channels", 1, 1 << 16,
                            raw->hidden / raw->heads > 0 ? raw->hidden / raw->heads : 1,
                            &raw->head_dim);
}

static clg_status read_kv_heads(raw_model *raw) {
    const clg_config *c = &raw->config;
    bool one = false, decoder = false;
    if (clg_config_switch(c, "multi_query", false, &one) != CLG_OK ||
        clg_config_switch(c, "new_decoder_architecture", false, &decoder) != CLG_OK)
        return CLG_BAD_INPUT;
    int64_t otherwise = one && !decoder ? 1 : raw->heads;
    /* Falcon's num_kv_heads counts only in its new decoder architecture. */
    const char *names =
        one && !decoder
            ? "num_key_value_heads"
            : "num_key_value_heads|num_kv_heads|n_head_kv|attn_config.kv_n_heads|n_kv_heads|"
              "multi_query_group_num";
    if (clg_config_whole(c, names, 1, 1 << 16, otherwise, &raw->kv_heads) != CLG_OK)
        return CLG_BAD_INPUT;
    if (raw->heads % raw->kv_heads == 0) return CLG_OK;
    return clg_config_fault(c, names, "give a divisor of the heads",
                            "the heads are no multiple of the key-value heads");
}

static clg_status read_ffn(raw_model *raw) {
    const clg_config *c = &raw->config;
    int64_t ratio;
    if (clg_config_whole(c, "expansion_ratio", 1, 64, 4, &ratio) != CLG_OK ||
        clg_config_whole(c,
                         "intermediate_size|ffn_dim|n_inner|ffn_hidden_size|ffn_config."
                         "ffn_hidden_size",
                         1, 1 << 24, ratio * raw->hidden, &raw->ffn) != CLG_OK)
        return CLG_BAD_INPUT;
    /* Llama 4; Granite 4 without experts keeps the shared one. */
    const char *names = has(raw, CLG_MAMBA) && !has(raw, CLG_ONE_PART)
                            ? "shared_intermediate_size"
                            : "intermediate_size_mlp|dense_intermediate_size";
    return clg_config_whole(c, names, 1, 1 << 24, raw->ffn, &raw->dense_ffn);
}

static clg_status read_latent(raw_model *raw) {
    const clg_config *c = &raw->config;
    int64_t nope;
    raw->value_head_dim = raw->head_dim;
    if (!has(raw, CLG_LATENT)) return CLG_OK;
    if (clg_config_whole(c, "q_lora_rank", 1, 1 << 20, 0, &raw->query_rank) != CLG_OK ||
        clg_config_needed(c, "kv_lora_rank", "the low rank of keys and values", 1 << 20,
                          &raw->kv_rank) != CLG_OK ||
        clg_config_needed(c, "qk_nope_head_dim", "the width of a head without rotation", 1 << 16,
                          &nope) != CLG_OK ||
        clg_config_needed(c, "qk_rope_head_dim", "the rotated width of a head", 1 << 16,
                          &raw->rope_dim) != CLG_OK ||
        clg_config_needed(c, "v_head_dim", "the width of a value head", 1 << 16,
                          &raw->value_head_dim) != CLG_OK)
        return CLG_BAD_INPUT;
    raw->head_dim = nope + raw->rope_dim;
    return CLG_OK;
}

/* ---- experts ---- */

static clg_status read_experts(raw_model *raw) {
    const clg_config *c = &raw->config;
    int64_t shared;
    if (clg_config_whole(c,
                         "n_routed_experts|num_local_experts|num_experts|moe_num_experts|"
                         "ffn_config.moe_num_experts",
                         0, 1 << 16, 0, &raw->experts) != CLG_OK)
        return CLG_BAD_INPUT;
    if (raw->experts < 2) {
        raw->experts = 0;
        return CLG_OK;
    }
    if (clg_config_needed(c,
                          "num_experts_per_tok|num_experts_per_token|experts_per_token|"
                          "moe_topk|moe_k|ffn_config.moe_top_k",
                          "the number of experts a token visits", raw->experts,
                          &raw->experts_per_token) != CLG_OK ||
        clg_config_whole(c, "moe_intermediate_size", 1, 1 << 24, raw->ffn, &raw->expert_ffn) !=
            CLG_OK ||
        clg_config_whole(c, "n_group", 0, 1 << 16, 0, &raw->groups) != CLG_OK ||
        clg_config_whole(c, "topk_group", 0, 1 << 16, 0, &raw->groups_per_token) != CLG_OK ||
        clg_config_whole(c, "n_shared_experts|num_shared_experts|moe_num_shared_experts", 0,
                         1 << 16, 0, &shared) != CLG_OK ||
        clg_config_whole(c,
                         "shared_expert_intermediate_size|shared_intermediate_size|"
                         "moe_shared_expert_intermediate_size",
                         0, 1 << 24, shared * raw->expert_ffn, &raw->shared_ffn) != CLG_OK)
        return CLG_BAD_INPUT;
    const clg_json *limit = clg_config_field(c, "swiglu_limit"); /* gpt-oss */
    raw->clamped = limit && limit->kind == CLG_JSON_NUMBER;
    if (clg_config_field(c, "interleave_moe_layer_step")) /* Llama 4: one shared expert each */
        raw->shared_ffn = raw->expert_ffn;
    return CLG_OK;
}

/* Which layers have experts: all but the first few, or every n-th. */
static clg_status read_expert_layers(raw_model *raw) {
    const clg_config *c = &raw->config;
    return clg_config_whole(c, "first_k_dense_replace|moe_layer_start_index", 0, 10000, 0,
                            &raw->dense_first) != CLG_OK ||
                   clg_config_whole(c, "decoder_sparse_step|interleave_moe_layer_step", 1, 10000, 1,
                                    &raw->moe_every) != CLG_OK
               ? CLG_BAD_INPUT
               : CLG_OK;
}

static bool in_list(const clg_json *list, int64_t value) {
    if (!list || list->kind != CLG_JSON_ARRAY) return false;
    for (const clg_json *item = list->first; item; item = item->next)
        if (item->kind == CLG_JSON_NUMBER && item->number == (double)value) return true;
    return false;
}

static const clg_json *item_at(const clg_json *list, int64_t index) {
    const clg_json *item = list && list->kind == CLG_JSON_ARRAY ? list->first : NULL;
    while (item && index-- > 0) item = item->next;
    return item;
}

/* Lists of layers, where there is one: "dense" or "sparse", 0 or 1. */
static bool listed_dense(const raw_model *raw, int64_t layer) {
    const clg_json *type = item_at(clg_config_field(&raw->config, "mlp_layer_types"), layer);
    if (type && type->kind == CLG_JSON_STRING && strcmp(type->text, "dense") == 0) return true;
    const clg_json *flag = item_at(clg_config_field(&raw->config, "moe_layer_freq"), layer);
    return flag && flag->kind == CLG_JSON_NUMBER && flag->number == 0;
}

static bool is_moe(const raw_model *raw, int64_t layer) {
    if (raw->experts == 0 || layer < raw->dense_first || listed_dense(raw, layer)) return false;
    if (in_list(clg_config_field(&raw->config, "mlp_only_layers"), layer)) return false;
    return (layer + 1) % raw->moe_every == 0;
}

/* ---- windows and switches ---- */

static clg_status read_window(raw_model *raw) {
    const clg_config *c = &raw->config;
    bool used;
    if (clg_config_switch(c, "use_sliding_window", !has(raw, CLG_WINDOW_OFF), &used) != CLG_OK ||
        clg_config_whole(c, "sliding_window|attention_chunk_size", 1, 1 << 30, 0, &raw->window) !=
            CLG_OK ||
        clg_config_whole(c, "sliding_window_pattern|_sliding_window_pattern|layer_switch", 1, 10000,
                         0, &raw->window_every) != CLG_OK)
        return CLG_BAD_INPUT;
    if (!used) raw->window = 0;
    const clg_json *type = clg_config_field(c, "model_type");
    if (raw->window_every == 0 && strcmp(type->text, "gemma2") == 0) raw->window_every = 2;
    if (raw->window_every == 0 && strcmp(type->text, "gemma3_text") == 0) raw->window_every = 6;
    if (raw->window_every == 0 && strcmp(type->text, "llama4_text") == 0) raw->window_every = 4;
    return CLG_OK;
}

static int64_t window_of(const raw_model *raw, int64_t layer) {
    const clg_json *type = item_at(clg_config_field(&raw->config, "layer_types"), layer);
    if (type && type->kind == CLG_JSON_STRING)
        return strncmp(type->text, "full", 4) == 0 || strncmp(type->text, "linear", 6) == 0
                   ? 0
                   : raw->window;
    return raw->window_every > 0 && (layer + 1) % raw->window_every == 0 ? 0 : raw->window;
}

static clg_status read_switches(raw_model *raw) {
    const clg_config *c = &raw->config;
    bool bias, norms, tied;
    if (clg_config_switch(c, "attention_bias|qkv_bias|use_qkv_bias|add_qkv_bias", false, &bias) !=
            CLG_OK ||
        clg_config_switch(c, "mlp_bias", has(raw, CLG_MLP_BIAS), &raw->mlp_bias) != CLG_OK ||
        clg_config_switch(c, "tie_word_embeddings|tie_embeddings", has(raw, CLG_TIED), &tied) !=
            CLG_OK ||
        clg_config_switch(c, "use_qk_norm|qk_layernorm", has(raw, CLG_HEAD_NORMS), &norms) !=
            CLG_OK)
        return CLG_BAD_INPUT;
    if (clg_config_switch(c, "lm_head_bias", has(raw, CLG_HEAD_BIAS), &raw->head_bias) != CLG_OK ||
        clg_config_switch(c, "do_layer_norm_before", true, &raw->final_norm) != CLG_OK ||
        clg_config_whole(c, "word_embed_proj_dim", 1, 1 << 20, raw->hidden,
                         &raw->embedding_width) != CLG_OK)
        return CLG_BAD_INPUT;
    if (!raw->tie_stated) raw->tied = tied;
    raw->qkv_bias = bias || has(raw, CLG_QKV_BIAS);
    raw->out_bias = (bias && has(raw, CLG_OUT_WITH_QKV)) || has(raw, CLG_OUT_BIAS);
    raw->head_norms = norms && !has(raw, CLG_WIDE_NORMS);
    /* Falcon says "bias" for all linear layers. */
    if (clg_config_switch(c, "bias", false, &bias) != CLG_OK) return CLG_BAD_INPUT;
    if (bias) raw->qkv_bias = raw->out_bias = raw->mlp_bias = true;
    if (clg_config_switch(c, "attn_output_gate", has(raw, CLG_OUTPUT_GATE), &raw->output_gate) !=
        CLG_OK)
        return CLG_BAD_INPUT;
    const clg_json *positions = clg_config_field(c, "position_embedding_type");
    bool none = positions && positions->kind == CLG_JSON_STRING &&
                strcmp(positions->text, "nope") == 0; /* Granite 4 */
    raw->rotary = !none && !has(raw, CLG_POSITIONS | CLG_ALIBI | CLG_NO_POSITIONS);
    return clg_config_whole(c, "num_nextn_predict_layers|num_mtp_modules|mtp_num_hidden_layers", 0,
                            64, 0, &raw->prediction_layers);
}

static clg_status read_states(raw_model *raw) {
    if (clg_state_check_parts(&raw->config, raw->traits, raw->layers) != CLG_OK)
        return CLG_BAD_INPUT;
    return clg_state_read(&raw->config, raw->traits, raw->hidden, raw->heads, raw->head_dim,
                          &raw->state, &raw->state_extra);
}

static clg_layer_part part_of(const raw_model *raw, int64_t layer) {
    return clg_state_part(&raw->config, raw->traits, layer);
}

/* ---- layers ---- */

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
                       .output_gate = raw->output_gate};
    a.indexer = clg_sparse_layer(&raw->config, &raw->sparse, layer);
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

static int64_t mlp_bias_values(const raw_model *raw, const clg_mlp *mlp, int64_t width) {
    return raw->mlp_bias && width > 0 ? (mlp->gated ? 2 : 1) * width + raw->hidden : 0;
}

static clg_layer_parameters extra_of(const raw_model *raw, const clg_layer_kind *kind) {
    const clg_mlp *mlp = &kind->mlp;
    bool moe = mlp->kind == CLG_MLP_MOE;
    clg_layer_parameters extra = {.attention = attention_extra(raw, &kind->attention)};
    extra.mlp = mlp_bias_values(raw, mlp, moe ? mlp->shared_ffn : mlp->ffn);
    clg_attention_kind attention = kind->attention.kind;
    bool attends = attention == CLG_ATTENTION_GROUPED || attention == CLG_ATTENTION_LATENT;
    extra.replicated = attends && raw->out_bias ? raw->hidden : 0;
    if (attends && raw->head_norms) extra.replicated += 2 * raw->head_dim;
    if (attention == CLG_ATTENTION_LINEAR) extra.replicated += raw->state_extra.replicated;
    if (!moe) return extra;
    extra.experts = mlp->experts * mlp_bias_values(raw, mlp, mlp->expert_ffn);
    if (has(raw, CLG_ROUTER_BIAS)) extra.replicated += mlp->experts;
    if (has(raw, CLG_SHARED_GATE) && mlp->shared_ffn > 0) extra.replicated += raw->hidden;
    return extra;
}

static int norm_values(const raw_model *raw) {
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
           a->attention.indexer.shared == b->attention.indexer.shared && a->mlp.kind == b->mlp.kind;
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
                           .norm_values = norm_values(raw)};
    kind.extra = extra_of(raw, &kind);
    return kind;
}

static clg_status spread_layers(clg_arena *arena, const raw_model *raw, clg_model *model) {
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

/* Multi-token prediction as DeepSeek-V3 has it (arXiv:2412.19437, section 2.2): two norms, a
 * 2h x h projection, a layer like the last and a norm; embedding and head are shared. Where layers
 * share an indexer's choice the module's has its own (GLM-5.2's checkpoint). */
static int64_t prediction_parameters(const raw_model *raw, const clg_model *model) {
    const clg_layer_kind *last = &model->kind[model->layer_kind[raw->layers - 1]];
    const clg_layer_parameters *p = &last->parameters;
    int64_t layer = p->attention + p->mlp + p->experts + p->replicated;
    clg_attention own = last->attention;
    own.indexer.shared = false;
    if (last->attention.indexer.shared) layer += clg_indexer_parameters(model, &own);
    return raw->prediction_layers * (layer + 2 * raw->hidden * raw->hidden + 3 * raw->hidden);
}

static clg_status fill(clg_arena *arena, const raw_model *raw, const char *name, clg_model *model) {
    int64_t rows = raw->vocab;
    if (has(raw, CLG_POSITIONS)) rows += raw->max_seq + (has(raw, CLG_POSITIONS_TWO) ? 2 : 0);
    *model = (clg_model){.name = name,
                         .title = name,
                         .source = raw->config.file,
                         .layers = (int)raw->layers,
                         .hidden = raw->hidden,
                         .vocab = raw->vocab,
                         .tied = raw->tied,
                         .biases = raw->qkv_bias || raw->mlp_bias,
                         .max_seq = raw->max_seq,
                         .prediction_layers = (int)raw->prediction_layers,
                         .embedding_parameters = rows * raw->hidden,
                         .head_parameters = raw->tied ? 0 : raw->vocab * raw->hidden,
                         .final_parameters = norm_values(raw) * raw->hidden};
    if (raw->embedding_width != raw->hidden) /* narrow table, and projections in and out */
        model->embedding_parameters += (raw->embedding_width - raw->hidden) * raw->vocab +
                                       2 * raw->embedding_width * raw->hidden;
    if (!raw->final_norm) model->final_parameters = 0;
    if (has(raw, CLG_EMBEDDING_NORM)) model->embedding_parameters += 2 * raw->hidden;
    if (raw->head_bias) model->head_parameters += raw->vocab;
    if (spread_layers(arena, raw, model) != CLG_OK) return CLG_BAD_INPUT;
    if (!clg_model_countable(model))
        return clg_config_fault(&raw->config, "hidden_size|n_embd|d_model", "check the sizes",
                                "this makes more than 10^16 parameters");
    clg_model_count(model);
    model->prediction_parameters = prediction_parameters(raw, model);
    return CLG_OK;
}

/* "generic" says in the file what a family would imply. */
static clg_status read_generic(raw_model *raw) {
    static const struct {
        const char *field;
        unsigned trait;
        bool otherwise;
    } switches[] = {{"gated_mlp", CLG_GATED, true},
                    {"layer_norm", CLG_LAYER_NORM | CLG_NORM_BIAS, false},
                    {"learned_positions", CLG_POSITIONS, false},
                    {"parallel_residual", CLG_PARALLEL, false},
                    {"relative_positions", CLG_RELATIVE, false},
                    {"linear_bias", CLG_QKV_BIAS | CLG_OUT_BIAS | CLG_MLP_BIAS, false}};
    const clg_json *type = clg_config_field(&raw->config, "model_type");
    if (strcmp(type->text, "generic") != 0) return CLG_OK;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        bool on;
        if (clg_config_switch(&raw->config, switches[i].field, switches[i].otherwise, &on) !=
            CLG_OK)
            return CLG_BAD_INPUT;
        raw->traits = on ? raw->traits | switches[i].trait : raw->traits & ~switches[i].trait;
    }
    if (clg_config_field(&raw->config, "kv_lora_rank")) raw->traits |= CLG_LATENT;
    return CLG_OK;
}

/* Names and sources of the presets stand in an object of their own ("ceiling"). */
static void read_label(clg_arena *arena, const clg_json *root, clg_model *model) {
    const clg_json *label = clg_json_member(root, "ceiling");
    const clg_json *title = clg_json_member(label, "title");
    const clg_json *source = clg_json_member(label, "source");
    if (title && title->kind == CLG_JSON_STRING)
        model->title = clg_arena_copy(arena, title->text, title->text_size);
    if (source && source->kind == CLG_JSON_STRING)
        model->source = clg_arena_copy(arena, source->text, source->text_size);
}

/* Multimodal models say it beside the text model or in it. */
static void read_stored(clg_arena *arena, const clg_json *root, clg_model *model) {
    const char *method;
    const clg_config whole = {model->name, root, NULL, clg_json_member(root, "text_config")};
    if (!clg_config_stored(&whole, &model->stored, &method))
        model->stored_unknown = clg_arena_copy(arena, method, strlen(method));
}

clg_status clg_model_read(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_model *model, clg_error *error) {
    clg_json *root;
    if (clg_json_parse(arena, name, text, size, &root, error) != CLG_OK) return CLG_BAD_INPUT;
    raw_model raw = {.config = {name, root, error, NULL}};
    if (root->kind != CLG_JSON_OBJECT)
        return clg_config_fault(&raw.config, "model_type", "give a Hugging Face config.json",
                                "this is no JSON object");
    if (find_family(arena, &raw) != CLG_OK || read_generic(&raw) != CLG_OK ||
        read_sizes(&raw) != CLG_OK || read_kv_heads(&raw) != CLG_OK || read_ffn(&raw) != CLG_OK ||
        read_latent(&raw) != CLG_OK || read_experts(&raw) != CLG_OK ||
        read_expert_layers(&raw) != CLG_OK || read_window(&raw) != CLG_OK ||
        read_switches(&raw) != CLG_OK || read_states(&raw) != CLG_OK ||
        clg_sparse_read(&raw.config, &raw.sparse) != CLG_OK ||
        fill(arena, &raw, clg_arena_print(arena, "%s", name), model) != CLG_OK)
        return CLG_BAD_INPUT;
    read_label(arena, root, model);
    read_stored(arena, root, model);
    return CLG_OK;
}
