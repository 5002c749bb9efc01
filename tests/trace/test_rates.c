/* FLOPs of shapes, efficiency of kernels, and a recorded job as measurements: by hand. */
#include "recording.h"
#include "trace/job_samples.h"
#include "trace/rates.h"

static clg_arena arena;
static clg_csv table;

static clg_trace read_text(const char *name, const char *text) {
    return recording_read(&arena, &table, name, text);
}

static clg_slice slice(const char *text) { return (clg_slice){text, strlen(text)}; }

static double flop_of(const char *name, const char *dims, const char *types) {
    clg_product p;
    return clg_product_of(slice(name), slice(dims), slice(types), (clg_slice){0}, &p) ? p.flop : -1;
}

static void shapes(void) {
    static const char halves[] = "[\"c10::Half\", \"c10::Half\", \"c10::Half\", \"c10::Half\"]";
    CASE("FLOPs of shapes");
    CHECK(flop_of("aten::mm", "[[7, 5], [5, 3]]", halves) == 2 * 7 * 5 * 3);
    CHECK(flop_of("aten::addmm", "[[3], [7, 5], [5, 3], [], []]", halves) == 2 * 7 * 5 * 3);
    CHECK(flop_of("aten::bmm", "[[11, 7, 5], [11, 5, 3]]", halves) == 2 * 11 * 7 * 5 * 3);
    CHECK(flop_of("aten::baddbmm", "[[11, 7, 3], [11, 7, 5], [11, 5, 3]]", halves) ==
          2 * 11 * 7 * 5 * 3);
    /* scores 2·2·6·13·17·4 and values as much: b 2, h 6, s 13, t 17, d 4 */
    CHECK(flop_of("aten::_scaled_dot_product_flash_attention",
                  "[[2, 6, 13, 4], [2, 3, 17, 4], [2, 3, 17, 4]]",
                  halves) == 4 * 2 * 6 * 13 * 17 * 4);
    CHECK(flop_of("aten::_scaled_dot_product_flash_attention_backward",
                  "[[2, 6, 13, 4], [2, 6, 13, 4], [2, 6, 17, 4], [2, 6, 17, 4]]",
                  halves) == 8 * 2 * 6 * 13 * 17 * 4);
    CASE("no shapes, no FLOPs");
    CHECK(flop_of("aten::mm", "", "") == -1 && flop_of("aten::mm", "[[7, 5]]", halves) == -1);
    CHECK(flop_of("aten::mm", "[[7, 5], [6, 3]]", halves) == -1);
    CHECK(flop_of("aten::mm", "[[7, 5], [5, 3]]", "[\"long int\", \"long int\"]") == -1);
    CHECK(flop_of("aten::mm", "[[99999999999, 5], [5, 3]]", halves) == -1);
    CHECK(flop_of("aten::conv2d", "[[7, 5], [5, 3]]", halves) == -1);
    CASE("convolutions: 2 x weights x pixels of the output, for each gradient again");
    clg_product c;
#define CONV_IN "[[2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], []]"
#define CONV_TYPES "[\"float\", \"float\", \"\", \"\", \"\", \"\", \"\", \"\", \"\"]"
    CHECK(clg_product_of(slice("aten::cudnn_convolution"), slice(CONV_IN), slice(CONV_TYPES),
                         slice("[\"\", \"\", \"[1, 1]\", \"[2, 2]\", \"[1, 1]\", \"1\"]"), &c));
    CHECK(c.flop == 2 * 108 * 2 * 16); /* 4 x 4 pixels of each of two */
    CHECK(clg_product_of(slice("aten::miopen_convolution"), slice(CONV_IN), slice(CONV_TYPES),
                         slice("[\"\", \"\", \"\", \"[0, 0]\", \"[1, 1]\", \"[2, 2]\"]"), &c));
    CHECK(c.flop == 2 * 108 * 2 * 16); /* dilated by 2: 8 - 2 x 2 */
    CHECK(clg_product_of(slice("aten::cudnn_convolution"), slice(CONV_IN), slice(CONV_TYPES),
                         (clg_slice){0}, &c) &&
          c.flop == 0 && c.convolution);
    uint64_t same = c.convolution;
#define BACKWARD(mask)                                                                             \
    clg_product_of(slice("aten::convolution_backward"),                                            \
                   slice("[[2, 4, 4, 4], [2, 3, 8, 8], [4, 3, 3, 3], []]"),                        \
                   slice("[\"float\", \"float\", \"float\", \"\"]"),                               \
                   slice("[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"" mask "\"]"), &c)
    CHECK(BACKWARD("[True, True, False]") && c.flop == 2 * 2 * 108 * 2 * 16);
    CHECK(c.convolution == same);
    CHECK(BACKWARD("[False, True, False]") && c.flop == 2 * 108 * 2 * 16);
    CHECK(!clg_product_named(slice("aten::mmm")) && !clg_product_named(slice("mm")));
}

#define HEAD                                                                                       \
    "{\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA A100-SXM4-80GB\"}], \"traceEvents\": " \
    "["
#define MM(ts, dims, type)                                                                         \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":" ts        \
    ",\"dur\":9,\"args\":{\"Input Dims\":" dims ",\"Input type\":[\"" type "\",\"" type "\"]}}"
#define LAUNCH(ts, id)                                                                             \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":" ts ",\"dur\":1,\"args\":{\"correlation\":" id "}}"
#define KERNEL(name, ts, dur, id)                                                                  \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"correlation\":" id "}}"

static void unpriced(void) {
    CASE("half of the products' time is without shapes: no MFU");
    clg_trace partly = read_text(
        "rank0.json",
        HEAD MM("10", "[[1000, 300], [300, 2000]]", "c10::Half") "," LAUNCH("11", "1") "," KERNEL(
            "hgemm", "104", "8", "1") "," KERNEL("hgemm", "120", "8", "9") "]}");
    clg_trace_rate r = clg_trace_rate_of(&partly);
    CHECK(r.flop == 1.2e9 && r.priced == 0.5 && r.utilization == -1);
    CHECK_TEXT(clg_trace_unpriced_of(&partly).longest, "hgemm");
    CHECK(clg_trace_unpriced_of(&partly).graph_ns == 0);
    CASE("two products of one launch are a graph's");
    clg_trace graph =
        read_text("rank0.json",
                  HEAD KERNEL("hgemm", "104", "8", "1") "," KERNEL("hgemm", "120", "7", "1") "]}");
    CHECK(clg_trace_unpriced_of(&graph).graph_ns == 15000);
}

/* [1000, 300] x [300, 2000] in fp16: 1.2 Gflop in 8 us of the longer kernel, over a span of 100 us:
 * 150 Tflop/s of 312 (48.1 %), 12 Tflop/s over the span. Twice [500, 40] x [40, 60] in tf32. */
static void rates(void) {
    CASE("efficiency of a kernel, MFU of a rank");
    clg_trace t = read_text(
        "rank0.json",
        HEAD MM("10", "[[1000, 300], [300, 2000]]", "c10::Half") "," LAUNCH("11", "1") "," LAUNCH("13", "2") "," MM("20", "[[500, 40], [40, 60]]", "float") "," LAUNCH(
            "21",
            "3") "," MM("40", "[[500, 40], [40, 60]]",
                        "float") "," LAUNCH("41",
                                            "4") "," LAUNCH("60",
                                                            "5") "," KERNEL("splitk", "100", "3",
                                                                            "1") "," KERNEL("hgemm",
                                                                                            "104",
                                                                                            "8",
                                                                                            "2") "," KERNEL("s1688gemm",
                                                                                                            "120",
                                                                                                            "2",
                                                                                                            "3") "," KERNEL("s1688gemm",
                                                                                                                            "140",
                                                                                                                            "4",
                                                                                                                            "4") "," KERNEL("relu",
                                                                                                                                            "190",
                                                                                                                                            "10",
                                                                                                                                            "5") "]}");
    CHECK(t.product_count == 3 && t.product[0].kernel_ns == 8000);
    CHECK(t.flop[CLG_FP16] == 1.2e9 && t.flop[CLG_TF32] == 2 * 2.4e6 && t.flop[CLG_FP32] == 0);
    clg_trace_rate r = clg_trace_rate_of(&t);
    CHECK_NEAR(r.flop, 1.2048e9, 1e-12);
    CHECK_NEAR(r.flop_per_s, 1.2048e9 / 100e-6, 1e-12);
    CHECK_NEAR(r.utilization, (1.2e9 / 312e12 + 4.8e6 / 156e12) / 100e-6, 1e-9);
    clg_recorded_job job;
    clg_job_match(&arena, &t, 1, &job);
    const clg_trace_kernel *hgemm = &t.kernels[t.timeline.events[t.product[0].event].name];
    CHECK_NEAR(clg_trace_efficiency(t.gpu, hgemm), 150.0 / 312, 1e-9);
    CHECK(clg_trace_efficiency(t.gpu, &t.kernels[t.timeline.name_count - 1]) == -1); /* relu */
    CHECK(r.priced == 1);
    CASE("a step that lasts longer on the host than on the GPU is what work is set against");
    t.steps = 1;
    t.steps_ns = 2 * t.ledger.span_ns;
    CHECK_NEAR(clg_trace_rate_of(&t).flop_per_s, 1.2048e9 / 200e-6, 1e-12);
    t.steps = t.steps_ns = 0;
    CASE("without a known GPU: rates, no shares");
    t.gpu = "Voodoo 2";
    r = clg_trace_rate_of(&t);
    CHECK(r.flop_per_s > 0 && r.utilization == -1);
    t.gpu = "NVIDIA A100-SXM4-80GB";
    CASE("products as samples: medians by shape");
    clg_samples samples = {0};
    clg_job_samples(&arena, &job, &samples);
    CHECK(samples.count == 2 && samples.sample[0].kind == CLG_SAMPLE_GEMM);
    const clg_sample *tf32 = &samples.sample[0], *half = &samples.sample[1];
    CHECK(tf32->precision == CLG_FP32 || tf32->precision == CLG_TF32);
    CHECK(tf32->m == 500 && tf32->n == 60 && tf32->k == 40);
    CHECK_NEAR(tf32->seconds, 4e-6, 1e-12); /* the upper of two */
    CHECK(half->precision == CLG_FP16 && half->m == 1000 && half->n == 2000 && half->k == 300);
    CHECK_NEAR(half->seconds, 8e-6, 1e-12);
    CHECK_TEXT(half->gpu, "a100-sxm-80gb");
}

#define CALL(start, dur)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f16_RING_LL\","       \
    "\"pid\":0,\"tid\":9,\"ts\":" start ",\"dur\":" dur                                            \
    ",\"args\":{\"Collective name\":\"allreduce\",\"In msg nelems\":512,\"Out msg nelems\":512,"   \
    "\"Group size\":2,\"dtype\":\"Half\",\"Process Group Name\":\"1\"}}"
#define TAIL(r) "],\"distributedInfo\":{\"rank\":" r ",\"world_size\":2}}"

static void collectives(void) {
    clg_trace traces[2];
    clg_recorded_job job;
    clg_samples samples = {0};
    CASE("collectives as samples: transfers without waiting");
    traces[0] =
        read_text("a", HEAD CALL("10", "20") "," CALL("50", "7") "," CALL("70", "9") TAIL("0"));
    traces[1] =
        read_text("b", HEAD CALL("25", "5") "," CALL("50", "7") "," CALL("70", "9") TAIL("1"));
    clg_job_match(&arena, traces, 2, &job);
    clg_job_samples(&arena, &job, &samples);
    CHECK(samples.count == 1 && samples.sample[0].kind == CLG_SAMPLE_COLLECTIVE);
    CHECK(samples.sample[0].collective == CLG_ALL_REDUCE && samples.sample[0].ranks == 2);
    CHECK_NEAR(samples.sample[0].bytes, 1024, 1e-12);
    CHECK_NEAR(samples.sample[0].seconds, 7e-6, 1e-12);
    CASE("half of the ranks: nothing to fit");
    clg_samples none = {0};
    clg_job_match(&arena, traces, 1, &job);
    clg_job_samples(&arena, &job, &none);
    CHECK(none.count == 0 && none.reasons == 1 && none.left_out[0].count == 3);
}

int main(void) {
    table = clg_trace_kernels(&arena);
    shapes();
    rates();
    unpriced();
    collectives();
    clg_arena_clear(&arena);
    return DONE;
}
