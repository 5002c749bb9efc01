/* manifest.c -- files that hold other files: what the containers of a manifest run, and what its
 * ConfigMaps keep under names of files. */
#include "base/letters.h"
#include "job/reading.h"

#include <string.h>

enum { MOST_DOCUMENTS = 256 }; /* of a file; more are left out */

static const char *line_end(const char *at, const char *end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop + 1 : end;
}

/* Where the next document begins. */
static const char *next_document(const char *at, const char *end, int *lines) {
    bool first = true;
    for (; at < end; at = line_end(at, end), first = false, ++*lines)
        if (!first && end - at >= 3 && memcmp(at, "---", 3) == 0) return at;
    return end;
}

/* A text as YAML, in the list, its lines counted from `line` on; none where it is no YAML. */
static clg_json *add_document(clg_reading *r, clg_json *all, const char *name, const char *text,
                              size_t size, int line) {
    clg_error none = {0}, *held = r->error;
    clg_json *root = NULL;
    r->error = &none;
    clg_status status = clg_job_yaml(r, name, text, size, &root);
    r->error = held;
    if (status != CLG_OK || !root) return NULL;
    clg_tree_shift_lines(root, line);
    clg_tree_append(all, root);
    return root;
}

/* All documents of the file in a list, and what Ray's service keeps as a text in one of them; those
 * that are no YAML (templates) are left out. */
static clg_json *documents(clg_reading *r, const clg_job_file *file) {
    clg_json *all = clg_tree_make(r->arena, CLG_JSON_ARRAY, 1, 1);
    const char *end = file->text + file->size;
    int line = 0, left = MOST_DOCUMENTS;
    for (const char *at = file->text; at < end && left-- > 0;) {
        int lines = 0;
        const char *stop = next_document(at, end, &lines);
        const clg_json *root = add_document(r, all, file->name, at, (size_t)(stop - at), line);
        const clg_json *within = root ? clg_tree_find(root, "spec.serveConfigV2") : NULL;
        if (within && within->kind == CLG_JSON_STRING)
            add_document(r, all, file->name, within->text, within->text_size, within->line);
        at = stop, line += lines;
    }
    return all;
}

static bool is_kept_file(const char *name) {
    static const char *const endings[] = {".toml", ".yaml", ".yml", ".json", ".sh", ".py"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (clg_ends(name, endings[i])) return true;
    return false;
}

static void add_file(clg_reading *r, clg_job_file file, int room) {
    if (r->file_count < room) ((clg_job_file *)(uintptr_t)r->files)[r->file_count++] = file;
}

/* "data: {train.toml: |...}" of a ConfigMap: a file of that name, with lines of its own. */
static void kept_files(clg_reading *r, const clg_json *document, int room) {
    const clg_json *kind = clg_json_member(document, "kind");
    const clg_json *data = clg_json_member(document, "data");
    if (!kind || !data || !clg_job_is(clg_job_word(kind), "ConfigMap")) return;
    for (const clg_json *one = data->first; one; one = one->next)
        if (one->kind == CLG_JSON_STRING && is_kept_file(one->key))
            add_file(r, (clg_job_file){one->key, one->text, one->text_size}, room);
}

static bool holds_manifest(const clg_reading *r, const clg_json *all) {
    for (const clg_json *one = all->first; one; one = one->next)
        if (clg_is_manifest(r, one)) return true;
    return false;
}

clg_status clg_job_manifests(clg_reading *r, int room) {
    int count = r->file_count;
    if (clg_job_launchers(r) != CLG_OK) return CLG_BAD_INPUT;
    for (int i = 0; i < count; i++) {
        const clg_job_file *file = &r->files[i];
        if (!(clg_ends(file->name, ".yaml") || clg_ends(file->name, ".yml")) || clg_was_task(file))
            continue;
        clg_json *all = documents(r, file);
        if (!holds_manifest(r, all)) continue;
        r->manifest = all, r->manifest_name = clg_job_base_name(file->name);
        for (const clg_json *one = all->first; one; one = one->next) kept_files(r, one, room);
        add_file(r, clg_manifest_script(r, file->name, all), room);
    }
    return CLG_OK;
}
