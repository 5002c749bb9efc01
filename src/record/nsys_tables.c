/* nsys_tables.c -- tables of an export: kernels, copies, launches, ranges, names of GPUs. */
#include "record/nsys_export.h"

#include "record/ns.h"

#include <string.h>

enum { PROCESS_SHIFT = 24 };

/* StringIds.id is an INTEGER PRIMARY KEY in some exports: then the id of the row. */
static void take_string(void *context, const clg_sqlite_row *row) {
    clg_nsys_export *x = context;
    int64_t id = row->id;
    if (row->columns < 2 || !row->value[1].text) return;
    clg_sqlite_integer(row, 0, &id);
    clg_map_put(&x->strings, (uint64_t)id + 1, clg_intern_add(&x->texts, row->value[1].string));
}

static const char *name_of(const clg_nsys_export *x, int64_t id) {
    uint32_t index = clg_map_get(&x->strings, (uint64_t)id + 1, UINT32_MAX);
    return index == UINT32_MAX ? "?" : x->texts.texts[index];
}

static void take_work(void *context, const clg_sqlite_row *row) {
    clg_nsys_export *x = context;
    int64_t name = -1, pid = 0;
    clg_device_work work = {.correlation = -1, .name = x->whole_name, .copy = x->copies};
    if (!clg_sqlite_integer(row, x->columns.start, &work.start_ns) ||
        !clg_sqlite_integer(row, x->columns.end, &work.end_ns) ||
        !clg_sqlite_integer(row, x->columns.device, &work.device)) {
        x->devices.unreadable++;
        return;
    }
    clg_sqlite_integer(row, x->columns.process, &pid);
    clg_sqlite_integer(row, x->columns.stream, &work.stream);
    clg_sqlite_integer(row, x->columns.name, &name);
    clg_sqlite_integer(row, x->columns.correlation, &work.correlation);
    work.process = pid >> PROCESS_SHIFT;
    work.key = work.name ? clg_trace_hash((clg_slice){work.name, 6}, 1) : (uint64_t)name + 1;
    if (work.key == 0) work.key = 1;
    if (!work.name) work.name = name_of(x, name);
    clg_devices_add(&x->devices, &work);
}

/* `whole_name`: of all work of a table that names none. */
static bool read_table(clg_nsys_export *x, const char *name, const char *whole_name, bool copies) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, name, &table)) return false;
    int named = clg_sqlite_column(&table, "demangledName");
    x->whole_name = whole_name;
    x->copies = copies;
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

static void take_launch(void *context, const clg_sqlite_row *row) {
    clg_nsys_export *x = context;
    int64_t start_ns, correlation, tid = 0;
    if (!clg_sqlite_integer(row, x->columns.start, &start_ns) ||
        !clg_sqlite_integer(row, x->columns.correlation, &correlation))
        return;
    clg_sqlite_integer(row, x->columns.process, &tid);
    clg_device_process *p = clg_devices_process(&x->devices, tid >> PROCESS_SHIFT);
    if (p) clg_devices_launch(p, correlation, (uint64_t)tid, start_ns);
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
    if (!clg_sqlite_integer(row, x->columns.start, &start_ns) ||
        !clg_sqlite_integer(row, x->columns.end, &end_ns) || start_ns < 0 || end_ns < start_ns ||
        end_ns > CLG_TRACE_LATEST_NS)
        return;
    clg_sqlite_integer(row, x->columns.type, &type);
    clg_sqlite_integer(row, x->columns.process, &tid);
    clg_device_process *p = clg_devices_process(&x->devices, tid >> PROCESS_SHIFT);
    if (!p || (type != RANGE_PUSHED && type != RANGE_STARTED)) return;
    clg_slice name = {0};
    int said = x->columns.text;
    if (said >= 0 && said < row->columns && row->value[said].text) name = row->value[said].string;
    if (name.size == 0 && clg_sqlite_integer(row, x->columns.name, &text)) {
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
    if (!clg_sqlite_integer(row, s->id, &id) || s->name < 0 || s->name >= row->columns) return;
    clg_slice name = row->value[s->name].string;
    clg_devices *all = &s->x->devices;
    for (int i = 0; name.size && i < all->count; i++)
        if (all->device[i]->id == id)
            all->device[i]->trace.gpu = clg_intern_text(&s->x->texts, name);
}

static void name_gpus(clg_nsys_export *x) {
    clg_sqlite_table table;
    if (!clg_sqlite_find(&x->file, "TARGET_INFO_GPU", &table)) return;
    gpu_search s = {x, clg_sqlite_column(&table, "id"), clg_sqlite_column(&table, "name")};
    clg_sqlite_each(&x->file, &table, take_gpu, &s);
}

clg_status clg_nsys_tables(clg_nsys_export *x, clg_slice data, clg_error *error) {
    clg_error_at(error, x->devices.path, 0, 0, NULL);
    if (!clg_sqlite_open(&x->file, &x->scratch, data.text, data.size))
        return clg_fail(error, CLG_BAD_INPUT, "export it again", "this is no whole SQLite file");
    x->strings.arena = &x->scratch;
    x->texts.arena = x->devices.arena;
    clg_sqlite_table strings;
    if (clg_sqlite_find(&x->file, "StringIds", &strings))
        clg_sqlite_each(&x->file, &strings, take_string, x);
    bool any = read_table(x, "CUPTI_ACTIVITY_KIND_KERNEL", NULL, false);
    any |= read_table(x, "CUPTI_ACTIVITY_KIND_MEMCPY", "Memcpy", true);
    any |= read_table(x, "CUPTI_ACTIVITY_KIND_MEMSET", "Memset", true);
    /* As nsys records graphs by default: what is inside is not told. */
    any |= read_table(x, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUDA graph, recorded whole", false);
    if (any && x->devices.count > 0) {
        read_launches(x);
        read_ranges(x);
        name_gpus(x);
        return CLG_OK;
    }
    return clg_fail(error, CLG_BAD_INPUT, "record with --trace=cuda", "no GPU work is in it");
}
