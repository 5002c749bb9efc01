/* A profiler recording: any bytes are a trace, a damaged one, or a sentence; and its ledger adds
 * up, also when two ranks of a job left the same bytes. */
#include "record/ns.h"
#include "recording.h"
#include "report_recorded/trace_report.h"
#include "timeline/perfetto.h"
#include "trace/merge.h"

#include <assert.h>

static bool read_rank(clg_arena *arena, const clg_csv *table, const unsigned char *data,
                      size_t size, clg_trace *trace) {
    clg_trace_memory memory = {(const char *)data, size, 0};
    clg_error error = {0};
    if (trace_read(arena, "fuzz_3.json", clg_trace_from_memory(&memory), table, trace, &error) !=
        CLG_OK) {
        assert(error.message[0]);
        return false;
    }
    const clg_ledger *l = &trace->ledger;
    assert(l->compute_ns + l->exposed_communication_ns + l->exposed_copy_ns + l->idle_ns ==
           l->span_ns);
    return true;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static clg_arena built_in;
    static clg_csv table;
    clg_arena arena = {0};
    clg_trace ranks[2];
    if (table.rows == 0) table = clg_trace_kernels(&built_in);
    if (read_rank(&arena, &table, data, size, &ranks[0]) &&
        read_rank(&arena, &table, data, size, &ranks[1])) {
        for (int i = 0; i < 2; i++) ranks[i].rank = i;
        clg_recorded_job job;
        clg_job_match(&arena, ranks, 2, &job);
        clg_text text = {.arena = &arena};
        clg_json_writer writer = {.text = &text};
        clg_against against = clg_job_against(&arena, &job, &job);
        clg_trace_plan plan = {.file = "plan"};
        clg_plan_comparison compared = clg_trace_plan_compare(&plan, &job);
        clg_trace_answer answer = {.job = &job,
                                   .roots = clg_job_roots(&arena, &job),
                                   .slow_groups = clg_job_slow_groups(&arena, &job),
                                   .what_if = clg_job_replay(&job),
                                   .plan = &compared,
                                   .against = &against,
                                   .top = 8};
        int64_t waited_ns = 0; /* every nanosecond waited is given to someone, once */
        for (int i = 0; i < job.straggler_count; i++)
            waited_ns = clg_ns_plus(waited_ns, job.stragglers[i].caused_wait_ns);
        assert(waited_ns == answer.roots.waited_ns);
        clg_timeline merged;
        clg_job_timeline(&arena, &job, &merged);
        assert(merged.count == ranks[0].timeline.count + ranks[1].timeline.count);
        clg_timeline_perfetto(&text, &merged, "rank");
        clg_report_trace(&text, &answer);
        clg_report_trace_rows(&text, &job);
        clg_picture_trace(&text, &job);
        clg_json_trace(&writer, &answer);
    }
    clg_arena_clear(&arena);
    return 0;
}
