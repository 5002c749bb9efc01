/* What a graph replays has the shapes of its capture: by hand. */
#include "record/captured.h"
#include "recording.h"
#include "test.h"

#include <string.h>

static clg_arena arena;
static clg_csv table;

#define EVENT(cat, name, ts, dur, args)                                                            \
    "{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name "\", \"pid\": 1, \"tid\": 1, "       \
    "\"ts\": " ts ", \"dur\": " dur ", \"args\": {" args "}},\n"
#define MM(ts, m)                                                                                  \
    EVENT("cpu_op", "aten::mm", ts, "8",                                                           \
          "\"Input Dims\": [[" m ", 32], [32, 64]], \"Input type\": [\"c10::Half\", "              \
          "\"c10::Half\"]")
#define LAUNCH(ts, number, kernel)                                                                 \
    EVENT("cuda_runtime", "hipLaunchKernel", ts, "1",                                              \
          "\"kernel\": \"" kernel "\", \"correlation\": " number)
#define KERNEL(ts, dur, number, kernel)                                                            \
    EVENT("kernel", kernel, ts, dur, "\"correlation\": " number ", \"device\": 0")
#define OPEN "{\"traceEvents\": ["
#define CLOSE "{\"ph\": \"M\", \"name\": \"end\"}]}"

/* Captured: add, gemm (16 x 32 x 64), its reduction, add. Replayed twice: gemm and its reduction,
 * which are products by name, share the FLOPs by their time. */
#define CAPTURE(m, no)                                                                             \
    LAUNCH(no "01", no "1", "add")                                                                 \
    MM(no "10", m)                                                                                 \
    LAUNCH(no "12", no "2", "gemm_a")                                                              \
    LAUNCH(no "14", no "3", "gemm_b") LAUNCH(no "20", no "4", "add")
#define REPLAY(number, from)                                                                       \
    EVENT("cuda_runtime", "hipGraphLaunch", from "00", "1", "\"correlation\": " number)            \
    KERNEL(from "10", "3", number, "gemm_a")                                                       \
    KERNEL(from "20", "1", number, "gemm_b") KERNEL(from "30", "5", number, "add")

static clg_trace read_text(const char *text) {
    clg_trace t;
    clg_error error = {0};
    clg_trace_memory memory = {text, strlen(text), 0};
    CHECK(trace_read(&arena, "t", clg_trace_from_memory(&memory), &table, &t, &error) == CLG_OK);
    return t;
}

static const double flop = 2.0 * 16 * 32 * 64;

static void replayed(void) {
    CASE("a capture in the same recording");
    clg_trace t = read_text(OPEN CAPTURE("16", "5") REPLAY("9", "1") REPLAY("10", "2") CLOSE);
    CHECK(t.captured.count == 4 && t.captured.product_count == 1);
    CHECK(t.priced_ns == 0 && t.product_ns == 8000);
    clg_captured_lend(&t, &t);
    CHECK(t.priced_ns == 8000 && t.product_ns == 8000 && t.product_count == 2);
    CHECK_NEAR(t.flop[CLG_FP16], 2 * flop, 1e-12);
    CHECK(t.product[0].kernel_ns == 4000 && t.product[1].event == 3);

    CASE("a capture in another one, and one that tells as much twice");
    clg_trace from = read_text(OPEN CAPTURE("16", "5") CAPTURE("16", "6") CLOSE);
    clg_trace to = read_text(OPEN REPLAY("9", "1") CLOSE);
    clg_captured_lend(&from, &to);
    CHECK_NEAR(to.flop[CLG_FP16], flop, 1e-12);

    CASE("a second recording that captured the same adds nothing");
    clg_captured_lend(&t, &to);
    CHECK_NEAR(to.flop[CLG_FP16], flop, 1e-12);
    CHECK(to.priced_ns == 4000 && to.product_count == 1);
}

static void not_replayed(void) {
    clg_trace to = read_text(OPEN REPLAY("9", "1") CLOSE);
    CASE("captures of two shapes: none is taken");
    clg_trace from = read_text(OPEN CAPTURE("16", "5") CAPTURE("8", "6") CLOSE);
    clg_captured_lend(&from, &to);
    CHECK(to.product_count == 0 && to.flop[CLG_FP16] == 0);

    CASE("a capture of other kernels; launches that ran");
    from =
        read_text(OPEN LAUNCH("1", "1", "gemm_a") MM("10", "16") LAUNCH("12", "2", "gemm_c") CLOSE);
    clg_captured_lend(&from, &to);
    from = read_text(OPEN MM("10", "16") LAUNCH("12", "2", "gemm_a")
                         KERNEL("13", "1", "2", "gemm_a") CLOSE);
    CHECK(from.captured.count == 0);
    clg_captured_lend(&from, &to);
    CHECK(to.product_count == 0);
}

static void travels(void) {
    CASE("what was captured, from process to process");
    clg_trace from = read_text(OPEN CAPTURE("16", "5") CLOSE), back = {0};
    clg_text bytes = {.arena = &arena};
    clg_parcel out = clg_parcel_to(&bytes);
    clg_walk_captured(&out, &from);
    clg_parcel in = clg_parcel_from(&arena, bytes.data, bytes.size);
    clg_walk_captured(&in, &back);
    CHECK(back.captured.count == 4 && strcmp(back.captured.launch[2].kernel, "gemm_b") == 0);
    CHECK(back.captured.launch[0].product == -1 && back.captured.launch[2].product == 0);
    CHECK_NEAR(back.captured.product[0].flop, flop, 1e-12);
}

int main(void) {
    table = clg_trace_kernels(&arena);
    replayed();
    not_replayed();
    travels();
    clg_arena_clear(&arena);
    return DONE;
}
