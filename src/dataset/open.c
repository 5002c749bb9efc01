/* open.c -- see the header. */
#include "dataset/open.h"

#include "base/name.h"
#include "dataset/kept.h"

#include <string.h>

clg_status clg_dataset_open(clg_arena *arena, const char *folder, const char *name,
                            const clg_file **file, const clg_json **root, clg_error *error) {
    *file = clg_dataset_find(clg_arena_print(arena, "%s/%.64s.json", folder, name));
    if (*file)
        return clg_dataset_parse(arena, (*file)->path, (*file)->text, (*file)->size, root, error);
    int count;
    const clg_file *files = clg_dataset_folder(clg_arena_print(arena, "%s/", folder), &count);
    const char **names = clg_take(arena, (size_t)count + 1, const char *);
    size_t skip = strlen(folder) + 1;
    for (int i = 0; i < count; i++)
        names[i] = clg_arena_copy(arena, files[i].path + skip, strlen(files[i].path) - skip - 5);
    const char *same = clg_name_same(names, count, name); /* "vLLM" */
    if (same && strcmp(same, name) != 0)
        return clg_dataset_open(arena, folder, same, file, root, error);
    const char *nearest = clg_name_nearest(names, count, name);
    return clg_fail(error, CLG_BAD_INPUT,
                    nearest ? clg_arena_print(arena, "did you mean %s?", nearest)
                            : clg_arena_print(arena, "'ceiling show %ss' lists them", folder),
                    "there is no %s '%.64s'", folder, name);
}

clg_status clg_dataset_numbers(clg_arena *arena, const char *folder, const char *name,
                               const clg_value_field *fields, size_t count, clg_error *error) {
    const clg_file *file;
    const clg_json *root;
    if (clg_dataset_open(arena, folder, name, &file, &root, error) != CLG_OK ||
        clg_value_fields(root, file->path, fields, count, error) != CLG_OK)
        return error->status;
    return clg_value_done(root, file->path, error);
}
