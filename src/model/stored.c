/* stored.c -- the format a checkpoint stores its weights in: quantization_config of config.json.
 *
 * Only what products read counts: norms, routers and embeddings stay wide in all of these. */
#include "model/config.h"

#include <string.h>

static const char *word(const clg_config *config, const char *path) {
    const clg_json *field = clg_config_field(config, path);
    return field && field->kind == CLG_JSON_STRING ? field->text : "";
}

static int64_t whole(const clg_config *config, const char *path) {
    const clg_json *field = clg_config_field(config, path);
    bool sane =
        field && field->kind == CLG_JSON_NUMBER && field->number >= 0 && field->number <= 1 << 20;
    return sane ? (int64_t)field->number : 0;
}

/* The weights of the first group of compressed-tensors: bits, and blocks of 16 (nvfp4) or 32
 * (mxfp4) that share a scale. Integers of 4 bit count as in groups of 128. */
static bool of_groups(const clg_config *group, clg_precision *stored) {
    bool floats = strcmp(word(group, "type"), "float") == 0;
    int64_t bits = whole(group, "num_bits"), block = whole(group, "group_size");
    bool integers = strcmp(word(group, "type"), "int") == 0 && bits == 4;
    if (!integers && (!floats || (bits != 8 && bits != 4))) return false;
    *stored = integers ? CLG_INT4 : bits == 8 ? CLG_FP8 : block == 32 ? CLG_MXFP4 : CLG_NVFP4;
    return true;
}

static bool contains(const char *text, const char *lower, const char *upper) {
    return strstr(text, lower) || strstr(text, upper);
}

/* The member of the first group of compressed-tensors that tells of weights. */
static clg_config first_group(const clg_config *config, const clg_json *groups) {
    return (clg_config){config->file, clg_json_member(groups->first, "weights"), NULL, NULL, NULL};
}

bool clg_config_blocks(const clg_config *config) {
    if (clg_config_field(config, "quantization_config.weight_block_size")) return true;
    const clg_json *groups = clg_config_field(config, "quantization_config.config_groups");
    if (!groups || !groups->first) return false;
    clg_config first = first_group(config, groups);
    return first.root && strcmp(word(&first, "strategy"), "block") == 0;
}

bool clg_config_stored(const clg_config *config, clg_precision *stored, const char **method) {
    *stored = CLG_BF16;
    *method = word(config, "quantization_config.quant_method");
    const char *algorithm = word(config, "quantization_config.quant_algo");
    const clg_json *groups = clg_config_field(config, "quantization_config.config_groups");
    if (!clg_config_field(config, "quantization_config")) return true;
    if (contains(*method, "mxfp4", "MXFP4") || contains(algorithm, "mxfp4", "MXFP4"))
        *stored = CLG_MXFP4;
    else if (contains(algorithm, "nvfp4", "NVFP4"))
        *stored = CLG_NVFP4;
    else if (contains(*method, "fp8", "FP8") || contains(algorithm, "fp8", "FP8"))
        *stored = CLG_FP8;
    else if ((contains(*method, "awq", "AWQ") || contains(*method, "gptq", "GPTQ")) &&
             whole(config, "quantization_config.bits") == 4)
        *stored = CLG_INT4;
    else if (groups && groups->first) {
        clg_config first = first_group(config, groups);
        return first.root && of_groups(&first, stored);
    } else
        return false;
    return true;
}
