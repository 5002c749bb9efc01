/* family.c -- reads data/model-families.csv: what the code of a model_type implies.
 *
 * Traits follow the modelling code published with the weights; tests/model checks the parameter
 * counts against model cards. */
#include "model/family.h"

#include "base/word_list.h"
#include "dataset/kept.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    unsigned trait;
} traits[] = {
    {"gated", CLG_GATED},
    {"layer_norm", CLG_LAYER_NORM},
    {"norm_bias", CLG_NORM_BIAS},
    {"norm_plain", CLG_NORM_PLAIN},
    {"qkv_bias", CLG_QKV_BIAS},
    {"out_bias", CLG_OUT_BIAS},
    {"mlp_bias", CLG_MLP_BIAS},
    {"head_bias", CLG_HEAD_BIAS},
    {"router_bias", CLG_ROUTER_BIAS},
    {"positions", CLG_POSITIONS},
    {"positions_two", CLG_POSITIONS_TWO},
    {"alibi", CLG_ALIBI},
    {"tied", CLG_TIED},
    {"embedding_norm", CLG_EMBEDDING_NORM},
    {"parallel", CLG_PARALLEL},
    {"one_norm", CLG_ONE_NORM},
    {"four_norms", CLG_FOUR_NORMS},
    {"head_norms", CLG_HEAD_NORMS},
    {"wide_norms", CLG_WIDE_NORMS},
    {"sinks", CLG_SINKS},
    {"latent", CLG_LATENT},
    {"shared_gate", CLG_SHARED_GATE},
    {"out_with_qkv", CLG_OUT_WITH_QKV},
    {"relative", CLG_RELATIVE},
    {"window_off", CLG_WINDOW_OFF},
    {"output_gate", CLG_OUTPUT_GATE},
    {"delta", CLG_DELTA},
    {"channel_delta", CLG_CHANNEL_DELTA},
    {"selective", CLG_SELECTIVE},
    {"one_part", CLG_ONE_PART},
    {"no_positions", CLG_NO_POSITIONS},
    {"wide_router", CLG_WIDE_ROUTER},
};

static unsigned trait_of(const char *word) {
    size_t i = 0;
    while (i < sizeof traits / sizeof traits[0] && strcmp(traits[i].word, word) != 0) i++;
    assert(i < sizeof traits / sizeof traits[0]);
    return traits[i].trait;
}

clg_families clg_families_read(clg_arena *arena) {
    clg_csv csv = clg_dataset_csv(arena, "model-families.csv");
    clg_family *all = clg_take(arena, (size_t)csv.rows + 1, clg_family);
    for (int i = 0; i < csv.rows; i++) {
        const char *words = clg_csv_field(&csv, i, "traits"), *word;
        all[i].type = clg_csv_field(&csv, i, "model_type");
        all[i].window_every = atoi(clg_csv_field(&csv, i, "window_every"));
        all[i].together = strcmp(clg_csv_field(&csv, i, "together"), "1") == 0;
        while ((word = clg_list_next(arena, &words, ' ')) != NULL) all[i].traits |= trait_of(word);
    }
    return (clg_families){all, csv.rows};
}

const clg_family *clg_family_find(const clg_families *families, const char *type) {
    for (int i = 0; i < families->count; i++)
        if (strcmp(families->family[i].type, type) == 0) return &families->family[i];
    return NULL;
}
