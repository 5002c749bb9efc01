/* trace_tar.c -- POSIX ustar (IEEE Std 1003.1, pax): blocks of 512 bytes, a header before each
 * file, two empty ones at the end. */
#include "cli/trace_tar.h"

#include "cli/output.h"

#include "timeline/perfetto.h"
#include "trace/merge.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512 };

static void put(char *header, int at, const char *text) { memcpy(header + at, text, strlen(text)); }

/* Digits in octal and a NUL. */
static void put_octal(char *header, int at, int digits, unsigned long long value) {
    for (int i = digits - 1; i >= 0; i--, value /= 8) header[at + i] = (char)('0' + value % 8);
}

static void make_header(char *header, const char *name, size_t size) {
    enum { NAME = 0, MODE = 100, USER = 108, GROUP = 116, SIZE = 124, TIME = 136, SUM = 148 };
    enum { KIND = 156, MAGIC = 257 };
    memset(header, 0, BLOCK);
    put(header, NAME, name);
    put_octal(header, MODE, 7, 0644);
    put_octal(header, USER, 7, 0);
    put_octal(header, GROUP, 7, 0);
    put_octal(header, SIZE, 11, size);
    put_octal(header, TIME, 11, 0); /* the same job, the same bytes */
    header[KIND] = '0';
    put(header, MAGIC, "ustar");
    put(header, MAGIC + 6, "00");
    memset(header + SUM, ' ', 8); /* as which it counts */
    unsigned sum = 0;
    for (int i = 0; i < BLOCK; i++) sum += (unsigned char)header[i];
    put_octal(header, SUM, 6, sum);
    header[SUM + 6] = '\0';
}

static bool write_file(FILE *file, const char *name, const clg_text *text) {
    char block[BLOCK];
    make_header(block, name, text->size);
    bool whole = fwrite(block, 1, BLOCK, file) == BLOCK;
    whole = whole && fwrite(text->data, 1, text->size, file) == text->size;
    size_t rest = text->size % BLOCK;
    memset(block, 0, BLOCK);
    return whole && (rest == 0 || fwrite(block, 1, BLOCK - rest, file) == BLOCK - rest);
}

static bool write_ranks(FILE *file, const clg_recorded_job *job) {
    bool whole = true;
    for (int i = 0; i < job->count && whole; i++) {
        clg_arena arena = {0};
        clg_text text = {.arena = &arena};
        clg_timeline timeline;
        char name[64];
        clg_job_timeline_of(&arena, job, i, &timeline);
        clg_timeline_perfetto(&text, &timeline, "rank");
        int rank = job->unmatched || job->traces[i].rank < 0 ? i : job->traces[i].rank;
        snprintf(name, sizeof name, "rank-%d.json", rank);
        whole = write_file(file, name, &text);
        clg_arena_clear(&arena);
    }
    static const char end[2 * BLOCK];
    return whole && fwrite(end, 1, sizeof end, file) == sizeof end;
}

clg_status clg_trace_tar_write(const char *path, const clg_recorded_job *job, clg_error *error) {
    clg_output out;
    if (clg_output_open(&out, path, error) != CLG_OK) return error->status;
    return clg_output_close(&out, write_ranks(out.file, job), error);
}
