/* config.c -- fields of a config.json under their many names. */
#include "model/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Member at a dotted path of `size` bytes. */
static const clg_json *at_path(const clg_json *node, const char *path, size_t size) {
    while (size > 0 && node) {
        char key[64];
        const char *dot = memchr(path, '.', size);
        size_t part = dot ? (size_t)(dot - path) : size;
        if (part >= sizeof key) return NULL;
        memcpy(key, path, part);
        key[part] = '\0';
        node = clg_json_member(node, key);
        path += part + (dot ? 1 : 0);
        size -= part + (dot ? 1 : 0);
    }
    return node && node->kind != CLG_JSON_NULL ? node : NULL;
}

static const clg_json *first_of(const clg_json *root, const char *names) {
    while (*names) {
        size_t size = strcspn(names, "|");
        const clg_json *node = at_path(root, names, size);
        if (node) return node;
        names += size + (names[size] == '|');
    }
    return NULL;
}

/* Other names of what was found count as asked for, too. */
static void remember(const clg_config *config, const char *names) {
    clg_config_asked *asked = config->asked;
    while (*names) {
        size_t size = strcspn(names, "|"), first = strcspn(names, "|.");
        const clg_json *node = at_path(config->root, names, first < size ? first : size);
        int i = 0;
        while (i < asked->count && asked->member[i] != node) i++;
        if (node && i == asked->count && i < CLG_CONFIG_ASKED) asked->member[asked->count++] = node;
        names += size + (names[size] == '|');
    }
}

const clg_json *clg_config_field(const clg_config *config, const char *names) {
    if (config->asked) remember(config, names);
    const clg_json *node = first_of(config->root, names);
    return node || !config->defaults ? node : first_of(config->defaults, names);
}

clg_status clg_config_fault(const clg_config *config, const char *names, const char *mend,
                            const char *message) {
    const clg_json *node = clg_config_field(config, names);
    char field[64];
    size_t size = strcspn(names, "|");
    snprintf(field, sizeof field, "%.*s", (int)size, names);
    if (!node) node = config->root;
    clg_error_at(config->error, config->file, node->line, node->column, field);
    return clg_fail(config->error, CLG_BAD_INPUT, mend, "%s", message);
}

/* Of a list, one number per layer, that is the same for all: that number. */
static const clg_json *one_of(const clg_json *node) {
    if (node->kind != CLG_JSON_ARRAY || !node->first) return node;
    for (const clg_json *item = node->first; item; item = item->next)
        if (item->kind != CLG_JSON_NUMBER || item->number != node->first->number) return node;
    return node->first;
}

/* `node`: the field, or of a list the item that counts. */
static clg_status whole(const clg_config *config, const char *names, const clg_json *node,
                        int64_t least, int64_t most, int64_t *value) {
    char mend[96];
    snprintf(mend, sizeof mend, "give a whole number from %lld to %lld", (long long)least,
             (long long)most);
    if (node->kind != CLG_JSON_NUMBER || node->number != floor(node->number))
        return clg_config_fault(config, names, mend, "this is no whole number");
    if (node->number < (double)least || node->number > (double)most)
        return clg_config_fault(config, names, mend, "out of range");
    *value = (int64_t)node->number;
    return CLG_OK;
}

clg_status clg_config_whole(const clg_config *config, const char *names, int64_t least,
                            int64_t most, int64_t otherwise, int64_t *value) {
    const clg_json *node = clg_config_field(config, names);
    *value = otherwise;
    return node ? whole(config, names, one_of(node), least, most, value) : CLG_OK;
}

clg_status clg_config_of_layer(const clg_config *config, const char *names, int64_t layer,
                               int64_t most, int64_t otherwise, int64_t *value) {
    const clg_json *node = clg_config_field(config, names);
    *value = otherwise;
    if (!node) return CLG_OK;
    const clg_json *item = node->kind == CLG_JSON_ARRAY ? clg_config_item(node, layer) : node;
    if (!item)
        return clg_config_fault(config, names, "give one number for each layer",
                                "the list ends before the layers do");
    return whole(config, names, item, 1, most, value);
}

clg_status clg_config_needed(const clg_config *config, const char *names, const char *meaning,
                             int64_t most, int64_t *value) {
    char message[160];
    if (clg_config_field(config, names)) return clg_config_whole(config, names, 1, most, 1, value);
    snprintf(message, sizeof message, "%s is missing (looked for %s)", meaning, names);
    return clg_config_fault(config, names, "add it as a whole number", message);
}

clg_status clg_config_switch(const clg_config *config, const char *names, bool otherwise,
                             bool *value) {
    const clg_json *node = clg_config_field(config, names);
    *value = otherwise;
    if (!node) return CLG_OK;
    if (node->kind != CLG_JSON_BOOL)
        return clg_config_fault(config, names, "write true or false", "this is no switch");
    *value = node->truth;
    return CLG_OK;
}

const clg_json *clg_config_item(const clg_json *list, int64_t index) {
    const clg_json *item = list && list->kind == CLG_JSON_ARRAY ? list->first : NULL;
    while (item && index-- > 0) item = item->next;
    return item;
}
