/* roots.c -- lateness, followed back. */
#include "trace/roots.h"

#include "base/first.h"
#include "record/launches.h"
#include "record/ns.h"
#include "trace/parts.h"

#include <stdlib.h>
#include <string.h>

const clg_name clg_cause_names[] = {{"compute", CLG_CAUSE_COMPUTE, NULL},
                                    {"copies", CLG_CAUSE_COPY, NULL},
                                    {"transfers", CLG_CAUSE_TRANSFER, NULL},
                                    {"data loader", CLG_CAUSE_LOADER, NULL},
                                    {"allocator", CLG_CAUSE_ALLOCATOR, NULL},
                                    {"host", CLG_CAUSE_HOST, NULL},
                                    {"late start", CLG_CAUSE_START, NULL},
                                    {"unknown", CLG_CAUSE_UNKNOWN, NULL},
                                    {NULL, 0, NULL}};

/* Time by what a rank did: the causes, and waiting, which is nobody's own. */
enum { WAITING = CLG_CAUSES, DOINGS };

/* A call: what its rank did between the last end of its group's calls and its start. */
typedef struct segment {
    int64_t ns[DOINGS];
    int32_t longest; /* call of the rank that waited longest in between; -1: none did */
    bool first;      /* of its group: since the beginning */
} segment;

typedef struct member {
    int trace;
    uint32_t call;
} member;

/* Whom a collective's waiting comes down to. */
typedef struct origin {
    int trace; /* -1: nobody waited */
    clg_cause cause;
} origin;

typedef struct search {
    clg_arena scratch;
    const clg_recorded_job *job;
    segment **segments; /* [traces][calls] */
    member *members;    /* by collective */
    size_t *first;      /* [collectives + 1] */
    origin *origins;    /* [collectives] */
    clg_root *roots;    /* [traces] */
} search;

/* ---- what ranks did ---- */

/* Starts and ends of calls, in order of time. */
typedef struct moment {
    int64_t at_ns;
    uint32_t call;
    int order;
    bool end;
} moment;

/* At one time: ends, then calls that take none, then starts. */
static int by_time(const void *a, const void *b) {
    const moment *x = a, *y = b;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
    if (x->order != y->order) return x->order - y->order;
    if (x->call != y->call) return x->call < y->call ? -1 : 1;
    return (int)x->end - (int)y->end;
}

static moment *moments_of(clg_arena *scratch, const clg_trace *t) {
    moment *m = clg_take(scratch, 2 * t->call_count + 1, moment);
    for (size_t i = 0; i < t->call_count; i++) {
        const clg_trace_call *c = &t->calls[i];
        bool brief = c->duration_ns == 0;
        m[2 * i] = (moment){c->start_ns, (uint32_t)i, brief ? 1 : 2, false};
        m[2 * i + 1] = (moment){c->start_ns + c->duration_ns, (uint32_t)i, brief ? 1 : 0, true};
    }
    if (t->call_count) qsort(m, 2 * t->call_count, sizeof *m, by_time);
    return m;
}

/* Work and holdups of a rank for one sweep. */
enum { HOLDUP = CLG_PART_COPY + 1 };

static clg_sweep_part *doings_of(clg_arena *scratch, const clg_trace *t, size_t *count) {
    size_t works, holdups;
    const clg_sweep_part *work = clg_parts_of(scratch, t, NULL, &works);
    const clg_sweep_part *held = clg_trace_holdups(scratch, t, HOLDUP, &holdups);
    clg_sweep_part *all = clg_take(scratch, works + holdups + 1, clg_sweep_part);
    memcpy(all, work, works * sizeof *all);
    memcpy(all + works, held, holdups * sizeof *all);
    *count = works + holdups;
    return all;
}

static void add_sum(int64_t *ns, const clg_sweep_sum *s) {
    ns[CLG_CAUSE_COMPUTE] += s->own_ns[CLG_PART_COMPUTE];
    ns[CLG_CAUSE_COPY] += s->own_ns[CLG_PART_COPY];
    for (int a = 0; a < CLG_SPLITS; a++) {
        ns[CLG_CAUSE_TRANSFER] += s->own_ns[CLG_PART_TRANSFER + a];
        ns[WAITING] += s->own_ns[CLG_PART_WAITING + a];
    }
    ns[CLG_CAUSE_LOADER] += s->own_ns[HOLDUP + CLG_HOST_LOADER];
    ns[CLG_CAUSE_ALLOCATOR] += s->own_ns[HOLDUP + CLG_HOST_ALLOCATOR];
    ns[CLG_CAUSE_HOST] += s->own_ns[HOLDUP + CLG_HOLDUPS - 1];
    ns[CLG_CAUSE_UNKNOWN] += s->none_ns;
}

/* The rank's first known time: the host may be late before the GPU has done anything. */
static int64_t beginning(const clg_trace *t) {
    int64_t at_ns = t->ledger.start_ns;
    return t->step_count > 0 && t->step[0].start_ns < at_ns ? t->step[0].start_ns : at_ns;
}

/* What was done until each moment, since the beginning: [2 * calls][DOINGS]. */
static int64_t (*until_moments(clg_arena *scratch, const clg_trace *t, const moment *m))[DOINGS] {
    size_t moments = 2 * t->call_count, parts;
    int64_t(*done)[DOINGS] = clg_arena_take(scratch, moments + 1, sizeof *done);
    clg_span *spans = clg_take(scratch, moments + 1, clg_span);
    clg_sweep_sum *sums = clg_take(scratch, moments + 1, clg_sweep_sum);
    const clg_sweep_part *all = doings_of(scratch, t, &parts);
    int64_t from_ns = beginning(t);
    for (size_t i = 0; i < moments; i++) {
        spans[i] = (clg_span){from_ns, m[i].at_ns};
        from_ns = m[i].at_ns;
    }
    clg_sweep_spans(scratch, all, parts, spans, moments, sums);
    for (size_t i = 0; i < moments; i++) {
        if (i > 0) memcpy(done[i], done[i - 1], sizeof *done);
        add_sum(done[i], &sums[i]);
    }
    return done;
}

static int64_t waited(const clg_trace_call *c) {
    return c->transfer_ns >= 0 ? c->duration_ns - c->transfer_ns : 0;
}

/* The calls so far that waited longer than all after them. */
typedef struct longest {
    uint32_t *call;
    size_t count;
} longest;

static void remember(longest *l, const clg_trace *t, uint32_t call) {
    while (l->count > 0 && waited(&t->calls[l->call[l->count - 1]]) <= waited(&t->calls[call]))
        l->count--;
    l->call[l->count++] = call;
}

/* The longest wait among the calls after `call` (-1: among all). */
static int32_t longest_since(const longest *l, const clg_trace *t, int64_t call) {
    size_t at;
    CLG_FIRST(at, 0, l->count, (int64_t)l->call[at] > call);
    bool any = at < l->count && waited(&t->calls[l->call[at]]) > 0;
    return any ? (int32_t)l->call[at] : -1;
}

/* Of a group on a rank: its latest call, and the place of its end among the moments. */
typedef struct meeting {
    int64_t call, end;
} meeting;

static void take_segments(search *s, int trace) {
    const clg_trace *t = &s->job->traces[trace];
    clg_arena scratch = {0};
    s->segments[trace] = clg_take(&s->scratch, t->call_count + 1, segment);
    const moment *m = moments_of(&scratch, t);
    const int64_t(*done)[DOINGS] = (const int64_t(*)[DOINGS])until_moments(&scratch, t, m);
    uint32_t groups = 0;
    for (size_t i = 0; i < t->call_count; i++) {
        const clg_trace_collective *c = &s->job->collectives[t->calls[i].instance];
        if (c->group_key >= groups) groups = c->group_key + 1;
    }
    meeting *met = clg_take(&scratch, (size_t)groups + 1, meeting); /* call + 1, end + 1; 0: none */
    longest l = {clg_take(&scratch, t->call_count + 1, uint32_t), 0};
    for (size_t i = 0; i < 2 * t->call_count; i++) {
        uint32_t call = m[i].call;
        meeting *last = &met[s->job->collectives[t->calls[call].instance].group_key];
        if (m[i].end) {
            *last = (meeting){(int64_t)call + 1, (int64_t)i + 1};
            remember(&l, t, call);
            continue;
        }
        segment *own = &s->segments[trace][call];
        for (int k = 0; k < DOINGS; k++)
            own->ns[k] = done[i][k] - (last->end > 0 ? done[last->end - 1][k] : 0);
        own->first = last->end == 0;
        own->longest = longest_since(&l, t, last->call - 1);
    }
    clg_arena_clear(&scratch);
}

/* ---- whose lateness it was ---- */

static void gather(search *s) {
    const clg_recorded_job *job = s->job;
    size_t calls = 0, count = (size_t)job->collective_count;
    for (int i = 0; i < job->count; i++) calls += job->traces[i].call_count;
    s->members = clg_take(&s->scratch, calls + 1, member);
    s->first = clg_take(&s->scratch, count + 2, size_t);
    for (int i = 0; i < job->count; i++)
        for (size_t c = 0; c < job->traces[i].call_count; c++)
            s->first[job->traces[i].calls[c].instance + 2]++;
    for (size_t i = 1; i <= count; i++) s->first[i + 1] += s->first[i];
    for (int i = 0; i < job->count; i++)
        for (size_t c = 0; c < job->traces[i].call_count; c++)
            s->members[s->first[job->traces[i].calls[c].instance + 1]++] = (member){i, (uint32_t)c};
}

static int64_t arrival(const search *s, const member *m) {
    return clg_ns_minus(s->job->traces[m->trace].calls[m->call].start_ns,
                        s->job->offset_ns[m->trace]);
}

/* How much more of everything the last did than those that waited for it, and what they waited. */
static int64_t excess(const search *s, const member *members, size_t count, const member *last,
                      double *more) {
    const segment *own = &s->segments[last->trace][last->call];
    int64_t waited_ns = 0, at_ns = arrival(s, last);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const segment *their = &s->segments[members[i].trace][members[i].call];
        if (members[i].trace == last->trace) continue;
        waited_ns = clg_ns_plus(waited_ns, clg_ns_minus(at_ns, arrival(s, &members[i])));
        for (int k = 0; k < DOINGS; k++) more[k] += (double)own->ns[k] - (double)their->ns[k];
    }
    for (int k = 0; k < DOINGS; k++) sum += more[k];
    more[own->first ? CLG_CAUSE_START : CLG_CAUSE_UNKNOWN] += (double)waited_ns - sum;
    return waited_ns;
}

static void give(search *s, origin to, int64_t ns) {
    clg_root *r = &s->roots[to.trace];
    r->waited_ns = clg_ns_plus(r->waited_ns, ns);
    r->cause_ns[to.cause] = clg_ns_plus(r->cause_ns[to.cause], ns);
}

/* Where the waiting of the last rank before comes from; itself where that is not known. */
static origin inherited(const search *s, const member *last) {
    int32_t call = s->segments[last->trace][last->call].longest;
    origin o = {-1, CLG_CAUSE_UNKNOWN};
    if (call >= 0) o = s->origins[s->job->traces[last->trace].calls[call].instance];
    return o.trace >= 0 ? o : (origin){last->trace, CLG_CAUSE_UNKNOWN};
}

/* Shares in proportion to what is more; what rounding leaves goes to the largest. */
static origin divide(search *s, const member *last, int64_t waited_ns, double *more) {
    double sum = 0;
    int largest = CLG_CAUSE_UNKNOWN;
    int64_t given_ns = 0;
    for (int k = 0; k < DOINGS; k++) {
        if (more[k] < 0) more[k] = 0;
        sum += more[k];
        if (more[k] > more[largest]) largest = k;
    }
    origin from = inherited(s, last), most = from;
    for (int k = 0; k < DOINGS; k++) {
        origin to = k == WAITING ? from : (origin){last->trace, (clg_cause)k};
        if (k == largest) most = to;
        int64_t ns = sum > 0 ? (int64_t)((double)waited_ns * (more[k] / sum)) : 0;
        if (ns > waited_ns - given_ns) ns = waited_ns - given_ns;
        if (ns > 0) give(s, to, ns);
        given_ns += ns > 0 ? ns : 0;
    }
    if (waited_ns > given_ns) give(s, most, waited_ns - given_ns);
    return most;
}

static void follow(search *s, int collective) {
    const clg_trace_collective *c = &s->job->collectives[collective];
    const member *members = &s->members[s->first[collective]], *last = NULL;
    size_t count = s->first[collective + 1] - s->first[collective];
    double more[DOINGS] = {0};
    s->origins[collective] = (origin){-1, CLG_CAUSE_UNKNOWN};
    for (size_t i = 0; i < count; i++)
        if (members[i].trace == c->last) last = &members[i];
    if (c->transfer_ns < 0 || !last) return;
    int64_t waited_ns = excess(s, members, count, last, more);
    if (waited_ns > 0) s->origins[collective] = divide(s, last, waited_ns, more);
}

typedef struct turn {
    int64_t at_ns;
    int collective;
} turn;

static int by_turn(const void *a, const void *b) {
    const turn *x = a, *y = b;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
    return x->collective - y->collective;
}

/* In the order in which collectives begin to move. */
static void follow_all(search *s) {
    int count = s->job->collective_count;
    turn *turns = clg_take(&s->scratch, (size_t)count + 1, turn);
    s->origins = clg_take(&s->scratch, (size_t)count + 1, origin);
    for (int i = 0; i < count; i++) {
        const clg_trace_collective *c = &s->job->collectives[i];
        turns[i] = (turn){clg_ns_plus(c->start_ns, c->skew_ns > 0 ? c->skew_ns : 0), i};
        s->origins[i] = (origin){-1, CLG_CAUSE_UNKNOWN};
    }
    if (count) qsort(turns, (size_t)count, sizeof *turns, by_turn);
    for (int i = 0; i < count; i++) follow(s, turns[i].collective);
}

/* ---- all of it ---- */

static int worst_first(const void *a, const void *b) {
    const clg_root *x = a, *y = b;
    if (x->waited_ns != y->waited_ns) return x->waited_ns > y->waited_ns ? -1 : 1;
    return x->trace - y->trace;
}

static clg_roots answer(search *s) {
    clg_roots out = {.root = s->roots};
    clg_judge_kernels(s->job, s->roots);
    for (int i = 0; i < s->job->count; i++)
        out.waited_ns = clg_ns_plus(out.waited_ns, s->roots[i].waited_ns);
    qsort(s->roots, (size_t)s->job->count, sizeof *s->roots, worst_first);
    while (out.count < s->job->count && s->roots[out.count].waited_ns > 0) out.count++;
    return out;
}

clg_roots clg_job_roots(clg_arena *arena, const clg_recorded_job *job) {
    search s = {.job = job};
    if (job->unmatched || job->count < 2) return (clg_roots){0};
    s.roots = clg_take(arena, (size_t)job->count, clg_root);
    s.segments = clg_take(&s.scratch, (size_t)job->count, segment *);
    for (int i = 0; i < job->count; i++) {
        s.roots[i] = (clg_root){.trace = i, .kernel_ratio = -1, .slow_share = -1};
        take_segments(&s, i);
    }
    gather(&s);
    follow_all(&s);
    clg_roots out = answer(&s);
    clg_arena_clear(&s.scratch);
    return out;
}

clg_cause clg_root_cause(const clg_root *r) {
    int most = 0;
    for (int k = 1; k < CLG_CAUSES; k++)
        if (r->cause_ns[k] > r->cause_ns[most]) most = k;
    return (clg_cause)most;
}
