/* Readers of samples, and overlays that come back as they were written. */
#include "calibrate/overlay.h"
#include "synthetic.h"
#include "test.h"

static clg_arena arena;

static clg_status read(const char *file, const char *text, clg_samples *samples,
                       clg_samples_form *form, clg_error *error) {
    clg_csv runs;
    *samples = (clg_samples){0};
    *error = (clg_error){0};
    return clg_samples_read(&arena, file, text, strlen(text), samples, form, &runs, error);
}

static const char *const LINES =
    "{\"what\":\"allreduce\",\"ranks\":16,\"nodes\":2,\"bytes\":1048576,\"seconds\":[3e-4,1e-4,"
    "2e-4],\"where\":{\"gpu\":\"NVIDIA A100-SXM4-80GB\",\"host\":\"a\"},\"program\":\"x\"}\n"
    "\n"
    "{\"what\":\"gemm\",\"m\":128,\"n\":256,\"k\":512,\"dtype\":\"bfloat16\",\"seconds\":[1e-5]}"
    "\r\n"
    "{\"what\":\"gemm\",\"m\":0,\"n\":256,\"k\":512,\"dtype\":\"bf16\",\"seconds\":[1e-5]}\n"
    "{\"what\":\"step\",\"seconds\":[1.5]}\n"
    "{\"what\":\"copy\",\"bytes\":10,\"seconds\":[1e-6]}\n"
    "{\"what\":\"sendrecv\",\"ranks\":2,\"nodes\":1,\"bytes\":8,\"seconds\":[]}\n";

static const char *const LOG =
    "# nThread 1 nGpus 4 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20\n"
    "# Using devices\n"
    "[1,0]<stdout>:#  Rank  0 Group  0 Pid  40 on     node-1 device  0 [0x10] NVIDIA H100 80GB "
    "HBM3\n"
    "#  Rank  1 Group  0 Pid  40 on     node-1 device  1 [0x16] NVIDIA H100 80GB HBM3\n"
    "#  Rank  2 Group  0 Pid  41 on     node-2 device  0 [0x10] NVIDIA H100 80GB HBM3\n"
    "#  Rank  3 Group  0 Pid  41 on     node-2 device  1 [0x16] NVIDIA H100 80GB HBM3\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    "  algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
    " (GB/s)  (GB/s)\n"
    "           8             2     float     sum      -1    36.71    0.00    0.00      0    36.30 "
    "   0.00    0.00      0\n"
    "[1,0]<stdout>:  8589934592    2147483648     float     sum      -1    46379  185.21  347.27  "
    "  N/A    46385  185.19  347.23    N/A\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 87.9\n";

static void test_json_lines(void) {
    clg_samples s;
    clg_samples_form form;
    clg_error e;
    CASE("JSON Lines: medians, names, and what is left out");
    CHECK(read("p.jsonl", LINES, &s, &form, &e) == CLG_OK && form == CLG_FORM_JSON_LINES);
    CHECK(s.count == 3 && s.reasons == 3);
    CHECK(s.sample[2].kind == CLG_SAMPLE_COPY && s.sample[2].bytes == 10);
    CHECK_TEXT(s.sample[0].hosts, "a");
    CHECK_TEXT(s.sample[2].hosts, "");
    CHECK(s.sample[0].collective == CLG_ALL_REDUCE && s.sample[0].ranks == 16);
    CHECK(s.sample[0].nodes == 2 && s.sample[0].bytes == 1048576);
    CHECK_NEAR(s.sample[0].seconds, 2e-4, 1e-12);
    CHECK_TEXT(s.sample[0].gpu, "a100-sxm-80gb");
    CHECK(s.sample[1].kind == CLG_SAMPLE_GEMM && s.sample[1].precision == CLG_BF16);
    CASE("JSON Lines: a fault names its line");
    CHECK(read("p.jsonl", "{\"what\":\"gemm\"}\n{\"what\":}\n", &s, &form, &e) == CLG_BAD_INPUT);
    CHECK(e.line == 2 && strcmp(e.file, "p.jsonl") == 0);
}

static void test_log(void) {
    clg_samples s;
    clg_samples_form form;
    clg_error e;
    CASE("nccl-tests: ranks, hosts, rows behind a launcher's prefix");
    CHECK(read("all_gather_perf.log", LOG, &s, &form, &e) == CLG_OK && form == CLG_FORM_NCCL_LOG);
    CHECK(s.count == 2 && s.sample[0].ranks == 4 && s.sample[0].nodes == 2);
    CHECK(s.sample[0].collective == CLG_ALL_GATHER); /* the name of the file says so */
    CHECK_NEAR(s.sample[0].seconds, 36.71e-6, 1e-9);
    CHECK_NEAR(s.sample[1].seconds, 46379e-6, 1e-9);
    CHECK_TEXT(s.sample[1].gpu, "h100-sxm");
    CASE("nccl-tests: a log without ranks is refused");
    CHECK(read("x.log", "# busbw\n 8 2 float sum -1 36 0 0 0 36 0 0 0\n", &s, &form, &e) ==
          CLG_BAD_INPUT);
}

static void test_tables(void) {
    clg_samples s;
    clg_samples_form form;
    clg_error e;
    CASE("tables: collectives, products, runs");
    CHECK(read("c.csv",
               "collective,gpus,nodes,size_bytes,time_us_out,gpu,source\n"
               "all2all,16,2,1024,50,B200,here\nnothing,16,2,1024,50,B200,here\n",
               &s, &form, &e) == CLG_OK);
    CHECK(form == CLG_FORM_TABLE && s.count == 1 && s.reasons == 1);
    CHECK(s.sample[0].collective == CLG_ALL_TO_ALL);
    CHECK(read("g.csv", "m,n,k,dtype,tflops\n4096,4096,4096,bf16,500\n", &s, &form, &e) == CLG_OK);
    CHECK_NEAR(s.sample[0].seconds, 2 * 4096. * 4096 * 4096 / 500e12, 1e-9);
    CHECK(read("r.csv", "id,gpus,step_s\na,8,1\n", &s, &form, &e) == CLG_OK);
    CHECK(form == CLG_FORM_RUNS && s.count == 0);
    CHECK(read("x.csv", "a,b\n1,2\n", &s, &form, &e) == CLG_BAD_INPUT);
}

static clg_machine machine(void) {
    clg_machine m = {.gpus = 128};
    clg_error e = {0};
    clg_gpu_find(&arena, "h100-sxm", &m.gpu, &e);
    clg_node_default(&arena, &m.gpu, &m.node, &e);
    clg_fabric_find(&arena, m.node.fabric, &m.fabric, &e);
    return m;
}

static clg_file overlay(const clg_calibration *list, int count, const char *knob) {
    clg_text text = {.arena = &arena};
    CHECK(clg_overlay_print(&text, list, count, knob, "a test"));
    return (clg_file){"overlay.json", text.data, text.size};
}

static void test_network_overlay(void) {
    clg_machine m = machine();
    clg_network start, fitted, read_back, known;
    clg_error e = {0};
    clg_samples samples = {0};
    clg_calibration list[2];
    int count = 0;
    CASE("overlay of links: what was fitted comes back");
    CHECK(clg_network_find(&arena, &m, &start, &e) == CLG_OK);
    known = fitted = read_back = start;
    known.base_s *= 2;
    known.slow.bytes_per_s *= 0.8;
    synthetic_collectives(&arena, &known, 0.03, 0, &samples);
    clg_calibrate_network(&arena, &m, &fitted, &samples, list, &count);
    clg_file file = overlay(list, count, "network");
    CHECK(clg_network_overlay(&arena, &file, &m, &read_back, &e) == CLG_OK);
    CHECK_NEAR(read_back.base_s, fitted.base_s, 1e-3);
    CHECK_NEAR(read_back.fast.bytes_per_s, fitted.fast.bytes_per_s, 1e-3);
    CHECK_NEAR(read_back.in_switch_bytes_per_s, fitted.in_switch_bytes_per_s, 1e-3);
    CHECK_NEAR(read_back.slow.bytes_per_s, fitted.slow.bytes_per_s, 1e-3);
    CHECK_NEAR(read_back.slow.latency_s, fitted.slow.latency_s, 1e-3);
    CHECK_NEAR(read_back.ramp_slow_bytes, fitted.ramp_slow_bytes, 1e-3);
    CHECK_NEAR(read_back.sigma_slow, list[1].sigma_to, 1e-3);
    CASE("overlay of links: a misspelt member is refused, the network untouched");
    const char *bad = "{\"slow\": {\"bse\": {\"value\": 1, \"unit\": \"us\"}}}";
    file = (clg_file){"bad.json", bad, strlen(bad)};
    read_back = start;
    CHECK(clg_network_overlay(&arena, &file, &m, &read_back, &e) == CLG_BAD_INPUT);
    CHECK(strstr(e.mend, "base") && read_back.base_slow_s == start.base_slow_s);
}

static void test_kernel_overlay(void) {
    clg_machine m = machine();
    clg_kernels start, known, read_back;
    clg_error e = {0};
    clg_samples samples = {0};
    clg_calibration list[CLG_PRECISIONS];
    int count = 0;
    CASE("overlay of kernels: what was fitted comes back, the rest stays");
    CHECK(clg_kernels_find(&arena, &m.gpu, &start, &e) == CLG_OK);
    known = read_back = start;
    known.gemm[CLG_BF16].efficiency = 0.6;
    known.gemm[CLG_BF16].sustained = 1;
    synthetic_products(&arena, &m.gpu, &known, 0, 0, &samples);
    clg_calibrate_gemm(&arena, &m.gpu, &start, &samples, list, &count);
    clg_file file = overlay(list, count, "kernels");
    CHECK(clg_kernels_overlay(&arena, &file, &m.gpu, &read_back, &e) == CLG_OK);
    CHECK_NEAR(read_back.gemm[CLG_BF16].efficiency, 0.6, 0.02);
    CHECK(read_back.gemm[CLG_BF16].sustained == start.gemm[CLG_BF16].sustained);
    CHECK(read_back.gemm[CLG_FP8].efficiency == start.gemm[CLG_FP8].efficiency);
    CASE("overlay of kernels: a share of nothing is refused");
    const char *zero = "{\"gemm\": {\"bf16\": {\"efficiency\": {\"value\": 0, \"unit\": \"1\", "
                       "\"source\": \"x\", \"kind\": \"fitted\"}}}}";
    file = (clg_file){"zero.json", zero, strlen(zero)};
    CHECK(clg_kernels_overlay(&arena, &file, &m.gpu, &read_back, &e) == CLG_BAD_INPUT);
}

/* Copies of a known machine, 3 % noise that alternates: the rate is found, what was not measured
 * stays. */
static void test_copies(void) {
    clg_gpu gpu;
    clg_kernels start, read_back;
    clg_error e = {0};
    clg_samples samples = {0};
    clg_calibration list[2];
    int count = 0;
    CASE("copies: a known rate is recovered");
    CHECK(clg_gpu_find(&arena, "a100-sxm-80gb", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &start, &e) == CLG_OK);
    for (int i = 0; i < 16; i++) {
        double bytes = 65536 * (double)(1 << i);
        clg_sample s = {.kind = CLG_SAMPLE_COPY, .gpu = "", .bytes = bytes};
        s.seconds = (i % 2 ? 1.03 : 0.97) * (5e-6 + bytes / (0.7 * gpu.hbm_bytes_per_s));
        clg_samples_add(&arena, &samples, &s);
    }
    clg_calibrate_copies(&arena, &gpu, &start, &samples, list, &count);
    CHECK(count == 1);
    clg_file file = overlay(list, count, "kernels");
    read_back = start;
    CHECK(clg_kernels_overlay(&arena, &file, &gpu, &read_back, &e) == CLG_OK);
    CHECK_NEAR(read_back.memory.efficiency, 0.7, 0.03);
    CHECK_NEAR(clg_memory_bound_s(&gpu, &read_back, 1e6), 5e-6 + 1e6 / (0.7 * gpu.hbm_bytes_per_s),
               0.03);
    CHECK(read_back.optimizer_efficiency == start.optimizer_efficiency);
    CHECK(read_back.gemm[CLG_BF16].efficiency == start.gemm[CLG_BF16].efficiency);
}

static void test_stack_overlay(void) {
    clg_stack base, read_back;
    clg_error e = {0};
    CASE("a stack's base: a built-in one by name");
    const char *text = "{\"name\": \"mine\", \"base\": \"fsdp-2023\", \"kernel_slowdown\": "
                       "{\"value\": 1.5, \"unit\": "
                       "\"\", \"source\": \"x\", \"kind\": \"fitted\"}}";
    CHECK(clg_stack_find(&arena, "fsdp-2023", &base, &e) == CLG_OK);
    CHECK(clg_stack_read(&arena, "mine.json", text, strlen(text), &read_back, &e) == CLG_OK);
    CHECK(read_back.kernels.slowdown == 1.5);
    CHECK(read_back.overlap.parameter == base.overlap.parameter);
    CHECK(read_back.schedules == base.schedules && read_back.sigma.step == base.sigma.step);
    text = "{\"name\": \"mine\", \"base\": \"fsdp-2032\"}";
    CHECK(clg_stack_read(&arena, "mine.json", text, strlen(text), &read_back, &e) == CLG_BAD_INPUT);
    CHECK(e.line == 1 && strstr(e.mend, "fsdp-20"));
}

int main(void) {
    test_json_lines();
    test_log();
    test_tables();
    test_network_overlay();
    test_kernel_overlay();
    test_copies();
    test_stack_overlay();
    clg_arena_clear(&arena);
    return DONE;
}
