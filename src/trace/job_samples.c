/* job_samples.c -- medians over what a job did over and over. */
#include "trace/job_samples.h"

#include <stdlib.h>

static int compare(double x, double y) { return (x > y) - (x < y); }

/* ---- collectives ---- */

static int sample_collective(clg_operation operation) {
    switch (operation) {
    case CLG_OPERATION_ALL_REDUCE:
        return CLG_ALL_REDUCE;
    case CLG_OPERATION_ALL_GATHER:
        return CLG_ALL_GATHER;
    case CLG_OPERATION_REDUCE_SCATTER:
        return CLG_REDUCE_SCATTER;
    case CLG_OPERATION_ALL_TO_ALL:
        return CLG_ALL_TO_ALL;
    default:
        return -1;
    }
}

static int by_kind(const void *a, const void *b) {
    const clg_trace_collective *x = *(const clg_trace_collective *const *)a;
    const clg_trace_collective *y = *(const clg_trace_collective *const *)b;
    if (x->operation != y->operation) return (int)x->operation - (int)y->operation;
    if (x->group_size != y->group_size) return x->group_size < y->group_size ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return (x->transfer_ns > y->transfer_ns) - (x->transfer_ns < y->transfer_ns);
}

static bool same_kind(const clg_trace_collective *x, const clg_trace_collective *y) {
    return x->operation == y->operation && x->group_size == y->group_size && x->bytes == y->bytes;
}

/* Why a collective is no sample, or NULL. */
static const char *no_sample(const clg_trace_collective *c) {
    if (sample_collective(c->operation) < 0) return "an operation without a model";
    if (c->bytes <= 0) return "a collective without a size";
    if (c->transfer_ns <= 0) return "a collective not recorded by all of its ranks";
    return c->group_size > 1 && c->group_size < INT32_MAX ? NULL : "a collective of one rank";
}

static void add_collectives(clg_arena *arena, const clg_recorded_job *job, clg_samples *samples) {
    clg_arena scratch = {0};
    size_t most = (size_t)job->collective_count + 1, count = 0;
    const clg_trace_collective **list = clg_take(&scratch, most, const clg_trace_collective *);
    for (int i = 0; i < job->collective_count; i++) {
        const char *why = no_sample(&job->collectives[i]);
        if (why)
            clg_samples_leave_out(samples, why);
        else
            list[count++] = &job->collectives[i];
    }
    if (count) qsort(list, count, sizeof(const clg_trace_collective *), by_kind);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && same_kind(list[i], list[next]);) next++;
        const clg_trace_collective *middle = list[i + (next - i) / 2];
        clg_sample sample = {.kind = CLG_SAMPLE_COLLECTIVE,
                             .collective = (clg_collective)sample_collective(middle->operation),
                             .ranks = (int)middle->group_size,
                             .bytes = (double)middle->bytes,
                             .seconds = (double)middle->transfer_ns * 1e-9,
                             .gpu = job->traces[0].gpu ? job->traces[0].gpu : ""};
        clg_samples_add(arena, samples, &sample);
    }
    clg_arena_clear(&scratch);
}

/* ---- products ---- */

static int by_shape(const void *a, const void *b) {
    const clg_product *x = a, *y = b;
    if (x->precision != y->precision) return (int)x->precision - (int)y->precision;
    if (x->m != y->m) return compare((double)x->m, (double)y->m);
    if (x->n != y->n) return compare((double)x->n, (double)y->n);
    if (x->k != y->k) return compare((double)x->k, (double)y->k);
    return (x->kernel_ns > y->kernel_ns) - (x->kernel_ns < y->kernel_ns);
}

static bool same_shape(const clg_product *x, const clg_product *y) {
    return x->precision == y->precision && x->m == y->m && x->n == y->n && x->k == y->k;
}

/* The curve of products is that of single ones: batches are left out. */
static size_t single_products(const clg_recorded_job *job, clg_samples *samples,
                              clg_product *list) {
    size_t count = 0;
    for (int i = 0; i < job->count; i++)
        for (size_t k = 0; k < job->traces[i].product_count; k++) {
            const clg_product *p = &job->traces[i].product[k];
            if (p->m == 0 || p->batch != 1)
                clg_samples_leave_out(samples, "a product in batches, or attention");
            else
                list[count++] = *p;
        }
    return count;
}

static void add_products(clg_arena *arena, const clg_recorded_job *job, clg_samples *samples) {
    clg_arena scratch = {0};
    size_t most = 1;
    for (int i = 0; i < job->count; i++) most += job->traces[i].product_count;
    clg_product *list = clg_take(&scratch, most, clg_product);
    size_t count = single_products(job, samples, list);
    if (count) qsort(list, count, sizeof *list, by_shape);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && same_shape(&list[i], &list[next]);) next++;
        const clg_product *middle = &list[i + (next - i) / 2];
        clg_sample sample = {.kind = CLG_SAMPLE_GEMM,
                             .precision = (clg_precision)middle->precision,
                             .m = (double)middle->m,
                             .n = (double)middle->n,
                             .k = (double)middle->k,
                             .seconds = (double)middle->kernel_ns * 1e-9,
                             .gpu = job->traces[0].gpu ? job->traces[0].gpu : ""};
        clg_samples_add(arena, samples, &sample);
    }
    clg_arena_clear(&scratch);
}

void clg_job_samples(clg_arena *arena, const clg_recorded_job *job, clg_samples *samples) {
    if (job->count == 0) return;
    add_collectives(arena, job, samples);
    add_products(arena, job, samples);
}
