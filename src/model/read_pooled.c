/* read_pooled.c -- which layers pool their keys, and how far.
 *
 * DeepSeek-V4 lists tokens an entry by layer (compress_ratios: 0, 4, 128); transformers
 * (configuration_deepseek_v4.py) names the kinds in layer_types and their rates in compress_rates.
 * Those of 4 tokens overlap and are chosen from by an indexer, in both. */
#include "model/pooled.h"

#include <string.h>

enum { CHOSEN = 4, HEAVY = 128, MOST = 1 << 16 };

static const clg_json *item_at(const clg_json *list, int64_t index) {
    const clg_json *item = list && list->kind == CLG_JSON_ARRAY ? list->first : NULL;
    while (item && index-- > 0) item = item->next;
    return item;
}

static bool any_named(const clg_config *c) {
    const clg_json *types = clg_config_field(c, "layer_types");
    const clg_json *type = types && types->kind == CLG_JSON_ARRAY ? types->first : NULL;
    for (; type; type = type->next)
        if (type->kind == CLG_JSON_STRING && strstr(type->text, "compressed_")) return true;
    return false;
}

clg_status clg_pooled_read(const clg_config *c, clg_pooled *pooled) {
    const clg_json *ratios = clg_config_field(c, "compress_ratios");
    *pooled = (clg_pooled){.found = (ratios && ratios->first) || any_named(c)};
    if (!pooled->found) return CLG_OK;
    for (const clg_json *one = ratios ? ratios->first : NULL; one; one = one->next)
        if (one->kind != CLG_JSON_NUMBER ||
            (one->number != 0 && one->number != CHOSEN && one->number != HEAVY))
            return clg_config_fault(c, "compress_ratios", "give 0, 4 or 128 for each layer",
                                    "a layer pools another number of tokens");
    return clg_config_whole(c, "compress_rates.compressed_sparse_attention", 1, MOST, CHOSEN,
                            &pooled->chosen) != CLG_OK
               ? CLG_BAD_INPUT
               : clg_config_whole(c, "compress_rates.heavily_compressed_attention", 1, MOST, HEAVY,
                                  &pooled->heavy);
}

/* Tokens an entry; 0: none are made. */
static int64_t every(const clg_config *c, const clg_pooled *pooled, int64_t layer) {
    const clg_json *type = item_at(clg_config_field(c, "layer_types"), layer);
    const clg_json *ratio = item_at(clg_config_field(c, "compress_ratios"), layer);
    if (type && type->kind == CLG_JSON_STRING) {
        bool heavy = strncmp(type->text, "heavily", 7) == 0;
        return !strstr(type->text, "compressed_") ? 0 : heavy ? pooled->heavy : pooled->chosen;
    }
    return ratio ? (int64_t)ratio->number : 0;
}

void clg_pooled_layer(const clg_config *c, const clg_pooled *pooled, int64_t layer,
                      clg_attention *a) {
    int64_t tokens = every(c, pooled, layer);
    bool chosen = tokens > 0 && tokens == pooled->chosen;
    if (!chosen) a->indexer = (clg_indexer){0};
    a->pooling = (clg_pooling){.every = (int)tokens, .series = chosen ? 2 : 1};
}
