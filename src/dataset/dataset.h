/* dataset.h -- the files of data/ as they were when the program was built.
 *
 * tools/pack.c writes them into one file that the linker takes in; the table is constant. */
#ifndef CLG_DATASET_DATASET_H
#define CLG_DATASET_DATASET_H

#include <stddef.h>

typedef struct clg_file {
    const char *path; /* below data/: "gpu/h100-sxm.json" */
    const char *text; /* NUL-terminated */
    size_t size;
} clg_file;

/* All files in order of path. */
const clg_file *clg_dataset_files(int *count);

/* The file at `path`, or NULL. */
const clg_file *clg_dataset_find(const char *path);

/* First file whose path starts with `folder` ("gpu/") and how many follow it; NULL if none. */
const clg_file *clg_dataset_folder(const char *folder, int *count);

#endif
