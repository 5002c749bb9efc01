/* GPU time by named ranges, by hand: compute, exposed communication, copies and idle add up. */
#include "record/phases.h"
#include "record/recording.h"
#include "recording.h"
#include "test.h"

#include <string.h>

static clg_arena arena;

static clg_trace read(const char *text) {
    clg_csv table;
    clg_error error = {0};
    clg_trace trace;
    table = clg_trace_kernels(&arena);
    clg_trace_memory memory = {text, strlen(text), 0};
    CHECK(trace_read(&arena, "test", clg_trace_from_memory(&memory), &table, &trace, &error) ==
          CLG_OK);
    return trace;
}

static void check(const clg_phase *p, const char *name, int parent, int64_t calls,
                  int64_t host_us) {
    CHECK(strcmp(p->name, name) == 0 && p->parent == parent);
    CHECK(p->calls == calls && p->host_ns == 1000 * host_us);
}

static void check_us(const clg_phase *p, int64_t compute, int64_t talk, int64_t copy,
                     int64_t idle) {
    CHECK(p->compute_ns == 1000 * compute && p->exposed_communication_ns == 1000 * talk);
    CHECK(p->exposed_copy_ns == 1000 * copy && p->idle_ns == 1000 * idle);
}

#define RANGE(name, tid, ts, dur)                                                                  \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid      \
    ",\"ts\":" #ts ",\"dur\":" #dur "},"
#define WORK(cat, name, id, tid, launch, stream, ts, dur)                                          \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":" #tid \
    ",\"ts\":" #launch ",\"dur\":1,\"args\":{\"correlation\":" #id "}},"                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":0,\"tid\":" #stream           \
    ",\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"device\":0,\"correlation\":" #id "}},"

/* Forward: 100-140, 150-200 (layer 1), 200-230 (layer 2). Backward, from a thread without ranges:
 * compute 240-300, reduction 280-340 of which 300-340 shows. A copy at 335-350 of nobody's. */
static const char job[] = "{\"traceEvents\":[" RANGE("forward", 1, 10, 90)
    RANGE("layer 1", 1, 20, 20) RANGE("layer 2", 1, 50, 20) RANGE("backward", 1, 110, 80)
        RANGE("Optimizer.step#A", 1, 300, 5) WORK("kernel", "mul", 1, 1, 12, 7, 100, 40)
            WORK("kernel", "mul", 2, 1, 22, 7, 150, 50) WORK("kernel", "mul", 3, 1, 52, 7, 200, 30)
                WORK("kernel", "mul", 4, 2, 120, 7, 240, 60)
                    WORK("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 5, 2, 130, 9, 280, 60)
                        WORK("gpu_memcpy", "Memcpy HtoD", 6, 1, 205, 8, 335, 15)
                            WORK("kernel", "adam", 7, 1, 301, 7, 350, 10) "{\"ph\":\"M\"}]}";

/* Without launches: by its start. Ranges of 0 length, and ten deep, cost nothing. */
static const char bare[] = "[" RANGE("a", 1, 0, 50) RANGE("b", 1, 50, 50) RANGE(
    "empty", 1, 60, 0) "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"mul\",\"pid\":0,\"tid\":7,"
                       "\"ts\":60,\"dur\":10,\"args\":{\"device\":0}}]";

/* A backward pass on a thread of its own, whose operators count their calls. */
static const char threads[] =
    "[" RANGE("step", 1, 0, 100) RANGE("aten::mm, seq = 12, op_id = 34", 2, 20, 10)
        RANGE("aten::mm, seq = 13, op_id = 35", 2, 40, 10)
            WORK("kernel", "mul", 1, 2, 22, 7, 50, 10)
                WORK("kernel", "mul", 2, 2, 42, 7, 60, 10) "{\"ph\":\"M\"}]";

int main(void) {
    CASE("nested ranges, numbers in names, a thread of its own, hidden communication, gaps");
    clg_trace t = read(job);
    CHECK(t.ledger.span_ns == 260000 && t.phase_count == 5);
    check(&t.phase[0], "forward", -1, 1, 90);
    check_us(&t.phase[0], 120, 0, 0, 10);
    check(&t.phase[1], "layer #", 0, 2, 40);
    check_us(&t.phase[1], 80, 0, 0, 10);
    check(&t.phase[2], "backward", -1, 1, 80);
    check_us(&t.phase[2], 60, 40, 0, 10);
    check(&t.phase[3], "Optimizer.step#A", -1, 1, 5);
    check_us(&t.phase[3], 10, 0, 0, 0);
    check(&t.phase[4], "(outside)", -1, 0, 0);
    check_us(&t.phase[4], 0, 0, 10, 0);
    CASE("all of it is the ledger");
    CHECK(t.ledger.compute_ns == 190000 && t.ledger.exposed_communication_ns == 40000);
    CHECK(t.ledger.exposed_copy_ns == 10000 && t.ledger.idle_ns == 20000);
    CASE("without launches, by its start");
    t = read(bare);
    CHECK(t.phase_count == 1);
    check(&t.phase[0], "b", -1, 1, 50);
    check_us(&t.phase[0], 10, 0, 0, 0);
    CASE("ranges of another thread lie in what the main one does; counts of calls are no names");
    t = read(threads);
    CHECK(t.phase_count == 2);
    check(&t.phase[0], "step", -1, 1, 100);
    check(&t.phase[1], "aten::mm", 0, 2, 20);
    check_us(&t.phase[1], 20, 0, 0, 0);
    CASE("as bytes and back");
    clg_text text = {.arena = &arena};
    t = read(job);
    clg_parcel out = clg_parcel_to(&text);
    clg_walk_phases(&out, &t);
    clg_trace back = {0};
    clg_parcel in = clg_parcel_from(&arena, text.data, text.size);
    clg_walk_phases(&in, &back);
    CHECK(clg_parcel_ended(&in) && back.phase_count == 5);
    for (size_t i = 0; i < back.phase_count; i++) {
        CHECK(strcmp(back.phase[i].name, t.phase[i].name) == 0);
        CHECK(back.phase[i].parent == t.phase[i].parent);
        CHECK(back.phase[i].idle_ns == t.phase[i].idle_ns);
    }
    clg_arena_clear(&arena);
    return DONE;
}
