/* unknown.c -- members of a file that no reader knows, and what was meant. */
#include "base/name.h"
#include "dataset/dataset.h"
#include "dataset/value.h"

#include <stdio.h>
#include <string.h>

static clg_status refuse(const clg_json *member, const char *nearest, const char *file,
                         clg_error *error) {
    char mend[96];
    clg_error_at(error, file, member->line, member->column, member->key);
    snprintf(mend, sizeof mend, nearest ? "did you mean %.64s?" : "correct it, or remove it%s",
             nearest ? nearest : "");
    return clg_fail(error, CLG_BAD_INPUT, mend, "not a member of this file");
}

clg_status clg_value_keys(const clg_json *object, const char *const *keys, int count,
                          const char *file, clg_error *error) {
    if (object->kind != CLG_JSON_OBJECT) {
        clg_error_at(error, file, object->line, object->column, object->key);
        return clg_fail(error, CLG_BAD_INPUT, "write {...}", "this is no object");
    }
    for (const clg_json *c = object->first; c; c = c->next) {
        bool known = false;
        for (int i = 0; i < count && !known; i++)
            known = keys[i][0] == c->key[0] && strcmp(keys[i], c->key) == 0;
        if (!known) return refuse(c, clg_name_nearest(keys, count, c->key), file, error);
    }
    clg_json_entries(object); /* known, whoever reads some of them later */
    return CLG_OK;
}

/* Names that are used in files, each as often as it is there. */
typedef struct names {
    const char *name[2048];
    int count;
} names;

/* All members below a node but those of this name. */
static void add_members(names *known, const clg_json *node, const char *but) {
    const int most = sizeof known->name / sizeof known->name[0];
    for (const clg_json *c = node->first; c; c = c->next) {
        if (c->key && strcmp(c->key, but) != 0 && known->count < most)
            known->name[known->count++] = c->key;
        add_members(known, c, but);
    }
}

/* Built-in files of the folder show what is spelt how: their readers are spread over many rooms. */
static clg_status refuse_unread(clg_arena *arena, const clg_json *unread, const char *file,
                                clg_error *error) {
    int count;
    names *known = clg_take(arena, 1, names);
    const char *slash = strrchr(file, '/'), *start = slash;
    while (start && start > file && start[-1] != '/') start--;
    const clg_file *files =
        slash
            ? clg_dataset_folder(clg_arena_copy(arena, start, (size_t)(slash - start) + 1), &count)
            : NULL;
    for (int i = 0; files && i < count; i++) {
        clg_json *root;
        clg_error none = {0};
        if (clg_json_parse(arena, files[i].path, files[i].text, files[i].size, &root, &none) ==
            CLG_OK)
            add_members(known, root, unread->key);
    }
    return refuse(unread, clg_name_nearest(known->name, known->count, unread->key), file, error);
}

clg_status clg_value_done(const clg_json *root, const char *file, clg_error *error) {
    clg_arena arena = {0};
    const clg_json *unread = clg_json_unread(root);
    if (!unread) return CLG_OK;
    clg_status status = refuse_unread(&arena, unread, file, error);
    clg_arena_clear(&arena);
    return status;
}
