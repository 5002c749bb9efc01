/* Steps, replays, plans, other runs and pictures of jobs worked by hand. */
#include "record/ns.h"
#include "record/split.h"
#include "recording.h"
#include "report_recorded/trace_report.h"
#include "timeline/perfetto.h"
#include "timeline/sweeping.h"
#include "trace/merge.h"

static clg_arena arena;
static clg_csv table;

static clg_trace read_text(const char *name, const char *text) {
    return recording_read(&arena, &table, name, text);
}

#define X(cat, name, tid, ts, dur, args)                                                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":0,\"tid\":" tid ",\"ts\":" ts \
    ",\"dur\":" dur ",\"args\":{" args "}}"
#define GEMM(ts, dur) X("kernel", "gemm", "7", ts, dur, "")
#define REDUCE(ts, dur)                                                                            \
    X("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", "7", ts, dur,                           \
      "\"Collective name\":\"allreduce\",\"In msg nelems\":8,\"Out msg nelems\":8,"                \
      "\"Group size\":3,\"dtype\":\"Half\",\"Process Group Name\":\"1\","                          \
      "\"Process Group Description\":\"TENSOR_MODEL_PARALLEL_GROUP\"")
#define NUMBERED(ts, dur, seq, group)                                                              \
    X("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", "7", ts, dur,                           \
      "\"Collective name\":\"allreduce\",\"In msg nelems\":8,\"Out msg nelems\":8,"                \
      "\"Group size\":2,\"dtype\":\"Half\",\"Process Group Name\":\"" group "\",\"Seq\":" seq)
#define OPEN "{\"traceEvents\":["
#define RANK(r) "],\"distributedInfo\":{\"rank\":" r ",\"world_size\":3}}"

/* Three ranks compute for 10, 10 and 40 us, reduce for 5, compute for 10, reduce for 5: rank 2 is
 * late by 30 us. */
static void three(clg_trace *traces, clg_recorded_job *job) {
    traces[0] = read_text("a", OPEN GEMM("0", "10") "," REDUCE("10", "35") "," GEMM(
                                   "45", "10") "," REDUCE("55", "5") RANK("0"));
    traces[1] = read_text("b", OPEN GEMM("0", "10") "," REDUCE("10", "35") "," GEMM(
                                   "45", "10") "," REDUCE("55", "5") RANK("1"));
    traces[2] = read_text("c", OPEN GEMM("0", "40") "," REDUCE("40", "5") "," GEMM(
                                   "45", "10") "," REDUCE("55", "5") RANK("2"));
    clg_job_match(&arena, traces, 3, job);
}

static void replays(void) {
    clg_trace traces[3];
    clg_recorded_job job;
    CASE("what if");
    three(traces, &job);
    CHECK(!job.unmatched && job.collective_count == 2 && job.stragglers[0].trace == 2);
    clg_what_if w = clg_job_replay(&job);
    CHECK(!w.unknown && w.observed_ns == 60000 && w.ns[CLG_CHANGE_NOTHING] == 60000);
    CHECK(w.ns[CLG_CHANGE_MEDIAN] == 30000 && w.ns[CLG_CHANGE_ONE] == 30000 && w.rank == 2);
    CHECK(w.ns[CLG_CHANGE_FREE] == 50000 && w.ns[CLG_CHANGE_OVERLAP] == 50000);
    CHECK(w.host_ns[CLG_CHANGE_FREE] == -1);
    CASE("what if, with hosts no faster than they were");
    traces[0] = read_text(
        "a",
        OPEN X("cuda_runtime", "l", "9", "1", "1", "\"correlation\":1") "," X(
            "kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", "7", "10", "30",
            "\"correlation\":3") "," X("cuda_runtime", "l", "9", "32", "1",
                                       "\"correlation\":2") "," X("kernel", "gemm", "7", "40", "5",
                                                                  "\"correlation\":2") RANK("0"));
    clg_job_match(&arena, traces, 1, &job);
    w = clg_job_replay(&job);
    CHECK(w.ns[CLG_CHANGE_FREE] == 5000 && w.host_ns[CLG_CHANGE_FREE] == 27000);
    CHECK(w.host_ns[CLG_CHANGE_NOTHING] == 35000);
    three(traces, &job);
    CASE("one rank alone knows of no stragglers");
    clg_job_match(&arena, traces, 1, &job);
    w = clg_job_replay(&job);
    CHECK(!w.unknown && w.ns[CLG_CHANGE_MEDIAN] == -1 && w.ns[CLG_CHANGE_FREE] == 20000);
    CASE("communication on a stream of its own");
    traces[0] = read_text("a", OPEN GEMM("0", "10") "," X(
                                   "kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", "20", "10",
                                   "30", "") "," GEMM("12", "8") "," GEMM("45", "5") RANK("0"));
    clg_job_match(&arena, traces, 1, &job);
    w = clg_job_replay(&job);
    CHECK(w.ns[CLG_CHANGE_NOTHING] == 50000);
    CHECK(w.ns[CLG_CHANGE_FREE] == 30000); /* 20 us until the second gemm ends, 5 us gap, 5 us */
    CHECK(w.ns[CLG_CHANGE_OVERLAP] == 30000);
    CASE("no work, no replay");
    traces[0] = read_text("a", OPEN RANK("0"));
    clg_job_match(&arena, traces, 1, &job);
    CHECK(clg_job_replay(&job).unknown != NULL);
}

static void steps(void) {
    CASE("work belongs to the step that launched it");
    clg_trace t = read_text(
        "t",
        OPEN X("user_annotation", "ProfilerStep#7", "9", "0", "20", "") "," X(
            "user_annotation", "ProfilerStep#8", "9", "20", "20",
            "") "," X("cuda_runtime", "l", "9", "5", "1",
                      "\"correlation\":1") "," X("kernel", "gemm", "7", "10", "15",
                                                 "\"correlation\":1") "," X("cuda_runtime", "l",
                                                                            "9", "21", "1",
                                                                            "\"correlation\":"
                                                                            "2") "," X("kerne"
                                                                                       "l",
                                                                                       "gemm", "7",
                                                                                       "26", "4",
                                                                                       "\"cor"
                                                                                       "relat"
                                                                                       "ion\""
                                                                                       ":2") "," GEMM("32",
                                                                                                      "4") "," GEMM("90",
                                                                                                                    "4")
            RANK("0"));
    CHECK(t.step_count == 2 && t.event_step && t.step[0].number == 7);
    CHECK(t.step[0].ledger.span_ns == 15000 && t.step[0].unlaunched == 0);
    CHECK(t.step[1].ledger.span_ns == 10000 && t.step[1].ledger.idle_ns == 2000);
    CHECK(t.step[1].events == 2 && t.step[1].unlaunched == 1 && t.event_step[3] == -1);
    CASE("means of the steps add up to the step");
    clg_recorded_job job;
    clg_job_match(&arena, &t, 1, &job);
    const clg_recorded_job *all[] = {&job};
    clg_span_rule rule = clg_span_rule_of(&arena, all, 1);
    clg_trace_means m = clg_job_means(&job, &rule, NULL);
    CHECK(m.kind == CLG_SPANS_STEPS && m.steps == 2 && m.ranks == 1 && m.samples == 2);
    /* 10 to 26, then 26 to 46: the host was 6 us ahead and stops at 40. */
    CHECK_NEAR(m.step_s, 18e-6, 1e-12);
    CHECK_NEAR(m.compute_s + m.idle_s, m.step_s, 1e-12);
    CHECK_NEAR(m.compute_s, 11.5e-6, 1e-12);
    CHECK_NEAR(m.trailing_s, 2.5e-6, 1e-12); /* 5 us, 0 */
    CHECK_NEAR(m.deviation_s, 2.8284271247e-6, 1e-9);
    clg_text rows = {.arena = &arena};
    clg_report_trace_rows(&rows, &job);
    CHECK(strstr(rows.data, "\n0,t,7,0.000020000,0.000015000,0.000015000,") != NULL);
}

static void plans(void) {
    static const char text[] =
        "{\"kind\":\"plan\",\"best\":{\"model\":{\"name\":\"m\"},\"machine\":{\"gpu\":\"g\","
        "\"gpus\":3},\"layout\":{\"tp\":3,\"dp\":1,\"pp\":1},\"step_s\":4e-5,\"mfu\":0.5,\"time\":"
        "{\"compute_s\":2e-5,\"tp_exposed_s\":1e-5,\"host_s\":1e-5}}}";
    clg_trace traces[3];
    clg_recorded_job job;
    clg_trace_plan plan;
    clg_error error = {0};
    CASE("term by term");
    three(traces, &job);
    CHECK(clg_trace_plan_read(&arena, "p", text, sizeof text - 1, &plan, &error) == CLG_OK);
    clg_plan_comparison c = clg_trace_plan_compare(&plan, &job);
    double planned = 0, measured = 0;
    for (int i = 0; i < c.terms; i++) {
        planned += c.term[i].predicted_s;
        measured += c.term[i].measured_s;
    }
    CHECK_NEAR(planned, 4e-5, 1e-12);
    CHECK_NEAR(measured, 6e-5, 1e-12);
    CHECK_NEAR(c.term[1].measured_s, 1e-5, 1e-12); /* transfer: tensor parallel by its group */
    CHECK_TEXT(c.term[1].name, "exposed tensor parallel");
    CHECK(c.worst >= 0 && strncmp(c.term[c.worst].name, "waiting", 7) == 0);
    CHECK_NEAR(c.measured_mfu, 0.5 * 4 / 6, 1e-9);
    CASE("what is no plan");
    CHECK(clg_trace_plan_read(&arena, "p", "{}", 2, &plan, &error) == CLG_BAD_INPUT);
    CHECK(clg_trace_plan_read(&arena, "p", "[1]", 3, &plan, &error) == CLG_BAD_INPUT);
    CASE("what a group splits");
    CHECK(clg_split_of_words((clg_slice){"mesh_dp_shard_cp", 16}) == CLG_SPLIT_DP);
    CHECK(clg_split_of_words((clg_slice){"EXPERT_MODEL_PARALLEL", 21}) == CLG_SPLIT_EP);
    CHECK(clg_split_of_words((clg_slice){"default_pg", 10}) == CLG_SPLIT_UNKNOWN);
    clg_degrees degrees = {{0, 8, 1, 1, 4, 1}};
    CHECK(clg_split_of_call(CLG_OPERATION_ALL_REDUCE, 4, "", &degrees) == CLG_SPLIT_DP);
    CHECK(clg_split_of_call(CLG_OPERATION_ALL_REDUCE, -1, "", &degrees) == CLG_SPLIT_UNKNOWN);
    CHECK(clg_split_of_call(CLG_OPERATION_SEND, 2, "", NULL) == CLG_SPLIT_PP);
    CHECK(clg_split_of_call(CLG_OPERATION_SEND_RECEIVE, 2, "", NULL) == CLG_SPLIT_UNKNOWN);
    clg_degrees square = {{0, 4, 1, 1, 4, 1}}; /* two axes of four: the distance of ranks tells */
    CHECK(clg_split_of_call(CLG_OPERATION_ALL_REDUCE, 4, "a [4, 5, 6, 7]", &square) ==
          CLG_SPLIT_TP);
    CHECK(clg_split_of_call(CLG_OPERATION_ALL_REDUCE, 4, "a [1, 5, 9, 13]", &square) ==
          CLG_SPLIT_DP);
    CHECK(clg_split_of_call(CLG_OPERATION_ALL_REDUCE, 4, "a [0, 2, 4, 6]", &square) ==
          CLG_SPLIT_UNKNOWN);
    CHECK(clg_split_of_call(CLG_OPERATION_ALL_REDUCE, 4, "a", &square) == CLG_SPLIT_UNKNOWN);
    CASE("another run");
    clg_trace fast = read_text("f", OPEN GEMM("0", "10") RANK("0"));
    clg_recorded_job other;
    clg_job_match(&arena, &fast, 1, &other);
    clg_against a = clg_job_against(&arena, &other, &job);
    CHECK(a.kernels == 2 && strncmp(a.kernel[0].name, "nccl", 4) == 0);
    CHECK_NEAR(a.kernel[1].delta_s, 20e-6, 1e-9); /* a rank: (20 + 20 + 50) / 3 against 10 */
    CHECK(a.rule.kind == CLG_SPANS_WHOLE && a.noise_s < 0 && a.recounted == 2);
    CHECK_NEAR(a.after.waiting_s, 20e-6, 1e-9);
}

#define CALL(name, ts, dur) X("kernel", name, "7", ts, dur, "")
#define PERIOD(norm, one, two, three)                                                              \
    CALL("norm", norm, "1")                                                                        \
    "," CALL("gemm", one, "4") "," CALL("gemm", two, "4") "," CALL("relu", three, "1")

/* Without annotations: a kernel that comes once a period cuts the recording. */
static void patterns(void) {
    CASE("kernels that repeat are steps");
    clg_trace t = read_text(
        "p",
        OPEN PERIOD("0", "1", "5", "9") "," PERIOD("12", "13", "17", "21") "," PERIOD(
            "24", "25", "29", "33") "," PERIOD("36", "37", "41", "45") "," PERIOD("48", "49", "53",
                                                                                  "57") RANK("0"));
    clg_recorded_job job;
    clg_job_match(&arena, &t, 1, &job);
    const clg_recorded_job *all[] = {&job};
    clg_span_rule rule = clg_span_rule_of(&arena, all, 1);
    CHECK(rule.kind == CLG_SPANS_PATTERN && strcmp(rule.kernel, "gemm") != 0);
    clg_trace_means m = clg_job_means(&job, &rule, NULL);
    CHECK(m.samples == 4);
    CHECK_NEAR(m.step_s, 12e-6, 1e-12);
    CHECK_NEAR(m.compute_s, 10e-6, 1e-12);
    CHECK_NEAR(m.idle_s, 2e-6, 1e-12);
    CHECK_NEAR(m.median_s, 12e-6, 1e-12);
    CHECK(m.deviation_s >= 0 && m.deviation_s < 1e-15);
    CASE("layers are no steps: what is before and after them does not repeat");
    t = read_text(
        "p",
        OPEN CALL("embed", "0", "1") "," CALL("gather", "1", "1") "," CALL("norm", "2", "1") "," CALL(
            "gemm", "3",
            "4") "," CALL("norm", "8",
                          "1") "," CALL("gemm", "9",
                                        "4") "," CALL("norm", "14",
                                                      "1") "," CALL("gemm", "15",
                                                                    "4") "," CALL("norm", "20",
                                                                                  "1") "," CALL("ge"
                                                                                                "m"
                                                                                                "m",
                                                                                                "2"
                                                                                                "1",
                                                                                                "4") "," CALL("head",
                                                                                                              "26",
                                                                                                              "2")
            RANK("0"));
    clg_job_match(&arena, &t, 1, &job);
    rule = clg_span_rule_of(&arena, all, 1);
    CHECK(rule.kind == CLG_SPANS_WHOLE);
    CASE("what ranks did when");
    clg_trace traces[3];
    three(traces, &job);
    clg_text out = {.arena = &arena};
    clg_json_writer w = {.text = &out};
    clg_json_open(&w, NULL, '{');
    clg_json_strips(&w, &job);
    clg_json_close(&w, '}');
    /* 60 us in 7500 bins of 8 ns: 10 compute, 30 waiting, 5 transfer, 10 compute, 5 transfer. */
    CHECK(strstr(out.data, "\"runs\":\"C1250W3750T625C1250T625\"") != NULL ||
          strstr(out.data, "\"runs\": \"C1250W3750T625C1250T625\"") != NULL);
}

static void axes(void) {
    clg_trace traces[3];
    clg_recorded_job job;
    CASE("exposed communication by axis: of two at once the first has it, and all add up");
    traces[0] = read_text("a", OPEN GEMM("0", "10") "," REDUCE("5", "15") "," X(
                                   "kernel", "ncclDevKernel_ReduceScatter", "8", "15", "15",
                                   "\"Process Group Name\":\"2\",\"Process Group Description\":"
                                   "\"mesh_dp_shard\"") RANK("0"));
    clg_job_match(&arena, traces, 1, &job);
    CHECK(job.axis[0][CLG_SPLIT_TP].exposed_ns == 10000 && job.axis[0][CLG_SPLIT_TP].calls == 1);
    CHECK(job.axis[0][CLG_SPLIT_DP].exposed_ns == 10000);
    CHECK(job.axis[0][CLG_SPLIT_DP].transfer_ns == -1 && job.axis[0][CLG_SPLIT_PP].calls == 0);
    CHECK(traces[0].ledger.exposed_communication_ns == 20000);
    CASE("with all ranks, transfer apart from waiting");
    three(traces, &job);
    CHECK(job.axis[0][CLG_SPLIT_TP].exposed_ns == 40000);
    CHECK(job.axis[0][CLG_SPLIT_TP].waiting_ns == 30000 && job.waiting_ns[0] == 30000);
    CHECK(job.axis[2][CLG_SPLIT_TP].transfer_ns == 10000 && job.waiting_ns[2] == 0);
    CASE("degrees of a plan name groups that do not say what they serve");
    traces[0] = read_text("a", OPEN NUMBERED("10", "5", "7", "3 [0, 2]") RANK("0"));
    clg_job_match(&arena, traces, 1, &job);
    CHECK(job.axis[0][CLG_SPLIT_UNKNOWN].calls == 1);
    clg_job_split(&job, &(clg_degrees){{0, 2, 1, 1, 2, 1}});
    CHECK(job.axis[0][CLG_SPLIT_DP].calls == 1 && job.axis[0][CLG_SPLIT_UNKNOWN].calls == 0);
}

static void drawings(void) {
    clg_trace traces[3];
    clg_recorded_job job;
    CASE("a merged timeline: one clock, lanes where work overlaps, names escaped");
    traces[0] =
        read_text("a", OPEN GEMM("100", "10") "," X("kernel", "f<\\\"x\\\">", "7", "105", "10",
                                                    "") "," GEMM("115", "1") RANK("0"));
    clg_job_match(&arena, traces, 1, &job);
    clg_timeline merged;
    clg_job_timeline(&arena, &job, &merged);
    CHECK(merged.count == 3 && merged.track_count == 2 && merged.events[0].start_ns == 0);
    CHECK_TEXT(merged.tracks[1].name, "stream 7, lane 2");
    clg_text out = {.arena = &arena};
    clg_timeline_perfetto(&out, &merged, "rank");
    CHECK(strstr(out.data, "\"ts\":5.000,\"dur\":10.000,\"name\":\"f<\\\"x\\\">\"") != NULL);
    CASE("a picture");
    three(traces, &job);
    clg_text svg = {.arena = &arena};
    clg_picture_trace(&svg, &job);
    CHECK(strstr(svg.data, "rank 2") && strstr(svg.data, "60.0 us, last 1 x"));
}

#define HOST(r, host)                                                                              \
    "],\"host_name\":\"" host "\",\"distributedInfo\":{\"rank\":" r ",\"world_size\":2}}"

static void matching_sends(void) {
    clg_trace t[3];
    clg_recorded_job job;
    CASE("a send and its receive, beside collectives of their group");
    t[0] = read_text(
        "a", OPEN X("kernel", "ncclDevKernel_SendRecv", "9", "5", "10",
                    "\"Collective name\":\"send\",\"Dst Rank\":1,\"dtype\":\"Half\","
                    "\"In msg nelems\":4,\"Group size\":3,\"Process Group Name\":\"p\"") RANK("0"));
    t[1] = read_text(
        "b", OPEN X("kernel", "ncclDevKernel_SendRecv", "9", "8", "7",
                    "\"Collective name\":\"recv\",\"Src Rank\":0,\"dtype\":\"Half\","
                    "\"In msg nelems\":4,\"Group size\":3,\"Process Group Name\":\"p\"") RANK("1"));
    clg_job_match(&arena, t, 2, &job);
    CHECK(job.collective_count == 1 && job.mismatched == 0 && job.collectives[0].last == 1);
    CHECK(job.collectives[0].transfer_ns == 7000 && job.collectives[0].skew_ns == 3000);
    CHECK(job.collectives[0].bus_bytes_per_s == 1142857); /* 8 bytes in 7 us */
    CASE("sends down a pipeline are told apart by their pairs");
#define PASS(way, peer, ts, dur)                                                                   \
    X("kernel", "ncclDevKernel_SendRecv", "9", ts, dur,                                            \
      "\"Collective name\":\"" way "\"," peer ",\"dtype\":\"Half\",\"In msg nelems\":4,"           \
      "\"Group size\":3,\"Process Group Name\":\"p\"")
    t[0] = read_text("a", OPEN PASS("send", "\"Dst Rank\":2", "1",
                                    "9") "," PASS("send", "\"Dst Rank\":1", "12", "9") RANK("0"));
    t[1] = read_text("b", OPEN PASS("recv", "\"Src Rank\":0", "13",
                                    "8") "," PASS("send", "\"Dst Rank\":2", "30", "6") RANK("1"));
    t[2] = read_text("c", OPEN PASS("recv", "\"Src Rank\":0", "4",
                                    "6") "," PASS("recv", "\"Src Rank\":1", "25", "11") RANK("2"));
    clg_job_match(&arena, t, 3, &job);
    CHECK(job.collective_count == 3 && job.mismatched == 0);
    CHECK(job.collectives[0].transfer_ns == 6000 && job.collectives[0].last == 2);
    CHECK(job.collectives[1].transfer_ns == 8000 && job.collectives[1].last == 1);
    CHECK(job.collectives[2].transfer_ns == 6000 && job.collectives[2].last == 1);
}

static void matching(void) {
    clg_trace t[3];
    clg_recorded_job job;
    CASE("a rank that began to record later: matched by number");
    t[0] =
        read_text("a", OPEN NUMBERED("10", "5", "7", "1") "," NUMBERED(
                           "30", "9", "8", "1") "," NUMBERED("50", "4", "9", "1") HOST("0", "n"));
    t[1] = read_text("b", OPEN NUMBERED("35", "4", "8", "1") "," NUMBERED("49", "5", "9", "1")
                              HOST("1", "n"));
    clg_job_match(&arena, t, 2, &job);
    CHECK(job.collective_count == 3 && job.collectives[0].transfer_ns == -1);
    CHECK(job.collectives[1].sequence == 1 && job.collectives[1].transfer_ns == 4000);
    CHECK(job.collectives[1].skew_ns == 5000 && job.collectives[1].last == 1);
    CHECK(job.collectives[2].transfer_ns == 4000 && job.collectives[2].last == 0);
    CASE("another host: its clock is fitted however near it is");
    t[1] = read_text("b", OPEN NUMBERED("36", "4", "8", "1") "," NUMBERED("50", "5", "9", "1")
                              HOST("1", "m"));
    clg_job_match(&arena, t, 2, &job);
    CHECK(job.offset_ns[1] == 1000 && job.collectives[1].skew_ns == 5000);
    CASE("groups that calls name only: their ranks from the header");
    t[0] = read_text(
        "a",
        OPEN NUMBERED("10", "5", "1",
                      "3") "],\"distributedInfo\":{\"rank\":0,\"world_size\":4,\"pg_config\":[{"
                           "\"pg_name\":\"3\",\"pg_desc\":\"mesh_tp\",\"ranks\":[0,1]}]}}");
    t[1] = read_text(
        "b",
        OPEN NUMBERED("11", "4", "1",
                      "3") "],\"distributedInfo\":{\"rank\":1,\"world_size\":4,\"pg_config\":[{"
                           "\"pg_name\":\"3\",\"ranks\":[0, 1]}]}}");
    t[2] = read_text(
        "c",
        OPEN NUMBERED("12", "3", "1",
                      "3") "],\"distributedInfo\":{\"rank\":2,\"world_size\":4,\"pg_config\":[{"
                           "\"pg_name\":\"3\",\"ranks\":[2,3]}]}}");
    clg_job_match(&arena, t, 3, &job);
    CHECK(job.collective_count == 2 && job.collectives[0].transfer_ns == 4000);
    CHECK(job.axis[0][CLG_SPLIT_TP].calls == 1 && job.collectives[1].transfer_ns == -1);
    matching_sends();
}

/* Every end of the range that readers let through, on clocks that cannot be one. */
static void hostile_clocks(void) {
    static const char *const at[3][3] = {
        {"-4000000000000000", "0", "4000000000000000"},
        {"4000000000000000", "3999999999999999", "-4000000000000000"},
        {"-4000000000000000", "-3999999999999999", "4000000000000000"}};
    static const char *const rest[] = {RANK("0"), RANK("1"), RANK("2")};
    clg_trace traces[3];
    clg_recorded_job job;
    CASE("sums that run over stay at the end");
    CHECK(clg_ns_plus(INT64_MAX - 3, 5) == INT64_MAX && clg_ns_plus(INT64_MAX - 5, 5) == INT64_MAX);
    CHECK(clg_ns_plus(3 - INT64_MAX, -5) == -INT64_MAX);
    CHECK(clg_ns_minus(-CLG_TRACE_LATEST_NS, CLG_TRACE_LATEST_NS) == -2 * CLG_TRACE_LATEST_NS);
    CHECK(clg_ns_minus(INT64_C(-6000000000000000000), CLG_TRACE_LATEST_NS) == -INT64_MAX);
    CHECK(clg_ns_minus(17, 40) == -23 && clg_ns_plus(-17, 40) == 23);
    CASE("clocks at both ends of time do not run over");
    for (int i = 0; i < 3; i++) {
        char text[4096] = OPEN;
        for (int k = 0; k < 3; k++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used,
                     "%s" X("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", "7", "%s",
                            "86400000000", "\"Process Group Name\":\"1\""),
                     k ? "," : "", at[i][k]);
        }
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s", rest[i]);
        traces[i] = read_text("a", text);
        CHECK(traces[i].call_count == 3 && !traces[i].damaged);
    }
    clg_job_match(&arena, traces, 3, &job);
    CHECK(!job.unmatched && job.straggler_count > 0);
    CHECK(job.stragglers[0].caused_wait_ns > 0 && job.stragglers[0].caused_skew_ns > 0);
    clg_what_if w = clg_job_replay(&job);
    CHECK(w.unknown || w.observed_ns > 0);
    clg_timeline merged;
    clg_job_timeline(&arena, &job, &merged);
    CHECK(merged.count == 9);
    clg_text out = {.arena = &arena};
    clg_report_trace(&out, &(clg_trace_answer){.job = &job, .top = 8, .what_if = w});
    CHECK(out.size > 0);
}

int main(void) {
    table = clg_trace_kernels(&arena);
    CASE("who has each nanosecond");
    const clg_sweep_part parts[] = {{0, 10, 1}, {5, 15, 0}, {20, 25, 2}, {12, 22, 1}};
    clg_sweep_sum s = clg_sweep_all(&arena, parts, 4);
    CHECK(s.span_ns == 25 && s.own_ns[0] == 10 && s.own_ns[1] == 12 && s.own_ns[2] == 3);
    CHECK(s.none_ns == 0);
    matching();
    replays();
    hostile_clocks();
    steps();
    plans();
    axes();
    patterns();
    drawings();
    clg_arena_clear(&arena);
    return DONE;
}
