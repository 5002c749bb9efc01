/* kineto.c -- PyTorch profiler traces: the text from top to bottom, whatever its state. */
#include "base/json.h"
#include "base/text.h"
#include "trace/event.h"
#include "trace/launch.h"
#include "trace/ns.h"
#include "trace/split.h"
#include "trace/steps.h"

#include <stdlib.h>
#include <string.h>

/* Times since 1970 rather than since baseTimeNanoseconds: later than 2001. */
static const int64_t absolute_ns = INT64_C(1000000000000000000);

enum { MOST_TRACKS = 65535 };

/* A process group that the header describes. */
typedef struct group_row {
    clg_slice name, ranks, description;
    int64_t size;
} group_row;

typedef struct reader {
    clg_arena *arena;  /* what lives on */
    clg_arena scratch; /* what does not */
    clg_window window;
    const clg_csv *table;
    clg_trace *trace;
    clg_intern names;
    size_t kernel_capacity;
    clg_map tracks;
    clg_launches launches;
    clg_slice devices; /* deviceProperties as written */
    group_row *group;
    size_t group_count, group_capacity;
    int64_t base_ns, device;
    int64_t rescanned;             /* bytes read again after damage */
    bool events_seen, closed, cut; /* closed: the text came to its end; cut: within an event */
} reader;

static int64_t position(const reader *r) { return r->window.offset + (int64_t)r->window.at; }

static void lose(reader *r, int64_t byte, int64_t lost, const char *reason) {
    clg_trace *t = r->trace;
    t->damaged = true;
    t->events_lost += lost;
    clg_trace_damage *last = t->damages ? &t->damage[t->damages - 1] : NULL;
    if (last && strcmp(last->reason, reason) == 0)
        last->lost += lost; /* one line for a run of the same */
    else if (t->damages < CLG_TRACE_DAMAGES)
        t->damage[t->damages++] = (clg_trace_damage){byte, lost, reason};
}

/* ---- what events mean ---- */

typedef enum kind { KIND_OTHER, KIND_KERNEL, KIND_COPY, KIND_LAUNCH, KIND_CPU } kind;

/* Categories since 2021; AMD puts hip calls under cuda_runtime. gpu_user_annotation, cuda_sync and
 * overhead lie on GPU tracks and are no work. */
static const struct {
    clg_slice name;
    kind kind;
} categories[] = {
#define CATEGORY(name, kind)                                                                       \
    { {name, sizeof name - 1}, kind }
    CATEGORY("cpu_op", KIND_CPU),         CATEGORY("cuda_runtime", KIND_LAUNCH),
    CATEGORY("kernel", KIND_KERNEL),      CATEGORY("user_annotation", KIND_CPU),
    CATEGORY("cuda_driver", KIND_LAUNCH), CATEGORY("gpu_memcpy", KIND_COPY),
    CATEGORY("gpu_memset", KIND_COPY),    CATEGORY("Kernel", KIND_KERNEL),
    CATEGORY("Memcpy", KIND_COPY),        CATEGORY("Memset", KIND_COPY),
    CATEGORY("Runtime", KIND_LAUNCH),     CATEGORY("Operator", KIND_CPU),
    CATEGORY("hip_runtime", KIND_LAUNCH)};

static kind kind_of(clg_slice category) {
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
        if (categories[i].name.size == category.size &&
            memcmp(categories[i].name.text, category.text, category.size) == 0)
            return categories[i].kind;
    return KIND_OTHER;
}

static uint64_t thread_of(const clg_trace_event *e) {
    return clg_trace_hash(e->tid, clg_trace_hash(e->pid, 0));
}

static int32_t correlation_of(const clg_trace_event *e) {
    int64_t value = clg_trace_integer(e->args->correlation, -1);
    return value >= 0 && value < INT32_MAX ? (int32_t)value : -1;
}

static uint16_t track_of(reader *r, const clg_trace_event *e) {
    uint64_t key = thread_of(e);
    uint32_t known = clg_map_get(&r->tracks, key, UINT32_MAX);
    if (known != UINT32_MAX) return (uint16_t)known;
    clg_timeline *t = &r->trace->timeline;
    if (t->track_count >= MOST_TRACKS) return MOST_TRACKS - 1;
    if (t->track_count == 0) r->device = clg_trace_integer(e->pid, 0);
    bool number = e->tid.size > 0 && *e->tid.text >= '0' && *e->tid.text <= '9';
    size_t capacity = t->track_capacity;
    const char *name = clg_arena_print(r->arena, "%s%.*s", number ? "stream " : "",
                                       (int)(e->tid.size < 64 ? e->tid.size : 64), e->tid.text);
    clg_track track = {name, 0};
    CLG_TRACE_ADD(r->arena, t->tracks, t->track_count, capacity, track);
    t->track_capacity = (uint32_t)capacity;
    clg_map_put(&r->tracks, key, t->track_count - 1);
    return (uint16_t)(t->track_count - 1);
}

static bool is_copy_kernel(clg_slice name) {
    return clg_slice_starts(name, "Memcpy") || clg_slice_starts(name, "Memset") ||
           clg_slice_starts(name, "hipMemcpy") || clg_slice_starts(name, "hipMemset");
}

/* The kernel's row of the table by name, classified when it is new. */
static clg_trace_kernel *kernel_of(reader *r, const clg_trace_event *e, kind k, uint32_t *name) {
    size_t known = r->names.count;
    *name = clg_intern_add(&r->names, e->name);
    clg_trace *t = r->trace;
    if (r->names.count == known) return &t->kernels[*name];
    clg_trace_kernel row = {.work = CLG_WORK_COMPUTE};
    const char *text = r->names.texts[*name];
    if (k == KIND_COPY || is_copy_kernel(e->name))
        row.work = CLG_WORK_COPY;
    else if (clg_trace_communicates(r->table, text, &row.operation))
        row.work = CLG_WORK_COMMUNICATION;
    else
        row.suspicious = clg_trace_suspicious(text);
    CLG_TRACE_ADD(r->arena, t->kernels, known, r->kernel_capacity, row);
    return &t->kernels[*name];
}

/* Size of the buffer that bandwidth refers to: the full array. */
static int64_t bytes_said(const clg_trace_event *e, clg_operation operation) {
    clg_slice count =
        operation == CLG_OPERATION_ALL_GATHER ? e->args->out_elements : e->args->in_elements;
    int64_t elements = clg_trace_integer(count, -1);
    int bytes = clg_trace_element_bytes(e->args->data_type);
    return elements >= 0 && elements < INT64_MAX / 8 && bytes > 0 ? elements * bytes : -1;
}

static uint32_t group_with_ranks(reader *r, clg_slice name, clg_slice ranks) {
    clg_arena_mark mark = clg_arena_here(&r->scratch);
    size_t size = name.size + ranks.size + 1;
    char *both = clg_arena_take(&r->scratch, size, 1);
    if (name.size) memcpy(both, name.text, name.size);
    both[name.size] = ' ';
    if (ranks.size) memcpy(both + name.size + 1, ranks.text, ranks.size);
    uint32_t index = clg_intern_add(&r->trace->groups, (clg_slice){both, size});
    clg_arena_back_to(&r->scratch, mark);
    return index;
}

static void name_group(reader *r, const clg_trace_event *e, clg_trace_description *what) {
    if (e->args->group_name.size == 0 && e->args->group_ranks.size == 0) return;
    what->grouped = true;
    what->group = group_with_ranks(r, e->args->group_name, e->args->group_ranks);
    what->group_name = clg_intern_add(
        &r->trace->groups, e->args->group_name.size ? e->args->group_name : e->args->group_ranks);
}

/* record_param_comms of older versions lists: tensor, sequence, group, rank, operation, in split,
 * out split, world size. */
static int64_t world_of_inputs(clg_slice inputs) {
    size_t end = inputs.size;
    while (end > 0 && inputs.text[end - 1] != '"') end--;
    size_t start = end ? end - 1 : 0;
    while (start > 0 && inputs.text[start - 1] != '"') start--;
    if (start == 0 || end <= start) return -1;
    return clg_trace_integer((clg_slice){inputs.text + start, end - 1 - start}, -1);
}

static int32_t rank_said(clg_slice text) {
    int64_t value = clg_trace_integer(text, -1);
    return value >= 0 && value < INT32_MAX ? (int32_t)value : -1;
}

static clg_trace_description describe(reader *r, const clg_trace_event *e) {
    clg_trace_description what = {.bytes = -1,
                                  .group_size = clg_trace_integer(e->args->group_size, -1),
                                  .sequence = clg_trace_integer(e->args->sequence, -1),
                                  .source = rank_said(e->args->source),
                                  .target = rank_said(e->args->target)};
    if (e->args->collective.size) what.operation = clg_trace_operation(e->args->collective);
    what.bytes = bytes_said(e, what.operation);
    what.axis = (uint8_t)clg_split_of_words(e->args->group_description);
    name_group(r, e, &what);
    return what;
}

static void take_gpu(reader *r, const clg_trace_event *e, kind k, int64_t start_ns,
                     int64_t duration_ns) {
    uint32_t name;
    clg_trace_kernel *row = kernel_of(r, e, k, &name);
    row->total_ns = clg_ns_plus(row->total_ns, duration_ns);
    row->count++;
    clg_event event = {start_ns,           duration_ns, name, track_of(r, e),
                       (uint8_t)row->work, 0xff,        -1,   correlation_of(e)};
    clg_timeline_add(&r->trace->timeline, event);
    if (row->work != CLG_WORK_COMMUNICATION) return;
    clg_trace_call call = {.event = (uint32_t)(r->trace->timeline.count - 1),
                           .instance = -1,
                           .start_ns = start_ns,
                           .duration_ns = duration_ns,
                           .transfer_ns = -1,
                           .name = name,
                           .correlation = event.detail,
                           .what = describe(r, e)};
    if (call.what.operation == CLG_OPERATION_UNKNOWN) call.what.operation = row->operation;
    if (!call.what.grouped) {
        /* Nothing says who took part: collectives of one stream are in one order on all ranks. */
        const char *stream = r->trace->timeline.tracks[event.track].name;
        call.what.group = call.what.group_name =
            clg_intern_add(&r->trace->groups, (clg_slice){stream, strlen(stream)});
    }
    clg_trace *t = r->trace;
    CLG_TRACE_ADD(r->arena, t->calls, t->call_count, t->call_capacity, call);
}

static void take_launch(reader *r, const clg_trace_event *e, int64_t start_ns) {
    int32_t correlation = correlation_of(e);
    if (correlation < 0) return;
    clg_launches *l = &r->launches;
    uint64_t key = (uint64_t)correlation + 1;
    if (clg_map_get(&l->by_correlation, key, UINT32_MAX) != UINT32_MAX) return;
    clg_launch launch = {thread_of(e), start_ns};
    clg_map_put(&l->by_correlation, key, (uint32_t)l->count);
    CLG_TRACE_ADD(&r->scratch, l->launch, l->count, l->capacity, launch);
}

static void take_recorded(reader *r, const clg_trace_event *e, int64_t start_ns,
                          int64_t duration_ns) {
    clg_recorded recorded = {thread_of(e), start_ns, start_ns + duration_ns, describe(r, e)};
    clg_trace_description *what = &recorded.what;
    if (clg_slice_starts(e->name, "nccl:")) {
        what->operation = clg_trace_operation(e->name);
        if (what->bytes < 0) {
            what->bytes = clg_trace_tensor_bytes(e->args->dims, e->args->types);
            what->bytes_per_rank = what->bytes >= 0 && what->operation == CLG_OPERATION_ALL_GATHER;
        }
    } else if (what->group_size < 0)
        what->group_size = world_of_inputs(e->args->inputs);
    clg_launches *l = &r->launches;
    CLG_TRACE_ADD(&r->scratch, l->recorded, l->recorded_count, l->recorded_capacity, recorded);
}

/* "ProfilerStep#7" */
static void take_step(reader *r, const clg_trace_event *e, int64_t start_ns, int64_t duration_ns) {
    enum { WORD = sizeof "ProfilerStep#" - 1, MOST_STEPS = 1 << 20 };
    clg_trace *t = r->trace;
    t->steps++;
    t->steps_ns = clg_ns_plus(t->steps_ns, duration_ns);
    if (t->step_count >= MOST_STEPS || duration_ns <= 0) return;
    clg_slice number = {e->name.text + WORD, e->name.size > WORD ? e->name.size - WORD : 0};
    clg_trace_step step = {
        .number = clg_trace_integer(number, -1), .start_ns = start_ns, .duration_ns = duration_ns};
    CLG_TRACE_ADD(r->arena, t->step, t->step_count, t->step_capacity, step);
}

static void take_product(reader *r, const clg_trace_event *e, int64_t start_ns,
                         int64_t duration_ns) {
    clg_launches *l = &r->launches;
    clg_product product;
    if (!clg_product_of(e->name, e->args->dims, e->args->types, &product)) return;
    product.thread = thread_of(e);
    product.start_ns = start_ns;
    product.end_ns = start_ns + duration_ns;
    CLG_TRACE_ADD(&r->scratch, l->product, l->product_count, l->product_capacity, product);
}

static void take_cpu(reader *r, const clg_trace_event *e, int64_t start_ns, int64_t duration_ns) {
    clg_launches *l = &r->launches;
    if (clg_slice_starts(e->name, "nccl:") || clg_slice_is(e->name, "record_param_comms"))
        take_recorded(r, e, start_ns, duration_ns);
    else if (clg_product_named(e->name))
        take_product(r, e, start_ns, duration_ns);
    else if (clg_slice_starts(e->name, "ProfilerStep")) {
        take_step(r, e, start_ns, duration_ns);
    } else if (clg_slice_starts(e->name, "enumerate(DataLoader)")) {
        clg_stretch loading = {start_ns, duration_ns};
        r->trace->loading_ns = clg_ns_plus(r->trace->loading_ns, duration_ns);
        CLG_TRACE_ADD(&r->scratch, l->loading, l->loading_count, l->loading_capacity, loading);
    }
}

/* What is wrong with the times of an event, or NULL. */
static const char *read_times(const clg_trace_event *e, bool gpu, int64_t *start_ns,
                              int64_t *duration_ns) {
    *duration_ns = 0;
    if (!clg_scan_decimal(e->start, 3, start_ns)) return "a start that is no number";
    if (*start_ns > CLG_TRACE_LATEST_NS || *start_ns < -CLG_TRACE_LATEST_NS)
        return "a start out of range";
    if (e->duration.size == 0) return gpu ? "no duration" : NULL;
    if (!clg_scan_decimal(e->duration, 3, duration_ns)) return "a duration that is no number";
    if (*duration_ns > CLG_TRACE_LONGEST_NS) return "a duration over a day";
    if (*duration_ns < 0) *duration_ns = 0;
    return NULL;
}

static void take_event(reader *r, const clg_trace_event *e, int64_t byte) {
    if (e->phase.size == 0) {
        lose(r, byte, 1, "an object without phase");
        return;
    }
    r->events_seen = true;
    r->trace->events_read++;
    if (!clg_slice_is(e->phase, "X")) return;
    kind k = kind_of(e->category);
    if (k == KIND_OTHER) return;
    bool gpu = k == KIND_KERNEL || k == KIND_COPY;
    int64_t start_ns, duration_ns;
    const char *fault = read_times(e, gpu, &start_ns, &duration_ns);
    if (fault) {
        r->trace->events_read--;
        lose(r, byte, 1, fault);
    } else if (gpu)
        take_gpu(r, e, k, start_ns, duration_ns);
    else if (k == KIND_LAUNCH)
        take_launch(r, e, start_ns);
    else
        take_cpu(r, e, start_ns, duration_ns);
}

/* ---- the text around events ---- */

static const char *const resume_keys[] = {"\"traceEvents\"", "\"distributedInfo\"",
                                          "\"baseTimeNanoseconds\"", "\"deviceProperties\""};

static bool resume_key_here(const char *at, const char *end) {
    for (size_t i = 0; i < sizeof resume_keys / sizeof resume_keys[0]; i++) {
        size_t size = strlen(resume_keys[i]);
        if ((size_t)(end - at) > size && memcmp(at, resume_keys[i], size) == 0) return true;
    }
    return false;
}

/* Moves to the next place where reading makes sense; `in_events` says what it is. */
static void resynchronize(reader *r, bool *in_events) {
    enum { LONGEST_KEY = 32 };
    clg_window *w = &r->window;
    for (;;) {
        clg_scan s = clg_window_scan(w);
        for (; s.at < s.end; s.at++) {
            bool whole = *s.at != '"' || s.end - s.at >= LONGEST_KEY;
            *in_events = *s.at == '{' && clg_scan_event_here(s.at, s.end, &whole);
            if (*in_events || (*s.at == '"' && resume_key_here(s.at, s.end))) {
                w->at = (size_t)(s.at - w->data);
                return;
            }
            if (!whole && !w->final) break;
        }
        w->at = (size_t)(s.at - w->data);
        if (!clg_window_more(w) && w->final) {
            w->at = w->size;
            return;
        }
    }
}

/* Goes on behind a fault, noticed after `scanned` bytes. Once the text has been read over four
 * times for faults, it goes on where the fault was noticed rather than where the faulty event
 * began, so that no text costs more. */
static void skip_fault(reader *r, size_t scanned, bool *in_events) {
    clg_window *w = &r->window;
    r->rescanned += (int64_t)scanned;
    bool thrifty = r->rescanned > 4 * (w->offset + (int64_t)w->size);
    w->at += thrifty && scanned > 1 ? scanned : 1;
    if (w->at > w->size) w->at = w->size;
    resynchronize(r, in_events);
}

/* How much of the window a scan that failed has read: all of it where it met the end. */
static size_t scanned_bytes(const reader *r, const clg_scan *s, clg_scan_status status) {
    const char *until = status == CLG_SCAN_SHORT ? s->end : s->at;
    return (size_t)(until - clg_window_scan(&r->window).at);
}

static void read_event(reader *r, bool *in_events) {
    for (;;) {
        clg_scan s = clg_window_scan(&r->window);
        clg_trace_event event;
        clg_scan_status status = clg_trace_event_scan(&s, &event);
        if (status == CLG_SCAN_OK) {
            int64_t byte = position(r);
            r->window.at = (size_t)(s.at - r->window.data);
            take_event(r, &event, byte);
            return;
        }
        size_t scanned = scanned_bytes(r, &s, status);
        if (status == CLG_SCAN_SHORT && clg_window_more(&r->window)) continue;
        r->cut = status == CLG_SCAN_SHORT && r->window.final;
        lose(r, position(r), 1, r->cut ? "the text ends in an event" : "no JSON");
        skip_fault(r, scanned, in_events);
        return;
    }
}

/* pg_config: [{"pg_name": "1", "pg_desc": "...", "pg_size": 8, "ranks": [0, 1, ...]}, ...]. Kept as
 * the texts that a call with all its metadata would give: calls that tell only their group's name
 * get its ranks from here. */
static void read_groups(reader *r, const clg_json *list) {
    for (const clg_json *g = list && list->kind == CLG_JSON_ARRAY ? list->first : NULL; g;
         g = g->next) {
        const clg_json *name = clg_json_member(g, "pg_name"), *ranks = clg_json_member(g, "ranks");
        const clg_json *about = clg_json_member(g, "pg_desc");
        if (!name || name->kind != CLG_JSON_STRING || !ranks || ranks->kind != CLG_JSON_ARRAY)
            continue;
        clg_text text = {.arena = &r->scratch};
        int64_t count = 0;
        clg_text_print(&text, "[");
        for (const clg_json *n = ranks->first; n; n = n->next)
            if (n->kind == CLG_JSON_NUMBER)
                clg_text_print(&text, "%s%.0f", count++ ? ", " : "", n->number);
        clg_text_print(&text, "]");
        group_row row = {.name = {name->text, strlen(name->text)},
                         .ranks = {text.data, text.size},
                         .size = count};
        if (about && about->kind == CLG_JSON_STRING)
            row.description = (clg_slice){about->text, strlen(about->text)};
        CLG_TRACE_ADD(&r->scratch, r->group, r->group_count, r->group_capacity, row);
    }
}

static void read_distributed(reader *r, clg_slice value) {
    clg_json *root;
    clg_error ignored = {0};
    clg_trace *t = r->trace;
    if (clg_json_parse(&r->scratch, "distributedInfo", value.text, value.size, &root, &ignored) !=
        CLG_OK)
        return;
    int64_t rank, world;
    if (clg_json_integer(root, "rank", -1, &rank, "", &ignored) == CLG_OK && rank >= 0 &&
        rank < INT32_MAX)
        t->rank = (int32_t)rank;
    if (clg_json_integer(root, "world_size", -1, &world, "", &ignored) == CLG_OK && world > 0 &&
        world < INT32_MAX)
        t->world_size = (int32_t)world;
    read_groups(r, clg_json_member(root, "pg_config"));
}

static void take_member(reader *r, clg_slice key, clg_slice value) {
    if (clg_slice_is(key, "distributedInfo"))
        read_distributed(r, value);
    else if (clg_slice_is(key, "baseTimeNanoseconds"))
        r->base_ns = clg_trace_integer(value, 0);
    else if (clg_slice_is(key, "host_name"))
        r->trace->host = clg_intern_text(&r->trace->groups, value);
    else if (clg_slice_is(key, "deviceProperties"))
        r->devices = (clg_slice){clg_arena_copy(&r->scratch, value.text, value.size), value.size};
}

static clg_scan_status scan_member(clg_scan *s, clg_slice *key, clg_slice *value) {
    clg_scan_status status = clg_scan_key(s, key);
    if (status != CLG_SCAN_OK) return status;
    *value = (clg_slice){s->at, 0};
    if (clg_slice_is(*key, "traceEvents") && *s->at == '[') return CLG_SCAN_OK;
    return clg_scan_value(s, value);
}

static void read_member(reader *r, bool *in_events) {
    for (;;) {
        clg_scan s = clg_window_scan(&r->window);
        clg_slice key, value;
        clg_scan_status status = scan_member(&s, &key, &value);
        if (status == CLG_SCAN_OK) {
            *in_events = value.size == 0 && clg_slice_is(key, "traceEvents");
            r->events_seen |= *in_events;
            r->window.at = (size_t)(s.at - r->window.data) + *in_events;
            take_member(r, key, value);
            return;
        }
        size_t scanned = scanned_bytes(r, &s, status);
        if (status == CLG_SCAN_SHORT && clg_window_more(&r->window)) continue;
        lose(r, position(r), 0, "no JSON in the header");
        skip_fault(r, scanned, in_events);
        return;
    }
}

static void read_step(reader *r, char next, bool *in_events) {
    r->closed = false;
    if (*in_events && next == '{')
        read_event(r, in_events);
    else if (!*in_events && next == '"')
        read_member(r, in_events);
    else if (next == (*in_events ? ']' : '}')) {
        r->window.at++;
        r->closed = true; /* unless more follows */
        *in_events = false;
    } else {
        lose(r, position(r), 0, "text between events");
        resynchronize(r, in_events);
    }
}

static void read_text(reader *r) {
    clg_window *w = &r->window;
    clg_window_more(w);
    if (w->size >= 3 && memcmp(w->data, "\xef\xbb\xbf", 3) == 0) w->at = 3;
    char next = clg_window_next(w);
    bool in_events = next == '[';
    if (next == '{' || next == '[') w->at++;
    while ((next = clg_window_next(w)) != 0) read_step(r, next, &in_events);
    if (!r->closed && !r->cut) lose(r, position(r), 0, "the text ends early");
}

/* ---- afterwards ---- */

static void name_gpu(reader *r) {
    clg_json *root;
    clg_error ignored = {0};
    if (!r->devices.text || clg_json_parse(&r->scratch, "deviceProperties", r->devices.text,
                                           r->devices.size, &root, &ignored) != CLG_OK)
        return;
    const clg_json *device = root->first;
    for (const clg_json *d = root->first; d; d = d->next) {
        const clg_json *id = clg_json_member(d, "id");
        if (id && id->kind == CLG_JSON_NUMBER && (int64_t)id->number == r->device) device = d;
    }
    const clg_json *name = clg_json_member(device, "name");
    if (name && name->kind == CLG_JSON_STRING)
        r->trace->gpu =
            clg_intern_text(&r->trace->groups, (clg_slice){name->text, strlen(name->text)});
}

static int by_start(const void *a, const void *b) {
    const clg_trace_call *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* On one clock with other files, where the file tells its base. */
static void rebase(reader *r) {
    clg_trace *t = r->trace;
    if (r->base_ns <= 0 || r->base_ns > CLG_TRACE_LATEST_NS || t->timeline.count == 0 ||
        t->timeline.events[0].start_ns > absolute_ns)
        return;
    for (size_t i = 0; i < t->timeline.count; i++) {
        t->timeline.events[i].start_ns += r->base_ns;
        if (t->launch_ns && t->launch_ns[i] != INT64_MIN) t->launch_ns[i] += r->base_ns;
    }
    for (size_t i = 0; i < t->call_count; i++) t->calls[i].start_ns += r->base_ns;
    t->ledger.start_ns += r->base_ns;
    for (size_t i = 0; i < t->step_count; i++) {
        t->step[i].start_ns += r->base_ns;
        t->step[i].ledger.start_ns += r->base_ns;
    }
}

/* Calls that told the name of their group only, from what the header says of it. */
static void complete_groups(reader *r) {
    clg_trace *t = r->trace;
    clg_map rows = {.arena = &r->scratch}; /* a name without ranks -> row of the header */
    for (size_t i = 0; i < r->group_count; i++)
        clg_map_put(&rows, group_with_ranks(r, r->group[i].name, (clg_slice){0}) + 1, (uint32_t)i);
    for (size_t i = 0; i < t->call_count && r->group_count > 0; i++) {
        clg_trace_description *what = &t->calls[i].what;
        uint32_t at = what->grouped ? clg_map_get(&rows, what->group + 1, UINT32_MAX) : UINT32_MAX;
        if (at == UINT32_MAX) continue;
        const group_row *g = &r->group[at];
        what->group = group_with_ranks(r, g->name, g->ranks);
        if (what->group_size < 0) what->group_size = g->size;
        if (what->axis == CLG_SPLIT_UNKNOWN)
            what->axis = (uint8_t)clg_split_of_words(g->description);
    }
}

static void finish(reader *r) {
    clg_trace *t = r->trace;
    if (t->rank < 0) t->rank = clg_trace_rank_of_name(t->file);
    name_gpu(r);
    t->timeline.names = r->names.texts;
    t->timeline.name_count = t->timeline.name_capacity = (uint32_t)r->names.count;
    for (uint32_t i = 0; i < t->timeline.track_count; i++) t->timeline.tracks[i].rank = t->rank;
    if (t->call_count) qsort(t->calls, t->call_count, sizeof *t->calls, by_start);
    t->ledger = clg_timeline_ledger(&r->scratch, &t->timeline, t->rank);
    clg_launches_describe(&r->launches, t);
    complete_groups(r);
    clg_launches_multiply(&r->launches, t);
    clg_launches_split_idle(&r->launches, t);
    clg_launches_keep(&r->launches, t);
    clg_steps_assign(&r->scratch, t);
    rebase(r);
}

clg_status clg_trace_read(clg_arena *arena, const char *file, clg_trace_source source,
                          const clg_csv *table, clg_trace *trace, clg_error *error) {
    *trace = (clg_trace){.file = file, .rank = -1, .world_size = -1};
    trace->timeline.arena = trace->groups.arena = arena;
    reader r = {.arena = arena, .table = table, .trace = trace};
    r.window = (clg_window){.arena = &r.scratch, .source = source};
    r.names.arena = arena;
    r.tracks.arena = r.launches.arena = r.launches.by_correlation.arena = &r.scratch;
    read_text(&r);
    if (r.events_seen) finish(&r);
    clg_arena_clear(&r.scratch);
    if (r.events_seen) return CLG_OK;
    clg_error_at(error, file, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT, "give traces that torch.profiler exported",
                    "no trace events are in it");
}

static int32_t digits_at(const char *p) {
    if (*p == '_' || *p == '-') p++;
    if (*p < '0' || *p > '9') return -1;
    int64_t value = 0;
    for (; *p >= '0' && *p <= '9' && value < INT32_MAX / 10; p++) value = value * 10 + (*p - '0');
    return (int32_t)value;
}

int32_t clg_trace_rank_of_name(const char *path) {
    static const char *const words[] = {"rank", "worker"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (const char *p = name; (p = strstr(p, words[i])) != NULL; p++) {
            int32_t rank = digits_at(p + strlen(words[i]));
            if (rank >= 0) return rank;
        }
    const char *json = strstr(name, ".json"), *p = json;
    while (p && p > name && p[-1] >= '0' && p[-1] <= '9') p--;
    return p && p < json && p > name && p[-1] == '_' ? digits_at(p) : -1;
}
