/* files.c -- the only place that opens files: bounded reads, whole writes. */
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static clg_status refuse(clg_error *error, const char *path, const char *mend,
                         const char *message) {
    clg_error_at(error, path, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT, mend, "%s", message);
}

/* Streams (a pipe, /dev/stdin) have no size: read until the bound. */
static clg_status read_all(clg_arena *arena, FILE *file, const char *path, size_t most,
                           const char **text, size_t *size, clg_error *error) {
    clg_text all = {.arena = arena};
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        if (all.size + got > most) return refuse(error, path, "give a smaller one", "too large");
        clg_text_add(&all, block, got);
    }
    if (ferror(file)) return refuse(error, path, "check the disk", strerror(errno));
    *text = all.data ? all.data : "";
    *size = all.size;
    return CLG_OK;
}

clg_status clg_file_read(clg_arena *arena, const char *path, size_t most, const char **text,
                         size_t *size, clg_error *error) {
    struct stat about;
    bool standard = strcmp(path, "-") == 0;
    if (!standard && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return refuse(error, path, "name a file in it", "this is a directory");
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return refuse(error, path, errno == ENOENT ? "check the path" : "check its permissions",
                      strerror(errno));
    clg_status status = read_all(arena, file, path, most, text, size, error);
    if (!standard) fclose(file);
    return status;
}

/* Devices and pipes are written to, never replaced. */
static clg_status write_through(const char *path, const clg_text *text, clg_error *error) {
    FILE *file = fopen(path, "wb");
    if (!file) return refuse(error, path, "check its permissions", strerror(errno));
    bool whole = text->size == 0 || fwrite(text->data, 1, text->size, file) == text->size;
    whole = fclose(file) == 0 && whole;
    return whole ? CLG_OK : refuse(error, path, "make room", strerror(errno));
}

clg_status clg_file_write(const char *path, const clg_text *text, clg_error *error) {
    char beside[4096];
    struct stat about;
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return refuse(error, path, "name a file in it", "this is a directory");
    if (there && !S_ISREG(about.st_mode)) return write_through(path, text, error);
    if (snprintf(beside, sizeof beside, "%s.part.%ld", path, (long)getpid()) >= (int)sizeof beside)
        return refuse(error, path, "shorten it", "this path is too long");
    FILE *file = fopen(beside, "wb");
    if (!file) return refuse(error, path, "check the directory", strerror(errno));
    bool whole = text->size == 0 || fwrite(text->data, 1, text->size, file) == text->size;
    whole = fclose(file) == 0 && whole;
    if (whole && rename(beside, path) == 0) return CLG_OK;
    int why = errno;
    unlink(beside);
    return refuse(error, path, "check the disk", strerror(why));
}
