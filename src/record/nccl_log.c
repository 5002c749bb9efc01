/* nccl_log.c -- rows of nccl-tests in whatever a launcher made of them. */
#include "record/nccl_log.h"

enum { MOST_WORDS = 48, ROW_WORDS = 8 /* after the reduction, without root */ };

typedef struct log {
    clg_nccl_rows *rows;
    const char *file;
    clg_operation operation;
    int ranks;
    bool rooted; /* the header names a root column */
} log;

static int split(clg_slice line, clg_slice *words) {
    const char *p = line.text, *end = p + line.size;
    int count = 0;
    while (p < end && count < MOST_WORDS) {
        while (p < end && (unsigned char)*p <= ' ') p++;
        const char *start = p;
        while (p < end && (unsigned char)*p > ' ') p++;
        if (p > start) words[count++] = (clg_slice){start, (size_t)(p - start)};
    }
    return count;
}

static bool is_any(clg_slice word, const char *const *list) {
    for (; *list; list++)
        if (clg_slice_is(word, *list)) return true;
    return false;
}

/* Types and reductions as nccl-tests prints them (src/common.cu). */
static const char *const types[] = {"int8",   "uint8",  "int32",    "uint32",   "int64",
                                    "uint64", "half",   "float",    "double",   "bfloat16",
                                    "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2", NULL};
static const char *const reductions[] = {"sum",    "prod", "max", "min", "avg",
                                         "mulsum", "none", "all", NULL};

/* A decimal in units of 10^-9 of what it counts. */
static bool decimal(clg_slice word, double *billionths) {
    int64_t whole;
    bool read = clg_scan_decimal(word, 9, &whole);
    if (read) *billionths = (double)whole;
    return read;
}

static bool measured(log *l, const clg_slice *words, int64_t bytes, bool in_place) {
    double time, algorithm,
        bus; /* microseconds and GB/s, of which a billionth is a byte a second */
    if (!decimal(words[0], &time) || !decimal(words[1], &algorithm) || !decimal(words[2], &bus))
        return false;
    clg_nccl_row row = {.file = l->file,
                        .operation = l->operation,
                        .in_place = in_place,
                        .bytes = bytes,
                        .ranks = l->ranks,
                        .time_s = time * 1e-15,
                        .algorithm_bytes_per_s = algorithm,
                        .bus_bytes_per_s = bus};
    if (!clg_scan_decimal(words[3], 0, &row.wrong)) row.wrong = -1;
    CLG_APPEND(l->rows->arena, l->rows->row, l->rows->count, l->rows->capacity, row);
    return true;
}

/* size count type reduction [root] time algbw busbw #wrong time algbw busbw #wrong */
static void read_row(log *l, const clg_slice *words, int count) {
    for (int i = 0; i + 3 < count; i++) {
        int64_t bytes, elements;
        if (!is_any(words[i + 2], types) || !is_any(words[i + 3], reductions) ||
            !clg_scan_decimal(words[i], 0, &bytes) || bytes < 0 ||
            !clg_scan_decimal(words[i + 1], 0, &elements))
            continue;
        int at = i + 4, left = count - at;
        int64_t root;
        bool whole = left > 0 && clg_scan_decimal(words[at], 0, &root) &&
                     !memchr(words[at].text, '.', words[at].size);
        if ((l->rooted || left == ROW_WORDS + 1) && whole) at++;
        if (count - at >= 4) measured(l, words + at, bytes, false);
        if (count - at >= 8) measured(l, words + at + 4, bytes, true);
        return;
    }
}

/* "all_reduce_perf" on a command line or after "Collective test starting:". */
static void read_operation(log *l, clg_slice word) {
    if (word.size < 6) return;
    for (size_t i = 0; i + 5 <= word.size; i++)
        if (memcmp(word.text + i, "_perf", 5) == 0) {
            size_t start = i;
            while (start > 0 && word.text[start - 1] != '/') start--;
            clg_operation found = clg_trace_operation((clg_slice){word.text + start, i - start});
            if (found != CLG_OPERATION_UNKNOWN) l->operation = found;
            return;
        }
}

/* "#  Rank  3 Group  0 Pid 77187 on ..." */
static void read_rank(log *l, const clg_slice *words, int count) {
    for (int i = 0; i + 3 < count; i++) {
        int64_t rank;
        bool pid = clg_slice_is(words[i + 2], "Pid") || clg_slice_is(words[i + 2], "Group");
        if (clg_slice_is(words[i], "Rank") && pid && clg_scan_decimal(words[i + 1], 0, &rank) &&
            rank >= l->ranks && rank < 1 << 20)
            l->ranks = (int)rank + 1;
    }
}

static void read_line(log *l, clg_slice line) {
    clg_slice words[MOST_WORDS];
    int count = split(line, words);
    bool header = false, rooted = false;
    for (int i = 0; i < count; i++) {
        read_operation(l, words[i]);
        header |= clg_slice_is(words[i], "redop");
        rooted |= clg_slice_is(words[i], "root");
    }
    if (header) l->rooted = rooted;
    read_rank(l, words, count);
    read_row(l, words, count);
}

/* A log that names no operation still tells all-reduce: no other has more bus than algorithm
 * bandwidth (nccl-tests, doc/PERFORMANCE.md). Printed with two decimals, so only rates of 10 GB/s
 * and more are asked. */
static void infer_operation(const log *l, size_t first) {
    bool above = false;
    for (size_t i = first; i < l->rows->count; i++) {
        const clg_nccl_row *r = &l->rows->row[i];
        above |=
            r->algorithm_bytes_per_s > 10e9 && r->bus_bytes_per_s > 1.05 * r->algorithm_bytes_per_s;
    }
    for (size_t i = first; above && i < l->rows->count; i++)
        if (l->rows->row[i].operation == CLG_OPERATION_UNKNOWN)
            l->rows->row[i].operation = CLG_OPERATION_ALL_REDUCE;
}

size_t clg_nccl_log_read(clg_nccl_rows *rows, const char *file, clg_slice text) {
    log l = {.rows = rows, .file = file};
    size_t before = rows->count;
    for (size_t at = 0; at < text.size;) {
        const char *line = text.text + at, *end = memchr(line, '\n', text.size - at);
        size_t size = end ? (size_t)(end - line) : text.size - at;
        read_line(&l, (clg_slice){line, size});
        at += size + 1;
    }
    infer_operation(&l, before);
    return rows->count - before;
}

bool clg_nccl_log_heading(clg_slice text) { return clg_slice_has(text, "algbw   busbw"); }
