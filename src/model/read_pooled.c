/* read_pooled.c -- which layers pool their keys, and how far.
 *
 * Files list tokens an entry by layer (compress_ratios: 0, 4, 128), or name the kinds in
 * layer_types and their rates in compress_rates (transformers configuration_deepseek_v4.py). Those
 * of 4 tokens overlap and are chosen from by an indexer, in both. */
#include "model/pooled.h"

#include <string.h>

enum { CHOSEN = 4, HEAVY = 128, MOST = 1 << 16 };

static bool pools_by_name(const clg_json *type) {
    return type && type->kind == CLG_JSON_STRING && strstr(type->text, "compressed_");
}

static bool any_named(const clg_config *c) {
    const clg_json *type = clg_config_item(clg_config_field(c, "layer_types"), 0);
    while (type && !pools_by_name(type)) type = type->next;
    return type != NULL;
}

/* A layer that a list says nothing of would pass for one that does not pool. */
static clg_status check_list(const clg_config *c, const char *name, int64_t layers) {
    const clg_json *list = clg_config_field(c, name);
    if (!list || (list->kind == CLG_JSON_ARRAY && (int64_t)list->count >= layers)) return CLG_OK;
    return clg_config_fault(c, name, "give one item for each layer",
                            "this is no list of all layers");
}

static clg_status check_ratios(const clg_config *c) {
    const clg_json *one = clg_config_item(clg_config_field(c, "compress_ratios"), 0);
    for (; one; one = one->next)
        if (one->kind != CLG_JSON_NUMBER ||
            (one->number != 0 && one->number != CHOSEN && one->number != HEAVY))
            return clg_config_fault(c, "compress_ratios", "give 0, 4 or 128 for each layer",
                                    "a layer pools another number of tokens");
    return CLG_OK;
}

clg_status clg_pooled_read(const clg_config *c, int64_t layers, clg_pooled *pooled) {
    const clg_json *ratios = clg_config_field(c, "compress_ratios");
    bool empty = !ratios || (ratios->kind == CLG_JSON_ARRAY && !ratios->first);
    *pooled = (clg_pooled){.found = !empty || any_named(c)};
    if (!pooled->found) return CLG_OK;
    if ((!empty && check_list(c, "compress_ratios", layers) != CLG_OK) ||
        check_list(c, "layer_types", layers) != CLG_OK || check_ratios(c) != CLG_OK ||
        clg_config_whole(c, "compress_rates.compressed_sparse_attention", 1, MOST, CHOSEN,
                         &pooled->chosen) != CLG_OK)
        return CLG_BAD_INPUT;
    return clg_config_whole(c, "compress_rates.heavily_compressed_attention", 1, MOST, HEAVY,
                            &pooled->heavy);
}

static clg_pooling pooling_of(const clg_config *c, const clg_pooled *pooled, int64_t layer) {
    const clg_json *type = clg_config_item(clg_config_field(c, "layer_types"), layer);
    const clg_json *ratio = clg_config_item(clg_config_field(c, "compress_ratios"), layer);
    bool named = type && type->kind == CLG_JSON_STRING;
    bool pools = named ? pools_by_name(type) : ratio && ratio->number > 0;
    bool heavy = named ? strncmp(type->text, "heavily", 7) == 0 : ratio && ratio->number == HEAVY;
    if (!pools) return (clg_pooling){0};
    return heavy ? (clg_pooling){(int)pooled->heavy, 1} : (clg_pooling){(int)pooled->chosen, 2};
}

void clg_pooled_layer(const clg_config *c, const clg_pooled *pooled, int64_t layer,
                      clg_attention *a) {
    a->pooling = pooling_of(c, pooled, layer);
    if (a->pooling.series != 2) a->indexer = (clg_indexer){0};
}
