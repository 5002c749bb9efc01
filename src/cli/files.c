/* files.c -- files read whole, up to a bound, and written whole. */
#include "cli/output.h"
#include "cli/tool.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static clg_status refuse(clg_error *error, const char *path, const char *mend,
                         const char *message) {
    clg_error_at(error, path, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT, mend, "%s", message);
}

static clg_status too_large(clg_error *error, const char *path, size_t most) {
    clg_error_at(error, path, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT, "give a smaller one", "larger than %zu MiB", most >> 20);
}

/* Streams (a pipe, /dev/stdin) have no size: read until the bound. */
static clg_status read_all(clg_arena *arena, FILE *file, const char *path, size_t most,
                           const char **text, size_t *size, clg_error *error) {
    clg_text all = {.arena = arena};
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        if (all.size + got > most) return too_large(error, path, most);
        clg_text_add(&all, block, got);
    }
    if (ferror(file)) return refuse(error, path, "check the disk", strerror(errno));
    *text = all.data ? all.data : "";
    *size = all.size;
    return CLG_OK;
}

static clg_status inflate_all(z_stream *z, clg_text *all, const char *path, size_t most,
                              clg_error *error) {
    char block[65536];
    int code = Z_OK;
    while (z->avail_in > 0 || code == Z_OK) {
        if (code == Z_STREAM_END && inflateReset(z) != Z_OK) break; /* files one after the other */
        z->next_out = (unsigned char *)block;
        z->avail_out = sizeof block;
        code = inflate(z, Z_NO_FLUSH);
        clg_text_add(all, block, sizeof block - z->avail_out);
        if (all->size > most) return too_large(error, path, most);
        if (code != Z_OK && code != Z_STREAM_END) break;
    }
    if (code == Z_STREAM_END) return CLG_OK;
    return refuse(error, path, "fetch it again", "a compressed file that is damaged or cut short");
}

/* Files that gzip wrote are read as what they hold. */
static clg_status unpack(clg_arena *arena, const char *path, size_t most, const char **text,
                         size_t *size, clg_error *error) {
    const unsigned char *bytes = (const unsigned char *)*text;
    if (*size < 18 || bytes[0] != 0x1f || bytes[1] != 0x8b) return CLG_OK;
    clg_text all = {.arena = arena};
    z_stream z = {0};
    if (*size > UINT_MAX || inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
        return refuse(error, path, "decompress it first", "too large to decompress here");
    z.next_in = (unsigned char *)(uintptr_t)bytes;
    z.avail_in = (uInt)*size;
    clg_status status = inflate_all(&z, &all, path, most, error);
    inflateEnd(&z);
    *text = all.data ? all.data : "";
    *size = all.size;
    return status;
}

bool clg_file_absent(const char *path) { return access(path, F_OK) != 0 && errno == ENOENT; }

clg_status clg_file_read(clg_arena *arena, const char *path, size_t most, const char **text,
                         size_t *size, clg_error *error) {
    struct stat about;
    bool standard = strcmp(path, "-") == 0;
    if (!standard && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return refuse(error, path, "name a file in it", "this is a directory");
    bool address = strstr(path, "://") != NULL;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return refuse(error, path,
                      address                               ? "fetch it first (curl -LO URL)"
                      : errno == ENOENT || errno == ENOTDIR ? "check the path"
                                                            : "check its permissions",
                      address ? "addresses are not fetched" : strerror(errno));
    clg_status status = read_all(arena, file, path, most, text, size, error);
    if (!standard) fclose(file);
    return status == CLG_OK ? unpack(arena, path, most, text, size, error) : status;
}

clg_status clg_file_attach(clg_arena *arena, const char *path, size_t most, clg_attachment *file,
                           clg_error *error) {
    file->name = path;
    return clg_file_read(arena, path, most, &file->text, &file->size, error);
}

clg_status clg_folder_make(const char *folder, clg_error *error) {
    struct stat about;
    if (mkdir(folder, 0777) == 0) return CLG_OK;
    bool there = errno == EEXIST && stat(folder, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) return CLG_OK;
    clg_error_at(error, folder, 0, 0, "--out");
    return clg_fail(error, CLG_BAD_INPUT,
                    errno == ENOENT ? "make it first (mkdir -p)" : "name a directory, new or not",
                    "%s",
                    errno == ENOENT ? "the directory that it is to be in is not there"
                    : there         ? "a file has this name"
                                    : strerror(errno));
}

clg_status clg_file_write(const char *path, const clg_text *text, clg_error *error) {
    clg_output out;
    if (clg_output_open(&out, path, error) != CLG_OK) return error->status;
    bool whole = text->size == 0 || fwrite(text->data, 1, text->size, out.file) == text->size;
    return clg_output_close(&out, whole, error);
}
