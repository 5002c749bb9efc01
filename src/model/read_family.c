/* read_family.c -- which family a config.json is of, and what that says. */
#include "model/raw_model.h"

#include "base/name.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"

#include <stdio.h>
#include <string.h>

/* Fields that have a meaning here, whatever the family, or that shape nothing. */
static const char *const known_fields =
    " architectures model_type quantization_config hidden_size n_embd n_embed d_model "
    "num_hidden_layers n_layer n_layers num_layers num_attention_heads n_head n_heads num_heads "
    "vocab_size padded_vocab_size num_key_value_heads num_kv_heads n_head_kv n_kv_heads "
    "multi_query_group_num head_dim kv_channels attention_head_dim intermediate_size "
    "intermediate_size_mlp ffn_dim n_inner ffn_hidden_size expansion_ratio "
    "max_position_embeddings n_positions max_sequence_length max_seq_len seq_length n_ctx "
    "n_routed_experts num_local_experts num_experts moe_num_experts num_experts_per_tok "
    "num_experts_per_token experts_per_token moe_topk moe_k moe_intermediate_size "
    "n_shared_experts num_shared_experts moe_num_shared_experts shared_expert_intermediate_size "
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

/* What no part here has: of an architecture (data/model-families-refused.csv), else what such a
 * file switches on; empty: nothing that is known. */
static void find_unpriced(clg_arena *arena, const clg_config *config, const char *type, char *out,
                          size_t size) {
    clg_error error = {0};
    raw_model raw = {.config = *config};
    clg_csv refused = clg_dataset_csv(arena, "model-families-refused.csv");
    raw.config.error = &error;
    out[0] = '\0';
    for (int i = 0; i < refused.rows; i++)
        if (strcmp(clg_csv_field(&refused, i, "model_type"), type) == 0)
            snprintf(out, size, "; not modelled: %.100s",
                     clg_csv_field(&refused, i, "not_modelled"));
    if (!out[0] && clg_raw_priced(&raw) != CLG_OK) snprintf(out, size, "; %.100s", error.message);
}

/* Says why an architecture is not known, or names up to six of its structural fields. */
static clg_status unknown_family(clg_arena *arena, const clg_config *config,
                                 const clg_families *families, const char *type) {
    char fields[240] = "", message[512], needle[80];
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
    const char **names = clg_take(arena, (size_t)families->count, const char *), *near[2];
    for (int i = 0; i < families->count; i++) names[i] = families->family[i].type;
    char ask[120];
    int found = clg_name_near(names, families->count, type, near, 2);
    clg_name_ask(near, found, "", ask, sizeof ask);
    char why[140];
    find_unpriced(arena, config, type, why, sizeof why);
    if (why[0]) fields[0] = ask[0] = '\0', found = 0;
    snprintf(message, sizeof message, "'%.40s' is an architecture ceiling cannot map%s%s%s%s", type,
             why, fields[0] ? " (no meaning here has: " : "", fields, fields[0] ? ")" : "");
    char mend[440];
    snprintf(mend, sizeof mend,
             "%s%sto describe it by hand write \"model_type\": \"generic\" and keep hidden_size, "
             "num_hidden_layers, num_attention_heads, num_key_value_heads, intermediate_size, "
             "vocab_size, for experts num_experts, num_experts_per_tok, moe_intermediate_size; "
             "docs/formats.md has the rest",
             ask, found > 0 ? " Or " : "");
    return clg_config_fault(config, "model_type", mend, message);
}

/* Sizes that a text_config of this type may leave out. */
static clg_status read_defaults(clg_arena *arena, clg_config *config, const char *type) {
    const clg_file *file =
        strlen(type) < 64 ? clg_dataset_find(clg_arena_print(arena, "text-config/%s.json", type))
                          : NULL;
    const clg_json *parsed;
    if (!file) return CLG_OK;
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &parsed, config->error) !=
        CLG_OK)
        return CLG_BAD_INPUT;
    config->defaults = parsed;
    return CLG_OK;
}

/* A language model goes by its name, or by that of the whole and "_text". */
static const clg_family *family_of(clg_arena *arena, const clg_families *families,
                                   const char *type) {
    const clg_family *family = clg_family_find(families, type);
    if (family || strlen(type) > 64) return family;
    return clg_family_find(families, clg_arena_print(arena, "%s_text", type));
}

/* Multimodal models keep the language model in text_config. */
static clg_status find_family(clg_arena *arena, raw_model *raw) {
    clg_config *config = &raw->config;
    const clg_json *text = clg_config_field(config, "text_config|language_config|llm_config|"
                                                    "thinker_config.text_config");
    const clg_json *whole = config->root;
    bool nested = text && text->kind == CLG_JSON_OBJECT;
    /* What the whole model says of its embeddings goes before what its language model does. */
    if (nested && clg_config_switch(config, "tie_word_embeddings", false, &raw->tied) != CLG_OK)
        return CLG_BAD_INPUT;
    raw->nested = nested;
    raw->tie_stated = nested && clg_config_field(config, "tie_word_embeddings");
    if (nested) config->root = text;
    const clg_json *type = clg_config_field(config, "model_type");
    if (!type && nested) type = clg_json_member(whole, "model_type");
    if (!type || type->kind != CLG_JSON_STRING)
        return clg_config_fault(config, "model_type",
                                "add \"model_type\", or \"generic\" with the sizes",
                                "the file does not say which architecture it is");
    clg_families families = clg_families_read(arena);
    const clg_family *family = family_of(arena, &families, type->text);
    if (!family) return unknown_family(arena, config, &families, type->text);
    raw->traits = family->traits;
    raw->family_window_every = family->window_every;
    raw->together = family->together;
    /* A later generation of a family may say that its norms are per head after all. */
    const clg_json *norms = clg_config_field(config, "qk_norm_type");
    if (norms && norms->kind == CLG_JSON_STRING && strcmp(norms->text, "per_head") == 0)
        raw->traits = (raw->traits & ~(unsigned)CLG_WIDE_NORMS) | CLG_HEAD_NORMS;
    bool latent; /* small ones of a type may have heads of their own */
    if (clg_config_switch(config, "use_mla", true, &latent) != CLG_OK) return CLG_BAD_INPUT;
    if (!latent) raw->traits &= ~(unsigned)CLG_LATENT;
    return nested ? read_defaults(arena, config, family->type) : CLG_OK;
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
                    {"router_bias", CLG_ROUTER_BIAS, false},
                    {"shared_gate", CLG_SHARED_GATE, false},
                    {"linear_bias", CLG_QKV_BIAS | CLG_OUT_BIAS | CLG_MLP_BIAS, false}};
    const clg_json *type = clg_config_field(&raw->config, "model_type");
    if (!type || strcmp(type->text, "generic") != 0) return CLG_OK;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        bool on;
        if (clg_config_switch(&raw->config, switches[i].field, switches[i].otherwise, &on) !=
            CLG_OK)
            return CLG_BAD_INPUT;
        raw->traits = on ? raw->traits | switches[i].trait : raw->traits & ~switches[i].trait;
    }
    bool beside; /* on queries, keys and values alone */
    if (clg_config_switch(&raw->config, "query_key_value_bias", false, &beside) != CLG_OK)
        return CLG_BAD_INPUT;
    if (beside) raw->traits |= CLG_QKV_BIAS;
    if (clg_config_field(&raw->config, "kv_lora_rank")) raw->traits |= CLG_LATENT;
    return CLG_OK;
}

clg_status clg_raw_family(clg_arena *arena, raw_model *raw) {
    return find_family(arena, raw) == CLG_OK ? read_generic(raw) : CLG_BAD_INPUT;
}
