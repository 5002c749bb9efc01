/* samples_table.c -- tables of collectives (collective, gpus, nodes, size_bytes, time_us_out) and
 * of matrix products (m, n, k, dtype, and tflops or seconds). */
#include "calibrate/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *word(const clg_csv *csv, int row, const char *column) {
    const char *field = clg_csv_field(csv, row, column);
    return field ? field : "";
}

/* 0 when the column is absent, blank or no number. */
static double number(const clg_csv *csv, int row, const char *column) {
    char *end;
    const char *text = word(csv, row, column);
    double value = strtod(text, &end);
    return *text && !*end && isfinite(value) && value > 0 && value < 1e15 ? value : 0;
}

static void take_collective(clg_arena *arena, const clg_csv *csv, int row, clg_samples *samples) {
    int collective = clg_samples_collective(word(csv, row, "collective"));
    double ranks = number(csv, row, "gpus"), nodes = number(csv, row, "nodes");
    clg_sample s = {.kind = CLG_SAMPLE_COLLECTIVE,
                    .bytes = number(csv, row, "size_bytes"),
                    .seconds = number(csv, row, "time_us_out") * 1e-6,
                    .gpu = word(csv, row, "gpu")};
    if (collective < 0 || ranks < 2 || ranks > 1e6 || s.bytes < 1) {
        clg_samples_leave_out(samples, "a collective without name, bytes and two ranks or more");
        return;
    }
    s.collective = (clg_collective)collective;
    s.ranks = (int)ranks;
    s.nodes = nodes <= ranks ? (int)nodes : 0;
    clg_samples_add(arena, samples, &s);
}

static void take_product(clg_arena *arena, const clg_csv *csv, int row, clg_samples *samples) {
    int precision = clg_samples_precision(word(csv, row, "dtype"));
    const char *groups = word(csv, row, "batch_or_groups");
    clg_sample s = {.kind = CLG_SAMPLE_GEMM,
                    .ranks = 1,
                    .m = number(csv, row, "m"),
                    .n = number(csv, row, "n"),
                    .k = number(csv, row, "k"),
                    .seconds = number(csv, row, "seconds"),
                    .gpu = word(csv, row, "gpu")};
    double rate = number(csv, row, "tflops") * 1e12;
    if (s.seconds <= 0 && rate > 0) s.seconds = 2 * s.m * s.n * s.k / rate;
    if (precision < 0 || s.m < 1 || s.n < 1 || s.k < 1 || (*groups && strcmp(groups, "1") != 0)) {
        clg_samples_leave_out(samples, "no single matrix product with m, n, k and dtype");
        return;
    }
    s.precision = (clg_precision)precision;
    clg_samples_add(arena, samples, &s);
}

clg_status clg_samples_read_table(clg_arena *arena, const clg_csv *csv, clg_samples *samples,
                                  clg_error *error) {
    bool collectives = csv->rows > 0 && clg_csv_field(csv, 0, "size_bytes");
    bool products = csv->rows > 0 && clg_csv_field(csv, 0, "m") && clg_csv_field(csv, 0, "dtype");
    if (!collectives && !products) {
        clg_error_at(error, csv->name, 1, 1, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "see docs/fit.md for what fit reads",
                        "no samples, nccl-tests log or table of runs");
    }
    for (int row = 0; row < csv->rows; row++)
        if (collectives)
            take_collective(arena, csv, row, samples);
        else
            take_product(arena, csv, row, samples);
    return CLG_OK;
}
