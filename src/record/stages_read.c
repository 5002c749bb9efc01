/* stages_read.c -- operation timelines from their JSON.
 *
 * Chrome events: the name is the kind, pid the replica, args hold step and sequence, and the name
 * of the thread says which stage it belongs to. Threads are named anywhere in the file. */
#include "base/letters.h"
#include "record/recording.h"
#include "record/stages.h"

#include <stdlib.h>

enum { MOST_WORKERS = 1 << 20 };

typedef struct reader {
    clg_arena *arena;
    clg_arena scratch;
    clg_window window;
    clg_stages *stages;
    int64_t rescanned; /* bytes read again after faults */
    clg_map threads;   /* (pid, tid) -> in stage_of */
    int32_t *stage_of; /* -1: not named yet */
    size_t thread_count, thread_capacity;
} reader;

static int32_t thread_of(reader *r, clg_slice pid, clg_slice tid) {
    uint64_t key = clg_trace_hash(tid, clg_trace_hash(pid, 0));
    uint32_t known = clg_map_get(&r->threads, key, UINT32_MAX);
    if (known != UINT32_MAX) return (int32_t)known;
    int32_t none = -1;
    clg_map_put(&r->threads, key, (uint32_t)r->thread_count);
    CLG_APPEND(&r->scratch, r->stage_of, r->thread_count, r->thread_capacity, none);
    return (int32_t)r->thread_count - 1;
}

/* "PP rank 3, TP rank 0, compute" */
static void take_thread(reader *r, clg_slice pid, clg_slice tid, clg_slice arguments) {
    clg_member name[] = {{"name", {0}}};
    static const char words[] = "PP rank ";
    if (arguments.size == 0 || *arguments.text != '{') return;
    clg_scan s = {arguments.text, arguments.text + arguments.size};
    if (clg_scan_members(&s, name, 1) != CLG_SCAN_OK || !clg_slice_starts(name->value, words))
        return;
    clg_slice number = {name->value.text + sizeof words - 1, 0};
    size_t left = name->value.size - (sizeof words - 1);
    while (number.size < left && clg_is_digit(number.text[number.size])) number.size++;
    int64_t stage = clg_scan_integer(number, -1);
    if (stage < 0 || stage >= MOST_WORKERS) return;
    int32_t thread = thread_of(r, pid, tid); /* before `stage_of` is read: it may move */
    r->stage_of[thread] = (int32_t)stage;
}

static int kind_of(clg_slice name) {
    for (const clg_name *n = clg_stage_kind_names; n->name; n++)
        if (clg_slice_is(name, n->name)) return n->value;
    return -1;
}

enum { PHASE, NAME, PID, TID, START, DURATION, ARGUMENTS, MEMBERS };
enum { STEP, CHUNK, SEQUENCE, NUMBERS };

static void take_operation(reader *r, const clg_member *m) {
    clg_member numbers[NUMBERS] = {{"step", {0}}, {"model_chunk", {0}}, {"seq_id", {0}}};
    clg_slice arguments = m[ARGUMENTS].value;
    clg_stages *out = r->stages;
    if (arguments.size == 0 || *arguments.text != '{') return;
    clg_scan s = {arguments.text, arguments.text + arguments.size};
    if (clg_scan_members(&s, numbers, NUMBERS) != CLG_SCAN_OK) return;
    int kind = kind_of(m[NAME].value);
    int64_t sequence = clg_scan_integer(numbers[SEQUENCE].value, -1),
            replica = clg_scan_integer(m[PID].value, -1);
    clg_stage_op op = {.step = clg_scan_integer(numbers[STEP].value, -1), .kind = (uint8_t)kind};
    bool known =
        kind >= 0 && op.step >= 0 && sequence >= 0 && sequence < INT32_MAX && replica >= 0 &&
        replica < MOST_WORKERS && clg_scan_decimal(m[START].value, 3, &op.start_ns) &&
        clg_scan_decimal(m[DURATION].value, 3, &op.duration_ns) &&
        llabs(op.start_ns) < INT64_MAX / 4 && llabs(op.duration_ns) < CLG_STAGES_LONGEST_NS;
    if (!known) {
        out->others++;
        return;
    }
    op.sequence = (int32_t)sequence;
    op.replica = (int32_t)replica;
    op.stage = thread_of(r, m[PID].value, m[TID].value); /* until all are named */
    if (clg_scan_integer(numbers[CHUNK].value, 0) > 0)
        out->unknown = "a stage holds several chunks";
    CLG_APPEND(r->arena, out->op, out->count, out->capacity, op);
}

static void take_event(reader *r, const clg_member *m) {
    if (clg_slice_is(m[PHASE].value, "X"))
        take_operation(r, m);
    else if (clg_slice_is(m[NAME].value, "thread_name"))
        take_thread(r, m[PID].value, m[TID].value, m[ARGUMENTS].value);
}

/* Once the text has been read over four times for faults, nothing is read again, so that no text
 * costs more. */
static void skip_fault(reader *r, size_t scanned) {
    clg_window *w = &r->window;
    r->stages->others++;
    r->rescanned += (int64_t)scanned;
    bool thrifty = r->rescanned > 4 * (w->offset + (int64_t)w->size);
    w->at += thrifty && scanned > 1 ? scanned : 1;
    if (w->at > w->size) w->at = w->size;
}

/* Events wherever an object with a phase begins; anything else is passed over. */
static void read_text(reader *r) {
    clg_window *w = &r->window;
    clg_window_more(w);
    for (char next; (next = clg_window_next(w)) != 0;) {
        clg_scan s = clg_window_scan(w);
        bool whole, event = next == '{' && clg_scan_event_here(s.at, s.end, &whole);
        if (!event) {
            if (next == '{' && !whole && clg_window_more(w)) continue;
            w->at++;
            continue;
        }
        clg_member m[MEMBERS] = {{"ph", {0}}, {"name", {0}}, {"pid", {0}}, {"tid", {0}},
                                 {"ts", {0}}, {"dur", {0}},  {"args", {0}}};
        clg_scan_status status = clg_scan_members(&s, m, MEMBERS);
        if (status == CLG_SCAN_SHORT && clg_window_more(w)) continue;
        if (status == CLG_SCAN_OK) {
            take_event(r, m);
            w->at = (size_t)(s.at - w->data);
        } else
            skip_fault(r, (size_t)((status == CLG_SCAN_SHORT ? s.end : s.at) - (w->data + w->at)));
    }
}

static void place(reader *r) {
    clg_stages *s = r->stages;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        int32_t stage = r->stage_of[s->op[i].stage];
        if (stage < 0) continue;
        s->op[kept] = s->op[i];
        s->op[kept++].stage = stage;
    }
    s->others += (int64_t)(s->count - kept);
    s->count = kept;
}

static int compare(int64_t x, int64_t y) { return (x > y) - (x < y); }

static int in_order(const void *a, const void *b) {
    const clg_stage_op *x = a, *y = b;
    if (x->step != y->step) return compare(x->step, y->step);
    if (x->replica != y->replica) return compare(x->replica, y->replica);
    if (x->stage != y->stage) return compare(x->stage, y->stage);
    if (x->kind != y->kind) return compare(x->kind, y->kind);
    if (x->sequence != y->sequence) return compare(x->sequence, y->sequence);
    if (x->start_ns != y->start_ns) return compare(x->start_ns, y->start_ns);
    return compare(x->duration_ns, y->duration_ns);
}

bool clg_stages_read(clg_stages_list *list, const char *file, clg_trace_source source) {
    clg_stages stages = {.file = file};
    reader r = {.arena = list->arena, .stages = &stages};
    r.window = (clg_window){.arena = &r.scratch, .source = source};
    r.threads.arena = &r.scratch;
    read_text(&r);
    place(&r);
    clg_arena_clear(&r.scratch);
    if (stages.count == 0) return false;
    qsort(stages.op, stages.count, sizeof *stages.op, in_order);
    clg_stages_replay(list->arena, &stages);
    CLG_APPEND(list->arena, list->file, list->count, list->capacity, stages);
    return true;
}

/* ---- as a reader ---- */

static bool probe(clg_slice head) {
    return clg_head_is_json(head) && clg_slice_has(head, "ward-compute\"") &&
           clg_slice_has(head, "\"seq_id\"");
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    (void)kernels;
    into->stages.arena = &into->arena;
    if (clg_stages_read(&into->stages, into->file, source)) return CLG_OK;
    return clg_recording_refuse(into,
                                "operations need step, seq_id and a thread named after its PP rank",
                                "an operation timeline without operations");
}

const clg_reader clg_reader_stages = {"stages", probe, read};
