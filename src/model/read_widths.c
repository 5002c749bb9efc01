/* read_widths.c -- sizes of a layer that are not those of all: listed layer by layer, of the layers
 * with a window or without one, or of the blocks of an architecture search.
 *
 * global_head_dim is of layers without a window, swa_* and attention_other_setting of those with
 * one; block_configs says it block by block (transformers configuration_gemma4.py; configs of
 * XiaomiMiMo/MiMo-V2-Flash and stepfun-ai/Step-3.5-Flash; vLLM nemotron_nas.py). */
#include "model/raw_model.h"

#include <stddef.h>
#include <stdio.h>

enum { MOST_HEADS = 1 << 16 };
static const int64_t most_ffn = 1 << 24;

static const struct {
    size_t offset;
    const char *listed, *windowed, *whole;
} sizes[] = {{offsetof(raw_widths, heads), "num_attention_heads_per_layer|num_attention_heads",
              "swa_num_attention_heads|attention_other_setting.num_attention_heads", NULL},
             {offsetof(raw_widths, kv_heads), "num_key_value_heads",
              "swa_num_key_value_heads|attention_other_setting.num_attention_groups",
              "num_global_key_value_heads"},
             {offsetof(raw_widths, head_dim), NULL, "swa_head_dim|attention_other_setting.head_dim",
              "global_head_dim"},
             {offsetof(raw_widths, value_head_dim), NULL, "swa_v_head_dim", NULL},
             {offsetof(raw_widths, ffn), "intermediate_size", NULL, NULL}};

static bool is_list(const clg_config *c, const char *names) {
    const clg_json *field = names ? clg_config_field(c, names) : NULL;
    return field && field->kind == CLG_JSON_ARRAY;
}

static clg_status read_sizes(const raw_model *raw, int64_t layer, raw_widths *w) {
    const clg_config *c = &raw->config;
    bool windowed = clg_raw_window(raw, layer) > 0;
    int64_t head_dim = w->head_dim;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *names = windowed ? sizes[i].windowed : sizes[i].whole;
        int64_t *size = (int64_t *)(void *)((char *)w + sizes[i].offset);
        if (is_list(c, sizes[i].listed) &&
            clg_config_of_layer(c, sizes[i].listed, layer, most_ffn, *size, size) != CLG_OK)
            return CLG_BAD_INPUT;
        if (names && clg_config_of_layer(c, names, layer, MOST_HEADS, *size, size) != CLG_OK)
            return CLG_BAD_INPUT;
        if (i == 2 && raw->value_head_dim == head_dim) w->value_head_dim = w->head_dim;
    }
    return CLG_OK;
}

/* A width in units of the hidden one, of three matrices in the place of two, in steps of 256. */
static int64_t width_of(double multiple, int64_t hidden) {
    int64_t width = (int64_t)(2 * multiple * (double)hidden / 3), step = 256;
    return (width + step - 1) / step * step;
}

static bool is_on(const clg_config *c, const char *name) {
    const clg_json *field = clg_config_field(c, name);
    return field && (field->kind == CLG_JSON_BOOL ? field->truth : field->kind != CLG_JSON_NULL);
}

/* What a block may have and no part here has. */
static clg_status check_block(const raw_model *raw, const clg_config *block) {
    static const char *const odd[] = {"attention.replace_with_linear",
                                      "attention.sparsify",
                                      "attention.window_length",
                                      "attention.num_sink_tokens",
                                      "attention.mamba",
                                      "ffn.replace_with_linear",
                                      "ffn.sparsify",
                                      "ffn.moe",
                                      "parallel_blocks"};
    char message[80];
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        if (!is_on(block, odd[i])) continue;
        snprintf(message, sizeof message, "not modelled: '%s' of a block", odd[i]);
        return clg_config_fault(&raw->config, "block_configs",
                                "give grouped attention and MLPs alone, of any width", message);
    }
    return CLG_OK;
}

static clg_status read_block(const raw_model *raw, int64_t layer, raw_widths *w) {
    const clg_json *blocks = clg_config_field(&raw->config, "block_configs");
    if (!blocks || (blocks->kind == CLG_JSON_ARRAY && !blocks->first)) return CLG_OK;
    const clg_json *item = clg_config_item(blocks, layer);
    if (!item || item->kind != CLG_JSON_OBJECT)
        return clg_config_fault(&raw->config, "block_configs", "give one object for each layer",
                                "this is no list of all layers");
    clg_config block = {raw->config.file, item, raw->config.error, NULL, NULL};
    int64_t group;
    if (check_block(raw, &block) != CLG_OK ||
        clg_config_whole(&block, "attention.n_heads_in_group", 1, MOST_HEADS,
                         w->heads / w->kv_heads, &group) != CLG_OK ||
        clg_config_whole(&block, "attention.num_key_value_heads", 1, MOST_HEADS, w->heads / group,
                         &w->kv_heads) != CLG_OK ||
        clg_config_whole(&block, "ffn.intermediate_size", 1, most_ffn, w->ffn, &w->ffn) != CLG_OK)
        return CLG_BAD_INPUT;
    w->no_attention = is_on(&block, "attention.no_op");
    w->no_mlp = is_on(&block, "ffn.no_op");
    const clg_json *multiple = clg_config_field(&block, "ffn.ffn_mult");
    if (multiple && multiple->kind == CLG_JSON_NUMBER && multiple->number > 0 &&
        multiple->number < 100)
        w->ffn = width_of(multiple->number, raw->hidden);
    return CLG_OK;
}

clg_status clg_raw_widths(const raw_model *raw, int64_t layer, raw_widths *w) {
    *w = (raw_widths){.heads = raw->heads,
                      .kv_heads = raw->kv_heads,
                      .head_dim = raw->head_dim,
                      .value_head_dim = raw->value_head_dim,
                      .ffn = raw->dense_ffn};
    if (read_sizes(raw, layer, w) != CLG_OK || read_block(raw, layer, w) != CLG_OK)
        return CLG_BAD_INPUT;
    if (has(raw, CLG_LATENT) || w->heads % w->kv_heads == 0) return CLG_OK;
    return clg_config_fault(
        &raw->config, "num_key_value_heads|num_kv_heads|n_head_kv|attn_config.kv_n_heads",
        "give a divisor of the heads", "the heads are no multiple of the key-value heads");
}
