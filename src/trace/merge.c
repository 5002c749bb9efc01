/* merge.c -- many timelines into one. */
#include "trace/merge.h"

#include "base/order.h"
#include "record/ns.h"

enum { LANES = 4, MOST_TRACKS = 65535 };

/* Lanes of one stream: where they are drawn, and until when each is taken. */
typedef struct lanes {
    int track[LANES]; /* -1: not drawn yet */
    int64_t until_ns[LANES];
} lanes;

typedef struct merging {
    clg_arena *arena;
    const clg_recorded_job *job;
    clg_timeline *out;
    clg_intern names;
    int64_t first_ns;
} merging;

static int by_start(const void *a, const void *b) {
    const clg_event *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);
}

static int64_t earliest(const clg_recorded_job *job) {
    int64_t first_ns = INT64_MAX;
    for (int i = 0; i < job->count; i++) {
        int64_t at_ns = clg_ns_minus(job->traces[i].ledger.start_ns, job->offset_ns[i]);
        if (job->traces[i].timeline.count > 0 && at_ns < first_ns) first_ns = at_ns;
    }
    return first_ns;
}

static uint16_t track_of(merging *m, lanes *l, int lane, const char *name, int32_t rank) {
    clg_timeline *t = m->out;
    if (l->track[lane] >= 0) return (uint16_t)l->track[lane];
    if (t->track_count >= MOST_TRACKS) return MOST_TRACKS - 1;
    if (lane > 0) name = clg_arena_print(m->arena, "%s, lane %d", name, lane + 1);
    size_t capacity = t->track_capacity;
    clg_track track = {name, rank};
    CLG_APPEND(m->arena, t->tracks, t->track_count, capacity, track);
    t->track_capacity = (uint32_t)capacity;
    l->track[lane] = (int)t->track_count - 1;
    return (uint16_t)l->track[lane];
}

static int free_lane(const lanes *l, int64_t start_ns) {
    int lane = 0;
    while (lane + 1 < LANES && l->until_ns[lane] > start_ns) lane++;
    return lane;
}

static void add_trace(merging *m, clg_arena *scratch, int index) {
    const clg_trace *t = &m->job->traces[index];
    const clg_timeline *from = &t->timeline;
    int32_t rank = m->job->unmatched || t->rank < 0 ? index : t->rank;
    clg_event *events = clg_take(scratch, from->count + 1, clg_event);
    lanes *l = clg_take(scratch, (size_t)from->track_count + 1, lanes);
    for (uint32_t i = 0; i < from->track_count; i++)
        for (int k = 0; k < LANES; k++) {
            l[i].track[k] = -1;
            l[i].until_ns[k] = INT64_MIN;
        }
    for (size_t i = 0; i < from->count; i++) events[i] = from->events[i];
    clg_order(scratch, events, from->count, sizeof *events, by_start);
    for (size_t i = 0; i < from->count; i++) {
        clg_event e = events[i];
        const char *name = from->names[e.name], *stream = from->tracks[e.track].name;
        lanes *own = &l[e.track];
        int lane = free_lane(own, e.start_ns);
        own->until_ns[lane] = e.start_ns + e.duration_ns;
        e.start_ns = clg_ns_minus(clg_ns_minus(e.start_ns, m->job->offset_ns[index]), m->first_ns);
        e.name = clg_intern_add(&m->names, (clg_slice){name, strlen(name)});
        e.track = track_of(m, own, lane, stream, rank);
        clg_timeline_add(m->out, e);
    }
}

/* Traces from `first` up to `end`. */
static void draw(clg_arena *arena, const clg_recorded_job *job, int first, int end,
                 clg_timeline *merged) {
    *merged = (clg_timeline){.arena = arena};
    merging m = {arena, job, merged, {.arena = arena}, earliest(job)};
    clg_arena scratch = {0};
    for (int i = first; i < end; i++) {
        clg_arena_mark mark = clg_arena_here(&scratch);
        add_trace(&m, &scratch, i);
        clg_arena_back_to(&scratch, mark);
    }
    clg_arena_clear(&scratch);
    merged->names = m.names.texts;
    merged->name_count = merged->name_capacity = (uint32_t)m.names.count;
}

void clg_job_timeline(clg_arena *arena, const clg_recorded_job *job, clg_timeline *merged) {
    draw(arena, job, 0, job->count, merged);
}

void clg_job_timeline_of(clg_arena *arena, const clg_recorded_job *job, int trace,
                         clg_timeline *out) {
    draw(arena, job, trace, trace + 1, out);
}
