/* read_sparse.c -- which layers choose their keys, and by what.
 *
 * By index_n_heads, index_head_dim and index_topk, or an object sparse_attention_config, whose
 * choice is of blocks of keys. Layers may share a choice: indexer_types, else index_topk_pattern,
 * else index_topk_freq from index_skip_topk_offset on (transformers configuration_glm_moe_dsa.py).
 */
#include "model/sparse.h"

#include <string.h>

enum { WIDTH = 1 << 16, KEYS = 1 << 30 };

static clg_status read_top_k(const clg_config *c, int64_t *top_k) {
    int64_t blocks, block;
    if (clg_config_field(c, "index_topk"))
        return clg_config_needed(c, "index_topk", "the keys attended to", KEYS, top_k);
    if (clg_config_needed(c, "index_topk_blocks|sparse_attention_config.sparse_topk_blocks",
                          "the blocks of keys attended to", 1 << 20, &blocks) != CLG_OK ||
        clg_config_needed(c, "index_block_size|sparse_attention_config.sparse_block_size",
                          "the keys of a block", 1024, &block) != CLG_OK)
        return CLG_BAD_INPUT;
    *top_k = blocks * block;
    return CLG_OK;
}

clg_status clg_sparse_read(const clg_config *c, clg_sparse *sparse) {
    const char *heads_names = "index_n_heads|sparse_attention_config.sparse_num_index_heads";
    int64_t heads, dim;
    bool used;
    *sparse = (clg_sparse){.every = 1};
    if (clg_config_switch(c, "sparse_attention_config.use_sparse_attention", true, &used) !=
            CLG_OK ||
        clg_config_whole(c, heads_names, 0, WIDTH, 0, &heads) != CLG_OK)
        return CLG_BAD_INPUT;
    if (!used || heads == 0) return CLG_OK;
    sparse->indexer.heads = (int)heads;
    if (clg_config_needed(c, "index_head_dim|sparse_attention_config.sparse_index_dim",
                          "the width of the indexer's heads", WIDTH, &dim) != CLG_OK ||
        read_top_k(c, &sparse->indexer.top_k) != CLG_OK)
        return CLG_BAD_INPUT;
    sparse->indexer.dim = (int)dim;
    return clg_config_whole(c, "index_topk_freq", 1, 10000, 1, &sparse->every) != CLG_OK
               ? CLG_BAD_INPUT
               : clg_config_whole(c, "index_skip_topk_offset", 0, 10000, 2, &sparse->offset);
}

static bool starts(const clg_json *word, const char *with) {
    return word && word->kind == CLG_JSON_STRING && strncmp(word->text, with, strlen(with)) == 0;
}

/* First layers may attend to everything. */
static bool is_dense(const clg_config *c, int64_t layer) {
    if (starts(clg_config_item(clg_config_field(c, "layer_types"), layer), "full")) return true;
    const clg_json *flags = clg_config_field(c, "sparse_attention_config.sparse_attention_freq");
    const clg_json *flag = clg_config_item(flags, layer);
    return flag && flag->kind == CLG_JSON_NUMBER && flag->number == 0;
}

static bool is_shared(const clg_config *c, const clg_sparse *sparse, int64_t layer) {
    const clg_json *types = clg_config_field(c, "indexer_types");
    const clg_json *pattern = clg_config_field(c, "index_topk_pattern");
    if (layer == 0) return false; /* there is none before to share with */
    if (types && types->kind == CLG_JSON_ARRAY)
        return starts(clg_config_item(types, layer), "shared");
    if (pattern && pattern->kind == CLG_JSON_ARRAY)
        return starts(clg_config_item(pattern, layer), "shared");
    if (pattern && pattern->kind == CLG_JSON_STRING)
        return layer < (int64_t)pattern->text_size && pattern->text[layer] == 'S';
    int64_t from = layer - sparse->offset + 1;
    return from > 0 && from % sparse->every != 0;
}

clg_indexer clg_sparse_layer(const clg_config *c, const clg_sparse *sparse, int64_t layer) {
    clg_indexer indexer = sparse->indexer;
    if (indexer.heads == 0 || is_dense(c, layer)) return (clg_indexer){0};
    indexer.shared = is_shared(c, sparse, layer);
    return indexer;
}
