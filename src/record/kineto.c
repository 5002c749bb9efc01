/* kineto.c -- PyTorch profiler traces: the text from top to bottom, whatever its state. */
#include "record/kineto.h"

#include "base/letters.h"
#include "base/order.h"

#include "base/json.h"
#include "base/text.h"
#include "record/by_step.h"
#include "record/captured.h"
#include "record/ns.h"
#include "record/phases.h"
#include "record/recording.h"
#include "record/split.h"

#include <string.h>

/* Times since 1970 rather than since baseTimeNanoseconds: later than 2001. */
static const int64_t absolute_ns = INT64_C(1000000000000000000);

static int64_t position(const clg_kineto *r) { return r->window.offset + (int64_t)r->window.at; }

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
static void resynchronize(clg_kineto *r, bool *in_events) {
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

/* Goes on behind a fault, noticed after `scanned` bytes. Once what lies before it has been read
 * over four times for faults, it goes on where the fault was noticed rather than where the faulty
 * event began, so that no text costs more. */
static void skip_fault(clg_kineto *r, size_t scanned, bool *in_events) {
    enum { CHEAP_BYTES = 1 << 17 }; /* that little may always be */
    clg_window *w = &r->window;
    r->rescanned += (int64_t)scanned;
    bool thrifty = r->rescanned > 4 * (position(r) + CHEAP_BYTES);
    w->at += thrifty && scanned > 1 ? scanned : 1;
    if (w->at > w->size) w->at = w->size;
    resynchronize(r, in_events);
}

/* How much of the window a scan that failed has read: all of it where it met the end. */
static size_t scanned_bytes(const clg_kineto *r, const clg_scan *s, clg_scan_status status) {
    const char *until = status == CLG_SCAN_SHORT ? s->end : s->at;
    return (size_t)(until - clg_window_scan(&r->window).at);
}

static void read_event(clg_kineto *r, bool *in_events) {
    for (;;) {
        clg_scan s = clg_window_scan(&r->window);
        clg_trace_event event;
        clg_trace_arguments room;
        clg_scan_status status = clg_trace_event_scan(&s, &event, &room);
        if (status == CLG_SCAN_OK) {
            int64_t byte = position(r);
            r->window.at = (size_t)(s.at - r->window.data);
            clg_kineto_verdict verdict;
            clg_kineto_judge(&event, &verdict);
            clg_kineto_take(r, &event, &verdict, byte);
            return;
        }
        size_t scanned = scanned_bytes(r, &s, status);
        if (status == CLG_SCAN_SHORT && clg_window_more(&r->window)) continue;
        r->cut = status == CLG_SCAN_SHORT && r->window.final;
        clg_kineto_lose(r, position(r), 1, r->cut ? "the text ends in an event" : "no JSON");
        skip_fault(r, scanned, in_events);
        return;
    }
}

/* pg_config: [{"pg_name": "1", "pg_desc": "...", "pg_size": 8, "ranks": [0, 1, ...]}, ...]. Kept as
 * the texts that a call with all its metadata would give: calls that tell only their group's name
 * get its ranks from here. */
static void read_groups(clg_kineto *r, const clg_json *list) {
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
        clg_kineto_group row = {.name = {name->text, strlen(name->text)},
                                .ranks = {text.data, text.size},
                                .size = count};
        if (about && about->kind == CLG_JSON_STRING)
            row.description = (clg_slice){about->text, strlen(about->text)};
        CLG_APPEND(&r->scratch, r->group, r->group_count, r->group_capacity, row);
    }
}

static void read_distributed(clg_kineto *r, clg_slice value) {
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

static void take_member(clg_kineto *r, clg_slice key, clg_slice value) {
    if (clg_slice_is(key, "distributedInfo"))
        read_distributed(r, value);
    else if (clg_slice_is(key, "baseTimeNanoseconds"))
        r->base_ns = clg_scan_integer(value, 0);
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

static void read_member(clg_kineto *r, bool *in_events) {
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
        clg_kineto_lose(r, position(r), 0, "no JSON in the header");
        skip_fault(r, scanned, in_events);
        return;
    }
}

static void read_step(clg_kineto *r, char next, bool *in_events) {
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
        clg_kineto_lose(r, position(r), 0, "text between events");
        resynchronize(r, in_events);
    }
}

static void read_text(clg_kineto *r) {
    clg_window *w = &r->window;
    clg_window_more(w);
    if (w->size >= 3 && memcmp(w->data, "\xef\xbb\xbf", 3) == 0) w->at = 3;
    char next = clg_window_next(w);
    bool in_events = next == '[';
    if (next == '{' || next == '[') w->at++;
    bool helped = !r->cores;
    while ((next = clg_window_next(w)) != 0) {
        if (!helped && in_events && next == '{') {
            helped = true;
            clg_kineto_read_ahead(r);
        } else
            read_step(r, next, &in_events);
    }
    if (!r->closed && !r->cut) clg_kineto_lose(r, position(r), 0, "the text ends early");
}

/* ---- afterwards ---- */

static void name_gpu(clg_kineto *r, clg_trace *t) {
    clg_json *root;
    clg_error ignored = {0};
    if (!r->devices.text || clg_json_parse(&r->scratch, "deviceProperties", r->devices.text,
                                           r->devices.size, &root, &ignored) != CLG_OK)
        return;
    const clg_json *device = root->first;
    for (const clg_json *d = root->first; d; d = d->next) {
        const clg_json *id = clg_json_member(d, "id");
        if (id && id->kind == CLG_JSON_NUMBER && id->number == t->device) device = d;
    }
    const clg_json *name = clg_json_member(device, "name");
    if (name && name->kind == CLG_JSON_STRING)
        t->gpu = clg_intern_text(&t->groups, (clg_slice){name->text, strlen(name->text)});
}

static int by_start(const void *a, const void *b) {
    const clg_trace_call *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* On one clock with other files, where the file tells its base. */
static void rebase(const clg_kineto *r, clg_trace *t) {
    if (r->base_ns <= 0 || r->base_ns > CLG_TRACE_LATEST_NS || t->timeline.count == 0 ||
        t->timeline.events[0].start_ns > absolute_ns)
        return;
    for (size_t i = 0; i < t->timeline.count; i++) {
        t->timeline.events[i].start_ns += r->base_ns;
        if (t->launch_ns && t->launch_ns[i] != INT64_MIN) t->launch_ns[i] += r->base_ns;
    }
    for (size_t i = 0; i < t->call_count; i++) t->calls[i].start_ns += r->base_ns;
    for (size_t i = 0; i < t->stretch_count; i++) t->stretch[i].start_ns += r->base_ns;
    t->ledger.start_ns += r->base_ns;
    for (size_t i = 0; i < t->step_count; i++) {
        t->step[i].start_ns += r->base_ns;
        t->step[i].ledger.start_ns += r->base_ns;
    }
}

/* Calls that told the name of their group only, from what the header says of it. */
static void complete_groups(clg_kineto *r) {
    clg_trace *t = r->trace;               /* whose groups are asked */
    clg_map rows = {.arena = &r->scratch}; /* a name without ranks -> row of the header */
    for (size_t i = 0; i < r->group_count; i++)
        clg_map_put(&rows, clg_kineto_group_of(r, r->group[i].name, (clg_slice){0}) + 1,
                    (uint32_t)i);
    for (size_t i = 0; i < t->call_count && r->group_count > 0; i++) {
        clg_trace_description *what = &t->calls[i].what;
        uint32_t at = what->grouped ? clg_map_get(&rows, what->group + 1, UINT32_MAX) : UINT32_MAX;
        if (at == UINT32_MAX) continue;
        const clg_kineto_group *g = &r->group[at];
        what->group = clg_kineto_group_of(r, g->name, g->ranks);
        if (what->group_size < 0) what->group_size = g->size;
        if (what->axis == CLG_SPLIT_UNKNOWN)
            what->axis = (uint8_t)clg_split_of_words(g->description);
    }
}

static void finish(clg_kineto *r, clg_trace *t) {
    r->trace = t;
    name_gpu(r, t);
    for (uint32_t i = 0; i < t->timeline.track_count; i++) t->timeline.tracks[i].rank = t->rank;
    clg_order(&r->scratch, t->calls, t->call_count, sizeof *t->calls, by_start);
    t->ledger = clg_timeline_ledger(&r->scratch, &t->timeline, t->rank);
    clg_ranges_to_steps(&r->ranges, t);
    clg_launches_find(&r->launches, t);
    clg_launches_describe(&r->launches, t);
    complete_groups(r);
    clg_launches_multiply(&r->launches, t);
    clg_launches_keep(&r->launches, t);
    clg_captured_keep(&r->launches, t);
    clg_ranges_to_phases(&r->ranges, &r->launches, t);
    clg_trace_split_idle(&r->scratch, t);
    clg_steps_assign(&r->scratch, t);
    clg_kineto_sum_memory(r, t);
    rebase(r, t);
}

/* Every GPU is a rank; what the host did is known to all. */
static void finish_all(clg_kineto *r, clg_trace **traces, int *count) {
    clg_trace *t = r->trace;
    if (t->rank < 0) t->rank = clg_trace_rank_of_name(t->file);
    t->timeline.names = r->names.texts;
    t->timeline.name_count = t->timeline.name_capacity = (uint32_t)r->names.count;
    clg_kineto_split(r, traces, count);
    r->ranks = *count;
    const clg_product *products = r->launches.product; /* each GPU has its own kernels for them */
    size_t products_size = r->launches.product_count * sizeof *products;
    for (int i = 0; i < *count; i++) {
        if (i + 1 < *count && products_size > 0) {
            r->launches.product = clg_arena_take(&r->scratch, 1, products_size);
            memcpy(r->launches.product, products, products_size);
        }
        finish(r, &(*traces)[i]);
        r->launches.product = (clg_product *)products;
    }
}

clg_status clg_kineto_read(clg_arena *arena, const char *file, clg_trace_source source,
                           const clg_csv *table, const clg_cores *cores, clg_trace **traces,
                           int *count, clg_error *error) {
    clg_trace *trace = clg_take(arena, 1, clg_trace);
    *trace = (clg_trace){.file = file, .rank = -1, .world_size = -1, .device = -1};
    trace->timeline.arena = trace->groups.arena = arena;
    clg_kineto r = {.arena = arena, .table = table, .cores = cores, .trace = trace};
    r.window = (clg_window){.arena = &r.scratch, .source = source};
    r.names.arena = arena;
    r.ranges.arena = r.tracks.arena = r.launches.kernels.arena = r.launches.arena =
        r.launches.by_correlation.arena = &r.scratch;
    read_text(&r);
    *traces = trace;
    *count = 1;
    if (r.events_seen) finish_all(&r, traces, count);
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
    for (; clg_is_digit(*p) && value < INT32_MAX / 10; p++) value = value * 10 + (*p - '0');
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
    enum { MOST_DIGITS = 5 }; /* longer numbers are of processes, jobs or times */
    const char *json = strstr(name, ".json"), *p = json;
    while (p && p > name && clg_is_digit(p[-1])) p--;
    bool told = p && p < json && json - p <= MOST_DIGITS && p > name && p[-1] == '_';
    return told ? digits_at(p) : -1;
}

/* ---- as a reader ---- */

/* The head of a trace may be what is damaged. */
static bool probe(clg_slice head) {
    return clg_head_is_json(head) || clg_slice_has(head, "\"ph\"");
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    clg_status status = clg_kineto_read(&into->arena, into->file, source, kernels, into->cores,
                                        &into->traces, &into->count, &into->error);
    if (status != CLG_OK) into->count = 0;
    return status;
}

const clg_reader clg_reader_kineto = {"kineto", probe, read};
