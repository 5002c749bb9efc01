/* named_files.c -- configurations that a job names and that are not among its files, and files of
 * which each would be the job. */
#include "job/reading.h"

#include <string.h>

static bool is_here(const clg_reading *r, const char *name) {
    for (int i = 0; i < r->file_count; i++)
        if (strcmp(clg_job_base_name(r->files[i].name), name) == 0) return true;
    return false;
}

/* "training=llama/llama2_70b": a file of that name that the trainer's own folder holds. NULL: none,
 * or it is here. */
static const char *chosen_and_missing(clg_reading *r, const clg_json **node) {
    const clg_json *names = r->main ? clg_json_member(r->main, "names") : NULL;
    for (const clg_json *one = names ? names->first : NULL; one; one = one->next)
        for (int i = 0; i < r->sources; i++) {
            *node = clg_tree_find(r->source[i].root, one->key);
            if (!*node || (*node)->kind != CLG_JSON_STRING || !(*node)->text[0]) continue;
            bool known = !clg_tree_unknown(*node);
            const char *name = clg_arena_print(
                r->arena, "%s%s", known ? clg_job_base_name((*node)->text) : "NAME", one->text);
            if (!known || !is_here(r, name)) return name;
        }
    return NULL;
}

const char *clg_job_named_and_missing(clg_reading *r, const clg_json **node) {
    static const char *const keys[] = {"config-file-given", "config",      "workload.configFile",
                                       "**.configFile",     "config_file", "job.config_file"};
    for (int i = 0; i < r->sources; i++)
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            *node = clg_tree_find(r->source[i].root, keys[k]);
            bool text = *node && (*node)->kind == CLG_JSON_STRING && !clg_tree_unknown(*node);
            const char *name = text ? clg_job_base_name((*node)->text) : "";
            if (strlen(name) < 4 || !strchr(name, '.') || strpbrk(name, " \n")) continue;
            if (!is_here(r, name)) return name;
        }
    return chosen_and_missing(r, node);
}

/* A configuration that the command names and that is not among the files. */
static void missing(clg_reading *r) {
    clg_found_key key = clg_job_key(r, r->main, "config-file-given|job.config_file|config_file");
    bool named = key.node && key.source->command;
    const clg_json *node = NULL;
    const char *name =
        named ? clg_job_base_name(clg_job_word(key.node)) : chosen_and_missing(r, &node);
    bool unknown = name && (clg_tree_unknown_text(name) || *name == '.');
    if (!name || (named && (!strchr(name, '.') || is_here(r, name)))) return;
    if (unknown) name = "a configuration whose name is known only when it runs";
    clg_job_note_down(r->arena, &r->job->doubts, "files", named ? clg_job_from(r, &key) : NULL,
                      clg_arena_print(r->arena,
                                      "%s is named and not here: what it says is assumed to be the "
                                      "trainer's defaults; give it too",
                                      name),
                      -1);
}

/* The first key of both trees whose values differ, in the arena; NULL: none. */
static const char *differing(clg_arena *arena, const clg_json *a, const clg_json *b,
                             const char *path, int depth) {
    for (const clg_json *one = a->first; one && depth > 0; one = one->next) {
        const clg_json *other = one->key ? clg_json_member(b, one->key) : NULL;
        if (!other || other->kind != one->kind) continue;
        const char *here = *path ? clg_arena_print(arena, "%s.%s", path, one->key) : one->key;
        if (one->kind == CLG_JSON_OBJECT) {
            const char *below = differing(arena, one, other, here, depth - 1);
            if (below) return below;
        } else if (*clg_job_word(one) && strcmp(clg_job_word(one), clg_job_word(other)) != 0)
            return here;
    }
    return NULL;
}

/* Two configurations of the trainer that say different things: the first is read first. */
static void alternatives(clg_reading *r) {
    enum { DEEPEST = 8 };
    const clg_job_source *first = NULL;
    for (int i = 0; i < r->sources; i++) {
        const clg_job_source *one = &r->source[i];
        if (one->command || one->launcher || !one->name || one->format != r->main) continue;
        if (!first) {
            first = one;
            continue;
        }
        const char *key = differing(r->arena, first->root, one->root, "", DEEPEST);
        if (!key) continue;
        clg_job_note_down(r->arena, &r->job->doubts, "files", clg_job_base_name(one->name),
                          clg_arena_print(r->arena,
                                          "%s says another %s: what both say is taken from the "
                                          "first; give one alone where they are two jobs",
                                          clg_job_base_name(first->name), key),
                          -1);
        return;
    }
}

void clg_job_named_elsewhere(clg_reading *r) {
    missing(r);
    alternatives(r);
}
