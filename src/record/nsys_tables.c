/* nsys_tables.c -- tables of an export: kernels, copies, launches, ranges, names of GPUs. */
#include "record/nsys_export.h"

#include "record/ns.h"

#include <stdlib.h>
#include <string.h>

enum { PROCESS_SHIFT = 24 };

static bool number(const clg_sqlite_row *row, int column, int64_t *value) {
    if (column < 0 || column >= row->columns || row->value[column].text || row->value[column].null)
        return false;
    *value = row->value[column].integer;
    return true;
}

/* StringIds.id is an INTEGER PRIMARY KEY in some exports: then the id of the row. */
static void take_string(void *context, const clg_sqlite_row *row) {
    clg_nsys_export *x = context;
    int64_t id = row->id;
    if (row->columns < 2 || !row->value[1].text) return;
    number(row, 0, &id);
    clg_map_put(&x->strings, (uint64_t)id + 1, clg_intern_add(&x->texts, row->value[1].string));
}

/* A device of a process: where each sees one GPU only, all call it 0. */
static clg_nsys_device *device_of(clg_nsys_export *x, int64_t id, int64_t process_id) {
    for (int i = 0; i < x->device_count; i++)
        if (x->devices[i].id == id && x->devices[i].process == process_id) return &x->devices[i];
    if (x->device_count == CLG_NSYS_DEVICES) return NULL;
    clg_nsys_device *d = &x->devices[x->device_count++];
    *d = (clg_nsys_device){.id = id, .process = process_id};
    d->trace = (clg_trace){.file = x->path,
                           .rank = -1,
                           .world_size = -1,
                           .idle_launch_ns = -1,
                           .device = id < INT32_MAX ? (int32_t)id : -1};
    d->trace.timeline.arena = d->trace.groups.arena = x->arena;
    d->names.arena = d->streams.arena = &x->scratch;
    return d;
}

static const char *name_of(const clg_nsys_export *x, int64_t id) {
    uint32_t index = clg_map_get(&x->strings, (uint64_t)id + 1, UINT32_MAX);
    return index == UINT32_MAX ? "?" : x->texts.texts[index];
}

static uint32_t kernel_of(clg_nsys_export *x, clg_nsys_device *d, int64_t name_id) {
    uint64_t key =
        x->copy_name ? clg_trace_hash((clg_slice){x->copy_name, 6}, 1) : (uint64_t)name_id + 1;
    uint32_t known = clg_map_get(&d->names, key, UINT32_MAX);
    if (known != UINT32_MAX) return known;
    clg_timeline *t = &d->trace.timeline;
    size_t count = t->name_count;
    const char *name = x->copy_name ? x->copy_name : name_of(x, name_id);
    clg_trace_kernel row = clg_trace_kernel_named(x->table, name, x->copy_name != NULL);
    CLG_APPEND(x->arena, d->trace.kernels, count, d->kernel_capacity, row);
    count = t->name_count;
    CLG_APPEND(x->arena, t->names, count, d->name_capacity, name);
    clg_map_put(&d->names, key, t->name_count);
    return t->name_count++;
}

static uint16_t track_of(clg_nsys_export *x, clg_nsys_device *d, int64_t stream) {
    clg_timeline *t = &d->trace.timeline;
    uint32_t known = clg_map_get(&d->streams, (uint64_t)stream + 1, UINT32_MAX);
    if (known != UINT32_MAX) return (uint16_t)known;
    if (t->track_count >= UINT16_MAX) return UINT16_MAX - 1;
    size_t count = t->track_count, capacity = t->track_capacity;
    clg_track track = {clg_arena_print(x->arena, "stream %lld", (long long)stream), 0};
    CLG_APPEND(x->arena, t->tracks, count, capacity, track);
    t->track_capacity = (uint32_t)capacity;
    clg_map_put(&d->streams, (uint64_t)stream + 1, t->track_count);
    CLG_APPEND(&x->scratch, d->stream, d->stream_count, d->stream_capacity, stream);
    return (uint16_t)t->track_count++;
}

static void add_call(clg_nsys_export *x, clg_nsys_device *d, const clg_event *event) {
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
    CLG_APPEND(x->arena, t->calls, t->call_count, t->call_capacity, call);
}

static void take_work(void *context, const clg_sqlite_row *row) {
    clg_nsys_export *x = context;
    int64_t start_ns, end_ns, id, stream = 0, name = -1, correlation = -1, pid = 0;
    bool whole = number(row, x->columns.start, &start_ns) && number(row, x->columns.end, &end_ns) &&
                 number(row, x->columns.device, &id) && start_ns >= 0 && end_ns >= start_ns &&
                 end_ns <= CLG_TRACE_LATEST_NS && end_ns - start_ns <= CLG_TRACE_LONGEST_NS;
    number(row, x->columns.process, &pid);
    clg_nsys_device *d = whole ? device_of(x, id, pid >> PROCESS_SHIFT) : NULL;
    if (!d) {
        x->unreadable++;
        return;
    }
    number(row, x->columns.stream, &stream);
    number(row, x->columns.name, &name);
    number(row, x->columns.correlation, &correlation);
    uint32_t kernel = kernel_of(x, d, name);
    clg_trace_kernel *k = &d->trace.kernels[kernel];
    k->count++;
    k->total_ns = clg_ns_plus(k->total_ns, end_ns - start_ns);
    bool small = correlation >= 0 && correlation < INT32_MAX;
    clg_event event = {start_ns,
                       end_ns - start_ns,
                       kernel,
                       track_of(x, d, stream),
                       (uint8_t)k->work,
                       0xff,
                       -1,
                       small ? (int32_t)correlation : -1};
    clg_timeline_add(&d->trace.timeline, event);
    d->trace.events_read++;
    if (k->work == CLG_WORK_COMMUNICATION) add_call(x, d, &event);
}

static bool read_table(clg_nsys_export *x, const char *name, const char *copy_name) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, name, &table)) return false;
    int named = clg_sqlite_column(&table, "demangledName");
    x->copy_name = copy_name;
    x->columns =
        (clg_nsys_columns){.start = clg_sqlite_column(&table, "start"),
                           .end = clg_sqlite_column(&table, "end"),
                           .device = clg_sqlite_column(&table, "deviceId"),
                           .stream = clg_sqlite_column(&table, "streamId"),
                           .correlation = clg_sqlite_column(&table, "correlationId"),
                           .process = clg_sqlite_column(&table, "globalPid"),
                           .name = named >= 0 ? named : clg_sqlite_column(&table, "shortName")};
    clg_sqlite_each(&x->file, &table, take_work, x);
    return true;
}

static clg_nsys_process *process_of(clg_nsys_export *x, int64_t id) {
    for (int i = 0; i < x->process_count; i++)
        if (x->processes[i].id == id) return &x->processes[i];
    bool wanted = false;
    for (int i = 0; i < x->device_count; i++) wanted = wanted || x->devices[i].process == id;
    if (!wanted || x->process_count == CLG_NSYS_PROCESSES) return NULL;
    clg_nsys_process *p = &x->processes[x->process_count++];
    *p = (clg_nsys_process){.id = id};
    p->ranges.arena = p->launches.arena = p->launches.by_correlation.arena = &x->scratch;
    return p;
}

/* Several rows may share a correlation (a call of the runtime, and of the driver inside it): the
 * first to begin is the launch. */
static void take_launch(void *context, const clg_sqlite_row *row) {
    clg_nsys_export *x = context;
    int64_t start_ns, correlation, tid = 0;
    if (!number(row, x->columns.start, &start_ns) || start_ns < 0 ||
        !number(row, x->columns.correlation, &correlation) || correlation < 0 ||
        correlation >= INT32_MAX)
        return;
    number(row, x->columns.process, &tid);
    clg_nsys_process *p = process_of(x, tid >> PROCESS_SHIFT);
    if (!p) return;
    clg_launches *l = &p->launches;
    uint64_t key = (uint64_t)correlation + 1;
    uint32_t known = clg_map_get(&l->by_correlation, key, UINT32_MAX);
    if (known != UINT32_MAX) {
        if (start_ns < l->launch[known].start_ns) l->launch[known].start_ns = start_ns;
        return;
    }
    clg_recorded_launch launch = {(uint64_t)tid, start_ns};
    clg_map_put(&l->by_correlation, key, (uint32_t)l->count);
    CLG_APPEND(&x->scratch, l->launch, l->count, l->capacity, launch);
}

static void read_launches(clg_nsys_export *x) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, "CUPTI_ACTIVITY_KIND_RUNTIME", &table)) return;
    x->columns = (clg_nsys_columns){.start = clg_sqlite_column(&table, "start"),
                                    .correlation = clg_sqlite_column(&table, "correlationId"),
                                    .process = clg_sqlite_column(&table, "globalTid")};
    clg_sqlite_each(&x->file, &table, take_launch, x);
}

/* Pushed and popped, or started and ended; other types are marks and names of things. */
enum { RANGE_PUSHED = 59, RANGE_STARTED = 60 };

static void take_range(void *context, const clg_sqlite_row *row) {
    clg_nsys_export *x = context;
    int64_t start_ns, end_ns, tid = 0, type = RANGE_PUSHED, text;
    if (!number(row, x->columns.start, &start_ns) || !number(row, x->columns.end, &end_ns) ||
        start_ns < 0 || end_ns < start_ns || end_ns > CLG_TRACE_LATEST_NS)
        return;
    number(row, x->columns.type, &type);
    number(row, x->columns.process, &tid);
    clg_nsys_process *p = process_of(x, tid >> PROCESS_SHIFT);
    if (!p || (type != RANGE_PUSHED && type != RANGE_STARTED)) return;
    clg_slice name = {0};
    int said = x->columns.text;
    if (said >= 0 && said < row->columns && row->value[said].text) name = row->value[said].string;
    if (name.size == 0 && number(row, x->columns.name, &text)) {
        const char *registered = name_of(x, text);
        name = (clg_slice){registered, strlen(registered)};
    }
    if (name.size) clg_ranges_add(&p->ranges, name, (uint64_t)tid, start_ns, end_ns - start_ns);
}

static void read_ranges(clg_nsys_export *x) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, "NVTX_EVENTS", &table)) return;
    x->columns = (clg_nsys_columns){.start = clg_sqlite_column(&table, "start"),
                                    .end = clg_sqlite_column(&table, "end"),
                                    .text = clg_sqlite_column(&table, "text"),
                                    .name = clg_sqlite_column(&table, "textId"),
                                    .type = clg_sqlite_column(&table, "eventType"),
                                    .process = clg_sqlite_column(&table, "globalTid")};
    clg_sqlite_each(&x->file, &table, take_range, x);
}

/* TARGET_INFO_GPU: id and name; absent from trimmed exports. */
typedef struct gpu_search {
    clg_nsys_export *x;
    int id, name;
} gpu_search;

static void take_gpu(void *context, const clg_sqlite_row *row) {
    gpu_search *s = context;
    int64_t id;
    if (!number(row, s->id, &id) || s->name < 0 || s->name >= row->columns) return;
    clg_slice name = row->value[s->name].string;
    for (int i = 0; name.size && i < s->x->device_count; i++)
        if (s->x->devices[i].id == id)
            s->x->devices[i].trace.gpu = clg_intern_text(&s->x->texts, name);
}

static void name_gpus(clg_nsys_export *x) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, "TARGET_INFO_GPU", &table)) return;
    gpu_search s = {x, clg_sqlite_column(&table, "id"), clg_sqlite_column(&table, "name")};
    clg_sqlite_each(&x->file, &table, take_gpu, &s);
}

clg_status clg_nsys_tables(clg_nsys_export *x, clg_slice data, clg_error *error) {
    clg_error_at(error, x->path, 0, 0, NULL);
    if (!clg_sqlite_open(&x->file, &x->scratch, data.text, data.size))
        return clg_fail(error, CLG_BAD_INPUT, "export it again", "this is no whole SQLite file");
    x->strings.arena = &x->scratch;
    x->texts.arena = x->arena;
    clg_sqlite_table strings;
    if (clg_sqlite_find(&x->file, "StringIds", &strings))
        clg_sqlite_each(&x->file, &strings, take_string, x);
    bool any = read_table(x, "CUPTI_ACTIVITY_KIND_KERNEL", NULL);
    any |= read_table(x, "CUPTI_ACTIVITY_KIND_MEMCPY", "Memcpy");
    any |= read_table(x, "CUPTI_ACTIVITY_KIND_MEMSET", "Memset");
    if (any && x->device_count > 0) {
        read_launches(x);
        read_ranges(x);
        name_gpus(x);
        return CLG_OK;
    }
    return clg_fail(error, CLG_BAD_INPUT, "record with --trace=cuda", "no GPU work is in it");
}
