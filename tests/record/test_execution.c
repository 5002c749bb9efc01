/* Graphs of operators: PyTorch's of both schemas and Chakra's of both encodings, and what they lend
 * to a trace. */
#include "cli/trace_files.h"
#include "record/recording.h"
#include "recording.h"
#include "test.h"
#include "trace/recorded_job.h"

static clg_arena arena;

static const clg_execution *read_path(const char *path, const char *want) {
    clg_executions *list = clg_take(&arena, 1, clg_executions);
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    clg_error error = {0};
    list->arena = &arena;
    CHECK(clg_trace_open(&scratch, path, &file, &head, &error) == CLG_OK);
    CHECK(strcmp(clg_reader_of(head)->name, want) == 0);
    bool read = strcmp(want, "chakra") == 0
                    ? clg_execution_read_chakra(list, path, head) /* small: all of it */
                    : clg_execution_read_json(list, path, clg_trace_file_source(file));
    clg_trace_close(file);
    CHECK(read && list->count == 1);
    clg_arena_clear(&scratch);
    return &list->file[0];
}

#define CORPUS "tests/fuzz/corpus/execution/"

static void pytorch(void) {
    CASE("PyTorch, schema 1.0: sizes from shapes");
    const clg_execution *x = read_path(CORPUS "pytorch-1.0", "execution");
    CHECK(x->nodes == 5 && x->calls == 3 && x->communications == 3 && !x->damaged);
    CHECK(x->call[0].operation == CLG_OPERATION_ALL_REDUCE && x->call[0].bytes == 4 * 2048 * 2);
    CHECK(x->call[0].group_size == 8 && !x->call[0].group && x->call[0].duration_ns == -1);
    CHECK(x->call[1].operation == CLG_OPERATION_ALL_GATHER && x->call[1].bytes == 3 * 5 * 4 * 4);
    CHECK(x->call[2].bytes == 2 * 4 + 3 * 8 && x->call[2].group_size == 1);
    CASE("PyTorch, schema 1.1: sizes from attributes");
    x = read_path(CORPUS "pytorch-1.1", "execution");
    CHECK(x->calls == 1 && x->rank == 5 && x->call[0].bytes == 192 && x->call[0].group_size == 8);
    CHECK(x->call[0].operation == CLG_OPERATION_REDUCE_SCATTER);
    CHECK_TEXT(x->call[0].group, "1");
}

/* The size of the group that one call of these inputs tells. */
static int64_t group_size(const char *inputs) {
    clg_executions list = {.arena = &arena};
    const char *text = clg_arena_print(&arena,
                                       "{\"schema\":\"1.0.1\",\"nodes\":[{\"name\":"
                                       "\"record_param_comms\",\"inputs\":%s,\"input_shapes\":[],"
                                       "\"input_types\":[]}]}",
                                       inputs);
    clg_trace_memory memory = {text, strlen(text), 0};
    CHECK(clg_execution_read_json(&list, "x", clg_trace_from_memory(&memory)));
    return list.count == 1 && list.file[0].calls == 1 ? list.file[0].call[0].group_size : -2;
}

static void splits(void) {
    CASE("lengths of parts are no numbers of ranks");
    CHECK(group_size("[[[1,2,0,8,4,\"cuda:0\"]],337,93,0,\"all_to_allv\",[768,768],[768,768],8]") ==
          8);
    CHECK(group_size("[[[1,2,0,8,4,\"cuda:0\"]],337,93,0,\"all_to_allv\",[768,0,5],[768,768,1]]") ==
          3);
    CHECK(group_size("[[[1,2,0,8,4,\"cuda:0\"]],337,93,0,\"all_to_all\",[],[],0,1,8]") == 8);
    CHECK(group_size("[[[1,2,0,8,4,\"cuda:0\"]],337,93,0,\"alltoall\",[],[]]") == -1);
}

static void chakra(void) {
    CASE("Chakra: protobuf");
    const clg_execution *x = read_path(CORPUS "chakra.3.et", "chakra");
    CHECK(x->rank == 3 && x->nodes == 4 && x->calls == 2 && !x->damaged);
    CHECK(x->compute_ns == 120000 && x->communication_ns == 33000);
    CHECK(x->call[0].operation == CLG_OPERATION_ALL_GATHER && x->call[0].bytes == 4096);
    CHECK(x->call[0].duration_ns == 33000 && x->call[1].operation == CLG_OPERATION_SEND);
    CHECK(x->call[1].bytes == 512);
    CHECK_TEXT(x->call[0].group, "tp");
    CASE("Chakra: cut");
    x = read_path(CORPUS "chakra-cut", "chakra");
    CHECK(x->damaged && x->nodes == 3 && x->calls == 1);
    CASE("Chakra: JSON");
    x = read_path(CORPUS "workload", "execution");
    CHECK_TEXT(x->format, "Chakra");
    CHECK(x->nodes == 3 && x->calls == 1 && x->compute_ns == 4000 && x->communication_ns == 28000);
}

static clg_execution graph(const char *text) {
    clg_executions list = {.arena = &arena};
    clg_trace_memory memory = {text, strlen(text), 0};
    CHECK(clg_execution_read_json(&list, "x", clg_trace_from_memory(&memory)) && list.count == 1);
    return list.count == 1 ? list.file[0] : (clg_execution){0};
}

static void damage(void) {
    CASE("a text cut between two operators is damaged");
    CHECK(!graph("{\"schema\":\"1\",\"nodes\":[{\"name\":\"a\"},{\"name\":\"b\"}]}").damaged);
    clg_execution x = graph("{\"schema\":\"1\",\"nodes\":[{\"name\":\"a\"},");
    CHECK(x.nodes == 1 && x.damaged);
    CASE("times that cannot be do not run over");
    x = graph("{\"workload_graph\":[{\"Name\":\"a\",\"NodeType\":4,\"runtime\":9000000000000},"
              "{\"Name\":\"b\",\"NodeType\":4,\"runtime\":1.5}]}");
    CHECK(x.compute_ns == 1500);
}

/* Two all-reduces that tell nothing, and a graph of three of which one has no kernel. */
static void lending(void) {
    CASE("sizes lent to kernels");
    static const char text[] =
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_"
        "Sum\","
        "\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
        "\"ncclDevKernel_AllReduce_Sum\",\"pid\":0,\"tid\":7,\"ts\":5,\"dur\":2}]}";
    clg_trace_memory memory = {text, sizeof text - 1, 0};
    clg_csv table;
    clg_trace t;
    clg_error error = {0};
    table = clg_trace_kernels(&arena);
    CHECK(trace_read(&arena, "rank0.json", clg_trace_from_memory(&memory), &table, &t, &error) ==
          CLG_OK);
    clg_execution_call calls[] = {{CLG_OPERATION_ALL_REDUCE, 4, 1, -1, "self"},
                                  {CLG_OPERATION_ALL_REDUCE, 64, 8, -1, "tp"},
                                  {CLG_OPERATION_ALL_REDUCE, 128, 8, -1, "tp"}};
    clg_execution x = {.call = calls, .calls = 3};
    CHECK(clg_execution_lend(&x, &t) == 2);
    CHECK(t.calls[0].what.bytes == 64 && t.calls[1].what.bytes == 128);
    CHECK(t.calls[1].what.group_size == 8 && t.calls[1].what.grouped);
    CHECK(clg_execution_lend(&x, &t) == 0);
    x.calls = 2; /* numbers that differ: nothing is known of which is which */
    t.calls[0].what.bytes = -1;
    CHECK(clg_execution_lend(&x, &t) == 0 && t.calls[0].what.bytes == -1);
}

int main(void) {
    pytorch();
    splits();
    chakra();
    damage();
    lending();
    clg_arena_clear(&arena);
    return DONE;
}
