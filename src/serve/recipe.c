/* recipe.c -- looks recipes up. */
#include "serve/recipe.h"

#include "dataset/dataset.h"
#include "dataset/value.h"

#include <stdlib.h>
#include <string.h>

static const char path[] = "recipe/inferencex.csv";

static const char *word(const clg_csv *t, int row, const char *column) {
    const char *field = clg_csv_field(t, row, column);
    return field ? field : "";
}

static int number(const clg_csv *t, int row, const char *column) {
    return atoi(word(t, row, column));
}

static bool says(const clg_csv *t, int row, const char *column, const char *asked) {
    return strcmp(word(t, row, column), asked) == 0;
}

/* A list of numbers with blanks between. */
static bool lists(const char *list, int64_t asked) {
    char *end;
    for (; *list; list = end) {
        if (strtoll(list, &end, 10) == asked) return true;
        if (end == list) return false;
    }
    return false;
}

/* Months are compared as text. */
static bool held(const clg_csv *t, int row, const char *date) {
    return strncmp(date, word(t, row, "from"), 7) >= 0 &&
           strncmp(date, word(t, row, "until"), 7) <= 0;
}

static bool same_load(const clg_csv *t, int row, const clg_recipe_row *r) {
    return says(t, row, "model", r->model) && says(t, row, "gpu", r->gpu) &&
           says(t, row, "engine", r->engine) &&
           says(t, row, "weights", clg_name_of(clg_precision_names, (int)r->weights)) &&
           number(t, row, "prompt_tokens") == (int)r->prompt_tokens &&
           number(t, row, "output_tokens") == (int)r->output_tokens && held(t, row, r->date) &&
           lists(word(t, row, "clients"), r->clients);
}

static clg_recipe read_recipe(clg_arena *arena, const clg_csv *t, int row) {
    const char *cite = word(t, row, "cite");
    return (clg_recipe){.prefill = {number(t, row, "prefill_tp"), 1, number(t, row, "prefill_dp"),
                                    number(t, row, "prefill_ep"), number(t, row, "prefill_copies")},
                        .part = {number(t, row, "tp"), 1, number(t, row, "dp"),
                                 number(t, row, "ep"), number(t, row, "copies")},
                        .prefill_tokens = number(t, row, "prefill_tokens"),
                        .batch = number(t, row, "batch"),
                        .graph_most = number(t, row, "graph_most"),
                        .memory_share = strtod(word(t, row, "memory_share"), NULL),
                        .drafted = number(t, row, "drafted"),
                        .cite = clg_arena_copy(arena, cite, strlen(cite)),
                        .line = t->row[row].line};
}

static int gpus(const clg_part *p) { return p->tp * p->dp; }

static bool same_degrees(const clg_recipe *c, const clg_recipe_row *r) {
    int first = gpus(&r->prefill), rest = gpus(&r->part);
    int all = c->prefill.copies * gpus(&c->prefill) + c->part.copies * gpus(&c->part);
    if (r->prefill.copies > 0 || r->part.copies > 0)
        return c->drafted == 0 && c->prefill.copies == r->prefill.copies &&
               c->part.copies == r->part.copies && gpus(&c->prefill) == first &&
               gpus(&c->part) == rest;
    if (first == 1 && rest == 1 && gpus(&c->part) > 1) return true;
    return (gpus(&c->prefill) == first && gpus(&c->part) == rest) || (first == all && rest == all);
}

clg_status clg_recipes_find(clg_arena *arena, const clg_recipe_row *r, int room, clg_recipe *found,
                            int *count, clg_error *error) {
    const clg_file *file = clg_dataset_find(path);
    clg_arena own = {0};
    clg_csv t;
    *count = 0;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "recipes are not built in");
    clg_status status = clg_csv_parse(&own, file->path, file->text, file->size, &t, error);
    for (int i = 0; status == CLG_OK && i < t.rows; i++) {
        if (!same_load(&t, i, r)) continue;
        clg_recipe one = read_recipe(arena, &t, i);
        if (!same_degrees(&one, r)) continue;
        if (*count < room) found[*count] = one;
        ++*count;
    }
    clg_arena_clear(&own);
    return status;
}

clg_status clg_recipe_gained(clg_arena *arena, int drafted, double *gained, clg_error *error) {
    const clg_file *file = clg_dataset_find("operations/speculation.json");
    clg_json *root;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "speculation is not built in");
    if (clg_json_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
        return error->status;
    return clg_value_read(root, clg_arena_print(arena, "drafted_%d", drafted), CLG_COUNT, true,
                          file->path, gained, error);
}
