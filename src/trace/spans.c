/* spans.c -- where steps begin on the GPU. */
#include "trace/spans.h"

#include "base/order.h"

#include "base/quantile.h"
#include "record/ns.h"

#include <string.h>

const clg_name clg_span_kind_names[] = {{"whole recording", CLG_SPANS_WHOLE, NULL},
                                        {"repeating kernels", CLG_SPANS_PATTERN, NULL},
                                        {"annotated steps", CLG_SPANS_STEPS, NULL},
                                        {NULL, 0, NULL}};

/* ---- annotated steps ---- */

/* What a step launched: when its compute (or all, where none computes) starts, when all ends. */
typedef struct extent {
    int64_t compute_ns, start_ns, end_ns;
} extent;

static extent *extents_of(clg_arena *scratch, const clg_trace *t) {
    extent *e = clg_take(scratch, t->step_count + 1, extent);
    for (size_t s = 0; s < t->step_count; s++) e[s] = (extent){INT64_MAX, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < t->timeline.count; i++) {
        const clg_event *w = &t->timeline.events[i];
        extent *own = t->event_step[i] >= 0 ? &e[t->event_step[i]] : NULL;
        if (!own) continue;
        int64_t end_ns = w->start_ns + w->duration_ns;
        if (w->work == CLG_WORK_COMPUTE && w->start_ns < own->compute_ns)
            own->compute_ns = w->start_ns;
        if (w->start_ns < own->start_ns) own->start_ns = w->start_ns;
        if (end_ns > own->end_ns) own->end_ns = end_ns;
    }
    return e;
}

static int64_t last_end(const extent *e, const clg_trace_step *step, int64_t start_ns) {
    int64_t lag_ns = clg_ns_minus(start_ns, step->start_ns);
    int64_t host_ns = clg_ns_plus(step->start_ns + step->duration_ns, lag_ns > 0 ? lag_ns : 0);
    return e->end_ns > host_ns ? e->end_ns : host_ns;
}

static clg_spans by_steps(clg_arena *arena, const clg_trace *t) {
    clg_spans out = {.span = clg_take(arena, t->step_count + 1, clg_span)};
    clg_arena scratch = {0};
    const extent *e = extents_of(&scratch, t);
    for (size_t s = 0; s < t->step_count; s++) {
        if (e[s].end_ns == INT64_MIN) continue;
        int64_t start_ns = e[s].compute_ns < INT64_MAX ? e[s].compute_ns : e[s].start_ns;
        int64_t trails_ns = clg_ns_minus(e[s].end_ns, t->step[s].start_ns + t->step[s].duration_ns);
        if (trails_ns > 0) out.trailing_ns = clg_ns_plus(out.trailing_ns, trails_ns);
        if (out.count > 0) {
            clg_span *before = &out.span[out.count - 1];
            if (start_ns < before->start_ns) start_ns = before->start_ns;
            before->end_ns = start_ns;
        }
        out.span[out.count++] = (clg_span){start_ns, last_end(&e[s], &t->step[s], start_ns)};
    }
    clg_arena_clear(&scratch);
    return out;
}

/* ---- repeating kernels ---- */

/* The name of this text, or UINT32_MAX. */
static uint32_t name_of(const clg_timeline *t, const char *text) {
    for (uint32_t i = 0; i < t->name_count; i++)
        if (strcmp(t->names[i], text) == 0) return i;
    return UINT32_MAX;
}

/* Starts of the calls of a kernel, in order. */
static size_t starts_of(const clg_trace *t, uint32_t name, int64_t *starts) {
    size_t count = 0;
    for (size_t i = 0; i < t->timeline.count; i++)
        if (t->timeline.events[i].name == name) starts[count++] = t->timeline.events[i].start_ns;
    clg_sort_integers(starts, count);
    return count;
}

static clg_spans by_kernel(clg_arena *arena, const clg_trace *t, const char *kernel) {
    uint32_t name = name_of(&t->timeline, kernel);
    if (name == UINT32_MAX) return (clg_spans){0};
    size_t calls = (size_t)t->kernels[name].count;
    int64_t *starts = clg_take(arena, calls + 1, int64_t);
    calls = starts_of(t, name, starts);
    clg_spans out = {.span = clg_take(arena, calls + 1, clg_span)};
    for (size_t i = 0; i + 1 < calls; i++)
        out.span[out.count++] = (clg_span){starts[i], starts[i + 1]};
    return out;
}

clg_spans clg_spans_of(clg_arena *arena, const clg_trace *t, const clg_span_rule *rule) {
    if (t->timeline.count == 0) return (clg_spans){0};
    if (rule->kind == CLG_SPANS_STEPS) return by_steps(arena, t);
    if (rule->kind == CLG_SPANS_PATTERN) return by_kernel(arena, t, rule->kernel);
    clg_spans out = {.span = clg_take(arena, 1, clg_span), .count = 1};
    out.span[0] = (clg_span){t->ledger.start_ns, t->ledger.start_ns + t->ledger.span_ns};
    return out;
}

/* ---- which cut ---- */

enum { LEAST_CALLS = 4, MOST_TRIED = 64 };

/* Of one name: its calls, and how far they lie apart, in events. */
typedef struct gap {
    size_t last, count;
    double sum, squares;
} gap;

/* Events in order of start, without copies: those depend on data. */
typedef struct sequence {
    const uint32_t *name;
    size_t count;
    uint32_t names;
} sequence;

typedef struct begun {
    int64_t start_ns;
    uint32_t name;
} begun;

static int by_start(const void *a, const void *b) {
    const begun *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static sequence sequence_of(clg_arena *scratch, const clg_trace *t) {
    begun *all = clg_take(scratch, t->timeline.count + 1, begun);
    size_t count = 0;
    for (size_t i = 0; i < t->timeline.count; i++) {
        const clg_event *e = &t->timeline.events[i];
        if (e->work == CLG_WORK_COMPUTE || e->work == CLG_WORK_COMMUNICATION)
            all[count++] = (begun){e->start_ns, e->name};
    }
    clg_order(scratch, all, count, sizeof *all, by_start);
    uint32_t *name = clg_take(scratch, count + 1, uint32_t);
    for (size_t i = 0; i < count; i++) name[i] = all[i].name;
    return (sequence){name, count, t->timeline.name_count};
}

/* Whether calls of a kernel come evenly: their distance varies by less than a tenth. */
static bool even(const gap *g) {
    if (g->count < LEAST_CALLS) return false;
    double n = (double)g->count - 1, mean = g->sum / n;
    return g->squares / n - mean * mean < 0.01 * mean * mean;
}

static gap *gaps_of(clg_arena *scratch, const sequence *s) {
    gap *gaps = clg_take(scratch, (size_t)s->names + 1, gap);
    for (size_t i = 0; i < s->count; i++) {
        gap *g = &gaps[s->name[i]];
        double apart = (double)(i - g->last);
        if (g->count++ > 0) {
            g->sum += apart;
            g->squares += apart * apart;
        }
        g->last = i;
    }
    return gaps;
}

/* Whether between calls of `kernel` lies all that there is: of the names of the recording, four
 * fifths are in nine of ten periods. Layers repeat too, but what is before and after them does not.
 */
static bool whole_periods(clg_arena *scratch, const sequence *s, uint32_t kernel, size_t calls) {
    clg_arena_mark mark = clg_arena_here(scratch);
    size_t *seen = clg_take(scratch, (size_t)s->names + 1, size_t); /* periods with the name */
    size_t *last = clg_take(scratch, (size_t)s->names + 1, size_t); /* the latest, from 1 on */
    size_t period = 0, names = 0, steady = 0;
    for (size_t i = 0; i < s->count; i++) {
        period += s->name[i] == kernel;
        names += last[s->name[i]] == 0;
        if (last[s->name[i]] != period + 1 && period > 0 && period < calls) seen[s->name[i]]++;
        last[s->name[i]] = period + 1;
    }
    for (uint32_t n = 0; n < s->names; n++)
        steady += seen[n] > 0 && seen[n] * 10 >= (calls - 1) * 9;
    clg_arena_back_to(scratch, mark);
    return steady * 5 >= names * 4;
}

static bool cuts(clg_arena *scratch, const clg_trace *t, const char *kernel) {
    uint32_t name = name_of(&t->timeline, kernel);
    if (name == UINT32_MAX) return false;
    clg_arena_mark mark = clg_arena_here(scratch);
    sequence s = sequence_of(scratch, t);
    gap g = gaps_of(scratch, &s)[name];
    bool fine = even(&g) && whole_periods(scratch, &s, name, g.count);
    clg_arena_back_to(scratch, mark);
    return fine;
}

static bool cuts_all(clg_arena *scratch, const clg_recorded_job *const *jobs, int count,
                     const char *kernel) {
    for (int j = 0; j < count; j++)
        for (int i = 0; i < jobs[j]->count; i++) {
            const clg_trace *t = &jobs[j]->traces[i];
            if (t->timeline.count > 0 && !cuts(scratch, t, kernel)) return false;
        }
    return true;
}

/* The kernel with the most calls that comes evenly, cuts into whole periods, and does so in all. */
static const char *find_kernel(clg_arena *scratch, const clg_recorded_job *const *jobs, int count,
                               const clg_trace *first) {
    sequence s = sequence_of(scratch, first);
    gap *gaps = gaps_of(scratch, &s);
    for (int tries = 0; tries < MOST_TRIED; tries++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t n = 0; n < s.names; n++)
            if (even(&gaps[n]) && (best == UINT32_MAX || gaps[n].count > gaps[best].count))
                best = n;
        if (best == UINT32_MAX) return NULL;
        if (whole_periods(scratch, &s, best, gaps[best].count) &&
            cuts_all(scratch, jobs, count, first->timeline.names[best]))
            return first->timeline.names[best];
        gaps[best].count = 0;
    }
    return NULL;
}

clg_span_rule clg_span_rule_of(clg_arena *scratch, const clg_recorded_job *const *jobs, int count) {
    const clg_trace *first = NULL;
    bool stepped = true;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < jobs[j]->count; i++) {
            const clg_trace *t = &jobs[j]->traces[i];
            if (t->timeline.count == 0) continue;
            if (!first) first = t;
            stepped = stepped && t->event_step;
        }
    if (!first) return (clg_span_rule){CLG_SPANS_WHOLE, NULL};
    if (stepped) return (clg_span_rule){CLG_SPANS_STEPS, NULL};
    const char *kernel = find_kernel(scratch, jobs, count, first);
    return kernel ? (clg_span_rule){CLG_SPANS_PATTERN, kernel}
                  : (clg_span_rule){CLG_SPANS_WHOLE, NULL};
}
