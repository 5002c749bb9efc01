/* Ledgers worked by hand, damaged recordings, and two ranks of one job. */
#include "base/text.h"
#include "recording.h"
#include "trace/recorded_job.h"

static clg_arena arena;
static clg_csv table;

static clg_trace read_text(const char *name, const char *text) {
    return recording_read(&arena, &table, name, text);
}

static bool refused(const char *text) {
    clg_trace_memory memory = {text, strlen(text), 0};
    clg_trace trace;
    clg_error error = {0};
    return trace_read(&arena, "t", clg_trace_from_memory(&memory), &table, &trace, &error) !=
           CLG_OK;
}

static bool adds_up(const clg_ledger *l) {
    return l->compute_ns + l->exposed_communication_ns + l->exposed_copy_ns + l->idle_ns ==
           l->span_ns;
}

#define GPU(cat, name, ts, dur)                                                                    \
    "{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name                                      \
    "\", \"pid\": 0, \"tid\": 7, \"ts\": " ts ", \"dur\": " dur ", \"args\": {\"stream\": 7}}"
#define NCCL "ncclDevKernel_AllReduce_Sum_f16_RING_LL(int)"
#define OPEN "{\"schemaVersion\": 1, \"traceEvents\": [\n"
#define CLOSE "\n], \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8}}"

/* compute [10, 14), communication [12, 20), copy [19, 22) us, idle [22, 30), compute [30, 30.5) */
#define FOUR                                                                                       \
    GPU("kernel", "gemm", "10", "4")                                                               \
    ",\n" GPU("kernel", NCCL, "12", "8") ",\n" GPU("gpu_memcpy", "Memcpy", "19", "3") ",\n" GPU(   \
        "kernel", "gemm", "30.000", "0.5")

static void four(const clg_ledger *l) {
    CHECK(l->span_ns == 20500 && l->compute_ns == 4500 && l->exposed_communication_ns == 6000);
    CHECK(l->exposed_copy_ns == 2000 && l->idle_ns == 8000 && l->communication_ns == 8000);
    CHECK(l->overlapped_communication_ns == 2000 && adds_up(l));
}

static void whole(void) {
    CASE("a ledger by hand");
    clg_trace t = read_text("t.json", OPEN FOUR CLOSE);
    four(&t.ledger);
    CHECK(t.rank == 3 && t.world_size == 8 && t.timeline.count == 4 && t.call_count == 1);
    CHECK(!t.damaged && t.events_lost == 0 && t.events_read == 4);
    CASE("a bare list of events");
    t = read_text("rank_4.json", "[" FOUR "]");
    four(&t.ledger);
    CHECK(t.rank == 4 && !t.damaged);
    CASE("strings for numbers, trailing commas, other order");
    t = read_text("t", "{\"traceEvents\": [ {\"dur\": \"2.5\", \"ts\": \"1.25\", \"name\": \"k\", "
                       "\"cat\": \"Kernel\", \"ph\": \"X\", \"tid\": \"stream 7\",}, ], }");
    CHECK(t.ledger.span_ns == 2500 && !t.damaged);
    CASE("annotations and synchronization are no work");
    t = read_text("t",
                  OPEN GPU("gpu_user_annotation", "a", "0", "99") "," GPU(
                      "cuda_sync", "s", "0", "99") "," GPU("overhead", "o", "0",
                                                           "99") "," GPU("cpu_op", "triton", "0",
                                                                         "99") "," FOUR CLOSE);
    four(&t.ledger);
    CASE("indented by eight");
    t = read_text(
        "t", "{\n        \"traceEvents\": [\n                {\n                        \"ph\": "
             "\"X\",\n                        \"cat\": \"kernel\",\n                "
             "        \"name\": \"k\",\n                        \"ts\":         1,\n"
             "                        \"dur\":                2.5\n                }\n"
             "        ]\n}\n");
    CHECK(t.timeline.count == 1 && t.ledger.span_ns == 2500 && !t.damaged);
    CASE("no events at all");
    t = read_text("t", "{\"traceEvents\": []}");
    CHECK(t.timeline.count == 0 && t.ledger.span_ns == 0 && !t.damaged);
    CHECK(refused("{\"nodes\": [1, 2]}") && refused("") && refused("[1, 2]"));
}

static void damaged(void) {
    CASE("cut in an event");
    clg_trace t = read_text("t", OPEN FOUR ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"na");
    four(&t.ledger);
    CHECK(t.events_lost == 1 && t.damaged && t.timeline.count == 4);
    CASE("cut between events");
    t = read_text("t", OPEN FOUR ",\n");
    four(&t.ledger);
    CHECK(t.events_lost == 0 && t.damaged);
    CASE("control bytes and unescaped quotes in names lose nothing");
    t = read_text("t", OPEN GPU("cpu_op", "a\001\002\n\tb", "1",
                                "1") ",\n" GPU("kernel", "f<\"q\">(int)", "10",
                                               "4") ",\n" GPU("kernel", NCCL, "12", "8") CLOSE);
    CHECK(t.events_lost == 0 && t.timeline.count == 2 && t.ledger.span_ns == 10000);
    CHECK_TEXT(t.timeline.names[0], "f<\"q\">(int)");
    CASE("a lost quote loses its event only");
    t = read_text("t", OPEN
                  "{\"ph\": \"X\", \"cat\": \"kernel, \"name\": \"k\", \"ts\": 1},\n" FOUR CLOSE);
    four(&t.ledger);
    CHECK(t.events_lost == 1 && t.rank == 3);
    CASE("a lost bracket loses its event only");
    t = read_text("t",
                  OPEN "{\"ph\": \"X\", \"cat\": \"kernel\", \"args\": {\"a\": [1,\n" FOUR CLOSE);
    four(&t.ledger);
    CHECK(t.events_lost == 1 && t.rank == 3 && t.damages == 1);
    CASE("two writers in one file");
    t = read_text("t",
                  OPEN GPU("kernel", "gemm", "10", "4") ",\n{\"ph\": \"X\", \"cat\": \"ker" GPU(
                      "kernel", NCCL, "12",
                      "8") ",\nnel\", \"name\": \"x\"},\n" GPU("gpu_memcpy", "Memcpy", "19",
                                                               "3") ",\n" GPU("kernel", "gemm",
                                                                              "30", "0.5") CLOSE);
    four(&t.ledger);
    CHECK(t.events_lost == 1 && t.rank == 3);
    CASE("times that are none, and durations that overflowed");
    t = read_text("t",
                  OPEN GPU("kernel", "a", "NaN", "1") "," GPU("kernel", "a", "1", "\"x\"") "," GPU(
                      "kernel", "a", "1", "18446744073709551") "," FOUR CLOSE);
    four(&t.ledger);
    CHECK(t.events_lost == 3);
    CASE("a damaged header");
    t = read_text("t", "{\"a\": \"x\"y\"z\", \"b\": nope:, \"traceEvents\": [" FOUR CLOSE);
    four(&t.ledger);
    CHECK(t.rank == 3 && t.damaged);
}

/* A text made of one piece over and over, which must cost no more than its size: each of these took
 * minutes if faults were read over from every event they begin. */
static void hostile(void) {
    static const char *const pieces[] = {"{\"ph\":[",
                                         "{\"ph\":\"",
                                         "\"",
                                         "{",
                                         "[",
                                         "{\"ph\":1,\"a\":[1,",
                                         "{\"ph\":\"a\"b",
                                         "\\",
                                         "{\"ph\":{\"a\":\"\\\"",
                                         "{\"a\":1,\"ph\":1,\"x\":[{\"b\":1},",
                                         "{\"a\":\"1\",\"ph\":1,\"x\":"};
    CASE("hostile texts are given up quickly");
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        clg_arena big = {0};
        clg_text text = {.arena = &big};
        while (text.size < 4000000) clg_text_add(&text, pieces[i], strlen(pieces[i]));
        clg_trace_memory memory = {text.data, text.size, 0};
        clg_trace trace;
        clg_error error = {0};
        clg_status status =
            trace_read(&big, "t", clg_trace_from_memory(&memory), &table, &trace, &error);
        CHECK(status == CLG_BAD_INPUT || trace.damaged);
        clg_arena_clear(&big);
    }
}

/* An event of one member over and over, with an escape at its end: passing over its rest was tried
 * again at each of them, which took minutes. */
static void many_members(void) {
    static const char *const events[][2] = {
        {"{\"ph\": \"M\", ", "\"ph\": \"M\", "},
        {"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": 1, \"dur\": 2, \"args\": "
         "{\"correlation\": 1, \"device\": 0, ",
         "\"a\": 1, "}};
    CASE("an event of many members costs its size");
    for (int i = 0; i < 2; i++) {
        clg_arena big = {0};
        clg_text text = {.arena = &big};
        clg_text_print(&text, "{\"traceEvents\": [%s", events[i][0]);
        while (text.size < 4000000) clg_text_add(&text, events[i][1], strlen(events[i][1]));
        clg_text_print(&text, "\"x\": \"\\n\"}%s]}", i ? "}" : "");
        clg_trace_memory memory = {text.data, text.size, 0};
        clg_trace trace;
        clg_error error = {0};
        CHECK(trace_read(&big, "t", clg_trace_from_memory(&memory), &table, &trace, &error) ==
              CLG_OK);
        CHECK(trace.events_read == 1 && trace.timeline.count == (size_t)i && !trace.damaged);
        clg_arena_clear(&big);
    }
}

/* The k-th rank's collective of 1024 floats; both end at 120 us. */
#define CALL(start, dur)                                                                           \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" NCCL "\", \"pid\": 0, \"tid\": 24, "       \
    "\"ts\": " start ", \"dur\": " dur ", \"args\": {\"Collective name\": \"allreduce\", "         \
    "\"In msg nelems\": 1024, \"Out msg nelems\": 1024, \"Group size\": 2, \"dtype\": \"Float\", " \
    "\"Process Group Name\": \"tp\", \"Process Group Ranks\": \"[0, 1]\"}}"
#define RANK(r) "], \"distributedInfo\": {\"rank\": " r ", \"world_size\": 2}}"

static void two_ranks(void) {
    clg_trace traces[2];
    clg_recorded_job job;
    CASE("waiting and transfer of two ranks");
    traces[0] = read_text("b", OPEN CALL("110", "10") "," CALL("200", "30") RANK("1"));
    traces[1] = read_text("a", OPEN CALL("100", "20") "," CALL("210", "20") RANK("0"));
    clg_job_match(&arena, traces, 2, &job);
    CHECK(!job.unmatched && job.traces[0].rank == 0 && job.collective_count == 2);
    const clg_trace_collective *c = &job.collectives[0];
    CHECK_TEXT(c->group, "tp");
    CHECK(c->bytes == 4096 && c->ranks == 2 && c->transfer_ns == 10000 && c->skew_ns == 10000);
    CHECK(job.traces[c->last].rank == 1 && c->bus_bytes_per_s == 409600000);
    CHECK(job.waiting_ns[0] == 10000 && job.waiting_ns[1] == 10000);
    CHECK(job.straggler_count == 2 && job.stragglers[0].caused_wait_ns == 10000);
    CHECK(job.offset_ns[0] == 0 && job.offset_ns[1] == 0);
    CASE("clocks of two hosts");
    traces[0] = read_text("a", OPEN CALL("100", "20") "," CALL("210", "20") RANK("0"));
    traces[1] = read_text("b", OPEN CALL("5110", "10") "," CALL("5200", "30") RANK("1"));
    clg_job_match(&arena, traces, 2, &job);
    CHECK(job.offset_ns[1] == 5000000 && job.collectives[0].skew_ns == 10000);
    CHECK(job.traces[job.collectives[1].last].rank == 0);
    CASE("one rank of two: unknown stays unknown");
    clg_job_match(&arena, traces, 1, &job);
    CHECK(job.unmatched && job.collective_count == 2 && job.collectives[0].transfer_ns == -1);
    CHECK(job.waiting_ns[0] == -1 && job.straggler_count == 0);
    CASE("two files of one rank are no job");
    traces[1] = read_text("c", OPEN CALL("100", "20") RANK("0"));
    clg_job_match(&arena, traces, 2, &job);
    CHECK(job.unmatched && job.collective_count == 3);
}

static void causes(void) {
    CASE("sizes from the operator around the launch");
    clg_trace t = read_text(
        "t",
        OPEN "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"nccl:all_reduce\",\"pid\":9,"
             "\"tid\":9,\"ts\":1,\"dur\":5,\"args\":{\"Input Dims\":[[8, 4]],\"Input type\":"
             "[\"c10::Half\"]}},{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel"
             "\",\"pid\":9,\"tid\":9,\"ts\":2,\"dur\":1,\"args\":{\"correlation\":5}},"
             "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" NCCL "\",\"pid\":0,\"tid\":7,"
             "\"ts\":4,\"dur\":5,\"args\":{\"correlation\":5}}" CLOSE);
    CHECK(t.call_count == 1 && t.calls[0].what.bytes == 64);
    CHECK(t.calls[0].what.operation == CLG_OPERATION_ALL_REDUCE);
    CASE("idle: the loader, then the launch, then the rest");
    t = read_text(
        "t",
        OPEN GPU(
            "kernel", "gemm", "0",
            "10") ",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"enumerate(DataLoader)#x.__"
                  "next__\","
                  "\"pid\":9,\"tid\":9,\"ts\":8,\"dur\":6},{\"ph\":\"X\",\"cat\":\"cuda_runtime\","
                  "\"name\":"
                  "\"l\",\"pid\":9,\"tid\":9,\"ts\":17,\"dur\":1,\"args\":{\"correlation\":6}},"
                  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":19,"
                  "\"dur\":1,"
                  "\"args\":{\"correlation\":6}}" CLOSE);
    CHECK(t.ledger.idle_ns == 9000 && t.idle_loading_ns == 4000 && t.idle_launch_ns == 3000);
}

static void ranges(void) {
#define RANGE(name, ts, dur)                                                                       \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" name                                   \
    "\",\"pid\":9,\"tid\":9,\"ts\":" ts ",\"dur\":" dur ",\"args\":{}},"
#define WORK(ts, dur)                                                                              \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":" ts            \
    ",\"dur\":" dur ",\"args\":{}}"
    CASE("ranges that a program named are steps where the profiler names none");
    clg_trace t = read_text(
        "t.json",
        "{\"traceEvents\":[" RANGE("epoch 1", "0", "100") RANGE("train iteration 41", "0", "40")
            RANGE("layer 1", "0", "39") RANGE("train iteration 42", "45", "40")
                RANGE("layer 2", "40", "49") WORK("0", "30") "," WORK("50", "30") "]}");
    CHECK(t.step_count == 2 && t.step[0].number == 41 && t.step[1].duration_ns == 40000);
    CHECK(t.event_step && t.event_step[1] == 1);
    CASE("not those that overlap, cover little or come once");
    t = read_text("t.json",
                  "{\"traceEvents\":[" RANGE("step 1", "0", "50") RANGE("step 2", "40", "40")
                      RANGE("iter 1", "0", "10") RANGE("iter 2", "20", "10")
                          RANGE("whole", "0", "80") WORK("0", "80") "]}");
    CHECK(t.step_count == 0);
    CASE("not what torch names by itself");
    t = read_text("t.json", "{\"traceEvents\":[" RANGE("Optimizer.step#Adam.step", "0", "40")
                                RANGE("Optimizer.step#Adam.step", "40", "40") WORK("0", "80") "]}");
    CHECK(t.step_count == 0);
}

/* Two GPUs in turn: each is half idle, together they never are. */
static void several_gpus(void) {
    static const char text[] =
        "{\"deviceProperties\":[{\"id\":0,\"name\":\"A\"},{\"id\":1,\"name\":\"B\"}],"
        "\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":9,\"tid\":9,"
        "\"ts\":0,\"dur\":40,\"args\":{}},"
#define ON(device, name, ts, dur)                                                                  \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"device\":" device "}}"
        ON("0", "gemm", "0", "10") "," ON("1", "ncclDevKernel_AllReduce", "10", "10") "," ON(
            "0", "gemm", "20", "10") "," ON("1", "gemm", "30", "10") ",";
    static const char copy[] = "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy "
                               "PtoP\",\"pid\":2,\"tid\":7,\"ts\":5,"
                               "\"dur\":1,\"args\":{\"device\":2}}],\"baseTimeNanoseconds\":1000}";
    clg_error error = {0};
    clg_trace *traces;
    int count;
    const char *all = clg_arena_print(&arena, "%s%s", text, copy);
    clg_trace_memory memory = {all, strlen(all), 0};
    CASE("GPUs of one file are ranks");
    CHECK(clg_kineto_read(&arena, "t.json", clg_trace_from_memory(&memory), &table, NULL, &traces,
                          &count, &error) == CLG_OK);
    CHECK(count == 2);
    if (count != 2) return;
    CHECK(traces[0].rank == 0 && traces[1].rank == 1 && traces[1].device == 1);
    CHECK(traces[0].ledger.span_ns == 30000 && traces[0].ledger.idle_ns == 10000);
    CHECK(traces[1].ledger.span_ns == 30000 && traces[1].ledger.idle_ns == 10000);
    CHECK(traces[1].ledger.exposed_communication_ns == 10000 && traces[1].call_count == 1);
    CHECK(traces[0].call_count == 0 && traces[1].calls[0].event == 0);
    CHECK_TEXT(traces[0].gpu, "A");
    CHECK_TEXT(traces[1].gpu, "B");
    CHECK(traces[0].step[0].start_ns == 1000 && traces[1].step[0].start_ns == 1000);
    CHECK(traces[0].elsewhere == 1); /* the copy makes no rank */
}

int main(void) {
    table = clg_trace_kernels(&arena);
    whole();
    damaged();
    hostile();
    many_members();
    two_ranks();
    causes();
    several_gpus();
    ranges();
    clg_arena_clear(&arena);
    return DONE;
}
