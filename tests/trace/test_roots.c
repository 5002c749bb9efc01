/* Who lost the time that others waited: jobs worked by hand. */
#include "recording.h"
#include "trace/links.h"
#include "trace/roots.h"

static clg_arena arena;
static clg_csv table;

#define X(cat, name, tid, ts, dur, args)                                                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":0,\"tid\":" tid ",\"ts\":" ts \
    ",\"dur\":" dur ",\"args\":{" args "}}"
#define GEMM(ts, dur) X("kernel", "gemm", "7", ts, dur, "")
#define PASS(way, peer, ts, dur)                                                                   \
    X("kernel", "ncclDevKernel_SendRecv", "9", ts, dur,                                            \
      "\"Collective name\":\"" way "\"," peer ",\"dtype\":\"Half\",\"In msg nelems\":4,"           \
      "\"Group size\":3,\"Process Group Name\":\"p\"")
#define REDUCE(group, ts, dur)                                                                     \
    X("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", "9", ts, dur,                           \
      "\"Collective name\":\"allreduce\",\"In msg nelems\":8,\"Out msg nelems\":8,"                \
      "\"Group size\":2,\"dtype\":\"Half\",\"Process Group Name\":\"" group "\"")
#define OPEN "{\"traceEvents\":["
#define RANK(r, world) "],\"distributedInfo\":{\"rank\":" r ",\"world_size\":" world "}}"

static clg_trace read_text(const char *text) { return recording_read(&arena, &table, "t", text); }

static const clg_root *root_of(const clg_roots *roots, int trace) {
    for (int i = 0; i < roots->count; i++)
        if (roots->root[i].trace == trace) return &roots->root[i];
    return NULL;
}

static int64_t sum_of(const clg_root *r) {
    int64_t sum_ns = 0;
    for (int k = 0; k < CLG_CAUSES; k++) sum_ns += r->cause_ns[k];
    return sum_ns;
}

/* Backward through three stages: rank 2 computes 40 us, then sends; rank 1 has waited for it, adds
 * 10 us of its own and sends; rank 0 waits 42 us for rank 1, of which 30 come from rank 2. */
static void through_a_victim(void) {
    clg_trace t[3];
    clg_recorded_job job;
    CASE("a late rank that waited itself passes the blame on");
    t[0] = read_text(OPEN GEMM("0", "10") "," PASS("recv", "\"Src Rank\":1", "10", "44")
                         RANK("0", "3"));
    t[1] = read_text(OPEN GEMM("0", "10") "," PASS("recv", "\"Src Rank\":2", "10", "32") "," GEMM(
        "42", "10") "," PASS("send", "\"Dst Rank\":0", "52", "2") RANK("1", "3"));
    t[2] = read_text(OPEN GEMM("0", "40") "," PASS("send", "\"Dst Rank\":1", "40", "2")
                         RANK("2", "3"));
    clg_job_match(&arena, t, 3, &job);
    CHECK(job.stragglers[0].trace == 1 && job.stragglers[0].caused_wait_ns == 42000);
    clg_roots roots = clg_job_roots(&arena, &job);
    CHECK(roots.count == 2 && roots.waited_ns == 72000);
    CHECK(roots.root[0].trace == 2 && roots.root[0].waited_ns == 60000);
    CHECK(roots.root[0].cause_ns[CLG_CAUSE_COMPUTE] == 60000);
    CHECK(clg_root_cause(&roots.root[0]) == CLG_CAUSE_COMPUTE);
    CHECK(roots.root[1].trace == 1 && roots.root[1].cause_ns[CLG_CAUSE_COMPUTE] == 10000);
    CHECK(roots.root[1].cause_ns[CLG_CAUSE_TRANSFER] == 2000);
    CASE("its products are four times as slow as those of the median rank");
    CHECK_NEAR(roots.root[0].kernel_ratio, 4, 1e-12);
    CHECK_TEXT(roots.root[0].kernel, "gemm");
}

#define LAUNCH(ts, id) X("cuda_runtime", "cudaLaunchKernel", "1", ts, "1", "\"correlation\":" id)
#define LAUNCHED(ts, dur, id) X("kernel", "gemm", "7", ts, dur, "\"correlation\":" id)

/* Two ranks; the second is idle for 30 us before its product. */
static clg_root idle_before(const char *host) {
    clg_trace t[2];
    clg_recorded_job job;
    t[0] = read_text(OPEN LAUNCH("0", "1") "," LAUNCHED("2", "8", "1") "," LAUNCH(
        "3", "2") "," LAUNCHED("10", "10", "2") "," REDUCE("g", "20", "34") RANK("0", "2"));
    t[1] =
        read_text(clg_arena_print(&arena,
                                  OPEN LAUNCH("0", "1") "," LAUNCHED("2", "8", "1") ",%s," LAUNCHED(
                                      "40", "10", "2") "," REDUCE("g", "50", "4") RANK("1", "2"),
                                  host));
    clg_job_match(&arena, t, 2, &job);
    clg_roots roots = clg_job_roots(&arena, &job);
    const clg_root *r = root_of(&roots, 1);
    CHECK(roots.count == 1 && r && r->waited_ns == 30000 && sum_of(r) == 30000);
    return r ? *r : (clg_root){0};
}

static void causes(void) {
    CASE("a slow loader, the allocator, a late launch and what nothing tells");
    clg_root r = idle_before(
        X("user_annotation", "enumerate(DataLoader)#x", "1", "5", "34", "") "," LAUNCH("39", "2"));
    CHECK(r.cause_ns[CLG_CAUSE_LOADER] == 29000 && r.cause_ns[CLG_CAUSE_UNKNOWN] == 1000);
    CHECK(clg_root_cause(&r) == CLG_CAUSE_LOADER);
    r = idle_before(
        X("cuda_runtime", "cudaMalloc", "1", "8", "30", "\"correlation\":9") "," LAUNCH("38", "2"));
    CHECK(clg_root_cause(&r) == CLG_CAUSE_ALLOCATOR && r.cause_ns[CLG_CAUSE_ALLOCATOR] == 28000);
    r = idle_before(LAUNCH("39", "2"));
    CHECK(clg_root_cause(&r) == CLG_CAUSE_HOST && r.cause_ns[CLG_CAUSE_HOST] == 29000);
    r = idle_before(LAUNCH("9", "2"));
    CHECK(clg_root_cause(&r) == CLG_CAUSE_UNKNOWN && r.cause_ns[CLG_CAUSE_UNKNOWN] == 30000);
    CASE("a rank whose recording begins later");
    clg_trace t[2];
    clg_recorded_job job;
    t[0] = read_text(OPEN GEMM("0", "10") "," REDUCE("g", "10", "34") RANK("0", "2"));
    t[1] = read_text(OPEN GEMM("30", "10") "," REDUCE("g", "40", "4") RANK("1", "2"));
    clg_job_match(&arena, t, 2, &job);
    clg_roots roots = clg_job_roots(&arena, &job);
    CHECK(roots.count == 1 && clg_root_cause(&roots.root[0]) == CLG_CAUSE_START);
    CASE("one rank alone has no roots");
    clg_job_match(&arena, t, 1, &job);
    CHECK(clg_job_roots(&arena, &job).count == 0);
}

/* Two groups of two reduce the same; one takes twice as long. Nobody waits. */
static void links(void) {
    static const char *const text[] = {
        OPEN GEMM("0", "10") "," REDUCE("a", "10", "4") "," REDUCE("a", "20", "4") RANK("0", "4"),
        OPEN GEMM("0", "10") "," REDUCE("a", "10", "4") "," REDUCE("a", "20", "4") RANK("1", "4"),
        OPEN GEMM("0", "10") "," REDUCE("b", "10", "8") "," REDUCE("b", "20", "8") RANK("2", "4"),
        OPEN GEMM("0", "10") "," REDUCE("b", "10", "8") "," REDUCE("b", "20", "8") RANK("3", "4")};
    clg_trace t[4];
    clg_recorded_job job;
    CASE("a group with a slow link");
    for (int i = 0; i < 4; i++) t[i] = read_text(text[i]);
    clg_job_match(&arena, t, 4, &job);
    CHECK(clg_job_roots(&arena, &job).count == 0);
    clg_slow_groups slow = clg_job_slow_groups(&arena, &job);
    CHECK(slow.count == 1 && slow.group[0].transfer_ns == 8000 && slow.group[0].usual_ns == 4000);
    CHECK(slow.group[0].ranks == 2 && slow.group[0].rank[0] == 2 && slow.group[0].count == 2);
    clg_job_match(&arena, t, 2, &job);
    CHECK(clg_job_slow_groups(&arena, &job).count == 0);
}

int main(void) {
    table = clg_trace_kernels(&arena);
    through_a_victim();
    causes();
    links();
    clg_arena_clear(&arena);
    return DONE;
}
