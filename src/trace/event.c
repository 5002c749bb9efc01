/* event.c -- the members of an event that anything here uses. */
#include "trace/event.h"

#include "trace/product.h"

#include <string.h>

typedef struct field {
    const char *key;
    size_t size, offset;
} field;

/* In place of an offset: the members of the value are looked at. */
#define ARGUMENTS SIZE_MAX

#define FIELD(key, member)                                                                         \
    { key, sizeof key - 1, offsetof(clg_trace_event, member) }

static const field event_fields[] = {
    FIELD("ph", phase), FIELD("cat", category), FIELD("name", name),    FIELD("pid", pid),
    FIELD("tid", tid),  FIELD("ts", start),     FIELD("dur", duration), {"args", 4, ARGUMENTS}};

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

static const field *field_of(const field *fields, int count, clg_slice key) {
    for (int i = 0; i < count; i++)
        if (fields[i].size == key.size && *fields[i].key == *key.text &&
            memcmp(fields[i].key, key.text, key.size) == 0)
            return &fields[i];
    return NULL;
}

/* Whether the next key is this one. Writers keep to one order, so that mostly it is. */
static bool key_here(const char *at, const char *end, const field *f) {
    enum { QUOTES_AND_COLON = 3 };
    if ((size_t)(end - at) < f->size + QUOTES_AND_COLON || *at != '"') return false;
    for (size_t i = 0; i < f->size; i++)
        if (at[1 + i] != f->key[i]) return false;
    return at[1 + f->size] == '"' && at[2 + f->size] == ':';
}

/* A key, its colon and what is blank behind it; `known` is its field or NULL, and afterwards the
 * guess for the next one. */
static clg_scan_status scan_key(clg_scan *s, const field *fields, int count, const field **guess,
                                const field **known) {
    if (*guess < fields + count && key_here(s->at, s->end, *guess)) {
        *known = (*guess)++;
        s->at += (*known)->size + 3;
        clg_scan_blanks(s);
        return s->at == s->end ? CLG_SCAN_SHORT : CLG_SCAN_OK;
    }
    clg_slice key;
    clg_scan_status status = clg_scan_key(s, &key);
    *known = status == CLG_SCAN_OK ? field_of(fields, count, key) : NULL;
    if (*known) *guess = *known + 1;
    return status;
}

/* Most of a trace are CPU operators and Python frames, whose arguments nobody asks for. */
static bool wants_arguments(const clg_trace_event *e) {
    if (clg_slice_is(e->category, "python_function")) return false;
    if (!clg_slice_is(e->category, "cpu_op") && !clg_slice_is(e->category, "user_annotation"))
        return true;
    return e->name.size == 0 || clg_slice_starts(e->name, "nccl:") ||
           clg_slice_is(e->name, "record_param_comms") || clg_product_named(e->name);
}

/* Flows, names, counters and Python frames, a large part of many traces, are known as such by their
 * first members; the others are of no use. */
static bool needless(const clg_trace_event *e) {
    bool complete = e->phase.size == 1 && *e->phase.text == 'X';
    return e->phase.size > 0 && (!complete || clg_slice_is(e->category, "python_function"));
}

static clg_scan_status scan_members(clg_scan *s, const field *fields, int count,
                                    clg_trace_event *event) {
    const field *guess = fields, *known;
    for (s->at++;;) {
        clg_scan_separators(s);
        if (s->at == s->end) return CLG_SCAN_SHORT;
        if (*s->at == '}') break;
        clg_slice ignored, *value = &ignored;
        clg_scan_status status = scan_key(s, fields, count, &guess, &known);
        if (status != CLG_SCAN_OK) return status;
        bool arguments = known && known->offset == ARGUMENTS;
        if (arguments && *s->at == '{' && wants_arguments(event))
            status = scan_members(s, argument_fields, ARGUMENT_FIELDS, event);
        else { /* into its place at once: a copy would wait for what was just written */
            if (known && !arguments) value = (clg_slice *)(void *)((char *)event + known->offset);
            status = clg_scan_value(s, value);
        }
        if (status != CLG_SCAN_OK) return status;
        if (value != &ignored && fields == event_fields && needless(event) && clg_scan_rest(s))
            return CLG_SCAN_OK;
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
