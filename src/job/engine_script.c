/* engine_script.c -- a serving engine that a file describes by members, not by a command: the
 * command it comes to. Which members, of which charts and services, says launchers.json
 * ("engines").
 *
 * Left out: members that are no scalar, and how many replicas there are. */
#include "base/letters.h"
#include "base/text.h"
#include "job/reading.h"

#include <ctype.h>
#include <string.h>

/* The member at the first of "a.b|c" that the object has. */
static const clg_json *at_path(clg_arena *arena, const clg_json *node, const char *paths) {
    while (*paths) {
        size_t size = strcspn(paths, "|");
        const clg_json *found = clg_tree_find(node, clg_arena_copy(arena, paths, size));
        if (found) return found;
        paths += size + (paths[size] == '|');
    }
    return NULL;
}

const clg_json *clg_job_engine_of(const clg_reading *r, const clg_json *node) {
    const clg_json *all = clg_json_member(r->launchers, "engines");
    if (node->kind != CLG_JSON_OBJECT) return NULL;
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next) {
        const clg_json *mark = clg_json_member(node, clg_json_text(one, "holds", ""));
        const clg_json *model = at_path(r->arena, node, clg_json_text(one, "model", ""));
        if (mark && model && model->kind == CLG_JSON_STRING) return one;
    }
    return NULL;
}

/* "tensorParallelSize", "tensor_parallel_size": --tensor-parallel-size */
static void add_flag(clg_text *out, const char *key) {
    clg_text_print(out, " --");
    for (const char *at = key; *at; at++) {
        if (isupper((unsigned char)*at)) clg_text_add(out, "-", 1);
        char c = *at == '_' ? '-' : (char)tolower((unsigned char)*at);
        clg_text_add(out, &c, 1);
    }
}

/* A word of the command; what has no place in one is left out. */
static void add_word(clg_text *out, const char *word) {
    if (*word && !strpbrk(word, "'\n") && *word != CLG_TREE_UNKNOWN)
        clg_text_print(out, " '%s'", word);
}

static void add_flags(clg_text *out, const clg_json *flags) {
    for (const clg_json *one = flags ? flags->first : NULL; one; one = one->next) {
        const char *word = clg_job_word(one);
        if (!*word || clg_job_is(word, "false") || !clg_is_letter(*one->key)) continue;
        add_flag(out, one->key);
        if (!clg_job_is(word, "true")) add_word(out, word);
    }
}

/* {"TENSOR_PARALLELISM": "--tensor-parallel-size"}: members that stand for a flag. */
static void add_named(clg_text *out, const clg_json *node, const clg_json *named) {
    for (const clg_json *one = named ? named->first : NULL; one; one = one->next) {
        const clg_json *value = clg_tree_find(node, one->key);
        const char *word = value ? clg_job_word(value) : "";
        if (!*word || clg_job_is(word, "false")) continue;
        clg_text_print(out, " %s", one->text);
        if (!clg_job_is(word, "true")) add_word(out, word);
    }
}

/* {name: VARIABLE, value: "--flag 1"}, the first below the node, whose value goes on with the
 * command. */
static const char *in_variable(const clg_json *node, const char *variable, int depth) {
    const clg_json *name = clg_json_member(node, "name"), *value = clg_json_member(node, "value");
    if (depth == 0) return NULL;
    if (name && value && clg_job_is(clg_job_word(name), variable)) return clg_job_word(value);
    for (const clg_json *child = node->first; child; child = child->next) {
        const char *found = in_variable(child, variable, depth - 1);
        if (found) return found;
    }
    return NULL;
}

static void add_variable(clg_text *out, const clg_json *node, const char *variable) {
    enum { DEEPEST = 16 };
    const char *words = variable ? in_variable(node, variable, DEEPEST) : NULL;
    if (words && !strpbrk(words, "'\"\n;&|<>$`\\#()") && *words != CLG_TREE_UNKNOWN)
        clg_text_print(out, " %s", words);
}

/* "nvidia-gpu-h100:8": eight to a machine. */
static void add_machine(clg_text *out, const clg_json *gpu, const clg_json *count) {
    const char *kind = gpu ? clg_job_word(gpu) : "", *colon = strrchr(kind, ':');
    const char *each = count ? clg_job_word(count) : colon ? colon + 1 : "";
    int size = (int)(colon ? colon - kind : (long)strlen(kind));
    if (strpbrk(kind, "\n'") || strpbrk(each, "\n'")) return;
    if (*each)
        clg_text_print(out, "#SBATCH --gpus-per-node=%.*s%s%s", size, kind, size ? ":" : "", each);
    else if (size > 0)
        clg_text_print(out, "#SBATCH --constraint=%.*s", size, kind);
}

const char *clg_job_engine_command(const clg_reading *r, const clg_json *engine,
                                   const clg_json *node) {
    clg_arena *arena = r->arena;
    clg_text out = {.arena = arena};
    const char *model = clg_job_word(at_path(arena, node, clg_json_text(engine, "model", "")));
    const clg_json *flags = at_path(arena, node, clg_json_text(engine, "flags", ""));
    const clg_json *more = at_path(arena, node, clg_json_text(engine, "arguments", ""));
    const char *scheme = strstr(model, "://");
    clg_text_print(&out, "%s", clg_json_text(engine, "program", ""));
    add_word(&out, scheme ? scheme + 3 : model);
    add_flags(&out, flags);
    add_named(&out, node, clg_json_member(engine, "named"));
    for (const clg_json *one = more ? more->first : NULL; one; one = one->next)
        add_word(&out, clg_job_word(one));
    add_variable(&out, node, clg_json_text(engine, "variable", NULL));
    clg_text_print(&out, "\n");
    add_machine(&out, at_path(arena, node, clg_json_text(engine, "gpu", "")),
                at_path(arena, node, clg_json_text(engine, "gpus", "")));
    return out.data;
}
