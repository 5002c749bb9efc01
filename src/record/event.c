/* event.c -- the members of an event that anything here uses. */
#include "record/event.h"

#include "record/product.h"

#include <string.h>

typedef struct field {
    char quoted[32]; /* "key": */
    size_t size, offset;
} field;

/* In place of an offset: the members of the value are looked at. */
#define ARGUMENTS SIZE_MAX

#define FIELD(key, type, member)                                                                   \
    { "\"" key "\":", sizeof key - 1, offsetof(type, member) }
#define OF_EVENT(key, member) FIELD(key, clg_trace_event, member)
#define ARGUMENT(key, member) FIELD(key, clg_trace_arguments, member)

static const field event_fields[] = {OF_EVENT("ph", phase),     OF_EVENT("cat", category),
                                     OF_EVENT("name", name),    OF_EVENT("pid", pid),
                                     OF_EVENT("tid", tid),      OF_EVENT("ts", start),
                                     OF_EVENT("dur", duration), {"\"args\":", 4, ARGUMENTS}};

/* Names as record_param_comms and the NCCL metadata of torch >= 2.2 spell them. */
static const field argument_fields[] = {ARGUMENT("correlation", correlation),
                                        ARGUMENT("device", device),
                                        ARGUMENT("Collective name", collective),
                                        ARGUMENT("In msg nelems", in_elements),
                                        ARGUMENT("Out msg nelems", out_elements),
                                        ARGUMENT("Group size", group_size),
                                        ARGUMENT("dtype", data_type),
                                        ARGUMENT("Process Group Name", group_name),
                                        ARGUMENT("Process Group Ranks", group_ranks),
                                        ARGUMENT("Process Group Description", group_description),
                                        ARGUMENT("Seq", sequence),
                                        ARGUMENT("Src Rank", source),
                                        ARGUMENT("Dst Rank", target),
                                        ARGUMENT("Input Dims", dims),
                                        ARGUMENT("Input type", types),
                                        ARGUMENT("Concrete Inputs", inputs),
                                        ARGUMENT("Total Allocated", allocated),
                                        ARGUMENT("Total Reserved", reserved),
                                        ARGUMENT("Device Type", memory_type),
                                        ARGUMENT("Device Id", memory_device)};

/* A bit for every size and one for every first letter (modulo 32) that one of them has: most keys
 * of arguments are none of them, and two looks say so. */
#define BIT(n) (UINT32_C(1) << ((n) % 32))
static const uint32_t argument_sizes = BIT(3) | BIT(5) | BIT(6) | BIT(8) | BIT(9) | BIT(10) |
                                       BIT(11) | BIT(13) | BIT(14) | BIT(15) | BIT(18) | BIT(19) |
                                       BIT(25);
static const uint32_t argument_letters = BIT('c') | BIT('C') | BIT('I') | BIT('O') | BIT('G') |
                                         BIT('d') | BIT('P') | BIT('S') | BIT('D') | BIT('T');

enum {
    EVENT_FIELDS = sizeof event_fields / sizeof event_fields[0],
    ARGUMENT_FIELDS = sizeof argument_fields / sizeof argument_fields[0],
    QUOTES_AND_COLON = 3
};

static const field *field_of(const field *fields, int count, clg_slice key) {
    for (int i = 0; i < count; i++)
        if (fields[i].size == key.size && fields[i].quoted[1] == *key.text &&
            memcmp(fields[i].quoted + 1, key.text, key.size) == 0)
            return &fields[i];
    return NULL;
}

static inline const field *argument_of(clg_slice key) {
    bool likely = key.size > 0 && key.size < 32 && (argument_sizes & BIT(key.size)) &&
                  (argument_letters & BIT((unsigned char)*key.text));
    return likely ? field_of(argument_fields, ARGUMENT_FIELDS, key) : NULL;
}

/* Whether a key is this one, from its opening quote to its colon: one comparison. */
static inline bool key_here(const char *at, const field *f) {
    enum { WORD = 8 };
    static const unsigned char mask[2 * WORD] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint64_t here, wanted, counts;
    memcpy(&here, at, WORD);
    memcpy(&wanted, f->quoted, WORD);
    memcpy(&counts, mask + WORD - (f->size + QUOTES_AND_COLON), WORD);
    return ((here ^ wanted) & counts) == 0;
}

/* Past the key of `f` to its value, where it is what comes next; else nothing moves. Writers keep
 * to one order, so that mostly it is. */
static inline bool plain_key(clg_scan *s, const field *f) {
    const char *at = s->at;
    if (s->end - at <= 4 * CLG_LANES) return false;
    if (*at == ',') at++;
    if (*at == ' ') at++;
    if (*at != '"') at = clg_plain_run(at);
    if (!key_here(at, f)) return false;
    at += f->size + QUOTES_AND_COLON;
    if (*at == ' ') at++;
    if (clg_is(*at, CLG_BLANK)) return false;
    s->at = at;
    return true;
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
 * first members; the others are of no use. Of moments only those of the allocator are. */
static bool needless(const clg_trace_event *e) {
    if (e->phase.size == 0) return false;
    if (clg_slice_is(e->phase, "X")) return clg_slice_is(e->category, "python_function");
    bool perhaps_memory = clg_slice_is(e->phase, "i") &&
                          (e->category.size == 0 || clg_slice_is(e->category, "cpu_instant_event"));
    return !perhaps_memory || (e->name.size > 0 && !clg_slice_is(e->name, "[memory]"));
}

static const clg_trace_arguments no_arguments;

static clg_slice *place(void *of, const field *f) {
    return (clg_slice *)(void *)((char *)of + f->offset);
}

/* Any member of the arguments. Scan stands on its key. */
static clg_scan_status scan_argument(clg_scan *s, clg_trace_arguments *told) {
    clg_slice key, ignored;
    clg_scan_status status = clg_scan_key(s, &key);
    if (status != CLG_SCAN_OK) return status;
    const field *known = argument_of(key);
    return clg_scan_value(s, known ? place(told, known) : &ignored);
}

static clg_scan_status scan_arguments(clg_scan *s, clg_trace_event *event) {
    if (event->args != &event->told) event->told = no_arguments; /* else a second "args" */
    event->args = &event->told;
    for (s->at++;;) {
        clg_scan_separators(s);
        if (s->at == s->end) return CLG_SCAN_SHORT;
        if (*s->at == '}') break;
        clg_scan_status status = scan_argument(s, &event->told);
        if (status != CLG_SCAN_OK) return status;
    }
    s->at++;
    return CLG_SCAN_OK;
}

/* A key of an event; `known` is its field or NULL. Closed: the event is over. */
static clg_scan_status scan_key(clg_scan *s, const field **known, bool *closed) {
    clg_scan_separators(s);
    if (s->at == s->end) return CLG_SCAN_SHORT;
    *closed = *s->at == '}';
    if (*closed) return CLG_SCAN_OK;
    clg_slice key;
    clg_scan_status status = clg_scan_key(s, &key);
    *known = status == CLG_SCAN_OK ? field_of(event_fields, EVENT_FIELDS, key) : NULL;
    return status;
}

static clg_scan_status scan_member(clg_scan *s, clg_trace_event *event, const field *known) {
    clg_slice ignored;
    bool kept = known && known->offset != ARGUMENTS;
    if (known && !kept && *s->at == '{' && wants_arguments(event)) return scan_arguments(s, event);
    return clg_scan_value(s, kept ? place(event, known) : &ignored);
}

static clg_scan_status scan_event(clg_scan *s, clg_trace_event *event) {
    const field *next = event_fields; /* what the order of writers lets expect */
    for (s->at++;;) {
        const field *known = next;
        bool closed = false;
        clg_scan_status status = CLG_SCAN_OK;
        if (next == event_fields + EVENT_FIELDS || !plain_key(s, next))
            status = scan_key(s, &known, &closed);
        if (closed) break;
        if (status == CLG_SCAN_OK) status = scan_member(s, event, known);
        if (status != CLG_SCAN_OK) return status;
        if (known) next = known + 1;
        if (known && known->offset != ARGUMENTS && needless(event) && clg_scan_rest(s))
            return CLG_SCAN_OK;
    }
    s->at++;
    return CLG_SCAN_OK;
}

clg_scan_status clg_trace_event_scan(clg_scan *scan, clg_trace_event *event) {
    memset(event, 0, offsetof(clg_trace_event, told)); /* the rest when there are arguments */
    event->args = &no_arguments;
    return scan_event(scan, event);
}

int64_t clg_trace_integer(clg_slice text, int64_t fallback) {
    int64_t value;
    return clg_scan_decimal(text, 0, &value) ? value : fallback;
}
