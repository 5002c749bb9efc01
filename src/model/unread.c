/* unread.c -- what a config.json says of a model's shape and nobody here asked for.
 *
 * Later files of a known family bring fields of their own. Those whose names speak of sizes or
 * parts of layers are told, for the count may be of another model; the rest (tokens, dropout,
 * rotation, generation) shapes nothing. */
#include "model/config.h"

#include <stdio.h>
#include <string.h>

static bool speaks_of(const char *key, const char *const *words) {
    for (; *words; words++)
        if (strstr(key, *words)) return true;
    return false;
}

static bool shapes(const char *key) {
    static const char *const parts[] = {"layer", "head",   "dim",     "size",  "expert", "rank",
                                        "width", "attn",   "attent",  "mlp",   "ffn",    "moe",
                                        "block", "hidden", "window",  "conv",  "ssm",    "mamba",
                                        "share", "stream", "pattern", "group", NULL};
    /* Of other things, or of what fields that are read say, too. */
    static const char *const rest[] = {"_id",
                                       "eps",
                                       "drop",
                                       "range",
                                       "init",
                                       "rope",
                                       "rotary",
                                       "coef",
                                       "alpha",
                                       "theta",
                                       "scal",
                                       "logit",
                                       "noise",
                                       "token",
                                       "cap",
                                       "pct",
                                       "beta",
                                       "vision",
                                       "audio",
                                       "image",
                                       "beam",
                                       "chunk",
                                       "mtp",
                                       "embd_layer",
                                       "dtype",
                                       "qk_head_dim",
                                       "conv_dim",
                                       "block_dim",
                                       "max_window_layers",
                                       "dim_model_base",
                                       "expert_group",
                                       "hash",
                                       "ep_size",
                                       "context_window",
                                       "mamba_expand",
                                       "time_step",
                                       "_attention_interval",
                                       "attn_mod",
                                       "block_group_size",
                                       "feed_forward",
                                       "multipl",
                                       "limited_group",
                                       NULL};
    return speaks_of(key, parts) && !speaks_of(key, rest);
}

/* Numbers above 0, lists and objects: what is off, empty or a switch says no size. */
static bool says_something(const clg_json *member) {
    if (member->kind == CLG_JSON_NUMBER) return member->number > 0;
    bool many = member->kind == CLG_JSON_ARRAY || member->kind == CLG_JSON_OBJECT;
    return many && member->first;
}

static bool was_asked(const clg_config_asked *asked, const clg_json *member) {
    for (int i = 0; i < asked->count; i++)
        if (asked->member[i] == member) return true;
    return false;
}

void clg_config_unread(const clg_config *config, char *out, size_t size) {
    int named = 0;
    out[0] = '\0';
    for (const clg_json *m = config->root->first; m && named < 4; m = m->next) {
        if (!shapes(m->key) || !says_something(m) || was_asked(config->asked, m)) continue;
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%.32s", named++ ? ", " : "", m->key);
    }
}
