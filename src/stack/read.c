/* read.c -- one object of data/stack/<name>.json: a file, a release or a recipe. */
#include "stack/terms.h"

#include "dataset/dataset.h"
#include "dataset/value.h"

#include <stdio.h>
#include <string.h>

static clg_status refuse_unknown_keys(const clg_json *root, const char *file, clg_error *error) {
    static const char *const words[] = {"name",         "title",
                                        "date",         "gradient",
                                        "attention",    "attention_older",
                                        "source",       "notes",
                                        "schedules",    "base",
                                        "from",         "releases",
                                        "moments",      "prints",
                                        "family",       "fabric",
                                        "recipes",      "models",
                                        "gpus",         "until",
                                        "as",           "shardings",
                                        "recomputes",   "assumes",
                                        "current_on",   "vendors",
                                        "follows_base", "current_beside_narrow_base"};
    enum { WORDS = sizeof words / sizeof words[0] };
    const char *names[CLG_TERMS_MOST + WORDS];
    for (int i = 0; i < clg_term_count; i++) names[i] = clg_terms[i].key;
    for (int i = 0; i < WORDS; i++) names[clg_term_count + i] = words[i];
    return clg_value_keys(root, names, clg_term_count + WORDS, file, error);
}

static clg_status read_number(const clg_json *root, const clg_term *term, bool required,
                              const char *file, double *into, clg_error *error) {
    double number = *into;
    clg_status status =
        clg_value_read(root, term->key, term->dimension, required, file, &number, error);
    if (status != CLG_OK) return status;
    const clg_json *node = clg_json_member(root, term->key);
    if (node && !clg_term_takes(term, number)) {
        clg_error_at(error, file, node->line, node->column, term->key);
        return clg_fail(error, CLG_BAD_INPUT, clg_term_range(term), "out of range");
    }
    *into = number;
    return CLG_OK;
}

/* A misspelt member of a value would be taken for none. */
static clg_status known_members(const clg_json *root, const char *key, const char *file,
                                clg_error *error) {
    static const char *const members[] = {"value", "unit", "source", "kind", "rows"};
    const clg_json *node = clg_json_member(root, key), *rows = clg_json_member(node, "rows");
    if (!node || clg_value_keys(node, members, 5, file, error) != CLG_OK)
        return node ? CLG_BAD_INPUT : CLG_OK;
    bool good = !rows || rows->kind == CLG_JSON_ARRAY;
    for (const clg_json *word = rows && good ? rows->first : NULL; word; word = word->next)
        good = good && word->kind == CLG_JSON_STRING;
    if (good) return CLG_OK;
    clg_error_at(error, file, rows->line, rows->column, key);
    return clg_fail(error, CLG_BAD_INPUT, "write the sources, like [\"one\", \"two\"]",
                    "rows are a list of sources");
}

static clg_status read_term(const clg_json *root, const clg_term *term, bool required,
                            const char *file, void *into, clg_error *error) {
    if (term->flag) return clg_value_flag(root, term->key, required, file, into, error);
    if (!term->words) return read_number(root, term, required, file, into, error);
    int word;
    memcpy(&word, into, sizeof word);
    clg_status status = clg_value_word(root, term->key, term->words, required, file, &word, error);
    memcpy(into, &word, sizeof word);
    return status;
}

static clg_status read_terms(const clg_json *root, const char *file, bool required,
                             clg_stack *stack, clg_error *error) {
    for (int i = 0; i < clg_term_count; i++) {
        const clg_term *term = &clg_terms[i];
        if (!required && !clg_json_member(root, term->key)) continue;
        void *into = (char *)stack + term->offset;
        clg_status status = read_term(root, term, required, file, into, error);
        if (status == CLG_OK) status = known_members(root, term->key, file, error);
        if (status != CLG_OK) return status;
    }
    return CLG_OK;
}

/* Lists of words and months, which are looked at later: faults in them show at once. */
static clg_status check_words(const clg_json *root, const char *file, clg_error *error) {
    static const char *const lists[] = {"vendors", "current_on", "models", "gpus"};
    static const char *const months[] = {"date", "from", "until"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const clg_json *list = clg_json_member(root, lists[i]);
        bool good = !list || list->kind == CLG_JSON_ARRAY;
        for (const clg_json *word = list ? list->first : NULL; word; word = word->next)
            good = good && word->kind == CLG_JSON_STRING;
        if (good) continue;
        clg_error_at(error, file, list->line, list->column, lists[i]);
        return clg_fail(error, CLG_BAD_INPUT, "write a list, like [\"one\", \"two\"]",
                        "no list of words");
    }
    for (size_t i = 0; i < sizeof months / sizeof months[0]; i++) {
        const clg_json *month = clg_json_member(root, months[i]);
        if (!month || (month->kind == CLG_JSON_STRING && clg_stack_is_month(month->text))) continue;
        clg_error_at(error, file, month->line, month->column, months[i]);
        return clg_fail(error, CLG_BAD_INPUT, "write it like \"2026-04\"", "no month");
    }
    bool current;
    return clg_json_bool(root, "current_beside_narrow_base", &current, file, error);
}

static clg_status read_words(const clg_json *root, const char *file, clg_stack *stack,
                             clg_error *error) {
    const char *gradient = clg_name_of(clg_precision_names, (int)stack->gradient);
    const char *moments = NULL, *prints = clg_name_of(clg_memory_names, (int)stack->prints);
    int precision, kind;
    const struct {
        const char *key, **into;
    } words[] = {{"name", &stack->name},
                 {"title", &stack->title},
                 {"date", &stack->date},
                 {"attention", &stack->attention},
                 {"attention_older", &stack->attention_older},
                 {"family", &stack->family},
                 {"fabric", &stack->fabric},
                 {"assumes", &stack->assumes},
                 {"moments", &moments},
                 {"prints", &prints},
                 {"gradient", &gradient}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (clg_json_string(root, words[i].key, *words[i].into, words[i].into, file, error) !=
            CLG_OK)
            return CLG_BAD_INPUT;
    if (clg_name_value(clg_memory_names, "kind of memory", prints, &kind, error) != CLG_OK ||
        clg_name_value(clg_precision_names, "gradient precision", gradient, &precision, error) !=
            CLG_OK)
        return CLG_BAD_INPUT;
    const clg_json *vendors = clg_json_member(root, "vendors");
    if (vendors) stack->vendors = vendors;
    stack->gradient = (clg_precision)precision;
    stack->prints = (clg_memory_kind)kind;
    if (!moments) return CLG_OK;
    if (clg_name_value(clg_precision_names, "precision of moments", moments, &precision, error) !=
        CLG_OK)
        return CLG_BAD_INPUT;
    stack->moments = (clg_precision)precision;
    return CLG_OK;
}

/* A network or a stack that is not built in would only show when a table of runs is read. */
static clg_status known_file(const clg_json *root, const char *file, const char *key,
                             const char *folder, clg_error *error) {
    char path[96], mend[64];
    const clg_json *node = clg_json_member(root, key);
    if (!node) return CLG_OK;
    const char *name = node->kind == CLG_JSON_STRING ? node->text : "";
    if (strcmp(key, "fabric") == 0 && strcmp(name, "reference") == 0) return CLG_OK;
    snprintf(path, sizeof path, "%s/%.60s.json", folder, name);
    if (clg_dataset_find(path)) return CLG_OK;
    clg_error_at(error, file, node->line, node->column, key);
    snprintf(mend, sizeof mend, "'ceiling show %ss' lists them", folder);
    return clg_fail(error, CLG_BAD_INPUT, mend, "unknown %s '%.60s'", folder, name);
}

/* ["1f1b", "interleaved"]: what the stack can run; the default states every set. */
static clg_status read_set(const clg_json *root, const char *file, const char *key,
                           const clg_name *names, bool required, unsigned *set, clg_error *error) {
    const clg_json *list = clg_json_member(root, key);
    if (!list && !required) return CLG_OK;
    if (!list || list->kind != CLG_JSON_ARRAY) {
        clg_error_at(error, file, list ? list->line : 0, list ? list->column : 0, key);
        return clg_fail(error, CLG_BAD_INPUT, "write a list, like [\"tp\"]", "no list of names");
    }
    *set = 0;
    for (const clg_json *word = list->first; word; word = word->next) {
        int kind;
        bool named = word->kind == CLG_JSON_STRING;
        if (named && clg_name_value(names, key, word->text, &kind, error) == CLG_OK) {
            *set |= 1u << kind;
            continue;
        }
        clg_error_at(error, file, word->line, word->column, key);
        return named ? CLG_BAD_INPUT
                     : clg_fail(error, CLG_BAD_INPUT, "write names in quotes", "no name");
    }
    return CLG_OK;
}

static clg_status read_sets(const clg_json *root, const char *file, bool required, clg_stack *stack,
                            clg_error *error) {
    if (read_set(root, file, "schedules", clg_schedule_names, required, &stack->schedules, error) !=
            CLG_OK ||
        read_set(root, file, "shardings", clg_sharding_names, required, &stack->shardings, error) !=
            CLG_OK)
        return CLG_BAD_INPUT;
    return read_set(root, file, "recomputes", clg_recompute_names, required, &stack->recomputes,
                    error);
}

clg_status clg_stack_read_onto(const clg_json *root, const char *file, bool complete,
                               clg_stack *stack, clg_error *error) {
    if (refuse_unknown_keys(root, file, error) != CLG_OK ||
        read_terms(root, file, complete, stack, error) != CLG_OK ||
        check_words(root, file, error) != CLG_OK ||
        read_words(root, file, stack, error) != CLG_OK ||
        known_file(root, file, "fabric", "fabric", error) != CLG_OK ||
        known_file(root, file, "as", "stack", error) != CLG_OK ||
        read_sets(root, file, complete, stack, error) != CLG_OK)
        return CLG_BAD_INPUT;
    stack->data = root;
    stack->file = file;
    return CLG_OK;
}
