/* means.c -- exposed time by kind, step by step. */
#include "trace/means.h"

#include "record/by_step.h"
#include "trace/sweep.h"

#include <string.h>

/* Compute hides transfers, those hide waiting, all hide copies: as in the ledger. */
enum { COMPUTE, TRANSFER, WAITING = TRANSFER + CLG_SPLITS, COPY };

typedef struct walk {
    clg_arena scratch;
    const clg_job *job;
    const clg_degrees *degrees;
    clg_trace_means sum;
    const clg_trace *trace;
    const clg_trace_call **call_of; /* [events] NULL: no communication */
    clg_sweep_part *parts;
} walk;

static size_t add_call(walk *w, size_t at, const clg_trace_call *call) {
    clg_split axis = (clg_split)call->what.axis;
    if (axis == CLG_SPLIT_UNKNOWN)
        axis = clg_split_of_call(call->what.operation, call->what.group_size, w->degrees);
    int64_t end_ns = call->start_ns + call->duration_ns;
    int64_t from_ns = call->transfer_ns >= 0 ? end_ns - call->transfer_ns : call->start_ns;
    w->sum.waiting_known &= call->transfer_ns >= 0;
    w->parts[at] = (clg_sweep_part){from_ns, end_ns, TRANSFER + (int)axis};
    if (from_ns == call->start_ns) return at + 1;
    w->parts[at + 1] = (clg_sweep_part){call->start_ns, from_ns, WAITING};
    return at + 2;
}

static void add_step(walk *w, const uint32_t *events, size_t count, double step_s) {
    clg_arena_mark mark = clg_arena_here(&w->scratch);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const clg_event *e = &w->trace->timeline.events[events[i]];
        if (w->call_of[events[i]])
            at = add_call(w, at, w->call_of[events[i]]);
        else if (e->work != CLG_WORK_NONE)
            w->parts[at++] = (clg_sweep_part){e->start_ns, e->start_ns + e->duration_ns,
                                              e->work == CLG_WORK_COMPUTE ? COMPUTE : COPY};
    }
    clg_sweep_sum s = clg_sweep(&w->scratch, w->parts, at);
    clg_trace_means *m = &w->sum;
    m->steps++;
    m->compute_s += (double)s.own_ns[COMPUTE] * 1e-9;
    for (int i = 0; i < CLG_SPLITS; i++) m->transfer_s[i] += (double)s.own_ns[TRANSFER + i] * 1e-9;
    m->waiting_s += (double)s.own_ns[WAITING] * 1e-9;
    m->copy_s += (double)s.own_ns[COPY] * 1e-9;
    m->idle_s += (double)s.none_ns * 1e-9;
    double span_s = (double)s.span_ns * 1e-9;
    m->step_s += step_s >= 0 ? step_s : span_s;
    m->outside_s += step_s >= 0 ? step_s - span_s : 0;
    clg_arena_back_to(&w->scratch, mark);
}

static void add_trace(walk *w, const clg_trace *t) {
    size_t count = t->timeline.count;
    w->trace = t;
    w->call_of = clg_take(&w->scratch, count + 1, const clg_trace_call *);
    w->parts = clg_take(&w->scratch, count + t->call_count + 1, clg_sweep_part);
    for (size_t i = 0; i < t->call_count; i++) w->call_of[t->calls[i].event] = &t->calls[i];
    clg_step_order o = clg_steps_order(&w->scratch, t);
    for (size_t s = 0; s < o.steps; s++) {
        size_t inside = o.first[s + 1] - o.first[s];
        double step_s = t->event_step ? (double)t->step[s].duration_ns * 1e-9 : -1;
        if (inside > 0) add_step(w, o.order + o.first[s], inside, step_s);
    }
}

static void divide(clg_trace_means *m) {
    double *parts[] = {&m->step_s, &m->compute_s, &m->waiting_s,
                       &m->copy_s, &m->idle_s,    &m->outside_s};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) *parts[i] /= (double)m->steps;
    for (int i = 0; i < CLG_SPLITS; i++) m->transfer_s[i] /= (double)m->steps;
}

clg_trace_means clg_job_means(const clg_job *job, const clg_degrees *degrees) {
    walk w = {.job = job, .degrees = degrees, .sum = {.by_step = true, .waiting_known = true}};
    for (int i = 0; i < job->count; i++) {
        const clg_trace *t = &job->traces[i];
        if (t->timeline.count == 0) continue;
        clg_arena_mark mark = clg_arena_here(&w.scratch);
        w.sum.ranks++;
        w.sum.by_step &= t->event_step != NULL;
        add_trace(&w, t);
        clg_arena_back_to(&w.scratch, mark);
    }
    clg_arena_clear(&w.scratch);
    if (w.sum.steps > 0) divide(&w.sum);
    return w.sum;
}
