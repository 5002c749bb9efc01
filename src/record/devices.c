/* devices.c -- lists of GPU work into one trace for each GPU. */
#include "record/devices.h"

#include "base/order.h"
#include "record/by_step.h"
#include "record/ns.h"
#include "record/phases.h"

#include <stdlib.h>
#include <string.h>

void clg_devices_begin(clg_devices *d, clg_arena *arena, clg_arena *scratch, const char *path,
                       const clg_csv *table) {
    *d = (clg_devices){.arena = arena, .scratch = scratch, .path = path, .table = table};
}

/* ---- one by one ---- */

/* A device of a process: where each sees one GPU only, all call it 0. */
static clg_device *device_of(clg_devices *all, int64_t id, int64_t process) {
    for (int i = 0; i < all->count; i++)
        if (all->device[i]->id == id && all->device[i]->process == process) return all->device[i];
    if (all->count == CLG_DEVICES) return NULL;
    clg_device *d = all->device[all->count++] = clg_take(all->scratch, 1, clg_device);
    *d = (clg_device){.id = id, .process = process};
    d->trace = (clg_trace){.file = all->path,
                           .rank = -1,
                           .world_size = -1,
                           .idle_launch_ns = -1,
                           .device = id >= 0 && id < INT32_MAX ? (int32_t)id : -1};
    d->trace.timeline.arena = d->trace.groups.arena = all->arena;
    d->names.arena = d->streams.arena = all->scratch;
    return d;
}

static uint32_t kernel_of(clg_devices *all, clg_device *d, const clg_device_work *work) {
    uint32_t known = clg_map_get(&d->names, work->key, UINT32_MAX);
    if (known != UINT32_MAX) return known;
    clg_timeline *t = &d->trace.timeline;
    size_t count = t->name_count;
    clg_trace_kernel row = clg_trace_kernel_named(all->table, work->name, work->copy);
    CLG_APPEND(all->arena, d->trace.kernels, count, d->kernel_capacity, row);
    count = t->name_count;
    CLG_APPEND(all->arena, t->names, count, d->name_capacity, work->name);
    clg_map_put(&d->names, work->key, t->name_count);
    return t->name_count++;
}

static uint16_t track_of(clg_devices *all, clg_device *d, int64_t stream) {
    clg_timeline *t = &d->trace.timeline;
    uint64_t key = (uint64_t)stream + 1 ? (uint64_t)stream + 1 : 1;
    uint32_t known = clg_map_get(&d->streams, key, UINT32_MAX);
    if (known != UINT32_MAX) return (uint16_t)known;
    if (t->track_count >= UINT16_MAX) return UINT16_MAX - 1;
    size_t count = t->track_count, capacity = t->track_capacity;
    clg_track track = {clg_arena_print(all->arena, "stream %lld", (long long)stream), 0};
    CLG_APPEND(all->arena, t->tracks, count, capacity, track);
    t->track_capacity = (uint32_t)capacity;
    clg_map_put(&d->streams, key, t->track_count);
    CLG_APPEND(all->scratch, d->stream, d->stream_count, d->stream_capacity, stream);
    return (uint16_t)t->track_count++;
}

static void add_call(clg_devices *all, clg_device *d, const clg_event *event) {
    clg_trace *t = &d->trace;
    const char *stream = t->timeline.tracks[event->track].name;
    uint32_t group = clg_intern_add(&t->groups, (clg_slice){stream, strlen(stream)});
    clg_trace_call call = {.event = (uint32_t)(t->timeline.count - 1),
                           .instance = -1,
                           .start_ns = event->start_ns,
                           .duration_ns = event->duration_ns,
                           .transfer_ns = -1,
                           .name = event->name,
                           .correlation = event->detail,
                           .what = {.operation = t->kernels[event->name].operation,
                                    .group = group,
                                    .group_name = group,
                                    .bytes = -1,
                                    .group_size = -1,
                                    .sequence = -1,
                                    .source = -1,
                                    .target = -1}};
    CLG_APPEND(all->arena, t->calls, t->call_count, t->call_capacity, call);
}

bool clg_devices_add(clg_devices *all, const clg_device_work *work) {
    bool possible = work->start_ns >= 0 && work->end_ns >= work->start_ns &&
                    work->end_ns <= CLG_TRACE_LATEST_NS &&
                    work->end_ns - work->start_ns <= CLG_TRACE_LONGEST_NS;
    clg_device *d = possible ? device_of(all, work->device, work->process) : NULL;
    if (!d) {
        if (possible) all->damage = "there is work of more than 1,024 GPUs"; /* CLG_DEVICES */
        all->unreadable++;
        return false;
    }
    uint32_t kernel = kernel_of(all, d, work);
    clg_trace_kernel *k = &d->trace.kernels[kernel];
    int64_t duration_ns = work->end_ns - work->start_ns;
    k->count++;
    k->total_ns = clg_ns_plus(k->total_ns, duration_ns);
    bool small = work->correlation >= 0 && work->correlation < INT32_MAX;
    clg_event event = {work->start_ns,
                       duration_ns,
                       kernel,
                       track_of(all, d, work->stream),
                       (uint8_t)k->work,
                       -1,
                       small ? (int32_t)work->correlation : -1};
    clg_timeline_add(&d->trace.timeline, event);
    d->trace.events_read++;
    if (k->work == CLG_WORK_COMMUNICATION) add_call(all, d, &event);
    return true;
}

clg_device_process *clg_devices_process(clg_devices *all, int64_t id) {
    for (int i = 0; i < all->process_count; i++)
        if (all->process[i]->id == id) return all->process[i];
    bool wanted = false;
    for (int i = 0; i < all->count; i++) wanted = wanted || all->device[i]->process == id;
    if (!wanted || all->process_count == CLG_DEVICE_PROCESSES) return NULL;
    clg_device_process *p = clg_take(all->scratch, 1, clg_device_process);
    all->process[all->process_count++] = p;
    p->id = id;
    p->ranges.arena = p->launches.arena = p->launches.by_correlation.arena = all->scratch;
    return p;
}

void clg_devices_launch(clg_device_process *p, int64_t correlation, uint64_t thread,
                        int64_t start_ns) {
    if (start_ns < 0 || start_ns > CLG_TRACE_LATEST_NS || correlation < 0 ||
        correlation >= INT32_MAX)
        return;
    clg_launches *l = &p->launches;
    uint64_t key = (uint64_t)correlation + 1;
    uint32_t known = clg_map_add(&l->by_correlation, key, (uint32_t)l->count);
    if (known < l->count) {
        if (start_ns < l->launch[known].start_ns) l->launch[known].start_ns = start_ns;
        return;
    }
    clg_recorded_launch launch = {thread, start_ns, 0};
    CLG_APPEND(p->launches.arena, l->launch, l->count, l->capacity, launch);
}

/* ---- afterwards ---- */

static int by_start(const void *a, const void *b) {
    const clg_trace_call *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int by_id(const void *a, const void *b) {
    const clg_device *x = *(clg_device *const *)a, *y = *(clg_device *const *)b;
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
static void name_groups(clg_devices *all, clg_device *d) {
    clg_trace *t = &d->trace;
    uint32_t tracks = t->timeline.track_count, count = 0;
    uint32_t *group = clg_take(all->scratch, (size_t)tracks + 1, uint32_t);
    talking *list = clg_take(all->scratch, (size_t)tracks + 1, talking);
    for (size_t i = 0; i < t->call_count; i++) group[t->timeline.events[t->calls[i].event].track]++;
    for (uint32_t k = 0; k < tracks; k++)
        if (group[k]) list[count++] = (talking){d->stream[k], k};
    if (count) qsort(list, count, sizeof *list, by_stream);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = clg_arena_print(all->scratch, "communication stream %u", i);
        group[list[i].track] = clg_intern_add(&t->groups, (clg_slice){name, strlen(name)});
    }
    for (size_t i = 0; i < t->call_count; i++)
        t->calls[i].what.group = t->calls[i].what.group_name =
            group[t->timeline.events[t->calls[i].event].track];
}

/* Whether the devices of a file have different numbers. */
static bool numbered_apart(const clg_devices *all) {
    for (int i = 1; i < all->count; i++) /* sorted */
        if (all->device[i]->id == all->device[i - 1]->id) return false;
    return true;
}

static void take_launches(clg_devices *all, clg_device *d) {
    clg_device_process *p = clg_devices_process(all, d->process);
    if (!p) return;
    clg_launches_find(&p->launches, &d->trace);
    clg_launches_multiply(&p->launches, &d->trace);
    clg_launches_keep(&p->launches, &d->trace);
    clg_trace_split_idle(all->scratch, &d->trace);
    clg_ranges_to_steps(&p->ranges, &d->trace);
    clg_ranges_to_phases(&p->ranges, &p->launches, &d->trace);
    clg_steps_assign(all->scratch, &d->trace);
}

/* Where processes number their GPUs alike, the place in the order of processes is the rank. */
static void finish(clg_devices *all, int place, bool apart) {
    clg_device *d = all->device[place];
    clg_trace *t = &d->trace;
    bool numbered = apart && d->id >= 0 && d->id < INT32_MAX;
    t->rank = all->count < 2 ? clg_trace_rank_of_name(all->path)
              : numbered     ? (int32_t)d->id
                             : place;
    for (uint32_t i = 0; i < t->timeline.track_count; i++) t->timeline.tracks[i].rank = t->rank;
    t->timeline.name_capacity = t->timeline.name_count;
    clg_order(all->scratch, t->calls, t->call_count, sizeof *t->calls, by_start);
    t->ledger = clg_timeline_ledger(all->scratch, &t->timeline, t->rank);
    name_groups(all, d);
    take_launches(all, d);
    t->damaged = all->damage || all->unreadable > 0;
    if (!t->damaged) return;
    t->events_lost = all->unreadable;
    t->damage[t->damages++] = (clg_trace_damage){
        0, all->unreadable, all->damage ? all->damage : "work with times that cannot be"};
}

static bool computes(const clg_device *d) {
    for (uint32_t i = 0; i < d->trace.timeline.name_count; i++)
        if (d->trace.kernels[i].work != CLG_WORK_COPY) return true;
    return false;
}

/* Copies alone do not make a GPU a rank, where others have kernels: a process that copies to the
 * GPU of another one records them. */
static int64_t leave_out_copies(clg_devices *all) {
    int kept = 0;
    int64_t elsewhere = 0;
    for (int i = 0; i < all->count; i++) kept += computes(all->device[i]);
    if (kept == 0 || kept == all->count) return 0;
    kept = 0;
    for (int i = 0; i < all->count; i++)
        if (computes(all->device[i]))
            all->device[kept++] = all->device[i];
        else
            elsewhere += (int64_t)all->device[i]->trace.timeline.count;
    all->count = kept;
    return elsewhere;
}

void clg_devices_end(clg_devices *all, clg_trace **traces, int *count) {
    int64_t elsewhere = leave_out_copies(all);
    if (all->count > 0) qsort(all->device, (size_t)all->count, sizeof *all->device, by_id);
    bool apart = numbered_apart(all) && !all->by_place;
    *count = all->count;
    *traces = clg_take(all->arena, (size_t)all->count, clg_trace);
    for (int i = 0; i < all->count; i++) {
        finish(all, i, apart);
        (*traces)[i] = all->device[i]->trace;
    }
    if (all->count > 0) (*traces)[0].elsewhere = elsewhere;
}
