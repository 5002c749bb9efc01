/* xplane.c -- profiles of XLA (JAX, TensorFlow): *.xplane.pb.
 *
 * A space holds planes, one for each GPU and one for the host; a plane holds lines (streams,
 * threads), and a line events, with names and other texts in tables of the plane. GPU work is what
 * lies on streams. Left out: lines that a viewer derives from them, FLOPs, and TPUs. */
#include "record/ns.h"
#include "record/protobuf.h"
#include "record/recording.h"
#include "record/xla.h"

#include <string.h>

/* Field numbers of xplane.proto (openxla/xla, third_party/tsl/tsl/profiler/protobuf). */
enum { SPACE_PLANE = 1, SPACE_HOST = 4 };
enum { PLANE_NAME = 2, PLANE_LINE = 3, PLANE_EVENT_NAME = 4, PLANE_STAT_NAME = 5, PLANE_STAT = 6 };
enum { LINE_ID = 1, LINE_NAME = 2, LINE_START_NS = 3, LINE_EVENT = 4 };
enum { EVENT_NAME = 1, EVENT_OFFSET_PS = 2, EVENT_DURATION_PS = 3, EVENT_STAT = 4 };
enum { STAT_NAME = 1, STAT_UINT64 = 3, STAT_INT64 = 4, STAT_TEXT = 5, STAT_REFERENCE = 7 };
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2, NAMED_NAME = 2 };

typedef struct plane {
    clg_slice name, message;
    clg_map event_names, stat_names; /* id + 1 -> texts */
} plane;

typedef struct line {
    uint64_t id;
    clg_slice name;
    int64_t start_ns;
} line;

/* ---- names ---- */

/* An entry of a map from numbers to things with names. */
static void take_name(clg_xla *s, clg_map *map, clg_slice entry) {
    uint64_t key = 0;
    clg_slice value = {0}, name = {0};
    for (clg_field f; clg_protobuf_next(&entry, &f);) {
        if (f.number == ENTRY_KEY) key = f.value;
        if (f.number == ENTRY_VALUE) value = f.bytes;
    }
    for (clg_field f; clg_protobuf_next(&value, &f);)
        if (f.number == NAMED_NAME) name = f.bytes;
    if (key != UINT64_MAX) clg_map_put(map, key + 1, clg_intern_add(&s->texts, name));
}

static const char *name_of(const clg_xla *s, const clg_map *map, uint64_t id) {
    uint32_t index = id == UINT64_MAX ? UINT32_MAX : clg_map_get(map, id + 1, UINT32_MAX);
    return index == UINT32_MAX ? "?" : s->texts.texts[index];
}

static plane plane_of(clg_xla *s, clg_slice message) {
    plane p = {.message = message};
    p.event_names.arena = p.stat_names.arena = &s->scratch;
    for (clg_field f; clg_protobuf_next(&message, &f);) {
        if (f.number == PLANE_NAME) p.name = f.bytes;
        if (f.number == PLANE_EVENT_NAME) take_name(s, &p.event_names, f.bytes);
        if (f.number == PLANE_STAT_NAME) take_name(s, &p.stat_names, f.bytes);
    }
    return p;
}

/* ---- events ---- */

static void take_stat(const clg_xla *s, const plane *p, clg_slice stat, clg_xla_event *e) {
    uint64_t name = 0, value = 0;
    for (clg_field f; clg_protobuf_next(&stat, &f);) {
        if (f.number == STAT_NAME) name = f.value;
        if (f.number == STAT_UINT64 || f.number == STAT_INT64) value = f.value;
    }
    const char *text = name_of(s, &p->stat_names, name);
    if (strcmp(text, "correlation_id") == 0 && value < INT32_MAX) e->correlation = (int64_t)value;
    if (strcmp(text, "step_num") == 0 && value < INT64_MAX) e->step = (int64_t)value;
    if (strcmp(text, "memcpy_details") == 0 || strcmp(text, "memset_details") == 0)
        e->copies = true;
}

/* False where it has no time. */
static bool event_of(const clg_xla *s, const plane *p, const line *l, clg_slice message,
                     clg_xla_event *e) {
    enum { PS_PER_NS = 1000 };
    uint64_t offset_ps = 0, duration_ps = 0, id = 0;
    *e = (clg_xla_event){.correlation = -1, .step = -1, .thread = l->id};
    for (clg_field f; clg_protobuf_next(&message, &f);) {
        if (f.number == EVENT_NAME) id = f.value;
        if (f.number == EVENT_OFFSET_PS) offset_ps = f.value;
        if (f.number == EVENT_DURATION_PS) duration_ps = f.value;
        if (f.number == EVENT_STAT) take_stat(s, p, f.bytes, e);
    }
    if (offset_ps > INT64_MAX / 2 || duration_ps > INT64_MAX / 2) return false;
    const char *name = name_of(s, &p->event_names, id);
    e->name = (clg_slice){name, strlen(name)};
    e->start_ns = clg_ns_plus(l->start_ns, (int64_t)(offset_ps / PS_PER_NS));
    e->end_ns = clg_ns_plus(l->start_ns, (int64_t)((offset_ps + duration_ps) / PS_PER_NS));
    return true;
}

static line line_of(clg_slice message) {
    line l = {0};
    for (clg_field f; clg_protobuf_next(&message, &f);) {
        if (f.number == LINE_ID) l.id = f.value;
        if (f.number == LINE_NAME) l.name = f.bytes;
        if (f.number == LINE_START_NS) l.start_ns = (int64_t)(f.value & INT64_MAX);
    }
    return l;
}

static void take_event(clg_xla *s, const plane *p, int64_t device, const line *l,
                       clg_slice message) {
    clg_xla_event event;
    bool timed = event_of(s, p, l, message, &event);
    if (timed && device >= 0)
        clg_xla_work(s, device, (int64_t)(l->id & INT64_MAX), &event);
    else if (timed)
        clg_xla_call(s, &event);
    else if (device >= 0)
        s->devices.unreadable++;
}

/* ---- planes ---- */

static void read_line(clg_xla *s, const plane *p, int64_t device, clg_slice message) {
    line l = line_of(message);
    if (device >= 0 && !clg_slice_starts(l.name, "Stream")) return;
    for (clg_field f; clg_protobuf_next(&message, &f);)
        if (f.number == LINE_EVENT) take_event(s, p, device, &l, f.bytes);
}

/* Devices first: what the host did matters to those that have work. */
static void read_planes(clg_xla *s, clg_slice data, bool devices) {
    for (clg_field f; clg_protobuf_next(&data, &f);) {
        if (f.number == SPACE_HOST && devices && f.bytes.size > 0)
            s->host = clg_intern_text(&s->texts, f.bytes);
        if (f.number != SPACE_PLANE) continue;
        plane p = plane_of(s, f.bytes);
        int64_t device = clg_xla_device(p.name);
        if (devices ? device < 0 : !clg_slice_starts(p.name, "/host:CPU")) continue;
        for (clg_field g; clg_protobuf_next(&p.message, &g);)
            if (g.number == PLANE_LINE) read_line(s, &p, device, g.bytes);
    }
    if (data.size > 0) s->devices.damage = "the profile ends early";
}

/* ---- as a reader ---- */

/* A plane, whose first fields are its number and its name: "/host:metadata", "/device:GPU:0". */
static bool probe(clg_slice head) {
    uint64_t key, size;
    clg_field f;
    if (clg_head_is_json(head) || !clg_protobuf_varint(&head, &key) ||
        key != (SPACE_PLANE << 3 | 2) || !clg_protobuf_varint(&head, &size) || size == 0)
        return false;
    while (clg_protobuf_next(&head, &f) && f.number <= PLANE_NAME)
        if (f.number == PLANE_NAME)
            return clg_slice_starts(f.bytes, "/") || clg_slice_is(f.bytes, "Task Environment");
    return false;
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    clg_arena scratch = {0};
    clg_slice data = clg_source_whole(&scratch, source);
    clg_xla *s = clg_take(&scratch, 1, clg_xla);
    clg_xla_begin(s, &into->arena, into->file, kernels);
    read_planes(s, data, true);
    read_planes(s, data, false);
    bool found = clg_xla_end(s, &into->traces, &into->count);
    clg_arena_clear(&scratch);
    if (found) return CLG_OK;
    return clg_recording_refuse(into, "profile while a GPU works", CLG_XLA_IDLE);
}

const clg_reader clg_reader_xplane = {"xplane", probe, read};
