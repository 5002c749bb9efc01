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

/* The first are kept in the event. Names as record_param_comms and the NCCL metadata of torch
 * >= 2.2 spell them. */
static const field argument_fields[] = {OF_EVENT("correlation", correlation),
                                        OF_EVENT("device", device),
                                        OF_EVENT("kernel", kernel),
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
                                         BIT('d') | BIT('k') | BIT('P') | BIT('S') | BIT('D') |
                                         BIT('T');

enum {
    EVENT_FIELDS = sizeof event_fields / sizeof event_fields[0],
    ARGUMENT_FIELDS = sizeof argument_fields / sizeof argument_fields[0],
    ARGUMENTS_OF_EVENT = 3,
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

/* Categories since 2021; AMD puts hip calls under cuda_runtime. gpu_user_annotation, cuda_sync and
 * overhead lie on GPU tracks and are no work. */
static const struct {
    clg_slice name;
    clg_event_use use; /* OTHER: by the name of the event */
} categories[] = {
#define CATEGORY(name, use)                                                                        \
    { {name, sizeof name - 1}, use }
    CATEGORY("cpu_op", CLG_EVENT_OTHER),       CATEGORY("cuda_runtime", CLG_EVENT_LAUNCH),
    CATEGORY("kernel", CLG_EVENT_KERNEL),      CATEGORY("user_annotation", CLG_EVENT_RANGE),
    CATEGORY("cuda_driver", CLG_EVENT_LAUNCH), CATEGORY("gpu_memcpy", CLG_EVENT_COPY),
    CATEGORY("gpu_memset", CLG_EVENT_COPY),    CATEGORY("Kernel", CLG_EVENT_KERNEL),
    CATEGORY("Memcpy", CLG_EVENT_COPY),        CATEGORY("Memset", CLG_EVENT_COPY),
    CATEGORY("Runtime", CLG_EVENT_LAUNCH),     CATEGORY("Operator", CLG_EVENT_OTHER),
    CATEGORY("hip_runtime", CLG_EVENT_LAUNCH)};
enum { CATEGORIES = sizeof categories / sizeof categories[0] };

static int category_of(clg_slice name) {
    int i = 0;
    while (i < CATEGORIES && (categories[i].name.size != name.size ||
                              memcmp(categories[i].name.text, name.text, name.size) != 0))
        i++;
    return i;
}

/* Of a CPU operator or a range. */
static clg_event_use use_of_name(clg_slice name, clg_event_use otherwise) {
    if (clg_slice_starts(name, "nccl:") || clg_slice_is(name, "record_param_comms"))
        return CLG_EVENT_COLLECTIVE;
    if (clg_product_named(name)) return CLG_EVENT_PRODUCT;
    if (clg_slice_starts(name, "ProfilerStep")) return CLG_EVENT_STEP;
    return clg_slice_starts(name, "enumerate(DataLoader)") ? CLG_EVENT_LOADER : otherwise;
}

static clg_event_use use_of(const clg_trace_event *e) {
    if (clg_slice_is(e->phase, "i"))
        return clg_slice_is(e->name, "[memory]") ? CLG_EVENT_MEMORY : CLG_EVENT_OTHER;
    int row = clg_slice_is(e->phase, "X") ? category_of(e->category) : CATEGORIES;
    if (row == CATEGORIES) return CLG_EVENT_OTHER;
    clg_event_use use = categories[row].use;
    return use == CLG_EVENT_OTHER || use == CLG_EVENT_RANGE ? use_of_name(e->name, use) : use;
}

/* Whether all is known that says what an event is: most of a trace are operators, Python frames and
 * flows that nobody asks for, and their first members say so. */
static bool decided(const clg_trace_event *e) {
    if (e->phase.size == 0) return false;
    bool lasts = clg_slice_is(e->phase, "X");
    if (!lasts && !clg_slice_is(e->phase, "i")) return true;
    if (lasts && e->category.size == 0) return false;
    return e->name.size > 0 || (lasts && category_of(e->category) == CATEGORIES);
}

static const clg_trace_arguments no_arguments;

static clg_slice *place(void *of, const field *f) {
    return (clg_slice *)(void *)((char *)of + f->offset);
}

/* Any member of the arguments; `room` NULL: only those are kept that GPU work always has a use for.
 * Scan stands on its key. */
static clg_scan_status scan_argument(clg_scan *s, clg_trace_event *e, clg_trace_arguments *room) {
    clg_slice key, ignored, *into = &ignored;
    clg_scan_status status = clg_scan_key(s, &key);
    if (status != CLG_SCAN_OK) return status;
    const field *known = argument_of(key);
    if (known && known < argument_fields + ARGUMENTS_OF_EVENT)
        into = place(e, known);
    else if (known && room)
        into = place(room, known);
    return clg_scan_value(s, into);
}

/* All members, and the closing brace. What cannot be passed over at once is not tried again: an
 * event of many members would be read as often. */
static clg_scan_status scan_members(clg_scan *s, clg_trace_event *e, clg_trace_arguments *room) {
    for (bool tried = room != NULL;;) {
        clg_scan_separators(s);
        if (s->at == s->end) return CLG_SCAN_SHORT;
        if (*s->at == '}') break;
        clg_scan_status status = scan_argument(s, e, room);
        if (status != CLG_SCAN_OK) return status;
        if (tried || !e->correlation.size) continue;
        tried = e->device.size || e->use == CLG_EVENT_LAUNCH;
        if (tried && clg_scan_rest(s)) return CLG_SCAN_OK;
    }
    s->at++;
    return CLG_SCAN_OK;
}

static clg_scan_status scan_arguments(clg_scan *s, clg_trace_event *e, clg_trace_arguments *room) {
    bool few = e->use >= CLG_EVENT_KERNEL && e->use <= CLG_EVENT_LAUNCH;
    const char *first = ++s->at;
    if (few) {
        clg_scan_status status = scan_members(s, e, NULL);
        e->unread = (clg_slice){first, (size_t)(s->at - first)};
        return status;
    }
    if (e->args != room) memset(room, 0, sizeof *room); /* else a second "args" */
    e->args = room;
    return scan_members(s, e, room);
}

const clg_trace_arguments *clg_trace_event_arguments(const clg_trace_event *e,
                                                     clg_trace_arguments *room) {
    if (e->unread.size == 0) return e->args;
    clg_scan s = {e->unread.text, e->unread.text + e->unread.size};
    clg_trace_event again; /* correlation and device: known */
    memset(room, 0, sizeof *room);
    scan_members(&s, &again, room);
    return room;
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

/* What says nothing yet may turn out to be anything. */
static bool wants_arguments(const clg_trace_event *e) {
    return e->use != CLG_EVENT_STEP && e->use != CLG_EVENT_LOADER && e->use != CLG_EVENT_RANGE;
}

static clg_scan_status scan_member(clg_scan *s, clg_trace_event *event, clg_trace_arguments *room,
                                   const field *known) {
    clg_slice ignored;
    bool kept = known && known->offset != ARGUMENTS;
    if (known && !kept && *s->at == '{' && wants_arguments(event))
        return scan_arguments(s, event, room);
    return clg_scan_value(s, kept ? place(event, known) : &ignored);
}

static clg_scan_status scan_event(clg_scan *s, clg_trace_event *event, clg_trace_arguments *room) {
    const field *next = event_fields; /* what the order of writers lets expect */
    bool tried = false;
    for (s->at++;;) {
        const field *known = next;
        bool closed = false;
        clg_scan_status status = CLG_SCAN_OK;
        if (next == event_fields + EVENT_FIELDS || !plain_key(s, next))
            status = scan_key(s, &known, &closed);
        if (closed) break;
        if (status == CLG_SCAN_OK) status = scan_member(s, event, room, known);
        if (status != CLG_SCAN_OK) return status;
        if (known) next = known + 1;
        if (!known || known->offset > offsetof(clg_trace_event, name) || !decided(event)) continue;
        event->use = use_of(event);
        if (event->use != CLG_EVENT_OTHER || tried) continue;
        tried = true;
        if (clg_scan_rest(s)) return CLG_SCAN_OK;
    }
    if (event->use == CLG_EVENT_OTHER) event->use = use_of(event); /* one without name */
    s->at++;
    return CLG_SCAN_OK;
}

/* Has the processor fetch what comes three or four events on: they are too uneven for it to guess,
 * and a text that is read where it lies is in no cache. In a function of its own gcc 12 drops it.
 */
clg_scan_status clg_trace_event_scan(clg_scan *scan, clg_trace_event *event,
                                     clg_trace_arguments *room) {
    enum { LINE = 64, LINES = 6, FROM = 1024 };
    bool more = scan->end - scan->at >= FROM + LINES * LINE;
    for (int i = 0; more && i < LINES; i++) __builtin_prefetch(scan->at + FROM + i * LINE);
    memset(event, 0, sizeof *event);
    event->args = &no_arguments;
    return scan_event(scan, event, room);
}
