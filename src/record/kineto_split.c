/* kineto_split.c -- several GPUs in one recording: a trace for each.
 *
 * One process with several GPUs, or several processes that a tool joined, write one file; what runs
 * on two GPUs at once is no overlap. Copies alone do not make a GPU a rank: a process that copies
 * to the GPU of another one records them. */
#include "record/kineto.h"

#include "record/ns.h"

#include <stdlib.h>
#include <string.h>

/* Work of one GPU. */
typedef struct gpu {
    int64_t number;
    size_t events, kernels, calls;
} gpu;

typedef struct splitting {
    clg_kineto *reader;
    clg_trace *all;
    gpu *gpus;
    size_t count;
    uint32_t *gpu_of;  /* [tracks] */
    uint16_t *place;   /* [tracks] of their GPU */
    clg_trace **trace; /* [gpus] NULL: none */
} splitting;

static int by_number(const void *a, const void *b) {
    const gpu *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static size_t place_of(const splitting *s, int64_t number) {
    size_t low = 0, high = s->count;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (s->gpus[middle].number <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* GPUs in order, each once. */
static void find_gpus(splitting *s) {
    const clg_timeline *t = &s->all->timeline;
    clg_arena *scratch = &s->reader->scratch;
    s->gpus = clg_take(scratch, (size_t)t->track_count + 1, gpu);
    s->gpu_of = clg_take(scratch, (size_t)t->track_count + 1, uint32_t);
    for (uint32_t i = 0; i < t->track_count; i++) s->gpus[i].number = s->reader->device[i];
    if (t->track_count) qsort(s->gpus, t->track_count, sizeof *s->gpus, by_number);
    for (uint32_t i = 0; i < t->track_count; i++)
        if (s->count == 0 || s->gpus[s->count - 1].number != s->gpus[i].number)
            s->gpus[s->count++].number = s->gpus[i].number;
    for (uint32_t i = 0; i < t->track_count; i++)
        s->gpu_of[i] = (uint32_t)place_of(s, s->reader->device[i]);
    for (size_t i = 0; i < t->count; i++) {
        gpu *g = &s->gpus[s->gpu_of[t->events[i].track]];
        g->events++;
        g->kernels += t->events[i].work != CLG_WORK_COPY;
    }
    for (size_t i = 0; i < s->all->call_count; i++)
        s->gpus[s->gpu_of[t->events[s->all->calls[i].event].track]].calls++;
}

/* Indexes stay what they are. */
static clg_intern copy_of(const clg_intern *from) {
    clg_intern copy = {.arena = from->arena};
    for (size_t i = 0; i < from->count; i++)
        clg_intern_keep(&copy, (clg_slice){from->texts[i], strlen(from->texts[i])});
    return copy;
}

/* The tracks of each GPU, and where each has gone. */
static void take_tracks(splitting *s) {
    const clg_timeline *all = &s->all->timeline;
    s->place = clg_take(&s->reader->scratch, (size_t)all->track_count + 1, uint16_t);
    for (uint32_t i = 0; i < all->track_count; i++) {
        clg_trace *t = s->trace[s->gpu_of[i]];
        if (!t) continue;
        size_t capacity = t->timeline.track_capacity;
        s->place[i] = (uint16_t)t->timeline.track_count;
        CLG_APPEND(s->reader->arena, t->timeline.tracks, t->timeline.track_count, capacity,
                   all->tracks[i]);
        t->timeline.track_capacity = (uint32_t)capacity;
    }
}

/* A trace without work, for a GPU's. */
static void empty(splitting *s, const gpu *g, clg_trace *t) {
    clg_arena *arena = s->reader->arena;
    size_t names = s->all->timeline.name_count;
    *t = *s->all;
    t->groups = copy_of(&s->all->groups);
    t->kernels = clg_take(arena, names + 1, clg_trace_kernel);
    for (size_t n = 0; n < names; n++) {
        t->kernels[n] = s->all->kernels[n];
        t->kernels[n].count = t->kernels[n].total_ns = 0;
    }
    t->timeline.tracks = NULL;
    t->timeline.track_count = t->timeline.track_capacity = 0;
    t->timeline.events = clg_take(arena, g->events + 1, clg_event);
    t->timeline.count = 0;
    t->timeline.capacity = g->events;
    t->calls = clg_take(arena, g->calls + 1, clg_trace_call);
    t->call_count = 0;
    t->call_capacity = g->calls;
    t->device = g->number >= 0 && g->number < INT32_MAX ? (int32_t)g->number : -1;
}

static void deal_events(splitting *s) {
    const clg_trace *all = s->all;
    size_t call = 0;
    for (size_t i = 0; i < all->timeline.count; i++) {
        clg_event e = all->timeline.events[i];
        const clg_trace_call *called =
            call < all->call_count && all->calls[call].event == i ? &all->calls[call++] : NULL;
        clg_trace *t = s->trace[s->gpu_of[e.track]];
        if (!t) continue;
        if (called) {
            t->calls[t->call_count] = *called;
            t->calls[t->call_count++].event = (uint32_t)t->timeline.count;
        }
        e.track = s->place[e.track];
        t->timeline.events[t->timeline.count++] = e;
        t->kernels[e.name].count++;
        t->kernels[e.name].total_ns = clg_ns_plus(t->kernels[e.name].total_ns, e.duration_ns);
    }
}

/* Steps and stretches are moved to the common clock trace by trace. */
static void copy_host(clg_arena *arena, clg_trace *t) {
    clg_trace_step *step = clg_take(arena, t->step_count + 1, clg_trace_step);
    clg_stretch *stretch = clg_take(arena, t->stretch_count + 1, clg_stretch);
    if (t->step_count) memcpy(step, t->step, t->step_count * sizeof *step);
    if (t->stretch_count) memcpy(stretch, t->stretch, t->stretch_count * sizeof *stretch);
    t->step = step;
    t->stretch = stretch;
    t->step_capacity = t->step_count;
    t->stretch_capacity = t->stretch_count;
}

/* Every trace has names, groups and steps of its own: not where those of a hostile file would be
 * many times the file. */
static bool affordable(const splitting *s, size_t ranks) {
    const clg_trace *t = s->all;
    size_t each = t->timeline.name_count + t->groups.count + t->step_count + t->stretch_count +
                  s->reader->launches.product_count + s->reader->memory_count;
    return each <= (((size_t)1 << 20) + 8 * t->timeline.count) / ranks;
}

void clg_kineto_split(clg_kineto *r, clg_trace **traces, int *count) {
    splitting s = {.reader = r, .all = r->trace};
    find_gpus(&s);
    size_t ranks = 0;
    for (size_t i = s.count; i-- > 0;)
        if (s.gpus[i].kernels > 0) {
            ranks++;
            bool small = s.gpus[i].number >= 0 && s.gpus[i].number < INT32_MAX;
            r->trace->device = small ? (int32_t)s.gpus[i].number : -1;
        }
    if (s.count < 2 || ranks == 0 || !affordable(&s, ranks)) return;
    *traces = clg_take(r->arena, ranks, clg_trace);
    *count = 0;
    s.trace = clg_take(&r->scratch, s.count, clg_trace *);
    for (size_t i = 0; i < s.count; i++) {
        if (s.gpus[i].kernels == 0) continue;
        clg_trace *t = s.trace[i] = &(*traces)[(*count)++];
        empty(&s, &s.gpus[i], t);
        if (ranks > 1) t->rank = t->device;
        if (*count == 1) continue;
        t->events_lost = 0; /* told once */
        t->damages = 0;
        copy_host(r->arena, t);
    }
    take_tracks(&s);
    deal_events(&s);
    for (size_t i = 0; i < s.count; i++)
        if (!s.trace[i]) (*traces)[0].elsewhere += (int64_t)s.gpus[i].events;
}
