/* trace_files.c -- opening recordings. */
#include "cli/trace_files.h"

#include "cli/inflate.h"
#include "record/intern.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { INPUT_BYTES = 1 << 18, HEAD_BYTES = 1 << 14, DEEPEST_DIRECTORY = 8, MOST_FILES = 1 << 20 };

struct clg_trace_file {
    FILE *stream;
    off_t packed_at;          /* where compressed bytes begin */
    clg_inflation *inflation; /* NULL: the file is plain */
    unsigned char input[INPUT_BYTES];
    size_t input_at, input_size; /* of the file as it is */
    int64_t left;                /* bytes of it that belong to a stored member; INT64_MAX: all */
    char head[HEAD_BYTES];
    size_t head_at, head_size;
};

static size_t refill(clg_trace_file *f) {
    f->input_at = 0;
    f->input_size = fread(f->input, 1, INPUT_BYTES, f->stream);
    return f->input_size;
}

/* Bytes as they are in the file. */
static size_t fill_plain(void *context, char *to, size_t capacity) {
    clg_trace_file *f = context;
    size_t size = f->input_size - f->input_at;
    if ((int64_t)capacity > f->left) capacity = (size_t)f->left;
    if (size > capacity) size = capacity;
    if (size > 0) {
        memcpy(to, f->input + f->input_at, size);
        f->input_at += size;
    } else
        size = fread(to, 1, capacity, f->stream);
    if (f->left < INT64_MAX) f->left -= (int64_t)size;
    return size;
}

static bool rewind_packed(void *context) {
    clg_trace_file *f = context;
    f->input_at = f->input_size = 0;
    return fseeko(f->stream, f->packed_at, SEEK_SET) == 0;
}

static size_t fill_file(clg_trace_file *f, char *to, size_t capacity) {
    if (!f->inflation) return fill_plain(f, to, capacity);
    clg_trace_source source = clg_inflation_source(f->inflation);
    return source.fill(source.context, to, capacity);
}

static size_t fill(void *context, char *to, size_t capacity) {
    clg_trace_file *f = context;
    size_t size = f->head_size - f->head_at;
    if (size == 0) return fill_file(f, to, capacity);
    if (size > capacity) size = capacity;
    memcpy(to, f->head + f->head_at, size);
    f->head_at += size;
    return size;
}

clg_trace_source clg_trace_file_source(clg_trace_file *file) {
    return (clg_trace_source){.fill = fill, .context = file};
}

bool clg_trace_file_compressed(const clg_trace_file *file) { return file->inflation != NULL; }

/* gzip (RFC 1952), or a member of a zip archive (PKWARE appnote 4.3.7: 30 bytes, then name and
 * extra field; method 8 is raw deflate, 0 is stored). `size`: as packed, where it is known. */
static bool start_inflating(clg_trace_file *f, clg_arena *arena, off_t began, int64_t size) {
    const unsigned char *in = f->input;
    bool gzip = f->input_size >= 2 && in[0] == 0x1f && in[1] == 0x8b;
    bool member = f->input_size >= 30 && memcmp(in, "PK\3\4", 4) == 0;
    bool zip = member && in[8] == 8, stored = member && in[8] == 0 && size >= 0;
    if (!gzip && !zip && !stored) return true;
    size_t skip = !gzip ? 30 + (size_t)(in[26] | in[27] << 8) + (size_t)(in[28] | in[29] << 8) : 0;
    f->input_at = skip < f->input_size ? skip : f->input_size;
    if (stored) f->left = size;
    if (stored) return true;
    f->packed_at = began + (off_t)f->input_at;
    clg_packed packed = {{.fill = fill_plain, .context = f}, began >= 0 ? rewind_packed : NULL};
    f->inflation = clg_inflation_start(arena, packed, gzip, false);
    return f->inflation != NULL;
}

static void read_head(clg_trace_file *f) {
    size_t got;
    while (f->head_size < HEAD_BYTES &&
           (got = fill_file(f, f->head + f->head_size, HEAD_BYTES - f->head_size)) > 0)
        f->head_size += got;
}

static clg_status refuse(clg_error *error, const char *path, const char *message) {
    clg_error_at(error, path, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT, "check path and permissions", "%s", message);
}

clg_status clg_trace_open(clg_arena *arena, const char *path, clg_trace_file **file,
                          clg_slice *head, clg_error *error) {
    return clg_trace_open_member(arena, path, NULL, file, head, error);
}

clg_status clg_trace_open_member(clg_arena *arena, const char *path, const clg_zip_member *member,
                                 clg_trace_file **file, clg_slice *head, clg_error *error) {
    clg_trace_file *f = *file = clg_take(arena, 1, clg_trace_file);
    f->left = INT64_MAX;
    f->stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!f->stream) return refuse(error, path, strerror(errno));
    if (member) fseeko(f->stream, (off_t)member->at, SEEK_SET);
    off_t began = ftello(f->stream); /* -1: a pipe */
    refill(f);
    bool ready = start_inflating(f, arena, began, member ? member->size : -1);
    if (ready) read_head(f);
    *head = (clg_slice){f->head, f->head_size};
    if (ready) return CLG_OK;
    clg_trace_close(f);
    return refuse(error, path, "zlib could not start");
}

void clg_trace_close(clg_trace_file *f) {
    if (f->inflation) clg_inflation_stop(f->inflation);
    if (f->stream != stdin) fclose(f->stream);
}

/* ---- directories ---- */

typedef struct listing {
    clg_arena *arena;
    const char **paths;
    size_t count, capacity;
} listing;

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static clg_status list_path(listing *l, const char *path, int depth, clg_error *error);

static clg_status list_directory(listing *l, const char *path, int depth, clg_error *error) {
    DIR *directory = opendir(path);
    if (!directory) return refuse(error, path, strerror(errno));
    listing inside = {.arena = l->arena};
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        const char *below = clg_arena_print(l->arena, "%s/%s", path, entry->d_name);
        CLG_APPEND(l->arena, inside.paths, inside.count, inside.capacity, below);
    }
    closedir(directory);
    if (inside.count) qsort(inside.paths, inside.count, sizeof(const char *), by_name);
    clg_status status = CLG_OK;
    for (size_t i = 0; i < inside.count && status == CLG_OK; i++)
        status = list_path(l, inside.paths[i], depth + 1, error);
    return status;
}

bool clg_trace_is_directory(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int64_t clg_trace_file_bytes(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (int64_t)about.st_size : 0;
}

static clg_status list_path(listing *l, const char *path, int depth, clg_error *error) {
    bool directory = clg_trace_is_directory(path);
    if (directory && depth < DEEPEST_DIRECTORY) return list_directory(l, path, depth, error);
    if (directory) return CLG_OK;
    if (l->count >= MOST_FILES) return refuse(error, path, "too many files");
    CLG_APPEND(l->arena, l->paths, l->count, l->capacity, path);
    return CLG_OK;
}

clg_status clg_trace_list(clg_arena *arena, const char *const *operands, int count,
                          const char ***paths, int *path_count, clg_error *error) {
    listing l = {.arena = arena};
    for (int i = 0; i < count; i++)
        if (list_path(&l, operands[i], 0, error) != CLG_OK) return error->status;
    *paths = l.paths;
    *path_count = (int)l.count;
    return CLG_OK;
}
