/* family.c -- reads data/model-families.csv: what the code of a model_type implies.
 *
 * Traits follow the modelling code published with the weights; tests/model checks the parameter
 * counts against model cards. */
#include "model/family.h"

#include "dataset/kept.h"

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
    {"mamba", CLG_MAMBA},
    {"one_part", CLG_ONE_PART},
    {"no_positions", CLG_NO_POSITIONS},
};

static bool take_trait(const char *word, size_t size, unsigned *all) {
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++)
        if (strlen(traits[i].word) == size && memcmp(traits[i].word, word, size) == 0) {
            *all |= traits[i].trait;
            return true;
        }
    return false;
}

/* Words with blanks between them. */
static bool take_traits(const char *words, unsigned *all) {
    while (*words) {
        size_t size = strcspn(words, " ");
        if (!take_trait(words, size, all)) return false;
        words += size + strspn(words + size, " ");
    }
    return true;
}

clg_status clg_families_read(clg_arena *arena, clg_families *families, clg_error *error) {
    clg_csv csv;
    *families = (clg_families){0};
    if (clg_dataset_csv(arena, "model-families.csv", &csv, error) != CLG_OK) return CLG_BAD_INPUT;
    clg_family *all = clg_take(arena, (size_t)csv.rows + 1, clg_family);
    for (int i = 0; i < csv.rows; i++) {
        const char *every = clg_csv_field(&csv, i, "window_every");
        all[i] = (clg_family){.type = clg_csv_field(&csv, i, "model_type"),
                              .window_every = every ? atoi(every) : 0};
        const char *words = clg_csv_field(&csv, i, "traits");
        if (all[i].type && words && take_traits(words, &all[i].traits)) continue;
        clg_error_at(error, csv.name, csv.row[i].line, 1, "traits");
        return clg_fail(error, CLG_BAD_INPUT, "src/model/family.h has those that there are",
                        "a trait that has no meaning here");
    }
    *families = (clg_families){all, csv.rows};
    return CLG_OK;
}

const clg_family *clg_family_find(const clg_families *families, const char *type) {
    for (int i = 0; i < families->count; i++)
        if (strcmp(families->family[i].type, type) == 0) return &families->family[i];
    return NULL;
}
