/* nsys.c -- CUPTI activity tables of Nsight Systems (export schema 3.x) as ledgers. */
#include "record/nsys_export.h"

#include "record/by_step.h"
#include "record/ns.h"
#include "record/recording.h"

#include <stdlib.h>
#include <string.h>

static int by_start(const void *a, const void *b) {
    const clg_trace_call *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int by_id(const void *a, const void *b) {
    const clg_nsys_device *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

typedef struct talking {
    int64_t stream;
    uint32_t track;
} talking;

static int by_stream(const void *a, const void *b) {
    const talking *x = a, *y = b;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

/* Numbers of streams differ from GPU to GPU; the order of those that communicate need not. */
static void name_groups(clg_nsys_export *x, clg_nsys_device *d) {
    clg_trace *t = &d->trace;
    uint32_t tracks = t->timeline.track_count, count = 0;
    uint32_t *group = clg_take(&x->scratch, (size_t)tracks + 1, uint32_t);
    talking *list = clg_take(&x->scratch, (size_t)tracks + 1, talking);
    for (size_t i = 0; i < t->call_count; i++) group[t->timeline.events[t->calls[i].event].track]++;
    for (uint32_t k = 0; k < tracks; k++)
        if (group[k]) list[count++] = (talking){d->stream[k], k};
    if (count) qsort(list, count, sizeof *list, by_stream);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = clg_arena_print(&x->scratch, "communication stream %u", i);
        group[list[i].track] = clg_intern_add(&t->groups, (clg_slice){name, strlen(name)});
    }
    for (size_t i = 0; i < t->call_count; i++)
        t->calls[i].what.group = t->calls[i].what.group_name =
            group[t->timeline.events[t->calls[i].event].track];
}

/* Whether the devices of a file have different numbers. */
static bool numbered_apart(const clg_nsys_export *x) {
    for (int i = 1; i < x->device_count; i++) /* sorted */
        if (x->devices[i].id == x->devices[i - 1].id) return false;
    return true;
}

static void take_launches(clg_nsys_export *x, clg_nsys_device *d) {
    clg_nsys_process *p = NULL;
    for (int i = 0; i < x->process_count; i++)
        if (x->processes[i].id == d->process) p = &x->processes[i];
    if (!p) return;
    clg_launches_multiply(&p->launches, &d->trace);
    clg_launches_keep(&p->launches, &d->trace);
    clg_trace_split_idle(&x->scratch, &d->trace);
    clg_ranges_to_steps(&p->ranges, &d->trace);
    clg_steps_assign(&x->scratch, &d->trace);
}

/* With several GPUs in a file, a GPU's number stands for its rank; where processes number theirs
 * alike, its place in the order of processes. */
static void finish(clg_nsys_export *x, clg_nsys_device *d) {
    clg_trace *t = &d->trace;
    bool several = x->device_count > 1, apart = numbered_apart(x) && d->id < INT32_MAX;
    int32_t place = (int32_t)(d - x->devices);
    t->rank = !several ? clg_trace_rank_of_name(x->path) : apart ? (int32_t)d->id : place;
    for (uint32_t i = 0; i < t->timeline.track_count; i++) t->timeline.tracks[i].rank = t->rank;
    t->timeline.name_capacity = t->timeline.name_count;
    if (t->call_count) qsort(t->calls, t->call_count, sizeof *t->calls, by_start);
    t->ledger = clg_timeline_ledger(&x->scratch, &t->timeline, t->rank);
    name_groups(x, d);
    take_launches(x, d);
    t->damaged = x->file.damaged || x->unreadable > 0;
    if (!t->damaged) return;
    t->events_lost = x->unreadable;
    t->damage[t->damages++] =
        (clg_trace_damage){0, x->unreadable, "pages or rows of the database are damaged"};
}

clg_status clg_nsys_read(clg_arena *arena, const char *file, clg_slice data, const clg_csv *table,
                         clg_trace **traces, int *count, clg_error *error) {
    clg_nsys_export *x = clg_take(arena, 1, clg_nsys_export);
    x->arena = arena;
    x->path = file;
    x->table = table;
    clg_status status = clg_nsys_tables(x, data, error);
    if (status == CLG_OK) {
        qsort(x->devices, (size_t)x->device_count, sizeof *x->devices, by_id);
        *count = x->device_count;
        *traces = clg_take(arena, (size_t)x->device_count, clg_trace);
        for (int i = 0; i < x->device_count; i++) {
            finish(x, &x->devices[i]);
            (*traces)[i] = x->devices[i].trace;
        }
    }
    clg_sqlite_close(&x->file);
    clg_arena_clear(&x->scratch);
    return status;
}

/* ---- as a reader ---- */

static bool probe(clg_slice head) { return clg_slice_starts(head, "SQLite format 3"); }

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    clg_arena scratch = {0};
    clg_slice data = clg_source_whole(&scratch, source);
    clg_status status = clg_nsys_read(&into->arena, into->file, data, kernels, &into->traces,
                                      &into->count, &into->error);
    clg_arena_clear(&scratch);
    return status;
}

const clg_reader clg_reader_nsys = {"nsys", probe, read};
