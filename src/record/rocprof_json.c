/* rocprof_json.c -- what `rocprofv3 --output-format json` writes (rocprofv3-schema.json of
 * ROCm/rocprofiler-sdk), from top to bottom, as far as it goes. Agents and symbols stand before the
 * records that refer to them. Left out: markers and counters. */
#include "record/recording.h"
#include "record/rocprof.h"

/* What to do at the value of a key; nothing known: it is passed over. */
typedef clg_scan_status enter(clg_rocprof *r, clg_scan *s);
typedef struct door {
    const char *key;
    enter *enter;
} door;

/* Past an object, through the doors that its keys open. */
static clg_scan_status walk(clg_rocprof *r, clg_scan *s, const door *doors, int count) {
    if (s->at == s->end) return CLG_SCAN_SHORT;
    if (*s->at != '{') return CLG_SCAN_DAMAGED;
    for (s->at++;;) {
        clg_slice key, ignored;
        clg_scan_separators(s);
        if (s->at == s->end) return CLG_SCAN_SHORT;
        if (*s->at == '}') break;
        clg_scan_status status = clg_scan_key(s, &key);
        if (status != CLG_SCAN_OK) return status;
        int at = 0;
        while (at < count && !clg_slice_is(key, doors[at].key)) at++;
        status = at < count ? doors[at].enter(r, s) : clg_scan_value(s, &ignored);
        if (status != CLG_SCAN_OK) return status;
    }
    s->at++;
    return CLG_SCAN_OK;
}

/* Past an array, with every element that is an object. */
static clg_scan_status each(clg_rocprof *r, clg_scan *s, enter *element) {
    if (s->at == s->end) return CLG_SCAN_SHORT;
    clg_slice ignored;
    if (*s->at != '[') return clg_scan_value(s, &ignored);
    for (s->at++;;) {
        clg_scan_separators(s);
        if (s->at == s->end) return CLG_SCAN_SHORT;
        if (*s->at == ']') break;
        clg_scan_status status = *s->at == '{' ? element(r, s) : clg_scan_value(s, &ignored);
        if (status != CLG_SCAN_OK) return status;
    }
    s->at++;
    return CLG_SCAN_OK;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Of the object that a value is; false where it is none. */
static bool members_of(clg_slice value, clg_member *members, int count) {
    if (value.size == 0 || *value.text != '{') return false;
    clg_scan s = {value.text, value.text + value.size};
    return clg_scan_members(&s, members, count) == CLG_SCAN_OK;
}

/* A number, or that of a {"handle": 7} or {"internal": 7}; -1 where there is none. */
static int64_t number(clg_slice value) {
    int64_t out = -1;
    if (value.size > 0 && *value.text == '{') {
        clg_member inside[] = {{"handle", {0}}, {"internal", {0}}};
        if (!members_of(value, inside, COUNT(inside))) return -1;
        value = inside[0].value.size ? inside[0].value : inside[1].value;
    }
    return clg_scan_decimal(value, 0, &out) ? out : -1;
}

/* ---- what is referred to ---- */

static clg_scan_status take_agent(clg_rocprof *r, clg_scan *s) {
    enum { ID, TYPE, DEVICE, PRODUCT, NAME, GPU = 2 };
    clg_member m[] = {{"id", {0}},
                      {"type", {0}},
                      {"logical_node_type_id", {0}},
                      {"product_name", {0}},
                      {"name", {0}}};
    clg_scan_status status = clg_scan_members(s, m, COUNT(m));
    if (status == CLG_SCAN_OK && number(m[TYPE].value) == GPU)
        clg_rocprof_agent(r, number(m[ID].value), number(m[DEVICE].value),
                          m[PRODUCT].value.size ? m[PRODUCT].value : m[NAME].value);
    return status;
}

static clg_scan_status take_symbol(clg_rocprof *r, clg_scan *s) {
    enum { ID, FORMATTED, PLAIN };
    clg_member m[] = {{"kernel_id", {0}}, {"formatted_kernel_name", {0}}, {"kernel_name", {0}}};
    clg_scan_status status = clg_scan_members(s, m, COUNT(m));
    if (status == CLG_SCAN_OK)
        clg_rocprof_symbol(r, number(m[ID].value),
                           m[FORMATTED].value.size ? m[FORMATTED].value : m[PLAIN].value);
    return status;
}

static clg_scan_status take_node(clg_rocprof *r, clg_scan *s) {
    clg_member m[] = {{"hostname", {0}}};
    clg_scan_status status = clg_scan_members(s, m, COUNT(m));
    if (status == CLG_SCAN_OK && m[0].value.size) r->host = clg_intern_text(&r->texts, m[0].value);
    return status;
}

/* ---- records ---- */

/* Members that records share, in this order. */
enum { START, END, CORRELATION, STREAM, SHARED };
#define SHARED_MEMBERS                                                                             \
    {"start_timestamp", {0}}, {"end_timestamp", {0}}, {"correlation_id", {0}}, {                   \
        "stream_id", { 0 }                                                                         \
    }

static clg_device_work work_of(const clg_member *m, int64_t queue) {
    int64_t stream = number(m[STREAM].value);
    return (clg_device_work){.start_ns = number(m[START].value),
                             .end_ns = number(m[END].value),
                             .correlation = number(m[CORRELATION].value),
                             .stream = stream >= 0 ? stream : queue};
}

static clg_scan_status take_dispatch(clg_rocprof *r, clg_scan *s) {
    enum { AGENT, QUEUE, KERNEL };
    clg_member m[] = {SHARED_MEMBERS, {"dispatch_info", {0}}};
    clg_member info[] = {{"agent_id", {0}}, {"queue_id", {0}}, {"kernel_id", {0}}};
    clg_scan_status status = clg_scan_members(s, m, COUNT(m));
    if (status != CLG_SCAN_OK) return status;
    if (!members_of(m[SHARED].value, info, COUNT(info))) {
        r->devices.unreadable++;
        return CLG_SCAN_OK;
    }
    clg_rocprof_kernel(r, number(info[AGENT].value), number(info[KERNEL].value),
                       work_of(m, number(info[QUEUE].value)));
    return CLG_SCAN_OK;
}

static clg_scan_status take_copy(clg_rocprof *r, clg_scan *s) {
    enum { SOURCE = SHARED, TARGET };
    clg_member m[] = {SHARED_MEMBERS, {"src_agent_id", {0}}, {"dst_agent_id", {0}}};
    clg_scan_status status = clg_scan_members(s, m, COUNT(m));
    if (status == CLG_SCAN_OK)
        clg_rocprof_copy(r, number(m[SOURCE].value), number(m[TARGET].value), work_of(m, 0));
    return status;
}

static clg_scan_status take_call(clg_rocprof *r, clg_scan *s) {
    clg_member m[] = {SHARED_MEMBERS, {"thread_id", {0}}};
    clg_scan_status status = clg_scan_members(s, m, COUNT(m));
    clg_device_process *process = clg_devices_process(&r->devices, 0);
    if (status == CLG_SCAN_OK && process)
        clg_devices_launch(process, number(m[CORRELATION].value), (uint64_t)number(m[SHARED].value),
                           number(m[START].value));
    return status;
}

/* ---- from the top ---- */

static clg_scan_status agents(clg_rocprof *r, clg_scan *s) { return each(r, s, take_agent); }
static clg_scan_status symbols(clg_rocprof *r, clg_scan *s) { return each(r, s, take_symbol); }
static clg_scan_status dispatches(clg_rocprof *r, clg_scan *s) { return each(r, s, take_dispatch); }
static clg_scan_status copies(clg_rocprof *r, clg_scan *s) { return each(r, s, take_copy); }
static clg_scan_status calls(clg_rocprof *r, clg_scan *s) { return each(r, s, take_call); }

static clg_scan_status metadata(clg_rocprof *r, clg_scan *s) {
    static const door doors[] = {{"node", take_node}};
    return walk(r, s, doors, COUNT(doors));
}

static clg_scan_status records(clg_rocprof *r, clg_scan *s) {
    static const door doors[] = {
        {"kernel_dispatch", dispatches}, {"memory_copy", copies}, {"hip_api", calls}};
    return walk(r, s, doors, COUNT(doors));
}

static clg_scan_status process(clg_rocprof *r, clg_scan *s) {
    static const door doors[] = {{"metadata", metadata},
                                 {"agents", agents},
                                 {"kernel_symbols", symbols},
                                 {"buffer_records", records}};
    return walk(r, s, doors, COUNT(doors));
}

static clg_scan_status processes(clg_rocprof *r, clg_scan *s) {
    return s->at < s->end && *s->at == '{' ? process(r, s) : each(r, s, process);
}

static clg_scan_status whole(clg_rocprof *r, clg_scan *s) {
    static const door doors[] = {{"rocprofiler-sdk-tool", processes}};
    clg_scan_blanks(s);
    return walk(r, s, doors, COUNT(doors));
}

/* ---- as a reader ---- */

static bool probe(clg_slice head) {
    return clg_head_is_json(head) && clg_slice_has(head, "\"rocprofiler-sdk-tool\"");
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    clg_arena scratch = {0};
    clg_slice data = clg_source_whole(&scratch, source);
    clg_rocprof *r = clg_take(&scratch, 1, clg_rocprof);
    clg_rocprof_begin(r, &into->arena, into->file, kernels);
    clg_scan s = {data.text, data.text + data.size};
    if (whole(r, &s) != CLG_SCAN_OK) r->devices.damage = "the text ends early or is no JSON";
    bool found = clg_rocprof_end(r, &into->traces, &into->count);
    clg_arena_clear(&scratch);
    if (found) return CLG_OK;
    return clg_recording_refuse(into, "record with --kernel-trace", "no GPU work is in it");
}

const clg_reader clg_reader_rocprof = {"rocprof", probe, read};
