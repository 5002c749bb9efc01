/* read_config.c -- a Hugging Face config.json into a model.
 *
 * Names of fields: config.h; what none of them says: family.h; of one layer: read_layers.c. */
#include "dataset/kept.h"
#include "model/raw_model.h"

#include <string.h>

/* ---- sizes ---- */

/* Names of widths that count gate and up together. */
static const char *const joint_widths = "mlp_hidden_size|mlp_ratio";

/* Without a number the list of layers says how many. */
static clg_status read_depth(raw_model *raw) {
    const char *names = "num_hidden_layers|n_layer|n_layers|num_layers";
    const clg_json *list = clg_config_field(&raw->config, "layers_block_type");
    if (clg_config_field(&raw->config, names) || !list || list->kind != CLG_JSON_ARRAY ||
        list->count < 1 || list->count > 10000)
        return clg_config_needed(&raw->config, names, "the number of layers", 10000, &raw->layers);
    raw->layers = (int64_t)list->count;
    return CLG_OK;
}

static const char *const heads_names =
    "num_attention_heads|n_head|n_heads|num_heads|attention_heads";

static clg_status read_heads(raw_model *raw) {
    if (!clg_config_field(&raw->config, heads_names))
        return clg_config_needed(&raw->config, heads_names, "the number of heads", 1, &raw->heads);
    return clg_config_of_layer(&raw->config, heads_names, 0, 1 << 16, 1, &raw->heads);
}

static clg_status read_sizes(raw_model *raw) {
    const clg_config *c = &raw->config;
    if (clg_config_needed(c, "hidden_size|n_embd|d_model|n_embed", "the hidden width", 1 << 20,
                          &raw->hidden) != CLG_OK ||
        read_depth(raw) != CLG_OK || read_heads(raw) != CLG_OK ||
        clg_config_needed(c,
                          clg_config_field(c, joint_widths) ? "embedding_size|vocab_size"
                                                            : "vocab_size|padded_vocab_size",
                          "the vocabulary", 1 << 28, &raw->vocab) != CLG_OK ||
        clg_config_whole(c,
                         "max_position_embeddings|n_positions|max_sequence_length|max_seq_len|"
                         "seq_length|n_ctx",
                         1, 1 << 30, 0, &raw->max_seq) != CLG_OK)
        return CLG_BAD_INPUT;
    if (raw->max_seq == 0 && has(raw, CLG_POSITIONS)) raw->max_seq = 2048; /* rows of its table */
    if (!clg_config_field(c, "head_dim|attention_head_dim|kv_channels") && !has(raw, CLG_LATENT) &&
        raw->hidden % raw->heads != 0)
        return clg_config_fault(c, heads_names, "fix one of the two, or give head_dim",
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
    /* Beside multi_query num_kv_heads counts only in the new decoder architecture. */
    const char *names =
        one && !decoder
            ? "num_key_value_heads"
            : "num_key_value_heads|num_kv_heads|n_head_kv|attn_config.kv_n_heads|n_kv_heads|"
              "multi_query_group_num|num_attention_groups";
    return clg_config_of_layer(c, names, 0, 1 << 16, otherwise, &raw->kv_heads);
}

/* LFM2: a width that is of two matrices, of three, in steps (configuration_lfm2.py). */
static clg_status read_adjusted(raw_model *raw) {
    const clg_config *c = &raw->config;
    bool adjusted;
    int64_t step;
    if (clg_config_switch(c, "block_auto_adjust_ff_dim", false, &adjusted) != CLG_OK ||
        clg_config_whole(c, "block_multiple_of", 1, 1 << 16, 256, &step) != CLG_OK)
        return CLG_BAD_INPUT;
    const clg_json *times = clg_config_field(c, "block_ffn_dim_multiplier");
    if (!adjusted) return CLG_OK;
    double width = (double)(2 * raw->ffn / 3);
    if (times && times->kind == CLG_JSON_NUMBER && times->number > 0 && times->number < 100)
        width *= times->number;
    raw->ffn = ((int64_t)width + step - 1) / step * step;
    return CLG_OK;
}

static clg_status read_ffn(raw_model *raw) {
    const clg_config *c = &raw->config;
    int64_t ratio;
    if (clg_config_whole(c, "expansion_ratio|mlp_ratio", 1, 64, 4, &ratio) != CLG_OK ||
        clg_config_of_layer(
            c,
            "block_ff_dim|intermediate_size|ffn_dim|n_inner|ffn_hidden_size|mlp_hidden_size|"
            "ffn_config.ffn_hidden_size",
            0, 1 << 24, ratio * raw->hidden, &raw->ffn) != CLG_OK)
        return CLG_BAD_INPUT;
    bool own = !clg_config_field(c, "intermediate_size") && clg_config_field(c, joint_widths);
    if (raw->together || own) raw->ffn /= 2;
    if (read_adjusted(raw) != CLG_OK) return CLG_BAD_INPUT;
    /* intermediate_size is that of experts; state space models have the shared one */
    const char *names = has(raw, CLG_SELECTIVE) && !has(raw, CLG_ONE_PART)
                            ? "shared_intermediate_size"
                            : "intermediate_size_mlp|dense_intermediate_size";
    return clg_config_whole(c, names, 1, 1 << 24, raw->ffn, &raw->dense_ffn);
}

static clg_status read_latent(raw_model *raw) {
    const clg_config *c = &raw->config;
    int64_t nope;
    bool off = clg_config_field(c, "use_mla") != NULL; /* its widths are then 0 */
    if (!has(raw, CLG_LATENT))                         /* values may be narrower than keys */
        return clg_config_whole(c, off ? "" : "v_head_dim", 1, 1 << 16, raw->head_dim,
                                &raw->value_head_dim);
    if (clg_config_whole(c, "q_lora_rank", 1, 1 << 20, 0, &raw->query_rank) != CLG_OK ||
        clg_config_needed(c, "kv_lora_rank", "the low rank of keys and values", 1 << 20,
                          &raw->kv_rank) != CLG_OK ||
        clg_config_needed(c, "qk_nope_head_dim", "the width of a head without rotation", 1 << 16,
                          &nope) != CLG_OK ||
        clg_config_needed(c, "qk_rope_head_dim", "the rotated width of a head", 1 << 16,
                          &raw->rope_dim) != CLG_OK)
        return CLG_BAD_INPUT;
    /* Heads of hidden / heads without rotation: values have that width where no other is said. */
    bool usual = nope == raw->head_dim && !clg_config_field(c, "v_head_dim");
    if (usual) raw->value_head_dim = nope;
    if (!usual && clg_config_needed(c, "v_head_dim", "the width of a value head", 1 << 16,
                                    &raw->value_head_dim) != CLG_OK)
        return CLG_BAD_INPUT;
    raw->head_dim = nope + raw->rope_dim;
    return CLG_OK;
}

/* Beside pooled keys queries and the output go through low ranks. */
static clg_status read_pooled(raw_model *raw) {
    const clg_config *c = &raw->config;
    if (clg_config_whole(c, "hc_mult", 1, 64, 1, &raw->streams) != CLG_OK ||
        clg_config_whole(c, "o_lora_rank", 0, 1 << 20, 0, &raw->output_rank) != CLG_OK ||
        clg_pooled_read(c, raw->layers, &raw->pooled) != CLG_OK)
        return CLG_BAD_INPUT;
    static const char *const mend = "leave it out, or set it to null, to price a model without it";
    if (raw->pooled.found && has(raw, CLG_LATENT))
        return clg_config_fault(c, "compress_ratios|layer_types", mend,
                                "pooled keys of latent attention are not modelled");
    if (!raw->pooled.found && raw->output_rank > 0)
        return clg_config_fault(c, "o_lora_rank", mend,
                                "a low rank of attention's output is not modelled without pooled "
                                "keys (compress_ratios)");
    if (!raw->pooled.found) return CLG_OK;
    if (clg_config_whole(c, "q_lora_rank", 1, 1 << 20, 0, &raw->query_rank) != CLG_OK ||
        clg_config_whole(c, "qk_rope_head_dim", 1, raw->head_dim, raw->head_dim, &raw->rope_dim) !=
            CLG_OK ||
        clg_config_whole(c, "o_groups", 1, raw->heads, 1, &raw->output_groups) != CLG_OK)
        return CLG_BAD_INPUT;
    if (raw->heads % raw->output_groups == 0) return CLG_OK;
    return clg_config_fault(c, "o_groups", "give a divisor of the heads",
                            "the heads are no multiple of the groups");
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
                          "moe_topk|moe_k|moe_top_k|top_k_experts|ffn_config.moe_top_k",
                          "the number of experts a token visits", raw->experts,
                          &raw->experts_per_token) != CLG_OK ||
        clg_config_whole(c, "moe_intermediate_size", 1, 1 << 24, raw->ffn, &raw->expert_ffn) !=
            CLG_OK ||
        clg_config_whole(c, "moe_latent_size|routed_expert_hidden_size", 1, raw->hidden, 0,
                         &raw->latent) != CLG_OK ||
        clg_config_switch(c, "latent_moe_use_norm", false, &raw->latent_norm) != CLG_OK ||
        clg_config_switch(c, "enable_moe_block", false, &raw->dense_beside) != CLG_OK ||
        clg_config_whole(c, "n_group", 0, 1 << 16, 0, &raw->groups) != CLG_OK ||
        clg_config_whole(c, "topk_group", 0, 1 << 16, 0, &raw->groups_per_token) != CLG_OK ||
        clg_config_whole(
            c, "n_shared_experts|num_shared_experts|num_shared_expert|moe_num_shared_experts", 0,
            1 << 16, 0, &shared) != CLG_OK ||
        clg_config_whole(c,
                         "shared_expert_intermediate_size|shared_intermediate_size|"
                         "moe_shared_expert_intermediate_size|share_expert_dim|share_expert_dims",
                         0, 1 << 24, shared * raw->expert_ffn, &raw->shared_ffn) != CLG_OK)
        return CLG_BAD_INPUT;
    const clg_json *limit = clg_config_field(c, "swiglu_limit");
    raw->clamped = limit && limit->kind == CLG_JSON_NUMBER;
    if (clg_config_field(c, "interleave_moe_layer_step")) /* one shared expert each */
        raw->shared_ffn = raw->expert_ffn;
    if (raw->dense_beside) raw->shared_ffn = raw->dense_ffn;
    return CLG_OK;
}

/* Which layers have experts: all but the first few, or every n-th. */
static clg_status read_expert_layers(raw_model *raw) {
    const clg_config *c = &raw->config;
    return clg_config_whole(c, "first_k_dense_replace|moe_layer_start_index|num_dense_layers", 0,
                            10000, 0, &raw->dense_first) != CLG_OK ||
                   clg_config_whole(c, "decoder_sparse_step|interleave_moe_layer_step", 1, 10000, 1,
                                    &raw->moe_every) != CLG_OK
               ? CLG_BAD_INPUT
               : CLG_OK;
}

/* ---- windows and switches ---- */

static clg_status read_window(raw_model *raw) {
    const clg_config *c = &raw->config;
    bool used, listed = clg_config_field(c, "attention_layers|attention_types") != NULL;
    const char *windows =
        listed ? "window_size" : "sliding_window|sliding_window_size|attention_chunk_size";
    const clg_json *pattern = clg_config_field(c, "sliding_window_pattern");
    bool letters = pattern && pattern->kind == CLG_JSON_STRING && pattern->text_size > 0 &&
                   pattern->text[pattern->text_size - 1] == 'G'; /* "LLLG" */
    if (clg_config_switch(c, "use_sliding_window", !has(raw, CLG_WINDOW_OFF), &used) != CLG_OK ||
        clg_config_whole(c, windows, 1, 1 << 30, 0, &raw->window) != CLG_OK ||
        (!letters && clg_config_whole(c,
                                      "sliding_window_pattern|_sliding_window_pattern|layer_switch|"
                                      "global_attn_every_n_layers",
                                      1, 10000, 0, &raw->window_every) != CLG_OK))
        return CLG_BAD_INPUT;
    raw->chunked = clg_config_field(c, "attention_chunk_size") &&
                   !clg_config_field(c, "sliding_window|sliding_window_size");
    if (letters) raw->window_every = (int64_t)pattern->text_size;
    if (!used) raw->window = 0;
    if (raw->window_every == 0) raw->window_every = raw->family_window_every;
    return CLG_OK;
}

/* What is no number is not: shares that drop nothing out, caps that are null. */
static bool is_above_0(const clg_config *config, const char *names) {
    const clg_json *share = clg_config_field(config, names);
    return share && share->kind == CLG_JSON_NUMBER && share->number > 0;
}

/* "gelu_new" is elementary operations (transformers NewGELUActivation), other names a kernel. */
static void read_code(raw_model *raw) {
    const clg_config *c = &raw->config;
    const clg_json *act = clg_config_field(c, "activation_function|hidden_act|hidden_activation");
    raw->gelu_in_steps = act && act->kind == CLG_JSON_STRING && strcmp(act->text, "gelu_new") == 0;
    raw->attention_dropout =
        is_above_0(c, "attn_pdrop|attention_dropout|attention_probs_dropout_prob");
    raw->hidden_dropout = is_above_0(c, "resid_pdrop|hidden_dropout|hidden_dropout_prob|dropout");
    raw->capped_logits = is_above_0(c, "final_logit_softcapping");
}

static clg_status read_switches(raw_model *raw) {
    const clg_config *c = &raw->config;
    bool bias, norms, tied;
    read_code(raw);
    if (clg_config_switch(c, "attention_bias|qkv_bias|use_qkv_bias|add_qkv_bias", false, &bias) !=
            CLG_OK ||
        clg_config_switch(c, "mlp_bias", has(raw, CLG_MLP_BIAS), &raw->mlp_bias) != CLG_OK ||
        clg_config_switch(c, "tie_word_embeddings|tie_embeddings|tie_embedding|weight_tying",
                          has(raw, CLG_TIED), &tied) != CLG_OK ||
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
    /* "bias" is of all linear layers. */
    if (clg_config_switch(c, "bias", false, &bias) != CLG_OK) return CLG_BAD_INPUT;
    if (bias) raw->qkv_bias = raw->out_bias = true;
    if (bias && !has(raw, CLG_GATED)) raw->mlp_bias = true; /* InternLM: attention's alone */
    if (clg_config_switch(c, "attn_output_gate|attention_output_gate|mla_use_output_gate",
                          has(raw, CLG_OUTPUT_GATE), &raw->output_gate) != CLG_OK ||
        clg_config_switch(c, "use_head_wise_attn_gate", false, &raw->head_gate) != CLG_OK)
        return CLG_BAD_INPUT;
    const clg_json *positions = clg_config_field(c, "position_embedding_type");
    bool none =
        positions && positions->kind == CLG_JSON_STRING && strcmp(positions->text, "nope") == 0;
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
                         .gelu_in_steps = raw->gelu_in_steps,
                         .attention_dropout = raw->attention_dropout,
                         .hidden_dropout = raw->hidden_dropout,
                         .capped_logits = raw->capped_logits,
                         .max_seq = raw->max_seq,
                         .streams = (int)raw->streams,
                         .prediction_layers = (int)raw->prediction_layers,
                         .embedding_parameters = rows * raw->hidden,
                         .head_parameters = raw->tied ? 0 : raw->vocab * raw->hidden,
                         .final_parameters = clg_raw_norm_values(raw) * raw->hidden};
    if (raw->embedding_width != raw->hidden) /* narrow table, and projections in and out */
        model->embedding_parameters += (raw->embedding_width - raw->hidden) * raw->vocab +
                                       2 * raw->embedding_width * raw->hidden;
    model->layer_input = raw->layer_input;
    model->mixed_layers = (int)raw->mixed_layers;
    model->layer_tables = raw->layer_input_vocab * raw->layers * raw->layer_input;
    model->embedding_parameters += model->layer_tables + raw->layer_input; /* and a norm */
    if (!raw->final_norm) model->final_parameters = 0;
    if (has(raw, CLG_EMBEDDING_NORM)) model->embedding_parameters += 2 * raw->hidden;
    if (raw->head_bias) model->head_parameters += raw->vocab;
    if (clg_raw_layers(arena, raw, model) != CLG_OK) return CLG_BAD_INPUT;
    if (!clg_model_countable(model))
        return clg_config_fault(&raw->config, "hidden_size|n_embd|d_model", "check the sizes",
                                "this makes more than 10^16 parameters");
    clg_model_count(model);
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
    const clg_config whole = {model->name, root, NULL, clg_json_member(root, "text_config"), NULL};
    const clg_json *experts = clg_config_field(&whole, "expert_dtype");
    if (!clg_config_stored(&whole, &model->stored, &method))
        model->stored_unknown = clg_arena_copy(arena, method, strlen(method));
    model->stored_beside = CLG_BF16;
    model->stored_blocks = model->stored == CLG_FP8 && clg_config_blocks(&whole);
    if (!experts || experts->kind != CLG_JSON_STRING || strcmp(experts->text, "fp4") != 0) return;
    model->stored_beside = model->stored; /* experts alone are narrower */
    model->stored_blocks = false;
    model->stored = CLG_MXFP4;
}

clg_status clg_model_read(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_model *model, clg_error *error) {
    const clg_json *root;
    if (clg_dataset_parse(arena, name, text, size, &root, error) != CLG_OK) return CLG_BAD_INPUT;
    clg_config_asked asked = {.count = 0};
    raw_model raw = {.config = {name, root, error, NULL, &asked}};
    if (root->kind != CLG_JSON_OBJECT)
        return clg_config_fault(&raw.config, "model_type", "give a Hugging Face config.json",
                                "this is no JSON object");
    if (clg_raw_family(arena, &raw) != CLG_OK || clg_raw_priced(&raw) != CLG_OK ||
        read_sizes(&raw) != CLG_OK || read_kv_heads(&raw) != CLG_OK || read_ffn(&raw) != CLG_OK ||
        read_latent(&raw) != CLG_OK || read_pooled(&raw) != CLG_OK ||
        read_experts(&raw) != CLG_OK || read_expert_layers(&raw) != CLG_OK ||
        read_window(&raw) != CLG_OK || read_switches(&raw) != CLG_OK ||
        clg_raw_sharing(&raw) != CLG_OK || read_states(&raw) != CLG_OK ||
        clg_sparse_read(&raw.config, &raw.sparse) != CLG_OK ||
        fill(arena, &raw, clg_arena_print(arena, "%s", name), model) != CLG_OK)
        return CLG_BAD_INPUT;
    char unread[160];
    clg_config_unread(&raw.config, unread, sizeof unread);
    if (unread[0]) model->unread = clg_arena_print(arena, "%s", unread);
    model->multimodal = raw.nested;
    read_label(arena, root, model);
    read_stored(arena, root, model);
    return CLG_OK;
}
