/* xla_view.c -- profiles of XLA as its trace viewer writes them: *.trace.json.gz beside the
 * *.xplane.pb, in the form of Chrome. What a process and a thread are is told before their events:
 * GPU work is what lies on the streams of a device. The viewer leaves out what is beyond a million
 * events, so that the other file is the better one. */
#include "record/ns.h"
#include "record/recording.h"
#include "record/xla.h"

#include <string.h>

typedef struct viewing {
    clg_xla xla;
    clg_map devices; /* process -> device */
    clg_map streams; /* process and thread -> 1 */
} viewing;

enum { PHASE, PROCESS, THREAD, NAME, START, DURATION, ARGUMENTS, MEMBERS };
#define EVENT_MEMBERS                                                                              \
    {"ph", {0}}, {"pid", {0}}, {"tid", {0}}, {"name", {0}}, {"ts", {0}}, {"dur", {0}}, {           \
        "args", { 0 }                                                                              \
    }

enum { SAYS_NAME, SAYS_CORRELATION, SAYS_STEP, SAYS_COPY, SAYS_SET, SAID };
#define ARGUMENT_MEMBERS                                                                           \
    {"name", {0}}, {"correlation_id", {0}}, {"step_num", {0}}, {"memcpy_details", {0}}, {          \
        "memset_details", { 0 }                                                                    \
    }

static uint64_t process_of(const clg_member *e) { return clg_trace_hash(e[PROCESS].value, 0) | 1; }
static uint64_t thread_of(const clg_member *e) {
    return clg_trace_hash(e[THREAD].value, process_of(e)) | 1;
}

static void take_name(viewing *v, const clg_member *e, clg_slice said) {
    if (clg_slice_is(e[NAME].value, "process_name")) {
        int64_t device = clg_xla_device(said);
        if (device >= 0) clg_map_put(&v->devices, process_of(e), (uint32_t)device);
    } else if (clg_slice_is(e[NAME].value, "thread_name") && clg_slice_starts(said, "Stream"))
        clg_map_put(&v->streams, thread_of(e), 1);
}

static void take_event(viewing *v, const clg_member *e, const clg_member *said) {
    clg_xla_event event = {.thread = thread_of(e),
                           .name = e[NAME].value,
                           .correlation = clg_scan_integer(said[SAYS_CORRELATION].value, -1),
                           .step = clg_scan_integer(said[SAYS_STEP].value, -1),
                           .copies = said[SAYS_COPY].value.size || said[SAYS_SET].value.size};
    int64_t duration_ns = 0;
    bool timed = clg_scan_decimal(e[START].value, 3, &event.start_ns) &&
                 (e[DURATION].value.size == 0 || /* of no length */
                  clg_scan_decimal(e[DURATION].value, 3, &duration_ns));
    event.end_ns = clg_ns_plus(event.start_ns, duration_ns);
    uint32_t device = clg_map_get(&v->devices, process_of(e), UINT32_MAX);
    if (device == UINT32_MAX) {
        if (timed) clg_xla_call(&v->xla, &event);
    } else if (clg_map_get(&v->streams, thread_of(e), 0) == 1) {
        if (timed)
            clg_xla_work(&v->xla, (int64_t)device, clg_scan_integer(e[THREAD].value, -1), &event);
        else
            v->xla.devices.unreadable++;
    }
}

static clg_scan_status scan_event(viewing *v, clg_scan *s) {
    clg_member e[] = {EVENT_MEMBERS}, said[] = {ARGUMENT_MEMBERS};
    clg_scan_status status = clg_scan_members(s, e, MEMBERS);
    if (status != CLG_SCAN_OK) return status;
    clg_slice text = e[ARGUMENTS].value;
    if (text.size > 0 && *text.text == '{') {
        clg_scan inside = {text.text, text.text + text.size};
        clg_scan_members(&inside, said, SAID);
    }
    if (clg_slice_is(e[PHASE].value, "M")) take_name(v, e, said[SAYS_NAME].value);
    if (clg_slice_is(e[PHASE].value, "X")) take_event(v, e, said);
    return CLG_SCAN_OK;
}

/* Past "traceEvents": [ */
static bool find_events(clg_scan *s) {
    static const char key[] = "\"traceEvents\"";
    for (; s->end - s->at > (ptrdiff_t)sizeof key; s->at++) {
        if (*s->at != '"' || memcmp(s->at, key, sizeof key - 1) != 0) continue;
        s->at += sizeof key - 1;
        while (s->at < s->end && *s->at != '[' && *s->at != '{') s->at++;
        return s->at < s->end && *s->at++ == '[';
    }
    return false;
}

static bool read_events(viewing *v, clg_slice data) {
    clg_scan s = {data.text, data.text + data.size};
    if (!find_events(&s)) return false;
    for (;;) {
        clg_scan_separators(&s);
        if (s.at == s.end || *s.at != '{') return s.at < s.end && *s.at == ']';
        if (scan_event(v, &s) != CLG_SCAN_OK) return false;
    }
}

/* ---- as a reader ---- */

static bool probe(clg_slice head) {
    return clg_head_is_json(head) && clg_slice_has(head, "\"traceEvents\"") &&
           clg_slice_has(head, "process_name") &&
           (clg_slice_has(head, "\"/device:") || clg_slice_has(head, "\"/host:CPU"));
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    clg_arena scratch = {0};
    clg_slice data = clg_source_whole(&scratch, source);
    viewing *v = clg_take(&scratch, 1, viewing);
    clg_xla_begin(&v->xla, &into->arena, into->file, kernels);
    v->devices.arena = v->streams.arena = &v->xla.scratch;
    if (!read_events(v, data)) v->xla.devices.damage = "the text ends early or is no JSON";
    bool found = clg_xla_end(&v->xla, &into->traces, &into->count);
    clg_arena_clear(&scratch);
    if (found) return CLG_OK;
    return clg_recording_refuse(into, "profile while a GPU works", CLG_XLA_IDLE);
}

const clg_reader clg_reader_xla_view = {"xla view", probe, read};
