/* engine.c -- reading data/engine. */
#include "stack/engine.h"

#include "dataset/kept.h"
#include "dataset/open.h"
#include "dataset/value.h"
#include "stack/terms.h"

#include <string.h>

int clg_graph_padded(const clg_graph_sizes *sizes, int sequences) {
    int from = 0;
    for (int i = 0; i < sizes->count; from = sizes->to[i++]) {
        if (sequences > sizes->to[i]) continue;
        int step = sizes->step[i], size = from + (sequences - from + step - 1) / step * step;
        return size < sizes->to[i] ? size : sizes->to[i];
    }
    return 0;
}

clg_status clg_graph_sizes_read(const clg_json *object, const char *file, clg_graph_sizes *sizes,
                                clg_error *error) {
    const clg_json *list = object ? clg_json_member(object, "value") : NULL;
    for (const clg_json *pair = list ? list->first : NULL; pair; pair = pair->next) {
        const clg_json *to = pair->first, *step = to ? to->next : NULL;
        int last = sizes->count > 0 ? sizes->to[sizes->count - 1] : 0;
        bool good = step && to->kind == CLG_JSON_NUMBER && step->kind == CLG_JSON_NUMBER &&
                    to->number > last && to->number < 1e6 && step->number >= 1 &&
                    step->number < 1e6 && sizes->count < CLG_GRAPH_STRETCHES;
        if (!good) {
            clg_error_at(error, file, pair->line, pair->column, "graphs");
            return clg_fail(error, CLG_BAD_INPUT, "give pairs [to, step] whose ends rise",
                            "sizes of graphs that cannot be read");
        }
        sizes->to[sizes->count] = (int)to->number;
        sizes->step[sizes->count++] = (int)step->number;
    }
    return CLG_OK;
}

/* The numbers of an engine: those that every file says, or its base, then those it may say. */
static clg_status read_numbers(const clg_json *root, const char *file, bool based, clg_engine *e,
                               clg_error *error) {
#define TERM(member, key, dimension) {#key, CLG_##dimension, &e->member},
#define NEEDED(member, key, dimension, meaning) TERM(member, key, dimension)
#define OPTIONAL(member, key, dimension, meaning)
    const clg_value_field needed[] = {
#include "stack/engine.def"
        {"before", CLG_SECONDS, &e->front.before_s},
        {"turn", CLG_SECONDS, &e->front.turn_s},
        {"prompt_token", CLG_SECONDS, &e->front.prompt_token_s},
        {"after", CLG_SECONDS, &e->front.after_s},
        {"token", CLG_SECONDS, &e->front.token_s}};
#define NEEDED(member, key, dimension, meaning)
#define OPTIONAL(member, key, dimension, meaning) TERM(member, key, dimension)
    const clg_value_field optional[] = {
#include "stack/engine.def"
    };
    size_t count = sizeof needed / sizeof *needed;
    if ((based ? clg_value_optional(root, file, needed, count, error)
               : clg_value_fields(root, file, needed, count, error)) != CLG_OK)
        return error->status;
    return clg_value_optional(root, file, optional, sizeof optional / sizeof *optional, error);
}

/* What is the same of all engines whose files say nothing else. */
static clg_status read_common(clg_arena *arena, clg_engine *e, clg_error *error) {
    const clg_value_field fields[] = {{"token_hidden", CLG_BYTES, &e->token_hidden_bytes},
                                      {"logit_bytes", CLG_BYTES, &e->logit_bytes},
                                      {"router_match", CLG_FRACTION, &e->router_match},
                                      {"router_memory", CLG_SECONDS, &e->router_memory_s},
                                      {"router_uneven", CLG_COUNT, &e->router_uneven}};
    *e = (clg_engine){0};
    return CLG_DATASET_NUMBERS(arena, "operations", "engine", fields, error);
}

/* The one whose file says that it is the default. */
static const char *default_name(clg_arena *arena) {
    int count;
    const clg_file *files = clg_dataset_folder("engine/", &count);
    for (int i = 0; i < count; i++) {
        const clg_json *root;
        clg_error error;
        bool read = clg_dataset_parse(arena, files[i].path, files[i].text, files[i].size, &root,
                                      &error) == CLG_OK;
        if (read && clg_json_member(root, "default")) return clg_json_text(root, "name", "");
    }
    return "";
}

/* The month from which a release's successor is the one that is installed; "": it has none. */
static const char *until_of(const clg_json *root) {
    const clg_json *until = clg_json_member(root, "until");
    return until ? clg_json_text(until, "value", "") : "";
}

/* The release of an engine in a month: of those that were not replaced by then the oldest, else the
 * engine itself. Months compare as words. */
static const char *release_of(clg_arena *arena, const char *engine, const char *month) {
    int count;
    const clg_file *files = clg_dataset_folder("engine/", &count);
    const char *found = engine, *last = "9999-12";
    for (int i = 0; i < count; i++) {
        const clg_json *root;
        clg_error error;
        if (!strstr(files[i].text, "\"release_of\"") || /* spares reading all of them */
            clg_dataset_parse(arena, files[i].path, files[i].text, files[i].size, &root, &error) !=
                CLG_OK ||
            strcmp(clg_json_text(root, "release_of", ""), engine) != 0)
            continue;
        const char *until = until_of(root);
        if (strcmp(month, until) >= 0 || strcmp(until, last) >= 0) continue;
        last = until;
        found = clg_json_text(root, "name", "");
    }
    return found;
}

/* "vllm@2025-06": the file of that month's release. */
static clg_status dated(clg_arena *arena, const char **name, clg_error *error) {
    const char *at = strchr(*name, '@');
    if (!at) return CLG_OK;
    if (!clg_stack_is_month(at + 1))
        return clg_fail(error, CLG_BAD_INPUT, "write the month as NAME@2025-06",
                        "'%.16s' is no month", at + 1);
    *name = release_of(arena, clg_arena_copy(arena, *name, (size_t)(at - *name)), at + 1);
    return CLG_OK;
}

/* What a file says, over what its base says; `left`: so many bases may follow. */
static clg_status read_over_base(clg_arena *arena, const char *name, int left, clg_engine *e,
                                 clg_error *error) {
    const clg_file *file;
    const clg_json *root;
    if (clg_dataset_open(arena, "engine", name, &file, &root, error) != CLG_OK)
        return error->status;
    const char *base = clg_json_text(root, "base", "");
    if (*base && left == 0)
        return clg_fail(error, CLG_BAD_INPUT, "name another base", "the bases of '%.64s' go round",
                        name);
    if (*base && read_over_base(arena, base, left - 1, e, error) != CLG_OK) return error->status;
    const clg_json *graphs = clg_json_member(root, "graphs");
    if (graphs) e->graphs.count = 0;
    if (clg_graph_sizes_read(graphs, file->path, &e->graphs, error) != CLG_OK) return error->status;
    e->name = clg_json_text(root, "name", "");
    e->title = clg_json_text(root, "title", "");
    e->large_except = clg_json_text(root, "large_except", *base ? e->large_except : "");
    e->newer_generation = clg_json_text(root, "newer_generation", *base ? e->newer_generation : "");
    e->graphs_except = clg_json_text(root, "graphs_except", *base ? e->graphs_except : "");
    e->attention_except = clg_json_text(root, "attention_except", *base ? e->attention_except : "");
    if (read_numbers(root, file->path, *base != '\0', e, error) != CLG_OK) return error->status;
    clg_json_member(root, "default");    /* the engine that is taken; others look, */
    clg_json_member(root, "release_of"); /* and whose release it is, until when */
    until_of(root);
    return clg_value_done(root, file->path, error);
}

clg_status clg_engine_find(clg_arena *arena, const char *name, clg_engine *e, clg_error *error) {
    if (!name || !*name) name = default_name(arena);
    if (dated(arena, &name, error) != CLG_OK || read_common(arena, e, error) != CLG_OK)
        return error->status;
    return read_over_base(arena, name, 4, e, error);
}

static bool begins(const char *word, const char *with) {
    return *with && strncmp(word, with, strlen(with)) == 0;
}

clg_engine clg_engine_on(const clg_engine *engine, const clg_gpu *gpu) {
    clg_engine e = *engine;
    bool small =
        gpu->memory_usable_bytes < e.large_memory_bytes || begins(gpu->name, e.large_except);
    if (begins(gpu->generation, e.attention_except)) e.one_attention = 0;
    if (e.large_memory_bytes <= 0 || small) return e;
    e.max_sequences = e.large_sequences;
    e.max_tokens = e.large_tokens;
    return e;
}

bool clg_engine_is_newer(const clg_engine *engine, const clg_gpu *gpu) {
    return strcmp(gpu->generation, engine->newer_generation) == 0;
}

bool clg_engine_graphs_prompts(const clg_engine *engine, const clg_gpu *gpu) {
    return !begins(gpu->generation, engine->graphs_except);
}

double clg_engine_graph_most(const clg_engine *engine, int gpus) {
    return gpus < 4 ? engine->graph_most_narrow : engine->graph_most;
}
