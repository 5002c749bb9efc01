/* against.c -- what changed between two runs. */
#include "trace/against.h"

#include "base/first.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct kernels {
    clg_arena *arena;
    clg_arena scratch, words;
    clg_intern names; /* in `words` */
    clg_kernel_change *row;
    size_t count, capacity;
} kernels;

/* Calls and nanoseconds of a name inside steps. */
typedef struct total {
    int64_t calls, ns;
} total;

static clg_kernel_change *row_of(kernels *k, const char *name) {
    uint32_t at = clg_intern_add(&k->names, (clg_slice){name, strlen(name)});
    if (at == k->count) {
        clg_kernel_change row = {.name = name};
        CLG_APPEND(k->arena, k->row, k->count, k->capacity, row);
    }
    return &k->row[at];
}

/* Whether a time lies in one of the spans, which are in order. */
static bool inside(const clg_spans *s, int64_t at_ns) {
    size_t later;
    CLG_FIRST(later, 0, s->count, s->span[later].start_ns > at_ns);
    return later > 0 && at_ns < s->span[later - 1].end_ns;
}

/* Work belongs to the step in which it starts. */
static void add_trace(kernels *k, const clg_trace *t, const clg_span_rule *rule, bool after) {
    clg_arena_mark mark = clg_arena_here(&k->scratch);
    clg_spans spans = clg_spans_of(&k->scratch, t, rule);
    total *totals = clg_take(&k->scratch, (size_t)t->timeline.name_count + 1, total);
    for (size_t i = 0; i < t->timeline.count; i++) {
        const clg_event *e = &t->timeline.events[i];
        bool last = rule->kind == CLG_SPANS_WHOLE; /* work of no length may lie at its end */
        if (e->work == CLG_WORK_NONE || (!last && !inside(&spans, e->start_ns))) continue;
        totals[e->name].calls++;
        totals[e->name].ns += e->duration_ns;
    }
    for (uint32_t n = 0; n < t->timeline.name_count; n++) {
        if (totals[n].calls == 0) continue;
        clg_kernel_change *row = row_of(k, t->timeline.names[n]);
        clg_kernel_side *side = after ? &row->after : &row->before;
        side->calls += (double)totals[n].calls;
        side->s_per_call += (double)totals[n].ns * 1e-9; /* divided in `settle` */
    }
    clg_arena_back_to(&k->scratch, mark);
}

static double settle(clg_kernel_side *s, int64_t steps) {
    double total_s = s->s_per_call;
    s->s_per_call = s->calls > 0 ? total_s / s->calls : 0;
    s->calls = steps > 0 ? s->calls / (double)steps : 0;
    return steps > 0 ? total_s / (double)steps : 0;
}

static int most_first(const void *a, const void *b) {
    const clg_kernel_change *x = a, *y = b;
    double p = fabs(x->delta_s), q = fabs(y->delta_s);
    return p != q ? (p > q ? -1 : 1) : strcmp(x->name, y->name);
}

static void compare_kernels(kernels *k, clg_against *a) {
    for (size_t i = 0; i < k->count; i++) {
        clg_kernel_change *row = &k->row[i];
        double before_s = settle(&row->before, a->before.steps);
        row->delta_s = settle(&row->after, a->after.steps) - before_s;
        if (row->before.calls == row->after.calls) continue;
        bool new = row->before.calls == 0;
        a->recounted++;
        a->more_s += (row->after.calls - row->before.calls) *
                     (new ? row->after.s_per_call : row->before.s_per_call);
    }
    if (k->count) qsort(k->row, k->count, sizeof *k->row, most_first);
    a->kernel = k->row;
    a->kernels = (int)k->count;
}

static double variance_of_mean(const clg_trace_means *m) {
    return m->deviation_s * m->deviation_s / (double)m->samples;
}

static void compare_steps(clg_against *a) {
    const clg_trace_means *b = &a->before, *n = &a->after;
    a->noise_s = -1;
    if (b->deviation_s >= 0 && n->deviation_s >= 0 && b->samples > 1 && n->samples > 1)
        a->noise_s = 2 * sqrt(variance_of_mean(b) + variance_of_mean(n));
    if (b->steps == 0 || n->steps == 0 || b->step_s <= 0 || b->median_s <= 0) return;
    double mean = n->step_s / b->step_s - 1, median = n->median_s / b->median_s - 1;
    a->slower = mean < median ? mean : median;
}

clg_against clg_job_against(clg_arena *arena, const clg_recorded_job *before,
                            const clg_recorded_job *after) {
    const clg_recorded_job *both[] = {before, after};
    kernels k = {.arena = arena};
    clg_against a = {.rule = clg_span_rule_of(&k.scratch, both, 2), .fail_above = -1};
    k.names.arena = &k.words;
    a.before = clg_job_means(before, &a.rule, NULL);
    a.after = clg_job_means(after, &a.rule, NULL);
    compare_steps(&a);
    for (int i = 0; i < before->count; i++) add_trace(&k, &before->traces[i], &a.rule, false);
    for (int i = 0; i < after->count; i++) add_trace(&k, &after->traces[i], &a.rule, true);
    compare_kernels(&k, &a);
    clg_arena_clear(&k.scratch);
    clg_arena_clear(&k.words);
    return a;
}

bool clg_against_fails(const clg_against *a) {
    return a->fail_above >= 0 && a->slower > a->fail_above;
}
