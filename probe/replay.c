/* replay.c -- reads the list on rank 0, tells it to all, and times each row. */
#include "replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_COLUMNS = 32, MOST_SIZE = 1 << 20, MOST_KNOWN = 512 };

/* A row of the list, where its columns are by name. */
typedef struct row {
    char *cell[MOST_COLUMNS];
    int cells;
} row;

static int split(char *line, row *r) {
    for (r->cells = 0; r->cells < MOST_COLUMNS; line++) {
        r->cell[r->cells++] = line;
        line += strcspn(line, ",\r");
        if (*line != ',') break;
        *line = '\0';
    }
    *line = '\0';
    return r->cells;
}

static const char *cell(const row *head, const row *r, const char *name) {
    for (int i = 0; i < head->cells && i < r->cells; i++)
        if (strcmp(head->cell[i], name) == 0) return r->cell[i];
    return "";
}

static double number(const row *head, const row *r, const char *name) {
    double value = strtod(cell(head, r, name), NULL);
    return isfinite(value) ? value : 0;
}

static int index_of(const char *word, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

static const char *as_collective(const row *head, const row *r, probe_work *work) {
    static const char *const names[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                        "send-receive"};
    int what = index_of(cell(head, r, "collective"), names, RANKS_COLLECTIVES);
    int size = (int)fmax(0, fmin(number(head, r, "ranks"), 1e6));
    bool inner = strcmp(cell(head, r, "axis"), "tp") == 0;
    if (what < 0) return "a collective that the probe does not do";
    if (size < 2) return "a group of one";
    if (!(number(head, r, "bytes") >= 1)) return "a message without a size";
    /* Tensor ranks are neighbours; other groups reach across the job. */
    work->group = ranks_group_of(size, inner || size > ranks_all() ? 1 : ranks_all() / size);
    work->kind = PROBE_COLLECTIVE;
    work->collective = (ranks_collective)what;
    work->bytes = number(head, r, "bytes");
    return work->group ? NULL : "a group that this job has not: start as many ranks as the plan";
}

static const char *as_product(const row *head, const row *r, probe_work *work) {
    int dtype = index_of(cell(head, r, "precision"), probe_dtype_names, PROBE_DTYPES);
    double m = number(head, r, "m"), n = number(head, r, "n"), k = number(head, r, "k");
    if (strcmp(cell(head, r, "kind"), "attention") == 0)
        m = n = k = fmax(16, 16 * rint(cbrt(number(head, r, "flop") / 2) / 16));
    if (dtype < 0) return "a precision that the probe does not multiply";
    if (!(m >= 1 && n >= 1 && k >= 1 && m <= MOST_SIZE && n <= MOST_SIZE && k <= MOST_SIZE))
        return "a product without sizes";
    work->kind = PROBE_PRODUCT;
    work->product = (probe_product){(int)m, (int)n, (int)k, (probe_dtype)dtype};
    return NULL;
}

static const char *as_work(const row *head, const row *r, probe_work *work) {
    const char *kind = cell(head, r, "kind");
    if (strcmp(kind, "collective") == 0 || strcmp(kind, "send") == 0)
        return as_collective(head, r, work);
    if (strcmp(kind, "gemm") == 0 || strcmp(kind, "attention") == 0)
        return as_product(head, r, work);
    if (strcmp(kind, "memory") != 0 && strcmp(kind, "optimizer") != 0)
        return "a kind of operation that the probe does not do";
    work->kind = PROBE_COPY;
    work->bytes = number(head, r, "hbm_bytes");
    return NULL;
}

/* What a row adds to a step: nothing where it moves nothing. */
static double each(const row *head, const row *r, const probe_work *work) {
    double batch = number(head, r, "batch");
    bool nothing = work->kind == PROBE_COPY && work->bytes < 2;
    if (work->kind != PROBE_PRODUCT || strcmp(cell(head, r, "kind"), "attention") == 0 || batch < 1)
        batch = 1;
    return nothing ? 0 : batch * number(head, r, "count") * number(head, r, "times");
}

static void describe(const row *head, const row *r, double times, char *words, size_t size) {
    snprintf(words, size,
             ",\"operation\":\"%.60s\",\"block\":\"%.20s\",\"pass\":\"%.20s\",\"times\":%.9g,"
             "\"expected_step_s\":%.9g",
             cell(head, r, "operation"), cell(head, r, "block"), cell(head, r, "pass"), times,
             number(head, r, "step_s"));
}

typedef struct known {
    probe_work work;
    probe_timing timing;
} known;

/* What was timed, so that layers alike are timed once. */
typedef struct sums {
    double replayed_s, expected_s;
    known *list;
    int count, left_out;
} sums;

static bool same(const probe_work *a, const probe_work *b) {
    const probe_product *p = &a->product, *q = &b->product;
    return a->kind == b->kind && a->collective == b->collective && a->group == b->group &&
           a->bytes == b->bytes && p->m == q->m && p->n == q->n && p->k == q->k &&
           p->dtype == q->dtype;
}

static const char *timing_of(probe_bench *b, const probe_work *work, sums *s,
                             probe_timing *timing) {
    for (int i = 0; i < s->count; i++)
        if (same(&s->list[i].work, work)) {
            *timing = s->list[i].timing;
            return NULL;
        }
    const char *wrong = probe_measure(b, work, timing);
    if (!wrong && s->count < MOST_KNOWN) s->list[s->count++] = (known){*work, *timing};
    return wrong;
}

/* What cannot be done is said and left out, on all ranks alike. */
static void leave_out(const row *head, const row *r, const char *why, sums *s) {
    s->left_out++;
    if (ranks_mine() == 0)
        fprintf(stderr, "ceiling-probe: left out: '%.60s': %s\n", cell(head, r, "operation"), why);
}

/* Of one row; adds it to the sums. NULL, or why no more can be done. */
static const char *do_row(probe_bench *b, const row *head, const row *r, sums *s) {
    probe_work work = {0};
    probe_timing timing;
    char words[400];
    const char *wrong = as_work(head, r, &work);
    double times = wrong ? 0 : each(head, r, &work);
    if (!wrong && times <= 0) return NULL;
    if (!wrong) wrong = timing_of(b, &work, s, &timing);
    if (wrong) {
        leave_out(head, r, wrong, s);
        return NULL;
    }
    describe(head, r, times, words, sizeof words);
    b->words = words;
    probe_print(b, &work, &timing);
    b->words = "";
    s->replayed_s += times * timing.median_s;
    s->expected_s += number(head, r, "step_s");
    return probe_late(b) ? "out of time: give --time" : NULL;
}

static void print_sums(probe_bench *b, const sums *s) {
    probe_timing step = {.seconds = {s->replayed_s}, .readings = 1, .health = probe_health_unknown};
    char words[120];
    snprintf(words, sizeof words, ",\"expected_step_s\":%.9g,\"left_out\":%d", s->expected_s,
             s->left_out);
    b->words = words;
    probe_print_step(b, &step);
    b->words = "";
}

static const char *do_rows(probe_bench *b, char *text, sums *s) {
    static char said[200];
    row head = {0}, r = {0};
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = '\0';
        bool first = head.cells == 0;
        if (*line == '\0') continue;
        split(line, first ? &head : &r);
        const char *wrong = first ? NULL : do_row(b, &head, &r, s);
        if (!wrong) continue;
        snprintf(said, sizeof said, "'%.60s': %s", cell(&head, &r, "operation"), wrong);
        return said;
    }
    if (s->replayed_s <= 0 && s->left_out > 0) return "none of the operations can be done here";
    if (s->replayed_s <= 0) return "no operations: give what `ceiling explain --csv` prints";
    print_sums(b, s);
    return NULL;
}

const char *probe_replay(probe_bench *b, const char *path) {
    char *text = calloc(1, MOST_BYTES + 1);
    sums s = {.list = calloc(MOST_KNOWN, sizeof *s.list)};
    size_t size = 0;
    if (!text || !s.list) return "no memory for the list";
    if (ranks_mine() == 0) {
        FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
        if (file) size = fread(text, 1, MOST_BYTES, file);
        if (file && file != stdin) fclose(file);
    }
    ranks_tell(&size, sizeof size);
    ranks_tell(text, MOST_BYTES);
    const char *wrong = size == 0            ? "the list of operations cannot be read, or is empty"
                        : size == MOST_BYTES ? "the list of operations is larger than 1 MiB"
                                             : do_rows(b, text, &s);
    free(text);
    free(s.list);
    return wrong;
}
