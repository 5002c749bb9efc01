/* chakra.c -- Chakra's protobuf: a file of length-delimited messages, metadata and then nodes. */
#include "base/letters.h"
#include "record/execution.h"
#include "record/ns.h"
#include "record/protobuf.h"
#include "record/recording.h"

#include <string.h>

/* Field numbers of et_def.proto (mlcommons/chakra at f5124d76). */
enum { NODE_ID = 1, NODE_NAME = 2, NODE_TYPE = 3, NODE_MICROS = 7, NODE_ATTRIBUTE = 10 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_INT64 = 9, ATTRIBUTE_UINT64 = 13, ATTRIBUTE_BOOL = 27 };
enum { ATTRIBUTE_INT32 = 7, ATTRIBUTE_UINT32 = 11, ATTRIBUTE_TEXT = 29 };
enum { TYPE_SEND = 5, TYPE_COLLECTIVE = 7, TYPE_LAST = 10 };

/* CollectiveCommType, in its order. */
static const clg_operation collectives[] = {
    CLG_OPERATION_ALL_REDUCE, CLG_OPERATION_REDUCE,         CLG_OPERATION_ALL_GATHER,
    CLG_OPERATION_UNKNOWN,    CLG_OPERATION_UNKNOWN,        CLG_OPERATION_BROADCAST,
    CLG_OPERATION_ALL_TO_ALL, CLG_OPERATION_REDUCE_SCATTER, CLG_OPERATION_REDUCE_SCATTER,
    CLG_OPERATION_BARRIER};

typedef struct attributes {
    int64_t bytes, collective;
    bool on_cpu;
    clg_slice group;
} attributes;

static void take_attribute(clg_slice message, attributes *a) {
    clg_slice name = {0}, text = {0};
    uint64_t number = 0;
    bool numbered = false;
    for (clg_field f; clg_protobuf_next(&message, &f);) {
        if (f.number == ATTRIBUTE_NAME) name = f.bytes;
        if (f.number == ATTRIBUTE_TEXT) text = f.bytes;
        if (f.number == ATTRIBUTE_INT64 || f.number == ATTRIBUTE_UINT64 ||
            f.number == ATTRIBUTE_INT32 || f.number == ATTRIBUTE_UINT32 ||
            f.number == ATTRIBUTE_BOOL) {
            number = f.value;
            numbered = true;
        }
    }
    if (clg_slice_is(name, "pg_name")) a->group = text;
    if (!numbered) return;
    if (clg_slice_is(name, "is_cpu_op")) a->on_cpu = number != 0;
    if (number > INT64_MAX / 64) return;
    if (clg_slice_is(name, "comm_size")) a->bytes = (int64_t)number;
    if (clg_slice_is(name, "comm_type")) a->collective = (int64_t)number;
}

static clg_operation operation_of(uint64_t type, const attributes *a, clg_slice name) {
    if (type != TYPE_COLLECTIVE)
        return type == TYPE_SEND ? CLG_OPERATION_SEND : CLG_OPERATION_RECEIVE;
    bool known =
        a->collective >= 0 && a->collective < (int64_t)(sizeof collectives / sizeof *collectives);
    return known ? collectives[a->collective] : clg_trace_operation(name);
}

static void take_node(clg_arena *arena, clg_execution *x, clg_slice message) {
    attributes a = {.bytes = -1, .collective = -1};
    clg_slice name = {0};
    uint64_t type = 0, micros = 0;
    for (clg_field f; clg_protobuf_next(&message, &f);) {
        if (f.number == NODE_NAME) name = f.bytes;
        if (f.number == NODE_TYPE) type = f.value;
        if (f.number == NODE_MICROS) micros = f.value;
        if (f.number == NODE_ATTRIBUTE) take_attribute(f.bytes, &a);
    }
    x->nodes++;
    if (a.on_cpu || micros > CLG_TRACE_LONGEST_NS / 1000) return;
    int64_t duration_ns = micros > 0 ? (int64_t)micros * 1000 : -1;
    bool communicates = type >= TYPE_SEND && type <= TYPE_COLLECTIVE;
    clg_execution_took(x, communicates, duration_ns);
    if (!communicates) return;
    clg_execution_call call = {operation_of(type, &a, name), a.bytes, -1, duration_ns, NULL};
    if (a.group.size) call.group = clg_arena_copy(arena, a.group.text, a.group.size);
    x->communications++;
    CLG_APPEND(arena, x->call, x->calls, x->capacity, call);
}

static bool next_message(clg_slice *data, clg_slice *message) {
    uint64_t size;
    return clg_protobuf_varint(data, &size) && clg_protobuf_take(data, size, message);
}

/* "chakra.3.et" */
static int32_t rank_of(const char *path) {
    int32_t rank = clg_trace_rank_of_name(path);
    size_t size = strlen(path), end = size > 3 ? size - 3 : 0, at = end;
    if (rank >= 0 || end == 0 || strcmp(path + end, ".et") != 0) return rank;
    while (at > 0 && clg_is_digit(path[at - 1])) at--;
    if (at == end || end - at > 8 || at == 0 || path[at - 1] != '.') return -1;
    rank = 0;
    for (; at < end; at++) rank = rank * 10 + (path[at] - '0');
    return rank;
}

bool clg_execution_read_chakra(clg_executions *list, const char *file, clg_slice data) {
    clg_execution x = {.file = file,
                       .format = "Chakra",
                       .rank = rank_of(file),
                       .compute_ns = -1,
                       .communication_ns = -1};
    clg_slice message;
    if (!next_message(&data, &message)) return false; /* metadata */
    while (next_message(&data, &message)) take_node(list->arena, &x, message);
    x.damaged = data.size > 0;
    if (x.nodes == 0) return false;
    CLG_APPEND(list->arena, list->file, list->count, list->capacity, x);
    return true;
}

/* Metadata: a version or attributes. Then a node, whose fields come in order: its id, which is left
 * out when it is 0, or its name. */
static bool begins_like_it(clg_slice head) {
    clg_slice metadata;
    uint64_t size;
    clg_field f;
    if (!next_message(&head, &metadata)) return false;
    while (metadata.size > 0)
        if (!clg_protobuf_next(&metadata, &f) || f.number > 2 || f.bytes.size == 0) return false;
    if (!clg_protobuf_varint(&head, &size) || size == 0) return false;
    if (!clg_protobuf_next(&head, &f)) return false;
    if (f.number == NODE_ID && !clg_protobuf_next(&head, &f)) return false;
    return f.number == NODE_NAME || (f.number == NODE_TYPE && f.value <= TYPE_LAST);
}

/* ---- as a reader ---- */

static bool probe(clg_slice head) { return !clg_head_is_json(head) && begins_like_it(head); }

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    (void)kernels;
    clg_arena scratch = {0};
    clg_slice data = clg_source_whole(&scratch, source);
    into->executions.arena = &into->arena;
    bool found = clg_execution_read_chakra(&into->executions, into->file, data);
    clg_arena_clear(&scratch);
    if (found) return CLG_OK;
    return clg_recording_refuse(into, "record it again", "an execution trace without operators");
}

const clg_reader clg_reader_chakra = {"chakra", probe, read};
