/* event.c -- the members of an event that anything here uses. */
#include "trace/event.h"

#include "trace/product.h"

#include <string.h>

typedef struct field {
    const char *key;
    size_t size, offset;
} field;

#define FIELD(key, member)                                                                         \
    { key, sizeof key - 1, offsetof(clg_trace_event, member) }

static const field event_fields[] = {
    FIELD("ph", phase), FIELD("cat", category), FIELD("name", name),   FIELD("pid", pid),
    FIELD("tid", tid),  FIELD("ts", start),     FIELD("dur", duration)};

/* Names as record_param_comms and the NCCL metadata of torch >= 2.2 spell them. */
static const field argument_fields[] = {FIELD("correlation", correlation),
                                        FIELD("Collective name", collective),
                                        FIELD("In msg nelems", in_elements),
                                        FIELD("Out msg nelems", out_elements),
                                        FIELD("Group size", group_size),
                                        FIELD("dtype", data_type),
                                        FIELD("Process Group Name", group_name),
                                        FIELD("Process Group Ranks", group_ranks),
                                        FIELD("Process Group Description", group_description),
                                        FIELD("Seq", sequence),
                                        FIELD("Src Rank", source),
                                        FIELD("Dst Rank", target),
                                        FIELD("Input Dims", dims),
                                        FIELD("Input type", types),
                                        FIELD("Concrete Inputs", inputs)};

enum {
    EVENT_FIELDS = sizeof event_fields / sizeof event_fields[0],
    ARGUMENT_FIELDS = sizeof argument_fields / sizeof argument_fields[0]
};

static clg_slice *slot(clg_trace_event *event, const field *fields, int count, clg_slice key) {
    for (int i = 0; i < count; i++)
        if (fields[i].size == key.size && *fields[i].key == *key.text &&
            memcmp(fields[i].key, key.text, key.size) == 0)
            return (clg_slice *)(void *)((char *)event + fields[i].offset);
    return NULL;
}

/* Most of a trace are CPU operators and Python frames, whose arguments nobody asks for. */
static bool wants_arguments(const clg_trace_event *e) {
    if (clg_slice_is(e->category, "python_function")) return false;
    if (!clg_slice_is(e->category, "cpu_op") && !clg_slice_is(e->category, "user_annotation"))
        return true;
    return e->name.size == 0 || clg_slice_starts(e->name, "nccl:") ||
           clg_slice_is(e->name, "record_param_comms") || clg_product_named(e->name);
}

static clg_scan_status scan_members(clg_scan *s, const field *fields, int count,
                                    clg_trace_event *event) {
    for (s->at++;;) {
        clg_scan_separators(s);
        if (s->at == s->end) return CLG_SCAN_SHORT;
        if (*s->at == '}') break;
        clg_slice key, value;
        clg_scan_status status = clg_scan_key(s, &key);
        if (status != CLG_SCAN_OK) return status;
        bool arguments = fields == event_fields && *s->at == '{' && clg_slice_is(key, "args") &&
                         wants_arguments(event);
        status = arguments ? scan_members(s, argument_fields, ARGUMENT_FIELDS, event)
                           : clg_scan_value(s, &value);
        if (status != CLG_SCAN_OK) return status;
        clg_slice *known = arguments ? NULL : slot(event, fields, count, key);
        if (known) *known = value;
    }
    s->at++;
    return CLG_SCAN_OK;
}

clg_scan_status clg_trace_event_scan(clg_scan *scan, clg_trace_event *event) {
    *event = (clg_trace_event){0};
    return scan_members(scan, event_fields, EVENT_FIELDS, event);
}

int64_t clg_trace_integer(clg_slice text, int64_t fallback) {
    int64_t value;
    return clg_scan_decimal(text, 0, &value) ? value : fallback;
}
