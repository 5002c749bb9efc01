/* slow_kernels.c -- whether the kernels of a rank take longer than the same kernels elsewhere.
 *
 * A call is compared with the calls of its name on the median rank. Ranks whose work differs in
 * shape under one name (stages of unequal layers, experts of unequal load) differ here too. */
#include "trace/roots.h"

#include <stdlib.h>
#include <string.h>

/* Names over all ranks, and what a call of each takes on the median of the ranks that call it. */
typedef struct calls {
    clg_arena *scratch;
    clg_intern names;
    double *usual_ns; /* [names] 0: on one rank alone */
} calls;

/* A call of a name on one rank. */
typedef struct sample {
    uint32_t name;
    double per_call_ns;
} sample;

static int by_name(const void *a, const void *b) {
    const sample *x = a, *y = b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return (x->per_call_ns > y->per_call_ns) - (x->per_call_ns < y->per_call_ns);
}

static bool compared(const clg_trace_kernel *k) {
    return k->work == CLG_WORK_COMPUTE && k->count > 0;
}

static uint32_t name_at(calls *c, const clg_trace *t, uint32_t name) {
    const char *text = t->timeline.names[name];
    return clg_intern_add(&c->names, (clg_slice){text, strlen(text)});
}

static size_t add_rank(calls *c, const clg_trace *t, sample *samples, size_t count) {
    for (uint32_t n = 0; n < t->timeline.name_count; n++) {
        const clg_trace_kernel *k = &t->kernels[n];
        if (compared(k))
            samples[count++] = (sample){name_at(c, t, n), (double)k->total_ns / (double)k->count};
    }
    return count;
}

static void learn_calls(const clg_recorded_job *job, calls *c) {
    size_t most = 0, count = 0;
    for (int i = 0; i < job->count; i++) most += job->traces[i].timeline.name_count;
    sample *samples = clg_take(c->scratch, most + 1, sample);
    c->names.arena = c->scratch;
    for (int i = 0; i < job->count; i++) count = add_rank(c, &job->traces[i], samples, count);
    if (count) qsort(samples, count, sizeof *samples, by_name);
    c->usual_ns = clg_take(c->scratch, c->names.count + 1, double);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && samples[next].name == samples[i].name;) next++;
        if (next - i > 1)
            c->usual_ns[samples[i].name] = samples[i + (next - i - 1) / 2].per_call_ns;
    }
}

/* What the calls of a name take on the rank of the trace, were they as elsewhere; 0: not known. */
static double usual_of(calls *c, const clg_trace *t, uint32_t n) {
    const clg_trace_kernel *k = &t->kernels[n];
    return compared(k) ? c->usual_ns[name_at(c, t, n)] * (double)k->count : 0;
}

static void judge_kernels(const clg_recorded_job *job, calls *c, clg_root *r) {
    const clg_trace *t = &job->traces[r->trace];
    double own_ns = 0, usual_ns = 0, worst_ns = 0, slow_ns = 0;
    for (uint32_t n = 0; n < t->timeline.name_count; n++) {
        const clg_trace_kernel *k = &t->kernels[n];
        double usual = usual_of(c, t, n);
        if (usual <= 0) continue;
        double lost_ns = (double)k->total_ns - usual;
        own_ns += (double)k->total_ns;
        usual_ns += usual;
        if (lost_ns <= worst_ns) continue;
        worst_ns = lost_ns;
        r->kernel = t->timeline.names[n];
        r->worst_ratio = (double)k->total_ns / usual;
    }
    r->kernel_ratio = usual_ns > 0 ? own_ns / usual_ns : -1;
    for (uint32_t n = 0; n < t->timeline.name_count && usual_ns > 0; n++) {
        const clg_trace_kernel *k = &t->kernels[n];
        double usual = usual_of(c, t, n);
        if (usual > 0 && (double)k->total_ns / usual - 1 > (r->kernel_ratio - 1) / 2)
            slow_ns += (double)k->total_ns;
    }
    r->slow_share = own_ns > 0 ? slow_ns / own_ns : -1;
}

void clg_judge_kernels(const clg_recorded_job *job, clg_root *roots) {
    clg_arena scratch = {0};
    calls c = {.scratch = &scratch};
    learn_calls(job, &c);
    for (int i = 0; i < job->count; i++) judge_kernels(job, &c, &roots[i]);
    clg_arena_clear(&scratch);
}
