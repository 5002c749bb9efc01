/* tree.c -- trees of keys: made, changed and looked up. */
#include "job/tree.h"

#include "base/letters.h"

#include <stdlib.h>
#include <string.h>

clg_json *clg_tree_make(clg_arena *arena, clg_json_kind kind, int line, int column) {
    clg_json *node = clg_take(arena, 1, clg_json);
    *node = (clg_json){.kind = kind, .text = "", .line = line, .column = column};
    return node;
}

clg_json *clg_tree_string(clg_arena *arena, const char *text, size_t size, int line, int column) {
    clg_json *node = clg_tree_make(arena, CLG_JSON_STRING, line, column);
    node->text = clg_arena_copy(arena, text, size);
    node->text_size = size;
    return node;
}

/* A number in the ways of YAML, TOML and Python: digits may be parted by '_'. */
static bool as_number(const char *text, double *number) {
    char plain[64];
    size_t size = 0;
    const char *at = text;
    if (*at == '+' || *at == '-') at++;
    if (!clg_is_digit(*at) && !(*at == '.' && clg_is_digit(at[1]))) return false;
    for (at = text; *at; at++) {
        if (*at == '_') continue;
        if (size + 1 == sizeof plain || !strchr("0123456789+-.eE", *at)) return false;
        plain[size++] = *at;
    }
    plain[size] = '\0';
    char *end;
    *number = strtod(plain, &end);
    return *end == '\0' && *number > -1e300 && *number < 1e300;
}

clg_json *clg_tree_scalar(clg_arena *arena, const char *text, size_t size, int line, int column) {
    static const char *const nothing[] = {"", "~", "null", "Null", "NULL", "None", NULL};
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes", "on", "On", NULL};
    static const char *const no[] = {"false", "False", "FALSE", "no", "No", "off", "Off", NULL};
    clg_json *node = clg_tree_string(arena, text, size, line, column);
    if (strlen(node->text) != size) return node;
    if (clg_is_one_of(node->text, nothing)) node->kind = CLG_JSON_NULL;
    if (clg_is_one_of(node->text, yes)) node->kind = CLG_JSON_BOOL, node->truth = true;
    if (clg_is_one_of(node->text, no)) node->kind = CLG_JSON_BOOL;
    if (as_number(node->text, &node->number)) node->kind = CLG_JSON_NUMBER;
    return node;
}

/* Equal but for '-' and '_'. */
static bool same_key(const char *a, const char *b, size_t size_of_b) {
    size_t i = 0;
    for (; i < size_of_b && a[i]; i++) {
        char x = a[i] == '-' ? '_' : a[i], y = b[i] == '-' ? '_' : b[i];
        if (x != y) return false;
    }
    return i == size_of_b && !a[i];
}

void clg_tree_append(clg_json *array, clg_json *value) {
    clg_json **at = &array->first;
    while (*at) at = &(*at)->next;
    *at = value;
    array->count++;
}

/* Trees are at most as deep as their readers allow. */
void clg_tree_shift_lines(clg_json *node, int by) {
    node->line += by;
    for (clg_json *child = node->first; child; child = child->next) clg_tree_shift_lines(child, by);
}

void clg_tree_set(clg_arena *arena, clg_json *object, const char *key, clg_json *value) {
    size_t size = strlen(key);
    for (clg_json **at = &object->first; *at; at = &(*at)->next)
        if (same_key((*at)->key, key, size)) {
            value->key = (*at)->key;
            value->next = (*at)->next;
            *at = value;
            return;
        }
    value->key = clg_arena_copy(arena, key, size);
    value->next = NULL;
    clg_tree_append(object, value);
}

static clg_json *member(const clg_json *object, const char *key, size_t size) {
    if (!object || object->kind != CLG_JSON_OBJECT) return NULL;
    for (clg_json *child = object->first; child; child = child->next)
        if (same_key(child->key, key, size)) return child;
    return NULL;
}

static const clg_json *element(const clg_json *array, const char *index, size_t size) {
    int at = 0;
    for (size_t i = 0; i < size; i++) {
        if (index[i] < '0' || index[i] > '9' || at > 1000) return NULL;
        at = at * 10 + (index[i] - '0');
    }
    const clg_json *child = array->first;
    while (child && at-- > 0) child = child->next;
    return child;
}

/* Depth first; trees are at most CLG_JSON_DEPTH deep. */
static const clg_json *anywhere(const clg_json *node, const char *path) {
    const clg_json *found = node->kind == CLG_JSON_OBJECT ? clg_tree_find(node, path) : NULL;
    for (const clg_json *child = node->first; child && !found; child = child->next)
        found = anywhere(child, path);
    return found;
}

const clg_json *clg_tree_find(const clg_json *root, const char *path) {
    if (!root) return NULL;
    if (strncmp(path, "**.", 3) == 0) return anywhere(root, path + 3);
    const clg_json *whole = member(root, path, strlen(path));
    if (whole) return whole;
    for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t size = (size_t)(dot - path);
        const clg_json *inner =
            root->kind == CLG_JSON_ARRAY ? element(root, path, size) : member(root, path, size);
        const clg_json *found = inner ? clg_tree_find(inner, dot + 1) : NULL;
        if (found) return found;
    }
    return root->kind == CLG_JSON_ARRAY ? element(root, path, strlen(path)) : NULL;
}

bool clg_tree_unknown_text(const char *text) {
    return strchr(text, CLG_TREE_UNKNOWN) || strchr(text, CLG_TREE_UNSET);
}

bool clg_tree_unknown(const clg_json *node) {
    return (node->kind == CLG_JSON_STRING || node->kind == CLG_JSON_NUMBER) &&
           clg_tree_unknown_text(node->text);
}
