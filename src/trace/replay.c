/* replay.c -- ranks advance until they need a collective that others have yet to reach. */
#include "trace/replay.h"

#include "base/order.h"

#include "record/ns.h"

#include <stdlib.h>

/* The streams with most work have a lane each; the rest share one, in which the order of work is
 * held, so that a recording of many streams costs its size. */
enum { NONE = -1, LOOK_BACK = 16, LANES = 64 };

/* Work in order of start. Times are on the job's clock. */
typedef struct work {
    int64_t start_ns, end_ns;
    int64_t launch_ns;  /* INT64_MIN: not known */
    int64_t new_end_ns; /* before credits; see rank */
    const clg_trace_call *call;
    int32_t before; /* the previous one of its lane */
    uint16_t lane;
    bool pending; /* its collective waits for other ranks */
} work;

typedef struct rank {
    work *works;
    size_t count, at;
    int32_t newest[LANES];
    int64_t credit_ns; /* lateness that is made up for: later times are earlier by it */
    uint16_t lanes;
} rank;

typedef struct arrival {
    int rank;
    size_t work;
    int64_t at_ns;
} arrival;

typedef struct gathering {
    arrival *arrivals; /* [ranks of the collective] */
    int arrived;
} gathering;

typedef struct replay {
    clg_arena scratch;
    const clg_recorded_job *job;
    rank *ranks;
    gathering *gatherings; /* [collectives] */
    clg_change change;
    int on_time; /* trace of CLG_CHANGE_ONE */
    bool hosts;  /* as recorded */
} replay;

static int by_start(const void *a, const void *b) {
    const work *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

typedef struct stream {
    size_t works;
    uint32_t track;
} stream;

static int busiest_first(const void *a, const void *b) {
    const stream *x = a, *y = b;
    if (x->works != y->works) return x->works > y->works ? -1 : 1;
    return (x->track > y->track) - (x->track < y->track);
}

/* The lane of each track. */
static uint16_t *lanes_of(clg_arena *scratch, const clg_timeline *t, uint16_t *lanes) {
    stream *streams = clg_take(scratch, (size_t)t->track_count + 1, stream);
    uint16_t *lane = clg_take(scratch, (size_t)t->track_count + 1, uint16_t);
    for (uint32_t i = 0; i < t->track_count; i++) streams[i].track = i;
    for (size_t i = 0; i < t->count; i++) streams[t->events[i].track].works++;
    if (t->track_count) qsort(streams, t->track_count, sizeof *streams, busiest_first);
    for (uint32_t i = 0; i < t->track_count; i++)
        lane[streams[i].track] = (uint16_t)(i < LANES ? i : LANES - 1);
    *lanes = (uint16_t)(t->track_count < LANES ? t->track_count : LANES);
    return lane;
}

static void load_rank(replay *r, int index) {
    const clg_trace *t = &r->job->traces[index];
    rank *k = &r->ranks[index];
    k->works = clg_take(&r->scratch, t->timeline.count + 1, work);
    const uint16_t *lane = lanes_of(&r->scratch, &t->timeline, &k->lanes);
    for (size_t i = 0; i < t->timeline.count; i++) {
        const clg_event *e = &t->timeline.events[i];
        int64_t start_ns = clg_ns_minus(e->start_ns, r->job->offset_ns[index]);
        int64_t launch_ns = t->launch_ns ? t->launch_ns[i] : INT64_MIN;
        if (launch_ns != INT64_MIN) launch_ns = clg_ns_minus(launch_ns, r->job->offset_ns[index]);
        k->works[i] = (work){.start_ns = start_ns,
                             .end_ns = clg_ns_plus(start_ns, e->duration_ns),
                             .launch_ns = launch_ns,
                             .lane = lane[e->track]};
    }
    for (size_t i = 0; i < t->call_count; i++) k->works[t->calls[i].event].call = &t->calls[i];
    k->count = t->timeline.count;
    clg_order(&r->scratch, k->works, k->count, sizeof *k->works, by_start);
}

static void rewind_all(replay *r) {
    for (int i = 0; i < r->job->count; i++) {
        rank *k = &r->ranks[i];
        k->at = 0;
        k->credit_ns = 0;
        for (uint16_t t = 0; t < k->lanes; t++) k->newest[t] = NONE;
    }
    for (int i = 0; i < r->job->collective_count; i++) r->gatherings[i].arrived = 0;
}

/* The last work of a lane that ended before `w` began; of its own lane the last at all. */
static int32_t predecessor(const rank *k, const work *w, uint16_t lane) {
    int32_t at = k->newest[lane];
    for (int i = 0; lane != w->lane && at != NONE && k->works[at].end_ns > w->start_ns; i++) {
        if (i == LOOK_BACK) return NONE;
        at = k->works[at].before;
    }
    return at;
}

/* When the next work of a rank can start; false while that hangs on a pending collective. */
static bool ready(const rank *k, const work *w, int64_t *start_ns) {
    int64_t before_ns = INT64_MIN, new_ns = INT64_MIN;
    for (uint16_t t = 0; t < k->lanes; t++) {
        int32_t at = predecessor(k, w, t);
        if (at == NONE) continue;
        const work *p = &k->works[at];
        if (p->pending) return false;
        if (p->end_ns > before_ns) before_ns = p->end_ns;
        if (p->new_end_ns > new_ns) new_ns = p->new_end_ns;
    }
    *start_ns = w->start_ns;
    if (before_ns != INT64_MIN)
        *start_ns = clg_ns_plus(new_ns, clg_ns_minus(w->start_ns, before_ns));
    return true;
}

static const clg_trace_collective *collective_of(const replay *r, const work *w) {
    if (!w->call || w->call->instance < 0) return NULL;
    const clg_trace_collective *c = &r->job->collectives[w->call->instance];
    return c->transfer_ns >= 0 ? c : NULL;
}

static int by_time(const void *a, const void *b) {
    const arrival *x = a, *y = b;
    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* When the transfer of a gathering begins. Sorts its arrivals. */
static int64_t begins(const replay *r, gathering *g) {
    qsort(g->arrivals, (size_t)g->arrived, sizeof *g->arrivals, by_time);
    int last = g->arrived - 1;
    if (r->change == CLG_CHANGE_MEDIAN) return g->arrivals[last / 2].at_ns;
    bool excused = r->change == CLG_CHANGE_ONE && g->arrivals[last].rank == r->on_time;
    return g->arrivals[excused && last > 0 ? last - 1 : last].at_ns;
}

/* Everyone goes on at the same time; who was later than the beginning is given the difference. */
static void resolve(replay *r, gathering *g, int64_t transfer_ns) {
    int64_t begin_ns = begins(r, g);
    for (int i = 0; i < g->arrived; i++) {
        const arrival *a = &g->arrivals[i];
        rank *k = &r->ranks[a->rank];
        if (a->at_ns > begin_ns)
            k->credit_ns = clg_ns_plus(k->credit_ns, clg_ns_minus(a->at_ns, begin_ns));
        k->works[a->work].new_end_ns =
            clg_ns_plus(clg_ns_plus(begin_ns, transfer_ns), k->credit_ns);
        k->works[a->work].pending = false;
    }
}

static void arrive(replay *r, int index, work *w, const clg_trace_collective *c, int64_t start_ns) {
    rank *k = &r->ranks[index];
    gathering *g = &r->gatherings[w->call->instance];
    w->pending = true;
    g->arrivals[g->arrived++] = (arrival){index, k->at, clg_ns_minus(start_ns, k->credit_ns)};
    if (g->arrived == c->ranks) resolve(r, g, r->change == CLG_CHANGE_FREE ? 0 : c->transfer_ns);
}

/* Whether the rank's next work could be placed. */
static bool advance(replay *r, int index) {
    rank *k = &r->ranks[index];
    if (k->at == k->count) return false;
    work *w = &k->works[k->at];
    int64_t start_ns;
    if (!ready(k, w, &start_ns)) return false;
    if (r->hosts && w->launch_ns > start_ns && w->launch_ns <= w->start_ns)
        start_ns = w->launch_ns; /* credits are taken from hosts as well */
    bool blocks_nothing = r->change == CLG_CHANGE_OVERLAP && w->call;
    const clg_trace_collective *c = blocks_nothing ? NULL : collective_of(r, w);
    bool nothing = blocks_nothing || (r->change == CLG_CHANGE_FREE && w->call);
    w->pending = false;
    w->new_end_ns = nothing ? start_ns : clg_ns_plus(start_ns, w->end_ns - w->start_ns);
    if (c) arrive(r, index, w, c, start_ns);
    w->before = k->newest[w->lane];
    k->newest[w->lane] = (int32_t)k->at++;
    return true;
}

/* False when ranks wait for each other in a circle: then the recordings are of no one run. */
static bool run(replay *r) {
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < r->job->count; i++)
            while (advance(r, i)) moved = true;
    }
    for (int i = 0; i < r->job->count; i++)
        if (r->ranks[i].at < r->ranks[i].count) return false;
    return true;
}

static int64_t total_transfer(const clg_trace *t) {
    int64_t sum_ns = 0;
    for (size_t i = 0; i < t->call_count; i++) {
        const clg_trace_call *c = &t->calls[i];
        sum_ns = clg_ns_plus(sum_ns, c->transfer_ns >= 0 ? c->transfer_ns : c->duration_ns);
    }
    return sum_ns;
}

/* First start to last end. */
static int64_t extent(const replay *r, bool again) {
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (int i = 0; i < r->job->count; i++) {
        const rank *k = &r->ranks[i];
        for (size_t j = 0; j < k->count; j++) {
            const work *w = &k->works[j];
            int64_t end_ns = again ? clg_ns_minus(w->new_end_ns, k->credit_ns) : w->end_ns;
            if (w->start_ns < first_ns) first_ns = w->start_ns;
            if (end_ns > last_ns) last_ns = end_ns;
        }
    }
    return last_ns > first_ns ? clg_ns_minus(last_ns, first_ns) : 0;
}

static int64_t run_changed(replay *r, clg_change change, bool hosts) {
    r->change = change;
    r->hosts = hosts;
    rewind_all(r);
    if (!run(r)) return -1;
    int64_t ns = extent(r, true);
    for (int i = 0; change == CLG_CHANGE_OVERLAP && i < r->job->count; i++) {
        int64_t transfer_ns = total_transfer(&r->job->traces[i]);
        if (transfer_ns > ns) ns = transfer_ns;
    }
    return ns;
}

/* Ranks that meet in collectives, or the one that there is. */
static void load(replay *r) {
    const clg_recorded_job *job = r->job;
    r->ranks = clg_take(&r->scratch, (size_t)job->count, rank);
    r->gatherings = clg_take(&r->scratch, (size_t)job->collective_count + 1, gathering);
    for (int i = 0; i < job->count; i++) load_rank(r, i);
    for (int i = 0; i < job->collective_count; i++)
        if (job->collectives[i].transfer_ns >= 0)
            r->gatherings[i].arrivals =
                clg_take(&r->scratch, (size_t)job->collectives[i].ranks, arrival);
}

/* Whether every rank recorded its launches. */
static bool launched(const clg_recorded_job *job) {
    for (int i = 0; i < job->count; i++)
        if (job->traces[i].timeline.count > 0 && !job->traces[i].launch_ns) return false;
    return true;
}

clg_what_if clg_job_replay(const clg_recorded_job *job) {
    clg_what_if w = {.rank = -1};
    size_t works = 0;
    for (int i = 0; i < job->count; i++) works += job->traces[i].timeline.count;
    if (works == 0) w.unknown = "no GPU work was recorded";
    if (works >= INT32_MAX) w.unknown = "more events than a replay takes";
    if (!w.unknown && job->unmatched && job->count > 1) w.unknown = job->unmatched;
    if (w.unknown) return w;
    replay r = {.job = job, .on_time = job->straggler_count ? job->stragglers[0].trace : -1};
    load(&r);
    w.observed_ns = extent(&r, false);
    w.rank = r.on_time;
    bool met = job->straggler_count > 0; /* else nobody is known to have waited */
    for (int i = 0; i < CLG_CHANGES; i++) {
        bool can = met || (i != CLG_CHANGE_MEDIAN && i != CLG_CHANGE_ONE);
        w.ns[i] = can ? run_changed(&r, (clg_change)i, false) : -1;
        w.host_ns[i] = can && launched(job) ? run_changed(&r, (clg_change)i, true) : -1;
    }
    if (w.ns[CLG_CHANGE_NOTHING] < 0) w.unknown = "ranks wait for each other in a circle";
    clg_arena_clear(&r.scratch);
    return w;
}
