/* timeline.c -- growing a timeline, and the ledger of one rank. */
#include "timeline/timeline.h"

#include "base/order.h"

#include <string.h>

void clg_timeline_add(clg_timeline *t, clg_event event) {
    if (t->count == t->capacity)
        t->events = clg_arena_grown(t->arena, t->events, t->count, &t->capacity, sizeof *t->events);
    t->events[t->count++] = event;
}

uint32_t clg_timeline_name(clg_timeline *t, const char *name) {
    for (uint32_t i = 0; i < t->name_count; i++)
        if (strcmp(t->names[i], name) == 0) return i;
    if (t->name_count == t->name_capacity) {
        size_t capacity = t->name_capacity;
        t->names = clg_arena_grown(t->arena, t->names, t->name_count, &capacity, sizeof *t->names);
        t->name_capacity = (uint32_t)capacity;
    }
    t->names[t->name_count] = clg_arena_copy(t->arena, name, strlen(name));
    return t->name_count++;
}

uint16_t clg_timeline_track(clg_timeline *t, const char *name, int32_t rank) {
    for (uint32_t i = 0; i < t->track_count; i++)
        if (t->tracks[i].rank == rank && strcmp(t->tracks[i].name, name) == 0) return (uint16_t)i;
    if (t->track_count == t->track_capacity) {
        size_t capacity = t->track_capacity;
        t->tracks =
            clg_arena_grown(t->arena, t->tracks, t->track_count, &capacity, sizeof *t->tracks);
        t->track_capacity = (uint32_t)capacity;
    }
    t->tracks[t->track_count] = (clg_track){clg_arena_copy(t->arena, name, strlen(name)), rank};
    return (uint16_t)t->track_count++;
}

/* A start or an end of work of one kind. */
typedef struct edge {
    int64_t at_ns;
    int8_t step; /* +1 start, -1 end */
    uint8_t work;
} edge;

static int by_time(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static size_t collect(const clg_timeline *t, int32_t rank, edge *edges) {
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const clg_event *e = &t->events[i];
        if (e->work == CLG_WORK_NONE || t->tracks[e->track].rank != rank) continue;
        edges[count++] = (edge){e->start_ns, 1, e->work};
        edges[count++] = (edge){e->start_ns + e->duration_ns, -1, e->work};
    }
    return count;
}

static void account(clg_ledger *ledger, const int active[3], int64_t ns) {
    bool compute = active[CLG_WORK_COMPUTE] > 0, talk = active[CLG_WORK_COMMUNICATION] > 0;
    if (compute)
        ledger->compute_ns += ns;
    else if (talk)
        ledger->exposed_communication_ns += ns;
    else if (active[CLG_WORK_COPY] > 0)
        ledger->exposed_copy_ns += ns;
    else
        ledger->idle_ns += ns;
    if (talk) ledger->communication_ns += ns;
    if (talk && compute) ledger->overlapped_communication_ns += ns;
}

clg_ledger clg_timeline_ledger(clg_arena *scratch, const clg_timeline *t, int32_t rank) {
    clg_ledger ledger = {0};
    edge *edges = clg_take(scratch, 2 * t->count + 1, edge);
    size_t count = collect(t, rank, edges);
    if (count == 0) return ledger;
    clg_order(scratch, edges, count, sizeof *edges, by_time);
    int active[3] = {0};
    int64_t now = edges[0].at_ns;
    ledger.start_ns = now;
    for (size_t i = 0; i < count; i++) {
        if (edges[i].at_ns > now) account(&ledger, active, edges[i].at_ns - now);
        now = edges[i].at_ns;
        active[edges[i].work] += edges[i].step;
    }
    ledger.span_ns = now - ledger.start_ns;
    return ledger;
}
