/* names.c -- reads data/stack-names.csv: a name, until which month, and what it is then. */
#include "stack/names.h"

#include "base/csv.h"
#include "base/name.h"
#include "dataset/dataset.h"

#include <string.h>

const char *clg_stack_named(clg_arena *arena, const char *name, const char *month) {
    const clg_file *file = clg_dataset_find("stack-names.csv");
    clg_csv csv;
    clg_error error = {0};
    if (clg_csv_parse(arena, file->path, file->text, file->size, &csv, &error) != CLG_OK)
        return NULL;
    for (int i = 0; i < csv.rows; i++) {
        const char *row = clg_csv_field(&csv, i, "name"), *until = clg_csv_field(&csv, i, "until");
        if (!clg_name_same(&row, 1, name)) continue;
        if (*until && (!month || strncmp(month, until, 7) > 0)) continue;
        return clg_csv_field(&csv, i, "stack");
    }
    return NULL;
}

const char *clg_stack_named_like(clg_arena *arena, const char *name, const char *month) {
    for (size_t length = strlen(name); length > 0; length--) {
        bool whole = !name[length], mark = strchr("-_. /+", name[length]) != NULL;
        if (!whole && !mark) continue;
        const char *found = clg_stack_named(arena, clg_arena_copy(arena, name, length), month);
        if (found) return found;
    }
    return NULL;
}
