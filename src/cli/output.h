/* output.h -- files that are written whole or not at all.
 *
 * What is written goes beside the file and replaces it at the end. A link stays one: the file it
 * points to is replaced. What is no regular file (a device, a pipe) is written to as it is. A
 * signal that ends the program takes the unfinished file with it. */
#ifndef CLG_CLI_OUTPUT_H
#define CLG_CLI_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct clg_output {
    FILE *file;
    const char *path;  /* as it was given */
    char target[4096]; /* where links lead; "" where it is written to as it is */
    char beside[4096];
} clg_output;

/* Opens `path` for writing. */
clg_status clg_output_open(clg_output *output, const char *path, clg_error *error);

/* Closes it; `whole`: everything was written to it, so that it is put in place. */
clg_status clg_output_close(clg_output *output, bool whole, clg_error *error);

/* Whether two paths are one file. */
bool clg_output_same(const char *path, const char *other);

/* From now on signals that end the program, and the end of memory, abandon what is unfinished. */
void clg_output_guard(void);

#endif
