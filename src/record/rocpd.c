/* rocpd.c -- rocprofv3's database (rocpd, schema 3): dispatches, copies and calls. Each process has
 * tables of its own, told apart by what follows the name. Left out: markers and counters. */
#include "record/rocpd.h"

#include "record/rocprof.h"

enum { MOST_PROCESSES = 1024, COLUMNS = 8, MOST_WALKS = 64 };

typedef struct reading {
    clg_rocprof all;
    clg_map correlations; /* event + 1 -> correlation */
    int column[COLUMNS];  /* of the table being read, in the order that they were asked for */
    int64_t process;
} reading;

static bool number(const reading *x, const clg_sqlite_row *row, int at, int64_t *value) {
    return clg_sqlite_integer(row, x->column[at], value);
}

static clg_slice text(const reading *x, const clg_sqlite_row *row, int at) {
    int column = x->column[at];
    bool said = column >= 0 && column < row->columns && row->value[column].text;
    return said ? row->value[column].string : (clg_slice){0};
}

/* Agents and symbols are numbered process by process. */
static int64_t of_process(const reading *x, int64_t id) {
    enum { SHIFT = 40 };
    return (int64_t)((uint64_t)x->process << SHIFT ^ (uint64_t)id);
}

static void take_agent(void *context, const clg_sqlite_row *row) {
    enum { TYPE, INDEX, PRODUCT };
    reading *x = context;
    int64_t device;
    if (clg_slice_is(text(x, row, TYPE), "GPU") && number(x, row, INDEX, &device))
        clg_rocprof_agent(&x->all, of_process(x, row->id), device, text(x, row, PRODUCT));
}

static void take_symbol(void *context, const clg_sqlite_row *row) {
    enum { DISPLAYED, PLAIN };
    reading *x = context;
    clg_slice name = text(x, row, DISPLAYED);
    if (name.size == 0) name = text(x, row, PLAIN);
    clg_rocprof_symbol(&x->all, of_process(x, row->id), name);
}

static void take_node(void *context, const clg_sqlite_row *row) {
    reading *x = context;
    clg_slice name = text(x, row, 0);
    if (name.size) x->all.host = clg_intern_text(&x->all.texts, name);
}

static uint64_t key_of(int64_t event) { return (uint64_t)event + 1 ? (uint64_t)event + 1 : 1; }

static void take_event(void *context, const clg_sqlite_row *row) {
    reading *x = context;
    int64_t correlation;
    if (number(x, row, 0, &correlation) && correlation > 0 && correlation < INT32_MAX)
        clg_map_put(&x->correlations, key_of(row->id), (uint32_t)correlation);
}

/* Columns that kinds of work share, in this order. */
enum { START, END, EVENT, STREAM, SHARED };
#define SHARED_COLUMNS "start", "end", "event_id", "stream_id"

static int64_t correlation_of(const reading *x, const clg_sqlite_row *row) {
    int64_t event;
    if (!number(x, row, EVENT, &event)) return -1;
    uint32_t known = clg_map_get(&x->correlations, key_of(event), UINT32_MAX);
    return known == UINT32_MAX ? -1 : (int64_t)known;
}

static bool work_of(reading *x, const clg_sqlite_row *row, clg_device_work *work) {
    *work = (clg_device_work){.process = x->process, .correlation = correlation_of(x, row)};
    number(x, row, STREAM, &work->stream);
    bool whole = number(x, row, START, &work->start_ns) && number(x, row, END, &work->end_ns);
    if (!whole) x->all.devices.unreadable++;
    return whole;
}

static void take_dispatch(void *context, const clg_sqlite_row *row) {
    enum { AGENT = SHARED, KERNEL };
    reading *x = context;
    clg_device_work work;
    int64_t agent = -1, kernel = -1;
    if (!work_of(x, row, &work)) return;
    number(x, row, AGENT, &agent);
    number(x, row, KERNEL, &kernel);
    clg_rocprof_kernel(&x->all, of_process(x, agent), of_process(x, kernel), work);
}

static void take_copy(void *context, const clg_sqlite_row *row) {
    enum { SOURCE = SHARED, TARGET };
    reading *x = context;
    clg_device_work work;
    int64_t source = -1, target = -1;
    if (!work_of(x, row, &work)) return;
    number(x, row, SOURCE, &source);
    number(x, row, TARGET, &target);
    clg_rocprof_copy(&x->all, of_process(x, source), of_process(x, target), work);
}

static void take_call(void *context, const clg_sqlite_row *row) {
    enum { THREAD = SHARED };
    reading *x = context;
    int64_t start_ns, thread = 0;
    clg_device_process *process = clg_devices_process(&x->all.devices, x->process);
    if (!process || !number(x, row, START, &start_ns)) return;
    number(x, row, THREAD, &thread);
    clg_devices_launch(process, correlation_of(x, row), (uint64_t)thread, start_ns);
}

/* In this order: what is referred to comes before what refers to it. */
static const struct {
    const char *table, *column[COLUMNS];
    clg_sqlite_visit *take;
} tables[] = {
    {"rocpd_info_node_", {"hostname"}, take_node},
    {"rocpd_info_agent_", {"type", "type_index", "product_name"}, take_agent},
    {"rocpd_info_kernel_symbol_", {"display_name", "kernel_name"}, take_symbol},
    {"rocpd_event_", {"correlation_id"}, take_event},
    {"rocpd_kernel_dispatch_", {SHARED_COLUMNS, "agent_id", "kernel_id"}, take_dispatch},
    {"rocpd_memory_copy_", {SHARED_COLUMNS, "src_agent_id", "dst_agent_id"}, take_copy},
    {"rocpd_region_", {SHARED_COLUMNS, "tid"}, take_call},
};

static void read_process(reading *x, clg_sqlite *file) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        clg_sqlite_table table;
        if (!clg_sqlite_find_nth(file, tables[i].table, (int)x->process, &table)) continue;
        for (int c = 0; c < COLUMNS; c++)
            x->column[c] =
                tables[i].column[c] ? clg_sqlite_column(&table, tables[i].column[c]) : -1;
        clg_sqlite_each(file, &table, tables[i].take, x);
    }
}

bool clg_rocpd_is(clg_sqlite *file) {
    clg_sqlite_table table;
    return clg_sqlite_find_nth(file, "rocpd_kernel_dispatch_", 0, &table);
}

/* Tables that share pages, as only a hostile file has, are read no more than so often. */
static bool affordable(const clg_sqlite *file) {
    return file->walked / MOST_WALKS <= file->size / file->page_bytes;
}

bool clg_rocpd_read(clg_arena *arena, clg_sqlite *file, const char *path, const clg_csv *table,
                    clg_trace **traces, int *count) {
    reading *x = clg_take(file->arena, 1, reading);
    clg_sqlite_table found;
    clg_rocprof_begin(&x->all, arena, path, table);
    x->correlations.arena = &x->all.scratch;
    for (; x->process < MOST_PROCESSES && affordable(file) &&
           clg_sqlite_find_nth(file, "rocpd_kernel_dispatch_", (int)x->process, &found);
         x->process++) {
        clg_map none = {.arena = &x->all.scratch};
        x->correlations = none;
        read_process(x, file);
    }
    if (file->damaged) x->all.devices.damage = "pages or rows of the database are damaged";
    return clg_rocprof_end(&x->all, traces, count);
}
