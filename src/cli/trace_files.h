/* trace_files.h -- recordings on disk: directories, gzip, zip. */
#ifndef CLG_CLI_TRACE_FILES_H
#define CLG_CLI_TRACE_FILES_H

#include "cli/tool.h"
#include "record/window.h"

/* An open recording; its text comes inflated from `source`. */
typedef struct clg_trace_file clg_trace_file;

/* Opens a file; its first inflated bytes are in `head`, and come again from the source. */
clg_status clg_trace_open(clg_arena *arena, const char *path, clg_trace_file **file,
                          clg_slice *head, clg_error *error);

/* A member of a zip: where its local header lies, and its size as it is packed. */
typedef struct clg_zip_member {
    const char *name;
    int64_t at, size;
} clg_zip_member;
clg_status clg_trace_open_member(clg_arena *arena, const char *path, const clg_zip_member *member,
                                 clg_trace_file **file, clg_slice *head, clg_error *error);
clg_trace_source clg_trace_file_source(clg_trace_file *file);
bool clg_trace_file_compressed(const clg_trace_file *file);
void clg_trace_close(clg_trace_file *file);

bool clg_trace_is_directory(const char *path);

/* Size on disk; 0 where none is known. */
int64_t clg_trace_file_bytes(const char *path);

/* The operands with directories replaced by the files in them, in order of name. */
clg_status clg_trace_list(clg_arena *arena, const char *const *operands, int count,
                          const char ***paths, int *path_count, clg_error *error);

#endif
