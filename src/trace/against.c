/* against.c -- what changed between two runs. */
#include "trace/against.h"

#include <math.h>
#include <stdlib.h>

typedef struct kernels {
    clg_arena *arena;
    clg_intern names;
    clg_kernel_change *row;
    size_t count, capacity;
} kernels;

static void add_job(kernels *k, const clg_job *job, int64_t steps, bool after) {
    for (int i = 0; i < job->count; i++) {
        const clg_trace *t = &job->traces[i];
        for (uint32_t n = 0; n < t->timeline.name_count; n++) {
            const char *name = t->timeline.names[n];
            uint32_t at = clg_intern_add(&k->names, (clg_slice){name, strlen(name)});
            if (at == k->count) {
                clg_kernel_change row = {.name = name};
                CLG_TRACE_ADD(k->arena, k->row, k->count, k->capacity, row);
            }
            double time_s = (double)t->kernels[n].total_ns * 1e-9 / (double)steps;
            double count = (double)t->kernels[n].count / (double)steps;
            *(after ? &k->row[at].after_s : &k->row[at].before_s) += time_s;
            *(after ? &k->row[at].after_count : &k->row[at].before_count) += count;
        }
    }
}

static int most_first(const void *a, const void *b) {
    const clg_kernel_change *x = a, *y = b;
    double p = fabs(x->after_s - x->before_s), q = fabs(y->after_s - y->before_s);
    return p != q ? (p > q ? -1 : 1) : strcmp(x->name, y->name);
}

clg_against clg_job_against(clg_arena *arena, const clg_job *before, const clg_job *after) {
    clg_against a = {.before = clg_job_means(before, NULL), .after = clg_job_means(after, NULL)};
    clg_arena scratch = {0};
    kernels k = {.arena = arena, .names = {.arena = &scratch}};
    if (a.before.steps > 0) add_job(&k, before, a.before.steps, false);
    if (a.after.steps > 0) add_job(&k, after, a.after.steps, true);
    if (k.count) qsort(k.row, k.count, sizeof *k.row, most_first);
    a.kernel = k.row;
    a.kernels = (int)k.count;
    clg_arena_clear(&scratch);
    return a;
}
