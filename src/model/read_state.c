/* read_state.c -- layers that keep a state instead of keys and values: their shapes in a
 * config.json.
 *
 * After the code of models (transformers 5 modeling_qwen3_next.py, modeling_qwen3_5.py,
 * modeling_nemotron_h.py, modeling_granitemoehybrid.py, modeling_minimax.py;
 * moonshotai/Kimi-Linear-48B-A3B-Instruct modeling_kimi.py). */
#include "model/state.h"

#include "model/family.h"

#include <string.h>

/* Kernels of flash-linear-attention take 64 tokens at a time (fla/ops/gated_delta_rule/chunk.py,
 * fla/ops/kda/chunk.py), those of lightning attention 256 (arXiv:2501.08313, section 2.2). */
enum { DELTA_CHUNK = 64, LIGHTNING_CHUNK = 256 };

int64_t clg_state_values(const clg_attention *a) {
    if (a->kind != CLG_ATTENTION_LINEAR) return 0;
    return (int64_t)a->heads * a->head_dim * a->value_head_dim;
}

int64_t clg_state_channels(const clg_attention *a) {
    if (a->kind != CLG_ATTENTION_LINEAR || a->convolution == 0) return 0;
    return 2 * (int64_t)a->kv_heads * a->head_dim + (int64_t)a->heads * a->value_head_dim;
}

/* Queries, keys, values; the output's gate; per head decay and step, or the step alone where decays
 * come through a low rank; nothing where the decay is fixed. */
int64_t clg_state_columns(const clg_attention *a) {
    if (a->kind != CLG_ATTENTION_LINEAR) return 0;
    int64_t keys = 2 * (int64_t)a->kv_heads * a->head_dim;
    int64_t values = (int64_t)a->heads * a->value_head_dim;
    switch (a->state) {
    case CLG_STATE_GATED_DELTA:
        return keys + 2 * values + 2 * a->heads;
    case CLG_STATE_CHANNEL_DELTA:
        return keys + values + a->heads + (a->whole_gate ? values : 0);
    case CLG_STATE_CONVOLUTION:
        return 3 * values;
    case CLG_STATE_SPACE:
        return keys + 2 * values + a->heads;
    default:
        return keys + 2 * values;
    }
}

int64_t clg_state_gate_rank(const clg_attention *a) {
    bool low = a->kind == CLG_ATTENTION_LINEAR && a->state == CLG_STATE_CHANNEL_DELTA;
    return low ? a->head_dim : 0;
}

/* Of the decay, and of the output's gate. */
int clg_state_low_gates(const clg_attention *a) {
    return clg_state_gate_rank(a) == 0 ? 0 : a->whole_gate ? 1 : 2;
}

double clg_state_flop_per_token(const clg_attention *a) {
    bool delta = a->state == CLG_STATE_GATED_DELTA || a->state == CLG_STATE_CHANNEL_DELTA;
    return (delta ? 6.0 : 4.0) * (double)clg_state_values(a);
}

/* ---- which layers */

static bool lists(const clg_json *list, int64_t value) {
    const clg_json *item = list && list->kind == CLG_JSON_ARRAY ? list->first : NULL;
    for (; item; item = item->next)
        if (item->kind == CLG_JSON_NUMBER && item->number == (double)value) return true;
    return false;
}

static const char *const pattern_names = "hybrid_override_pattern|hybrid_layer_pattern";
static const char *const block_names = "layers_block_type";

/* What the letters of a pattern of parts and the words of such a list stand for. */
static bool part_of(const char *word, size_t size, clg_layer_part *part) {
    static const struct {
        const char *letter, *word;
        clg_layer_part part;
    } parts[] = {{"M", "mamba", CLG_LAYER_STATE},
                 {"*", "attention", CLG_LAYER_ATTENTION},
                 {"-", "mlp", CLG_LAYER_MLP},
                 {"E", "moe", CLG_LAYER_EXPERTS}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool letter = size == 1 && word[0] == parts[i].letter[0];
        if (!letter && (size != strlen(parts[i].word) || memcmp(word, parts[i].word, size) != 0))
            continue;
        *part = parts[i].part;
        return true;
    }
    return false;
}

static bool one_part(const clg_config *c, int64_t layer, clg_layer_part *part) {
    const clg_json *pattern = clg_config_field(c, pattern_names);
    if (pattern && pattern->kind == CLG_JSON_STRING)
        return layer < (int64_t)pattern->text_size && part_of(pattern->text + layer, 1, part);
    const clg_json *blocks = clg_config_field(c, block_names),
                   *block = clg_config_item(blocks, layer);
    if (!pattern && !blocks && clg_config_field(c, "state_size")) { /* all alike */
        *part = CLG_LAYER_STATE;
        return true;
    }
    return block && block->kind == CLG_JSON_STRING && part_of(block->text, block->text_size, part);
}

/* Without a list every fourth layer attends, unless full_attention_interval differs. */
static bool attends_by_interval(const clg_config *c, int64_t layer) {
    const clg_json *interval = clg_config_field(c, "full_attention_interval");
    int64_t every = 4;
    if (interval && interval->kind == CLG_JSON_NUMBER && interval->number >= 1 &&
        interval->number <= 10000)
        every = (int64_t)interval->number;
    return (layer + 1) % every == 0;
}

clg_layer_part clg_state_part(const clg_config *c, unsigned traits, int64_t layer) {
    clg_layer_part part = CLG_LAYER_WHOLE;
    if (traits & CLG_ONE_PART) return one_part(c, layer, &part) ? part : CLG_LAYER_MLP;
    if (traits & CLG_CHANNEL_DELTA) /* counted from 1 */
        return lists(clg_config_field(c, "linear_attn_config.full_attn_layers"), layer + 1)
                   ? CLG_LAYER_WHOLE
                   : CLG_LAYER_STATE;
    const clg_json *attending = clg_config_field(c, "attn_layer_indices");
    if ((traits & CLG_SELECTIVE) && attending)
        return lists(attending, layer) ? CLG_LAYER_WHOLE : CLG_LAYER_STATE;
    const clg_json *item = clg_config_item(clg_config_field(c, "attn_type_list"), layer);
    if (item && item->kind == CLG_JSON_NUMBER) /* 0 lightning attention, 1 softmax */
        return item->number == 0 ? CLG_LAYER_STATE : CLG_LAYER_WHOLE;
    item = clg_config_item(clg_config_field(c, "layer_types"), layer);
    if (item && item->kind == CLG_JSON_STRING)
        return strncmp(item->text, "linear", 6) == 0 || strcmp(item->text, "mamba") == 0 ||
                       strstr(item->text, "conv")
                   ? CLG_LAYER_STATE
                   : CLG_LAYER_WHOLE;
    return (traits & CLG_DELTA) && !attends_by_interval(c, layer) ? CLG_LAYER_STATE : part;
}

static const char *const wrong_parts =
    "a layer is one of M (mamba), * (attention), - (MLP), E (experts), as many as layers";

clg_status clg_state_check_parts(const clg_config *c, unsigned traits, int64_t layers) {
    clg_layer_part part;
    if (!(traits & CLG_ONE_PART)) return CLG_OK;
    const clg_json *pattern = clg_config_field(c, pattern_names);
    const char *names = pattern ? pattern_names : block_names;
    if (pattern && pattern->kind == CLG_JSON_STRING && (int64_t)pattern->text_size != layers)
        return clg_config_fault(c, names, wrong_parts, "as long as the model it is not");
    for (int64_t layer = 0; layer < layers; layer++)
        if (!one_part(c, layer, &part))
            return clg_config_fault(c, names, wrong_parts, "it does not say what a layer is");
    return CLG_OK;
}

/* ---- shapes */

static clg_status whole(const clg_config *c, const char *names, int64_t most, int64_t otherwise,
                        int *value) {
    int64_t read;
    if (clg_config_whole(c, names, 1, most, otherwise, &read) != CLG_OK) return CLG_BAD_INPUT;
    *value = (int)read;
    return CLG_OK;
}

/* Norm and gate of a head's output; decay, and a bias of it, per head. */
static clg_status read_delta(const clg_config *c, clg_attention *a, clg_layer_parameters *extra) {
    a->state = CLG_STATE_GATED_DELTA;
    a->chunk = DELTA_CHUNK;
    if (whole(c, "linear_num_value_heads", 1 << 16, 32, &a->heads) != CLG_OK ||
        whole(c, "linear_num_key_heads", 1 << 16, 16, &a->kv_heads) != CLG_OK ||
        whole(c, "linear_key_head_dim", 1 << 12, 128, &a->head_dim) != CLG_OK ||
        whole(c, "linear_value_head_dim", 1 << 12, 128, &a->value_head_dim) != CLG_OK ||
        whole(c, "linear_conv_kernel_dim", 64, 4, &a->convolution) != CLG_OK)
        return CLG_BAD_INPUT;
    *extra =
        (clg_layer_parameters){.attention = 2 * (int64_t)a->heads, .replicated = a->value_head_dim};
    return CLG_OK;
}

/* The same; the bias of the decay is per channel. */
static clg_status read_channel_delta(const clg_config *c, clg_attention *a,
                                     clg_layer_parameters *extra) {
    a->state = CLG_STATE_CHANNEL_DELTA;
    a->chunk = DELTA_CHUNK;
    if (whole(c, "linear_attn_config.num_heads", 1 << 16, 32, &a->heads) != CLG_OK ||
        whole(c, "linear_attn_config.head_dim", 1 << 12, 128, &a->head_dim) != CLG_OK ||
        whole(c, "linear_attn_config.short_conv_kernel_size", 64, 4, &a->convolution) != CLG_OK)
        return CLG_BAD_INPUT;
    if (clg_config_switch(c, "linear_attn_config.use_full_rank_gate", false, &a->whole_gate) !=
        CLG_OK)
        return CLG_BAD_INPUT;
    a->kv_heads = a->heads;
    a->value_head_dim = a->head_dim;
    *extra = (clg_layer_parameters){.attention = (int64_t)a->heads * (1 + a->head_dim),
                                    .replicated = a->value_head_dim};
    return CLG_OK;
}

/* Per head decay, its bias, and the weight of the skip; a norm over all heads; biases. */
static clg_status read_space(const clg_config *c, int64_t hidden, clg_attention *a,
                             clg_layer_parameters *extra) {
    bool convolution, projections;
    int64_t heads;
    a->state = CLG_STATE_SPACE;
    if (clg_config_needed(c, "mamba_num_heads|mamba_n_heads|num_heads", "the number of Mamba heads",
                          1 << 16, &heads) != CLG_OK)
        return CLG_BAD_INPUT;
    a->heads = (int)heads;
    const char *widths = clg_config_field(c, "state_size")
                             ? "head_dim" /* of files of states alone */
                             : "mamba_head_dim|mamba_d_head";
    const clg_json *width = clg_config_field(c, widths);
    bool given = width && width->kind == CLG_JSON_NUMBER; /* or "auto" */
    int64_t expanded = 2 * hidden / heads;
    if (expanded < 1 || expanded > 1 << 12) expanded = 64;
    a->value_head_dim = (int)expanded;
    if ((given && whole(c, widths, 1 << 12, 64, &a->value_head_dim) != CLG_OK) ||
        whole(c, "ssm_state_size|mamba_state_dim|mamba_d_state|state_size", 1 << 12, 128,
              &a->head_dim) != CLG_OK ||
        whole(c, "n_groups|mamba_num_groups|mamba_n_groups", 1 << 16, 1, &a->kv_heads) != CLG_OK ||
        whole(c, "conv_kernel|mamba_d_conv", 64, 4, &a->convolution) != CLG_OK ||
        whole(c, "chunk_size|mamba_chunk_size", 1 << 12, 256, &a->chunk) != CLG_OK ||
        clg_config_switch(c, "use_conv_bias|mamba_conv_bias", true, &convolution) != CLG_OK ||
        clg_config_switch(c, "use_bias|mamba_proj_bias", false, &projections) != CLG_OK)
        return CLG_BAD_INPUT;
    int64_t inner = heads * a->value_head_dim;
    extra->attention = 3 * heads + inner + (convolution ? clg_state_channels(a) : 0) +
                       (projections ? clg_state_columns(a) : 0);
    extra->replicated = projections ? hidden : 0;
    return CLG_OK;
}

/* A gate of the output and a norm over all heads. */
static clg_status read_lightning(int64_t heads, int64_t head_dim, clg_attention *a,
                                 clg_layer_parameters *extra) {
    a->state = CLG_STATE_LIGHTNING;
    a->heads = a->kv_heads = (int)heads;
    a->head_dim = a->value_head_dim = (int)head_dim;
    a->chunk = LIGHTNING_CHUNK;
    extra->attention = heads * head_dim;
    return CLG_OK;
}

/* Three times the hidden width, of which one is convolved; by heads for tensor ranks alone. */
static clg_status read_convolution(const clg_config *c, int64_t hidden, int64_t heads,
                                   clg_attention *a, clg_layer_parameters *extra) {
    bool bias;
    if (whole(c, "conv_L_cache", 64, 3, &a->convolution) != CLG_OK ||
        clg_config_switch(c, "conv_bias", false, &bias) != CLG_OK)
        return CLG_BAD_INPUT;
    a->state = CLG_STATE_CONVOLUTION;
    a->heads = a->kv_heads = (int)heads;
    a->value_head_dim = (int)(hidden / heads);
    a->chunk = 1;
    extra->attention = bias ? 4 * hidden : 0;
    extra->replicated = bias ? hidden : 0;
    return CLG_OK;
}

clg_status clg_state_read(const clg_config *c, unsigned traits, int64_t hidden, int64_t heads,
                          int64_t head_dim, clg_attention *a, clg_layer_parameters *extra) {
    *a = (clg_attention){0};
    *extra = (clg_layer_parameters){0};
    bool lightning = clg_config_field(c, "attn_type_list") || clg_config_field(c, "layer_types");
    if (!lightning && !(traits & (CLG_DELTA | CLG_CHANNEL_DELTA | CLG_SELECTIVE))) return CLG_OK;
    a->kind = CLG_ATTENTION_LINEAR;
    clg_status status = traits & CLG_DELTA           ? read_delta(c, a, extra)
                        : traits & CLG_CHANNEL_DELTA ? read_channel_delta(c, a, extra)
                        : traits & CLG_SELECTIVE     ? read_space(c, hidden, a, extra)
                        : clg_config_field(c, "conv_L_cache")
                            ? read_convolution(c, hidden, heads, a, extra)
                            : read_lightning(heads, head_dim, a, extra);
    const clg_json *type = clg_config_field(c, "mamba_ssm_dtype|mamba_ssm_cache_dtype");
    if (type && type->kind == CLG_JSON_STRING)
        a->state_bytes = strcmp(type->text, "float32") == 0 ? 4 : 2;
    if (status != CLG_OK || a->heads % a->kv_heads == 0) return status;
    return clg_config_fault(c, "linear_num_key_heads|n_groups|mamba_n_groups",
                            "give a divisor of the heads of the state",
                            "the heads of the state are no multiple of those of its keys");
}
