/* open.h -- a file of data/ by folder and name. */
#ifndef CLG_DATASET_OPEN_H
#define CLG_DATASET_OPEN_H

#include "base/json.h"
#include "dataset/dataset.h"

/* The built-in file folder/name.json, or an error with the nearest name. */
clg_status clg_dataset_open(clg_arena *arena, const char *folder, const char *name,
                            const clg_file **file, const clg_json **root, clg_error *error);

#endif
