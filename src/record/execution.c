/* execution.c -- graphs of operators in JSON, and what they lend to traces. */
#include "record/execution.h"

#include "base/letters.h"
#include "record/ns.h"
#include "record/recording.h"

#include <string.h>

typedef struct reader {
    clg_arena *arena;
    clg_arena scratch;
    clg_window window;
    clg_execution *out;
    bool nodes_seen, in_nodes;
} reader;

/* ---- tensors ---- */

/* The next "[2048, 4]" without lists in it. */
static bool next_shape(clg_slice *text, clg_slice *shape) {
    if (text->size == 0) return false;
    const char *open = NULL, *end = text->text + text->size;
    for (const char *p = text->text; p < end; p++) {
        if (*p == '[') open = p;
        if (*p != ']' || !open) continue;
        *shape = (clg_slice){open, (size_t)(p + 1 - open)};
        *text = (clg_slice){p + 1, (size_t)(end - p - 1)};
        return true;
    }
    return false;
}

/* The type in the next "Tensor(c10::Half)". */
static bool next_type(clg_slice *text, clg_slice *type) {
    static const char word[] = "Tensor(";
    if (text->size == 0) return false;
    const char *end = text->text + text->size;
    for (const char *p = text->text; (size_t)(end - p) >= sizeof word; p++) {
        if (memcmp(p, word, sizeof word - 1) != 0) continue;
        const char *from = p + sizeof word - 1, *to = memchr(from, ')', (size_t)(end - from));
        if (!to) return false;
        *type = (clg_slice){from, (size_t)(to - from)};
        *text = (clg_slice){to, (size_t)(end - to)};
        return true;
    }
    return false;
}

static int64_t elements_of(clg_slice shape) {
    int64_t product = 1, number = -1;
    for (size_t i = 1; i < shape.size; i++) {
        char c = shape.text[i];
        if (clg_is_digit(c)) {
            if (number > INT64_MAX / 64) return -1;
            number = (number < 0 ? 0 : number) * 10 + (c - '0');
        } else if (number >= 0) {
            if (number > 0 && product > INT64_MAX / 64 / number) return -1;
            product *= number;
            number = -1;
        }
    }
    return product;
}

/* Bytes of the tensors of an argument list: the n-th shape belongs to the n-th tensor. Shapes of
 * other arguments come behind. -1: not known. */
static int64_t tensor_bytes(clg_slice shapes, clg_slice types) {
    clg_slice shape, type;
    int64_t total = -1;
    while (next_type(&types, &type) && next_shape(&shapes, &shape)) {
        int64_t count = elements_of(shape);
        int bytes = clg_trace_element_bytes(type);
        if (count < 0 || bytes == 0 || count > INT64_MAX / 64) return -1;
        total = (total < 0 ? 0 : total) + count * bytes;
        if (total > INT64_MAX / 64) return -1;
    }
    return total;
}

/* ---- nodes ---- */

/* A value of 1.1's list [{"name": "pg_size", "type": "uint64", "value": 8}, ...]. */
static void take_attributes(clg_slice list, clg_member *wanted, int count) {
    if (list.size == 0) return;
    clg_scan s = {list.text, list.text + list.size};
    while (s.at < s.end && *s.at != '{') s.at++;
    while (s.at < s.end && *s.at == '{') {
        clg_member m[] = {{"name", {0}}, {"value", {0}}};
        if (clg_scan_members(&s, m, 2) != CLG_SCAN_OK) return;
        for (int i = 0; i < count; i++)
            if (clg_slice_is(m[0].value, wanted[i].key)) wanted[i].value = m[1].value;
        clg_scan_separators(&s);
    }
}

/* The first string in a list of inputs. */
static clg_slice first_string(clg_slice list) {
    clg_slice text = {0};
    if (list.size == 0) return text;
    clg_scan s = {list.text, list.text + list.size};
    for (int depth = 0; s.at < s.end; s.at++) {
        depth += *s.at == '[';
        depth -= *s.at == ']';
        if (*s.at != '"' || depth > 1) continue;
        if (clg_scan_value(&s, &text) != CLG_SCAN_OK) return (clg_slice){0};
        return text;
    }
    return text;
}

/* How many numbers stand in "[768, 768]"; 0 where lists or texts do too. */
static int64_t numbers_in(clg_slice list) {
    int64_t count = 0;
    for (size_t i = 1; i < list.size; i++) {
        char c = list.text[i], before = list.text[i - 1];
        bool digit = clg_is_digit(c), inside = clg_is_digit(before);
        if (c == '[' || c == '"') return 0;
        count += digit && !inside;
    }
    return count;
}

/* record_param_comms lists: tensors, sequence, group, rank, operation, lengths of the parts that
 * each rank sends and receives (lists) and, mostly, numbers, the last of which is the size of the
 * group. The last number of all may be the length of a part: only what stands for itself behind the
 * operation counts, and else the number of parts. -1: not known. */
static int64_t group_size_of(clg_slice list) {
    if (list.size < 2) return -1;
    clg_scan s = {list.text + 1, list.text + list.size};
    bool named = false;
    int64_t last = -1, parts = -1;
    for (;;) {
        clg_slice value;
        clg_scan_separators(&s);
        if (s.at >= s.end || *s.at == ']') break;
        bool text = *s.at == '"';
        if (clg_scan_value(&s, &value) != CLG_SCAN_OK) break;
        int64_t number = text ? -1 : clg_scan_integer(value, -1);
        if (named && number > 0 && number <= INT32_MAX) last = number;
        if (named && value.size > 0 && *value.text == '[' && numbers_in(value) > 0)
            parts = numbers_in(value);
        named = named || (text && clg_trace_operation(value) != CLG_OPERATION_UNKNOWN);
    }
    return last > 0 ? last : parts;
}

enum { COLLECTIVE, TYPE, IN_ELEMENTS, OUT_ELEMENTS, GROUP, GROUP_SIZE, RANK, ATTRIBUTES };

void clg_execution_took(clg_execution *x, bool communicates, int64_t duration_ns) {
    int64_t *sum = communicates ? &x->communication_ns : &x->compute_ns;
    if (duration_ns > 0) *sum = *sum < 0 ? duration_ns : clg_ns_plus(*sum, duration_ns);
}

static void add_call(reader *r, clg_execution_call call) {
    clg_execution *x = r->out;
    x->communications++;
    CLG_APPEND(r->arena, x->call, x->calls, x->capacity, call);
}

/* What the attributes of schema 1.1 say. */
static void take_described(reader *r, const clg_member *a) {
    clg_operation operation = clg_trace_operation(a[COLLECTIVE].value);
    if (operation == CLG_OPERATION_UNKNOWN) return; /* wait, init */
    bool gather = operation == CLG_OPERATION_ALL_GATHER;
    int64_t count = clg_scan_integer(a[gather ? OUT_ELEMENTS : IN_ELEMENTS].value, -1);
    int bytes = clg_trace_element_bytes(a[TYPE].value);
    bool known = count >= 0 && bytes > 0 && count < INT64_MAX / 64;
    clg_slice group = a[GROUP].value;
    add_call(r, (clg_execution_call){operation, known ? count * bytes : -1,
                                     clg_scan_integer(a[GROUP_SIZE].value, -1), -1,
                                     group.size ? clg_arena_copy(r->arena, group.text, group.size)
                                                : NULL});
    int64_t rank = clg_scan_integer(a[RANK].value, -1);
    if (rank >= 0 && rank < INT32_MAX) r->out->rank = (int32_t)rank;
}

/* record_param_comms: tensors, sequence, group, rank, operation, splits, size of the group. */
static void take_recorded(reader *r, const clg_member *m) {
    enum { INPUTS, SHAPES, TYPES, ATTRIBUTE_LIST };
    clg_member a[ATTRIBUTES] = {
        {"collective_name", {0}}, {"dtype", {0}},   {"in_msg_nelems", {0}}, {"out_msg_nelems", {0}},
        {"pg_name", {0}},         {"pg_size", {0}}, {"rank", {0}}};
    clg_member in[] = {
        {"values", m[INPUTS].value}, {"shapes", m[SHAPES].value}, {"types", m[TYPES].value}};
    if (m[INPUTS].value.size && *m[INPUTS].value.text == '{') {
        clg_scan s = {m[INPUTS].value.text, m[INPUTS].value.text + m[INPUTS].value.size};
        if (clg_scan_members(&s, in, 3) != CLG_SCAN_OK) return;
    }
    take_attributes(m[ATTRIBUTE_LIST].value, a, ATTRIBUTES);
    if (a[COLLECTIVE].value.size) {
        take_described(r, a);
        return;
    }
    clg_operation operation = clg_trace_operation(first_string(in[0].value));
    if (operation == CLG_OPERATION_UNKNOWN) return;
    int64_t bytes = tensor_bytes(in[1].value, in[2].value);
    int64_t ranks = group_size_of(in[0].value);
    if (operation == CLG_OPERATION_ALL_GATHER) /* inputs are one rank's part */
        bytes = bytes >= 0 && ranks > 0 && bytes < INT64_MAX / 64 / ranks ? bytes * ranks : -1;
    add_call(r, (clg_execution_call){operation, bytes, ranks > 0 ? ranks : -1, -1, NULL});
}

/* A node of Chakra's JSON; is_cpu_op tells launches from what runs on the GPU. */
static void take_chakra(reader *r, clg_slice name, const clg_member *m) {
    enum { TYPE_NUMBER, RUNTIME, ON_CPU };
    int64_t type = clg_scan_integer(m[TYPE_NUMBER].value, -1), duration_ns;
    if (!clg_scan_decimal(m[RUNTIME].value, 3, &duration_ns)) duration_ns = -1;
    if (clg_slice_is(m[ON_CPU].value, "true") || duration_ns > CLG_TRACE_LONGEST_NS) return;
    bool communicates = type >= 5 && type <= 7;
    clg_execution_took(r->out, communicates, duration_ns);
    if (communicates)
        add_call(r, (clg_execution_call){clg_trace_operation(name), -1, -1, duration_ns, NULL});
}

static void take_node(reader *r, const clg_member *m) {
    enum { NAME, NAME_TOO, INPUTS, TYPE_NUMBER = 6 };
    clg_slice name = m[NAME].value.size ? m[NAME].value : m[NAME_TOO].value;
    r->out->nodes++;
    if (m[TYPE_NUMBER].value.size) {
        r->out->format = "Chakra";
        take_chakra(r, name, m + TYPE_NUMBER);
    } else if (clg_slice_is(name, "record_param_comms"))
        take_recorded(r, m + INPUTS);
}

/* ---- the text ---- */

static clg_scan_status scan_node(reader *r, clg_scan *s) {
    clg_member m[] = {{"name", {0}},         {"Name", {0}},        {"inputs", {0}},
                      {"input_shapes", {0}}, {"input_types", {0}}, {"attrs", {0}},
                      {"NodeType", {0}},     {"runtime", {0}},     {"is_cpu_op", {0}}};
    clg_scan_status status = clg_scan_members(s, m, sizeof m / sizeof *m);
    if (status == CLG_SCAN_OK) take_node(r, m);
    return status;
}

static clg_scan_status scan_member(reader *r, clg_scan *s) {
    clg_slice key, value;
    clg_scan_status status = clg_scan_key(s, &key);
    if (status != CLG_SCAN_OK) return status;
    r->in_nodes =
        (clg_slice_is(key, "nodes") || clg_slice_is(key, "workload_graph")) && *s->at == '[';
    r->nodes_seen |= r->in_nodes;
    if (!r->in_nodes) return clg_scan_value(s, &value);
    s->at++;
    return CLG_SCAN_OK;
}

/* A node that cannot be read ends the reading: what a graph lacks in its middle nobody knows. */
static void read_text(reader *r) {
    clg_window *w = &r->window;
    clg_window_more(w);
    char next = clg_window_next(w);
    if (next == '{') w->at++;
    while ((next = clg_window_next(w)) != 0) {
        clg_scan s = clg_window_scan(w);
        clg_scan_status status = CLG_SCAN_OK;
        if (r->in_nodes && next == '{')
            status = scan_node(r, &s);
        else if (!r->in_nodes && next == '"')
            status = scan_member(r, &s);
        else if (next == (r->in_nodes ? ']' : '}')) {
            r->in_nodes = false;
            s.at++;
        } else
            status = CLG_SCAN_DAMAGED;
        if (status == CLG_SCAN_SHORT && clg_window_more(w)) continue;
        r->out->damaged = status != CLG_SCAN_OK;
        if (r->out->damaged) return;
        w->at = (size_t)(s.at - w->data);
    }
    r->out->damaged = r->in_nodes; /* the text ended between two of them */
}

bool clg_execution_read_json(clg_executions *list, const char *file, clg_trace_source source) {
    clg_execution out = {.file = file,
                         .format = "PyTorch execution trace",
                         .rank = clg_trace_rank_of_name(file),
                         .compute_ns = -1,
                         .communication_ns = -1};
    reader r = {.arena = list->arena, .out = &out};
    r.window = (clg_window){.arena = &r.scratch, .source = source};
    read_text(&r);
    clg_arena_clear(&r.scratch);
    if (!r.nodes_seen || out.nodes == 0) return false;
    CLG_APPEND(list->arena, list->file, list->count, list->capacity, out);
    return true;
}

/* ---- beside a trace ---- */

static bool helped(clg_trace *t, clg_trace_call *call, const clg_execution_call *from) {
    clg_trace_description *what = &call->what;
    bool helps = (what->bytes < 0 && from->bytes >= 0) ||
                 (what->group_size < 0 && from->group_size > 0) || (!what->grouped && from->group);
    if (what->bytes < 0) what->bytes = from->bytes;
    if (what->group_size < 0) what->group_size = from->group_size;
    if (!what->grouped && from->group) {
        what->grouped = true;
        what->group = what->group_name =
            clg_intern_add(&t->groups, (clg_slice){from->group, strlen(from->group)});
    }
    return helps;
}

/* A group of one has nothing to communicate, and no kernel. */
static bool launches(const clg_execution_call *c, clg_operation operation) {
    return c->operation == operation && c->group_size != 1;
}

int64_t clg_execution_lend(const clg_execution *x, clg_trace *t) {
    int64_t count = 0;
    for (clg_operation o = CLG_OPERATION_ALL_REDUCE; o <= CLG_OPERATION_COMBINE; o++) {
        size_t theirs = 0, ours = 0, at = 0;
        for (size_t i = 0; i < x->calls; i++) theirs += launches(&x->call[i], o);
        for (size_t i = 0; i < t->call_count; i++) ours += t->calls[i].what.operation == o;
        for (size_t i = 0; ours == theirs && i < t->call_count; i++) {
            if (t->calls[i].what.operation != o) continue;
            while (!launches(&x->call[at], o)) at++;
            count += helped(t, &t->calls[i], &x->call[at++]);
        }
    }
    return count;
}

/* ---- as a reader ---- */

static bool probe(clg_slice head) {
    if (!clg_head_is_json(head) || clg_slice_has(head, "\"traceEvents\"") ||
        clg_slice_has(head, "\"ph\""))
        return false;
    return clg_slice_has(head, "\"workload_graph\"") ||
           (clg_slice_has(head, "\"schema\"") && clg_slice_has(head, "\"nodes\""));
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    (void)kernels;
    into->executions.arena = &into->arena;
    if (clg_execution_read_json(&into->executions, into->file, source)) return CLG_OK;
    return clg_recording_refuse(into, "record it again", "an execution trace without operators");
}

const clg_reader clg_reader_execution = {"execution", probe, read};
