/* nsys.c -- CUPTI activity tables of Nsight Systems (export schema 3.x) as ledgers. */
#include "record/nsys.h"

#include "record/by_step.h"
#include "record/launches.h"
#include "record/ns.h"
#include "record/ranges.h"
#include "record/recording.h"
#include "record/sqlite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 1024, MOST_PROCESSES = 1024, PROCESS_SHIFT = 24 };

/* Columns of an activity table; -1 where a schema lacks one. */
typedef struct columns {
    int start, end, device, stream, correlation, name, process;
    int text, type; /* of ranges; `name` is then the registered text */
} columns;

/* Launches of one process: correlations are counted process by process. */
typedef struct process {
    int64_t id; /* globalPid or globalTid without the thread's bits */
    clg_launches launches;
    clg_ranges ranges;
} process;

typedef struct device {
    int64_t id, process;
    clg_trace trace;
    size_t kernel_capacity;
    clg_map names;   /* StringIds.id or kind of copy -> row of trace.kernels */
    clg_map streams; /* streamId -> track */
    int64_t *stream; /* [tracks] */
    size_t stream_count, stream_capacity;
    size_t name_capacity;
} device;

typedef struct export {
    clg_arena *arena;
    clg_arena scratch;
    clg_sqlite file;
    const clg_csv *table;
    const char *path;
    clg_map strings; /* StringIds.id -> texts */
    clg_intern texts;
    device devices[MOST_DEVICES];
    int device_count;
    process processes[MOST_PROCESSES];
    int process_count;
    columns columns;       /* of the table being read */
    const char *copy_name; /* of a table of copies; NULL for kernels */
    int64_t unreadable;
}
export;

static bool number(const clg_sqlite_row *row, int column, int64_t *value) {
    if (column < 0 || column >= row->columns || row->value[column].text || row->value[column].null)
        return false;
    *value = row->value[column].integer;
    return true;
}

/* StringIds.id is an INTEGER PRIMARY KEY in some exports: then the id of the row. */
static void take_string(void *context, const clg_sqlite_row *row) {
    export *x = context;
    int64_t id = row->id;
    if (row->columns < 2 || !row->value[1].text) return;
    number(row, 0, &id);
    clg_map_put(&x->strings, (uint64_t)id + 1, clg_intern_add(&x->texts, row->value[1].string));
}

/* A device of a process: where each sees one GPU only, all call it 0. */
static device *device_of(export *x, int64_t id, int64_t process_id) {
    for (int i = 0; i < x->device_count; i++)
        if (x->devices[i].id == id && x->devices[i].process == process_id) return &x->devices[i];
    if (x->device_count == MOST_DEVICES) return NULL;
    device *d = &x->devices[x->device_count++];
    *d = (device){.id = id, .process = process_id};
    d->trace = (clg_trace){.file = x->path,
                           .rank = -1,
                           .world_size = -1,
                           .idle_launch_ns = -1,
                           .device = id < INT32_MAX ? (int32_t)id : -1};
    d->trace.timeline.arena = d->trace.groups.arena = x->arena;
    d->names.arena = d->streams.arena = &x->scratch;
    return d;
}

static const char *name_of(const export *x, int64_t id) {
    uint32_t index = clg_map_get(&x->strings, (uint64_t)id + 1, UINT32_MAX);
    return index == UINT32_MAX ? "?" : x->texts.texts[index];
}

static uint32_t kernel_of(export *x, device *d, int64_t name_id) {
    uint64_t key =
        x->copy_name ? clg_trace_hash((clg_slice){x->copy_name, 6}, 1) : (uint64_t)name_id + 1;
    uint32_t known = clg_map_get(&d->names, key, UINT32_MAX);
    if (known != UINT32_MAX) return known;
    clg_timeline *t = &d->trace.timeline;
    size_t count = t->name_count;
    const char *name = x->copy_name ? x->copy_name : name_of(x, name_id);
    clg_trace_kernel row = clg_trace_kernel_named(x->table, name, x->copy_name != NULL);
    CLG_TRACE_ADD(x->arena, d->trace.kernels, count, d->kernel_capacity, row);
    count = t->name_count;
    CLG_TRACE_ADD(x->arena, t->names, count, d->name_capacity, name);
    clg_map_put(&d->names, key, t->name_count);
    return t->name_count++;
}

static uint16_t track_of(export *x, device *d, int64_t stream) {
    clg_timeline *t = &d->trace.timeline;
    uint32_t known = clg_map_get(&d->streams, (uint64_t)stream + 1, UINT32_MAX);
    if (known != UINT32_MAX) return (uint16_t)known;
    if (t->track_count >= UINT16_MAX) return UINT16_MAX - 1;
    size_t count = t->track_count, capacity = t->track_capacity;
    clg_track track = {clg_arena_print(x->arena, "stream %lld", (long long)stream), 0};
    CLG_TRACE_ADD(x->arena, t->tracks, count, capacity, track);
    t->track_capacity = (uint32_t)capacity;
    clg_map_put(&d->streams, (uint64_t)stream + 1, t->track_count);
    CLG_TRACE_ADD(&x->scratch, d->stream, d->stream_count, d->stream_capacity, stream);
    return (uint16_t)t->track_count++;
}

static void add_call(export *x, device *d, const clg_event *event) {
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
    CLG_TRACE_ADD(x->arena, t->calls, t->call_count, t->call_capacity, call);
}

static void take_work(void *context, const clg_sqlite_row *row) {
    export *x = context;
    int64_t start_ns, end_ns, id, stream = 0, name = -1, correlation = -1, pid = 0;
    bool whole = number(row, x->columns.start, &start_ns) && number(row, x->columns.end, &end_ns) &&
                 number(row, x->columns.device, &id) && start_ns >= 0 && end_ns >= start_ns &&
                 end_ns <= CLG_TRACE_LATEST_NS && end_ns - start_ns <= CLG_TRACE_LONGEST_NS;
    number(row, x->columns.process, &pid);
    device *d = whole ? device_of(x, id, pid >> PROCESS_SHIFT) : NULL;
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

static bool read_table(export *x, const char *name, const char *copy_name) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, name, &table)) return false;
    int named = clg_sqlite_column(&table, "demangledName");
    x->copy_name = copy_name;
    x->columns = (columns){.start = clg_sqlite_column(&table, "start"),
                           .end = clg_sqlite_column(&table, "end"),
                           .device = clg_sqlite_column(&table, "deviceId"),
                           .stream = clg_sqlite_column(&table, "streamId"),
                           .correlation = clg_sqlite_column(&table, "correlationId"),
                           .process = clg_sqlite_column(&table, "globalPid"),
                           .name = named >= 0 ? named : clg_sqlite_column(&table, "shortName")};
    clg_sqlite_each(&x->file, &table, take_work, x);
    return true;
}

static process *process_of(export *x, int64_t id) {
    for (int i = 0; i < x->process_count; i++)
        if (x->processes[i].id == id) return &x->processes[i];
    bool wanted = false;
    for (int i = 0; i < x->device_count; i++) wanted = wanted || x->devices[i].process == id;
    if (!wanted || x->process_count == MOST_PROCESSES) return NULL;
    process *p = &x->processes[x->process_count++];
    *p = (process){.id = id};
    p->ranges.arena = p->launches.arena = p->launches.by_correlation.arena = &x->scratch;
    return p;
}

/* Several rows may share a correlation (a call of the runtime, and of the driver inside it): the
 * first to begin is the launch. */
static void take_launch(void *context, const clg_sqlite_row *row) {
    export *x = context;
    int64_t start_ns, correlation, tid = 0;
    if (!number(row, x->columns.start, &start_ns) || start_ns < 0 ||
        !number(row, x->columns.correlation, &correlation) || correlation < 0 ||
        correlation >= INT32_MAX)
        return;
    number(row, x->columns.process, &tid);
    process *p = process_of(x, tid >> PROCESS_SHIFT);
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
    CLG_TRACE_ADD(&x->scratch, l->launch, l->count, l->capacity, launch);
}

static void read_launches(export *x) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, "CUPTI_ACTIVITY_KIND_RUNTIME", &table)) return;
    x->columns = (columns){.start = clg_sqlite_column(&table, "start"),
                           .correlation = clg_sqlite_column(&table, "correlationId"),
                           .process = clg_sqlite_column(&table, "globalTid")};
    clg_sqlite_each(&x->file, &table, take_launch, x);
}

/* Pushed and popped, or started and ended; other types are marks and names of things. */
enum { RANGE_PUSHED = 59, RANGE_STARTED = 60 };

static void take_range(void *context, const clg_sqlite_row *row) {
    export *x = context;
    int64_t start_ns, end_ns, tid = 0, type = RANGE_PUSHED, text;
    if (!number(row, x->columns.start, &start_ns) || !number(row, x->columns.end, &end_ns) ||
        start_ns < 0 || end_ns < start_ns || end_ns > CLG_TRACE_LATEST_NS)
        return;
    number(row, x->columns.type, &type);
    number(row, x->columns.process, &tid);
    process *p = process_of(x, tid >> PROCESS_SHIFT);
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

static void read_ranges(export *x) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, "NVTX_EVENTS", &table)) return;
    x->columns = (columns){.start = clg_sqlite_column(&table, "start"),
                           .end = clg_sqlite_column(&table, "end"),
                           .text = clg_sqlite_column(&table, "text"),
                           .name = clg_sqlite_column(&table, "textId"),
                           .type = clg_sqlite_column(&table, "eventType"),
                           .process = clg_sqlite_column(&table, "globalTid")};
    clg_sqlite_each(&x->file, &table, take_range, x);
}

/* TARGET_INFO_GPU: id and name; absent from trimmed exports. */
typedef struct gpu_search {
    export *x;
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

static void name_gpus(export *x) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, "TARGET_INFO_GPU", &table)) return;
    gpu_search s = {x, clg_sqlite_column(&table, "id"), clg_sqlite_column(&table, "name")};
    clg_sqlite_each(&x->file, &table, take_gpu, &s);
}

static int by_start(const void *a, const void *b) {
    const clg_trace_call *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int by_id(const void *a, const void *b) {
    const device *x = a, *y = b;
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
static void name_groups(export *x, device *d) {
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
static bool numbered_apart(const export *x) {
    for (int i = 1; i < x->device_count; i++) /* sorted */
        if (x->devices[i].id == x->devices[i - 1].id) return false;
    return true;
}

static void take_launches(export *x, device *d) {
    process *p = NULL;
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
static void finish(export *x, device *d) {
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

static clg_status read_export(export *x, clg_slice data, clg_error *error) {
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
        return CLG_OK;
    }
    return clg_fail(error, CLG_BAD_INPUT, "record with --trace=cuda", "no GPU work is in it");
}

clg_status clg_nsys_read(clg_arena *arena, const char *file, clg_slice data, const clg_csv *table,
                         clg_trace **traces, int *count, clg_error *error) {
    export *x = clg_take(arena, 1, export);
    x->arena = arena;
    x->path = file;
    x->table = table;
    clg_status status = read_export(x, data, error);
    if (status == CLG_OK) {
        name_gpus(x);
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
