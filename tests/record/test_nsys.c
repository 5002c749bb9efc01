/* Exports of Nsight Systems: two processes that call their GPUs by the same number. */
#include "cli/tool.h"
#include "record/nsys.h"
#include "test.h"
#include "trace/recorded_job.h"

int main(void) {
    clg_arena arena = {0};
    clg_csv table;
    clg_error error = {0};
    const char *text;
    size_t size;
    clg_trace *t;
    int count = 0;
    table = clg_trace_kernels(&arena);
    CASE("two processes, both with a device 0");
    CHECK(clg_file_read(&arena, "tests/fuzz/corpus/sqlite/two-processes", 1 << 20, &text, &size,
                        &error) == CLG_OK);
    CHECK(clg_nsys_read(&arena, "job.sqlite", (clg_slice){text, size}, &table, &t, &count,
                        &error) == CLG_OK);
    CHECK(count == 2 && t[0].rank == 0 && t[1].rank == 1);
    CHECK_TEXT(t[1].gpu, "NVIDIA H100 80GB HBM3");
    CHECK(t[0].ledger.span_ns == 8000 && t[0].ledger.compute_ns == 4000 &&
          t[0].ledger.exposed_communication_ns == 3000 && t[0].ledger.idle_ns == 1000);
    CASE("the first of several rows of a correlation is the launch");
    CHECK(t[0].idle_launch_ns == 600 && t[1].idle_launch_ns == 0 && t[1].ledger.idle_ns == 500);
    CASE("collectives match over streams of different numbers");
    clg_recorded_job job;
    clg_job_match(&arena, t, count, &job);
    CHECK(!job.unmatched && job.collective_count == 1);
    CHECK(job.collectives[0].transfer_ns == 1500 && job.collectives[0].skew_ns == 1500);
    CHECK(job.collectives[0].last == 1 && job.waiting_ns[0] == 1500);
    CASE("graphs that were recorded whole are work, not idle time");
    CHECK(clg_file_read(&arena, "tests/fuzz/corpus/sqlite/graphs", 1 << 20, &text, &size, &error) ==
          CLG_OK);
    CHECK(clg_nsys_read(&arena, "graphs.sqlite", (clg_slice){text, size}, &table, &t, &count,
                        &error) == CLG_OK);
    CHECK(count == 1 && t[0].timeline.count == 4);
    CHECK(t[0].ledger.span_ns == 7500 && t[0].ledger.compute_ns == 5500 &&
          t[0].ledger.idle_ns == 2000 && t[0].idle_launch_ns == 0);
    clg_arena_clear(&arena);
    return DONE;
}
