/* open.h -- a file of data/ by folder and name. */
#ifndef CLG_DATASET_OPEN_H
#define CLG_DATASET_OPEN_H

#include "base/json.h"
#include "dataset/dataset.h"
#include "dataset/value.h"

/* The built-in file folder/name.json, or an error with the nearest name. */
clg_status clg_dataset_open(clg_arena *arena, const char *folder, const char *name,
                            const clg_file **file, const clg_json **root, clg_error *error);

/* The numbers of such a file: all of `fields`, and it has no others. */
clg_status clg_dataset_numbers(clg_arena *arena, const char *folder, const char *name,
                               const clg_value_field *fields, size_t count, clg_error *error);
#define CLG_DATASET_NUMBERS(arena, folder, name, fields, error)                                    \
    clg_dataset_numbers(arena, folder, name, fields, sizeof(fields) / sizeof *(fields), error)

#endif
