/* means.c -- exposed time by kind, step by step. */
#include "trace/means.h"

#include "base/quantile.h"
#include "trace/parts.h"

#include <math.h>

typedef struct walk {
    clg_arena scratch;
    const clg_span_rule *rule;
    const clg_degrees *degrees;
    clg_trace_means sum;
    double *sample; /* [most] seconds of the n-th step, summed over ranks */
    int *seen;      /* [most] ranks that have it */
    size_t most;
} walk;

static void add_span(clg_trace_means *m, const clg_sweep_sum *s) {
    m->steps++;
    m->step_s += (double)s->span_ns * 1e-9;
    m->compute_s += (double)s->own_ns[CLG_PART_COMPUTE] * 1e-9;
    for (int i = 0; i < CLG_SPLITS; i++) {
        m->transfer_s[i] += (double)s->own_ns[CLG_PART_TRANSFER + i] * 1e-9;
        m->waiting_s += (double)s->own_ns[CLG_PART_WAITING + i] * 1e-9;
    }
    m->copy_s += (double)s->own_ns[CLG_PART_COPY] * 1e-9;
    m->idle_s += (double)s->none_ns * 1e-9;
}

static void add_trace(walk *w, const clg_trace *t) {
    size_t count;
    const clg_sweep_part *parts = clg_parts_of(&w->scratch, t, w->degrees, &count);
    clg_spans spans = clg_spans_of(&w->scratch, t, w->rule);
    clg_sweep_sum *sums = clg_take(&w->scratch, spans.count + 1, clg_sweep_sum);
    clg_sweep_spans(&w->scratch, parts, count, spans.span, spans.count, sums);
    for (size_t i = 0; i < spans.count; i++) {
        add_span(&w->sum, &sums[i]);
        w->sample[i] += (double)sums[i].span_ns * 1e-9;
        w->seen[i]++;
    }
    w->sum.ranks++;
    w->sum.trailing_s += (double)spans.trailing_ns * 1e-9;
    for (size_t i = 0; i < t->call_count; i++) w->sum.waiting_known &= t->calls[i].transfer_ns >= 0;
}

static void divide(clg_trace_means *m) {
    double *parts[] = {&m->step_s, &m->compute_s, &m->waiting_s,
                       &m->copy_s, &m->idle_s,    &m->trailing_s};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) *parts[i] /= (double)m->steps;
    for (int i = 0; i < CLG_SPLITS; i++) m->transfer_s[i] /= (double)m->steps;
}

/* Ranks of a step wait for each other, so that a step and not a rank's step is one sample. */
static void spread(walk *w) {
    clg_trace_means *m = &w->sum;
    double sum_s = 0, squares = 0;
    for (size_t i = 0; i < w->most; i++)
        if (w->seen[i]) {
            w->sample[m->samples] = w->sample[i] / w->seen[i];
            sum_s += w->sample[m->samples++];
        }
    double mean_s = sum_s / (double)m->samples;
    for (int64_t i = 0; i < m->samples; i++)
        squares += (w->sample[i] - mean_s) * (w->sample[i] - mean_s);
    m->deviation_s = m->samples > 1 ? sqrt(squares / (double)(m->samples - 1)) : -1;
    clg_sort(w->sample, (size_t)m->samples);
    m->median_s = clg_quantile(w->sample, (int)m->samples, 0.5);
}

/* No more spans than steps or events. */
static size_t most_spans(const clg_recorded_job *job) {
    size_t most = 1;
    for (int i = 0; i < job->count; i++) {
        const clg_trace *t = &job->traces[i];
        size_t own = t->step_count > t->timeline.count ? t->step_count : t->timeline.count;
        if (own > most) most = own;
    }
    return most;
}

clg_trace_means clg_job_means(const clg_recorded_job *job, const clg_span_rule *rule,
                              const clg_degrees *degrees) {
    walk w = {.rule = rule, .degrees = degrees, .most = most_spans(job)};
    w.sum = (clg_trace_means){.kind = rule->kind, .waiting_known = true};
    w.sample = clg_take(&w.scratch, w.most, double);
    w.seen = clg_take(&w.scratch, w.most, int);
    for (int i = 0; i < job->count; i++) {
        clg_arena_mark mark = clg_arena_here(&w.scratch);
        if (job->traces[i].timeline.count > 0) add_trace(&w, &job->traces[i]);
        clg_arena_back_to(&w.scratch, mark);
    }
    if (w.sum.steps > 0) {
        divide(&w.sum);
        spread(&w);
    }
    clg_arena_clear(&w.scratch);
    return w.sum;
}
