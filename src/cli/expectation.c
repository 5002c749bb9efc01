/* expectation.c -- expectations read, and held against values of an answer. */
#include "cli/expectation.h"

#include "units/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *sign;
    clg_comparison comparison;
} signs[] = {{"<=", CLG_AT_MOST}, {">=", CLG_AT_LEAST}, {"!=", CLG_OTHER},
             {"<", CLG_LESS},     {">", CLG_MORE},      {"=", CLG_SAME}};

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t"); }

/* A number with or without a unit, in SI; NaN: it is none. */
static double number_of(const char *text) {
    double value;
    clg_error ignored = {0};
    for (int dimension = CLG_COUNT; dimension <= CLG_USD_PER_TOKEN; dimension++)
        if (clg_quantity(text, (clg_dimension)dimension, &value, &ignored) == CLG_OK) return value;
    return NAN;
}

static clg_status bad(const char *words, clg_error *error) {
    return clg_fail(error, CLG_BAD_INPUT,
                    "4, ring, '!= ring', '<= 8s', '> 40%', '7s .. 8s' and '7.5s +- 5%' can be",
                    "'%.64s' is no expectation", words);
}

/* Two numbers around the sign of two letters between them. */
static clg_status read_pair(clg_arena *arena, const char *words, const char *sign,
                            clg_expectation *e, clg_error *error) {
    size_t length = (size_t)(sign - words);
    while (length > 0 && words[length - 1] == ' ') length--;
    double first = number_of(clg_arena_copy(arena, words, length));
    double second = number_of(skip_blanks(sign + 2));
    if (isnan(first) || isnan(second)) return bad(words, error);
    bool around = *sign == '+';
    double reach = fabs(first) * second;
    e->comparison = CLG_BETWEEN;
    e->low = around ? first - reach : first;
    e->high = around ? first + reach : second;
    return e->low <= e->high ? CLG_OK : bad(words, error);
}

clg_status clg_expectation_read(clg_arena *arena, const char *words, clg_expectation *e,
                                clg_error *error) {
    *e = (clg_expectation){.text = skip_blanks(words)};
    const char *around = strstr(words, "+-"), *to = strstr(words, "..");
    if (around) return read_pair(arena, words, around, e, error);
    if (to) return read_pair(arena, words, to, e, error);
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t size = strlen(signs[i].sign);
        if (strncmp(e->text, signs[i].sign, size) != 0) continue;
        e->comparison = signs[i].comparison;
        e->text = skip_blanks(e->text + size);
        break;
    }
    e->low = number_of(e->text);
    bool ordered = e->comparison != CLG_SAME && e->comparison != CLG_OTHER;
    return ordered && isnan(e->low) ? bad(words, error) : CLG_OK;
}

static const char *text_of(const clg_json *value) {
    if (value->kind == CLG_JSON_BOOL) return value->truth ? "true" : "false";
    return value->text ? value->text : "null";
}

static bool is_same(const clg_expectation *e, const clg_json *value) {
    if (value->kind == CLG_JSON_NUMBER && !isnan(e->low)) return value->number == e->low;
    return strcmp(text_of(value), e->text) == 0;
}

bool clg_expectation_holds(const clg_expectation *e, const clg_json *value) {
    if (!value || value->kind == CLG_JSON_OBJECT || value->kind == CLG_JSON_ARRAY) return false;
    if (e->comparison == CLG_SAME) return is_same(e, value);
    if (e->comparison == CLG_OTHER) return !is_same(e, value);
    if (value->kind != CLG_JSON_NUMBER) return false;
    double found = value->number;
    switch (e->comparison) {
    case CLG_LESS:
        return found < e->low;
    case CLG_AT_MOST:
        return found <= e->low;
    case CLG_MORE:
        return found > e->low;
    case CLG_AT_LEAST:
        return found >= e->low;
    case CLG_BETWEEN:
        return found >= e->low && found <= e->high;
    case CLG_SAME:
    case CLG_OTHER:
        break;
    }
    return false;
}

static const clg_json *child_of(const clg_json *node, const char *name, size_t size) {
    if (node->kind != CLG_JSON_OBJECT && node->kind != CLG_JSON_ARRAY) return NULL;
    char *end;
    long index = strtol(name, &end, 10);
    bool counted = size > 0 && end == name + size && node->kind == CLG_JSON_ARRAY;
    for (const clg_json *one = node->first; one; one = one->next) {
        bool named = one->key && strlen(one->key) == size && memcmp(one->key, name, size) == 0;
        if (named || (counted && index-- == 0)) return one;
    }
    return NULL;
}

const clg_json *clg_expectation_find(const clg_json *root, const char *path, size_t *known) {
    const clg_json *node = root;
    *known = 0;
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, ".");
        node = child_of(node, at, size);
        if (!node) return NULL;
        at += size;
        *known = (size_t)(at - path);
        if (*at == '.') at++;
    }
    return node;
}
