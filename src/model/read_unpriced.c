/* read_unpriced.c -- fields of a config.json that change a model in ways that no part here has.
 *
 * A family's name says little: a later generation keeps the name and adds fields. What is listed
 * here is refused by name where it is switched on, for it would be left out without a word. */
#include "model/raw_model.h"

#include <stdio.h>
#include <string.h>

/* Above `most` (switches: on counts 1, a list or an object 1000) it changes the model. */
static const struct {
    const char *field;
    double most;
    const char *what;
} unpriced[] = {
    {"is_encoder_decoder", 0, "an encoder and a decoder"},
    {"type_vocab_size", 0, "an encoder: its tokens see those behind them, too"},
    {"add_cross_attention", 0, "attention to another model's output"},
    {"zero_expert_num", 0, "experts that do nothing, beside two attentions and MLPs of a layer"},
    {"moe_layer_freq", 1, "experts in every n-th layer by this field"},
    {"moe_layer_interval", 1, "experts in every n-th layer by this field"},
    {"altup_num_inputs", 1, "several residual streams"},
    {"total_ut_steps", 1, "layers gone through several times"},
    {"mamba_d_ssm", 0, "attention and a state side by side in a layer"},
    {"moba_block_size", 0, "attention to chosen blocks of keys"},
    {"attn_layer_period", 1, "Mamba-1 beside attention in every n-th layer"},
};

static double amount(const clg_json *field) {
    if (field->kind == CLG_JSON_NUMBER) return field->number;
    if (field->kind == CLG_JSON_BOOL) return field->truth ? 1 : 0;
    return field->first ? 1000 : 0;
}

static clg_status refuse(const raw_model *raw, const char *field, const char *what) {
    char message[120];
    snprintf(message, sizeof message, "not modelled: %s", what);
    return clg_config_fault(&raw->config, field,
                            "the model would be another without it: leave it out, or set it to "
                            "null, to price that one",
                            message);
}

/* Words of layer_types that have a meaning: others would be taken for something else. */
static clg_status check_layer_types(const raw_model *raw) {
    static const char *const words[] = {"attention", "mamba",     "full",   "linear", "sliding",
                                        "chunked",   "lightning", "sparse", "conv"};
    const clg_json *types = clg_config_field(&raw->config, "layer_types");
    const clg_json *type = types && types->kind == CLG_JSON_ARRAY ? types->first : NULL;
    for (; type; type = type->next) {
        bool known = type->kind != CLG_JSON_STRING;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            known = known || strstr(type->text, words[i]);
        if (known) continue;
        char what[80];
        snprintf(what, sizeof what, "a layer of type '%.30s'", type->text);
        return refuse(raw, "layer_types", what);
    }
    return CLG_OK;
}

clg_status clg_raw_priced(const raw_model *raw) {
    for (size_t i = 0; i < sizeof unpriced / sizeof unpriced[0]; i++) {
        const clg_json *field = clg_config_field(&raw->config, unpriced[i].field);
        bool listed = field && field->kind == CLG_JSON_ARRAY &&
                      strcmp(unpriced[i].field, "moe_layer_freq") == 0; /* read layer by layer */
        if (field && !listed && amount(field) > unpriced[i].most)
            return refuse(raw, unpriced[i].field, unpriced[i].what);
    }
    return check_layer_types(raw);
}
