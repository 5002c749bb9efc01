/* expect.c -- expectations from the curves; readings held against them. */
#include "calibrate/expect.h"

#include "base/normal.h"

#include "calibrate/calibrate.h"

#include <math.h>
#include <string.h>

enum { SHEET = 256, MOST_SUSPECTS = 1024 };

static void expect_collective(const clg_expecting *with, clg_expected *e) {
    clg_group group = clg_calibrate_group(with->machine, &e->what);
    bool crosses = group.per_domain < group.ranks;
    double sigma = crosses ? with->network->sigma_slow : with->network->sigma_fast;
    clg_collective_best(with->network, e->what.collective, group, e->what.bytes, &e->seconds);
    e->reject_s = e->seconds * (1 + CLG_SIGMAS_TO_TENTH * sigma);
}

/* Timed alone a product runs at full rate; rejected is what is slower than the rate that a GPU
 * keeps for hours. */
static void expect_product(const clg_expecting *with, clg_expected *e) {
    const clg_sample *s = &e->what;
    clg_kernels *kernels = &(clg_kernels){0};
    kernels->gemm[s->precision] = with->kernels->gemm[s->precision];
    double kept_s = clg_gemm_s(&with->machine->gpu, kernels, s->precision, s->m, s->n, s->k, 1);
    kernels->gemm[s->precision].sustained = 1;
    e->seconds = clg_gemm_s(&with->machine->gpu, kernels, s->precision, s->m, s->n, s->k, 1);
    e->reject_s = kept_s * (1 + CLG_SIGMAS_TO_TENTH * kernels->gemm[s->precision].sigma);
}

static void expect_copy(const clg_expecting *with, clg_expected *e) {
    e->seconds = clg_memory_bound_s(&with->machine->gpu, with->kernels, e->what.bytes);
    e->reject_s = e->seconds * (1 + CLG_SIGMAS_TO_TENTH * with->kernels->memory.sigma);
}

/* What its list says; its operations are each off by the residual of their curves, at most as much
 * as the widest, where all are off the same way. */
static void expect_step(const clg_expecting *with, clg_expected *e) {
    double sigma = fmax(with->kernels->gemm[CLG_BF16].sigma, with->kernels->memory.sigma);
    if (e->what.ranks > 1) sigma = fmax(sigma, with->network->sigma_fast);
    if (e->nodes > 1) sigma = fmax(sigma, with->network->sigma_slow);
    e->seconds = e->what.expected_s;
    e->reject_s = e->seconds * (1 + CLG_SIGMAS_TO_TENTH * sigma);
}

static clg_expected expect(const clg_expecting *with, const clg_sample *sample) {
    clg_expected e = {.what = *sample, .nodes = sample->nodes};
    int box = with->machine->node.gpus;
    if (e.nodes < 1) e.nodes = (sample->ranks + box - 1) / box;
    if (sample->kind == CLG_SAMPLE_COLLECTIVE) expect_collective(with, &e);
    if (sample->kind == CLG_SAMPLE_GEMM) expect_product(with, &e);
    if (sample->kind == CLG_SAMPLE_COPY) expect_copy(with, &e);
    if (sample->kind == CLG_SAMPLE_STEP) expect_step(with, &e);
    return e;
}

/* Groups of full nodes, of one collective, by size. */
static int add_collectives(const clg_expecting *with, clg_collective collective, int ranks,
                           clg_expected *row) {
    static const double sizes[] = {65536, 1048576, 16777216, 268435456, 4294967296};
    int count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        clg_sample s = {.kind = CLG_SAMPLE_COLLECTIVE,
                        .collective = collective,
                        .ranks = ranks,
                        .bytes = sizes[i],
                        .hosts = ""};
        row[count++] = expect(with, &s);
    }
    return count;
}

static int add_groups(const clg_expecting *with, clg_collective collective, int gpus,
                      clg_expected *row) {
    int box = with->machine->node.gpus, count = 0;
    static const int nodes[] = {1, 2, 4};
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        if (nodes[i] * box < gpus && nodes[i] * box > 1)
            count += add_collectives(with, collective, nodes[i] * box, row + count);
    return gpus > 1 ? count + add_collectives(with, collective, gpus, row + count) : count;
}

static int add_products(const clg_expecting *with, clg_expected *row) {
    static const clg_precision precisions[] = {CLG_BF16, CLG_FP8};
    int count = 0;
    for (int p = 0; p < 2; p++)
        for (int size = 2048; size <= 8192; size *= 2) {
            clg_sample s = {.kind = CLG_SAMPLE_GEMM,
                            .precision = precisions[p],
                            .m = size,
                            .n = size,
                            .k = size,
                            .ranks = 1,
                            .hosts = ""};
            if (with->machine->gpu.peak_flop_per_s[precisions[p]] > 0)
                row[count++] = expect(with, &s);
        }
    return count;
}

clg_expected *clg_expect_sheet(clg_arena *arena, const clg_expecting *with, int gpus, int *count) {
    clg_expected *row = clg_take(arena, SHEET, clg_expected);
    static const clg_collective collectives[] = {CLG_ALL_REDUCE, CLG_ALL_GATHER, CLG_REDUCE_SCATTER,
                                                 CLG_ALL_TO_ALL};
    *count = 0;
    for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++)
        *count += add_groups(with, collectives[i], gpus, row + *count);
    *count += add_products(with, row + *count);
    clg_sample copy = {.kind = CLG_SAMPLE_COPY, .bytes = 1e9, .ranks = 1, .hosts = ""};
    row[(*count)++] = expect(with, &copy);
    return row;
}

clg_expected *clg_expect_samples(clg_arena *arena, const clg_expecting *with,
                                 const clg_samples *samples) {
    clg_expected *row = clg_take(arena, (size_t)samples->count + 1, clg_expected);
    for (int i = 0; i < samples->count; i++) {
        row[i] = expect(with, &samples->sample[i]);
        row[i].measured = true;
        row[i].rejected = samples->sample[i].seconds > row[i].reject_s || samples->sample[i].hot;
    }
    return row;
}

/* Whether a host is in a list with commas. */
static bool took_part(const char *hosts, const char *host, size_t length) {
    while (*hosts) {
        size_t size = strcspn(hosts, ",");
        if (size == length && memcmp(hosts, host, size) == 0) return true;
        hosts += size + (hosts[size] == ',');
    }
    return false;
}

/* A reading of the same thing: links inside nodes and between them are two. */
static bool alike(const clg_expected *a, const clg_expected *b) {
    const clg_sample *x = &a->what, *y = &b->what;
    if (x->kind != y->kind || (a->nodes > 1) != (b->nodes > 1)) return false;
    if (x->kind == CLG_SAMPLE_GEMM)
        return x->precision == y->precision && x->m == y->m && x->n == y->n && x->k == y->k;
    return x->bytes == y->bytes;
}

static bool cleared(const clg_expected *row, int count, const clg_expected *bad, const char *host,
                    size_t length) {
    for (int i = 0; i < count; i++)
        if (!row[i].rejected && alike(&row[i], bad) && took_part(row[i].what.hosts, host, length))
            return true;
    return false;
}

static bool known(const clg_suspects *s, const char *host, size_t length) {
    for (int i = 0; i < s->count; i++)
        if (strlen(s->host[i]) == length && memcmp(s->host[i], host, length) == 0) return true;
    return false;
}

clg_suspects clg_expect_suspects(clg_arena *arena, const clg_expected *row, int count) {
    clg_suspects s = {.host = clg_take(arena, MOST_SUSPECTS, const char *)};
    for (int i = 0; i < count; i++) {
        const char *host = row[i].rejected ? row[i].what.hosts : "";
        for (size_t size; *host; host += size + (host[size] == ',')) {
            size = strcspn(host, ",");
            if (size > 0 && s.count < MOST_SUSPECTS && !known(&s, host, size) &&
                !cleared(row, count, &row[i], host, size))
                s.host[s.count++] = clg_arena_copy(arena, host, size);
        }
    }
    return s;
}
