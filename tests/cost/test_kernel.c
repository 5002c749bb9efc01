/* Kernels: never faster than flop over peak or bytes over bandwidth; quantized in tiles. */
#include "cost/kernel.h"
#include "cost/skinny.h"
#include "test.h"

#include <math.h>
#include <string.h>

static clg_arena arena;

static void bounds(const char *name) {
    clg_gpu gpu;
    clg_kernels k;
    clg_error e = {0};
    CASE(name);
    CHECK(clg_gpu_find(&arena, name, &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    clg_precision p = gpu.peak_flop_per_s[CLG_BF16] > 0 ? CLG_BF16 : CLG_FP16;
    for (double m = 64; m <= 32768; m *= 2)
        for (double n = 128; n <= 32768; n *= 4) {
            double s = clg_gemm_s(&gpu, &k, p, m, n, 4096, 1);
            CHECK(s >= 2 * m * n * 4096 / gpu.peak_flop_per_s[p]);
            CHECK(s >= 2 * (m * 4096 + n * 4096 + m * n) / gpu.hbm_bytes_per_s);
            CHECK(clg_gemm_s(&gpu, &k, p, 2 * m, n, 4096, 1) >= s * 0.98);
        }
    double large = clg_gemm_s(&gpu, &k, p, 16384, 16384, 16384, 1);
    double share = 2.0 * 16384 * 16384 * 16384 / gpu.peak_flop_per_s[p] / large;
    CHECK(share > 0.3 && share < 1);
    CHECK(clg_memory_bound_s(&gpu, &k, 1e9) >= 1e9 / gpu.hbm_bytes_per_s);
    CHECK(clg_memory_bound_s(&gpu, &k, 1) > 0);
}

static void limits(void) {
    clg_gpu gpu;
    clg_kernels full, k;
    clg_error e = {0};
    CASE("the same chip at 500 of 700 W sustains (5/7)^(1/3) = 0.8939 of its rate, in all formats");
    CHECK(clg_gpu_find(&arena, "h100-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &full, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, "h100-hbm2e-500w", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    double share = k.gemm[CLG_BF16].sustained / full.gemm[CLG_BF16].sustained;
    CHECK_NEAR(share, 0.893904, 1e-6);
    CHECK_NEAR(share * share * share, 5.0 / 7, 1e-14);
    CHECK_NEAR(k.gemm[CLG_FP8].sustained, full.gemm[CLG_FP8].sustained * share, 1e-14);
    CASE("fewer multiprocessors, half of the watts: 350 W / 114 over 700 W / 132 = 0.57895, ^(1/3) "
         "= "
         "0.83345; 989.4 / 132 over 756 / 114 = 1.13027");
    CHECK(clg_gpu_find(&arena, "h100-pcie", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    CHECK_NEAR(k.gemm[CLG_BF16].sustained / full.gemm[CLG_BF16].sustained, 0.942023, 1e-5);
    CASE("under the same limit, and where no limit was met, nothing changes");
    CHECK(clg_gpu_find(&arena, "h800-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    CHECK(k.gemm[CLG_BF16].sustained == full.gemm[CLG_BF16].sustained);
    CHECK(clg_gpu_find(&arena, "a800-sxm-80gb", &gpu, &e) == CLG_OK);
    gpu.tdp_w = 300;
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK && k.gemm[CLG_BF16].sustained == 1);
}

static clg_status check(const char *text, clg_error *e) {
    return clg_kernels_check(&arena, &(clg_file){"mine.json", text, strlen(text)}, e);
}

static void based(void) {
    clg_gpu gpu;
    clg_kernels base, k;
    clg_error e = {0};
    CASE("a file with a base states what differs: MI355X has its own products in 8 bit, and a tile "
         "of MI300X");
    CHECK(clg_gpu_find(&arena, "mi300x", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &base, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, "mi355x", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    CHECK(k.gemm[CLG_FP8].efficiency == 0.7 && base.gemm[CLG_FP8].efficiency == 0.48);
    CHECK(k.gemm[CLG_FP8].medium_tile == base.gemm[CLG_FP8].medium_tile && !k.borrowed);
    CASE("a base that is not there; a curve that the base has not, stated in part");
    CHECK(check("{\"name\": \"x\", \"base\": \"h1000\"}", &e) == CLG_BAD_INPUT);
    CHECK(strcmp(e.file, "mine.json") == 0 && strstr(e.message, "h1000"));
    e = (clg_error){0};
    CHECK(
        check(
            "{\"name\": \"x\", \"title\": \"x\", \"base\": \"mi300x\", \"attention\": {\"flash3\": "
            "{\"launch\": {\"value\": 3, \"unit\": \"us\", \"source\": \"s\", \"kind\": "
            "\"assumed\"}}}}",
            &e) == CLG_BAD_INPUT);
    CHECK(strstr(e.mend, "base"));
}

static void slower_units(void) {
    clg_gpu gpu;
    clg_kernels full, k;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "h100-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &full, &e) == CLG_OK);
    CASE("matrix units cut to a quarter, 989.4 / 132 over 148 / 78 = 3.9503 at one clock: of a "
         "tile's "
         "time 0.86 is theirs, so 1 / (1 + 0.16279 / 3.9503) = 0.96042 of the new peak");
    CHECK(clg_gpu_find(&arena, "h20-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    CHECK_NEAR(full.gemm[CLG_BF16].efficiency, 0.86, 1e-14);
    CHECK_NEAR(k.gemm[CLG_BF16].efficiency, 0.96042, 1e-5);
    CHECK_NEAR(k.gemm[CLG_BF16].k_overhead * 3.95026, full.gemm[CLG_BF16].k_overhead, 1e-3);
    CHECK(k.attention[CLG_FLASH2].forward_efficiency >
          full.attention[CLG_FLASH2].forward_efficiency);
    CASE("a chip whose boost clock alone is told otherwise keeps the shares");
    CHECK(clg_gpu_find(&arena, "h100-pcie", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    CHECK(k.gemm[CLG_BF16].efficiency == full.gemm[CLG_BF16].efficiency);
}

/* Milliseconds of the kernel that takes a mask, 4 x 8,192^2 x width x heads flop. */
static double masked_ms(double heads, double width, clg_precision precision, bool back) {
    clg_gpu gpu;
    clg_kernels k;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "a100-sxm-80gb", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    clg_op op = {.kind = CLG_OP_ATTENTION, .flop = 4 * 8192.0 * 8192 * width * heads};
    op.attention.fused = true;
    op.attention.backward = back;
    op.attention.key_tokens = 8192;
    op.attention.head_dim = op.attention.value_head_dim = width;
    k.attention[CLG_MASKED].launch_s = 0;
    double ms = 1e3 * clg_attention_s(&gpu, &k, CLG_MASKED, precision, &op);
    CHECK(precision != CLG_FP32 ||
          ms == 1e3 * clg_attention_s(&gpu, &k, CLG_FLASH2, precision, &op));
    return ms;
}

/* A CPU that was probed has a rate for fp32 alone. */
static void one_rate(void) {
    clg_gpu gpu;
    clg_kernels k;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "a100-sxm-80gb", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    memset(gpu.peak_flop_per_s, 0, sizeof gpu.peak_flop_per_s);
    gpu.peak_flop_per_s[CLG_FP32] = 1e12;
    clg_op op = {.kind = CLG_OP_ATTENTION, .flop = 4 * 8192.0 * 8192 * 128};
    op.attention.fused = true;
    op.attention.key_tokens = 8192;
    op.attention.head_dim = op.attention.value_head_dim = 128;
    k.attention[CLG_MASKED].launch_s = 0;
    CASE("a chip without a 16-bit rate takes what its own for fp32 gives");
    CHECK_NEAR(clg_attention_s(&gpu, &k, CLG_MASKED, CLG_FP32, &op), op.flop / (1e12 * .28), 1e-9);
}

static void masked(void) {
    double at_128 = 1e3 * 4 * 8192.0 * 8192 * 128 * 320 / (312e12 * .28);
    CASE("2 x 160 heads of 128 on an A100: 125.9 ms (CUTLASS pull request 662: 121.7)");
    CHECK_NEAR(masked_ms(320, 128, CLG_FP16, false), at_128, 1e-9);
    CASE("in fp32 3.8 times as long, whatever kernel was asked for");
    CHECK_NEAR(masked_ms(320, 128, CLG_FP32, false), 3.8 * at_128, 1e-9);
    CASE("twice the width at 0.88 of the share, 0.41 backward; in fp32 at all of it");
    CHECK_NEAR(masked_ms(320, 256, CLG_FP16, false), 2 * at_128 / .88, 1e-9);
    CHECK_NEAR(masked_ms(320, 256, CLG_FP16, true), 2 * at_128 * .28 / .23 / .41, 1e-9);
    CHECK_NEAR(masked_ms(320, 256, CLG_FP32, false), 2 * 3.8 * at_128, 1e-9);
    CASE("heads of 40 and of 96 cost nearly what 64 and 128 do: (w + 4) / w x 128 / 132 x step");
    CHECK_NEAR(masked_ms(320, 96, CLG_FP16, false), at_128 * 100 / 96 * 128 / 132, 1e-9);
    CHECK_NEAR(masked_ms(320, 40, CLG_FP16, false), at_128 / 2 * 44 / 40 * 128 / 132, 1e-9);
}

/* vLLM pull request 45142: experts of Qwen3-Next 80B in 8-bit blocks on H20-3e (4.8 TB/s), hidden
 * 2048, 512 experts, 10 a token, width 256 a GPU, tuned: 360, 393 and 420 us of 128, 256 and 512
 * tokens. H100's rows of padding at its share of the peak would be 0.73 to 0.79 ms. */
static void experts_of_slower_units(void) {
    const double tokens[] = {128, 256, 512}, timed_us[] = {360, 393, 420};
    clg_gpu full_gpu, gpu;
    static clg_serve_curves full, c;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "h100-sxm", &full_gpu, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, "h20-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_serve_curves_find(&arena, &full_gpu, &full, &e) == CLG_OK);
    CHECK(clg_serve_curves_find(&arena, &gpu, &c, &e) == CLG_OK);
    CASE("8 bit: of 0.52 become 1 / (1 + 0.92308 / 3.95026) = 0.81059 of the new peak, of 122.9 "
         "rows "
         "122.9 x 0.81059 / 0.52 / 3.95026 = 48.498");
    const clg_expert_curve *x = &c.experts[CLG_FP8];
    CHECK_NEAR(full.experts[CLG_FP8].flop_share, 0.52, 1e-14);
    CHECK_NEAR(x->flop_share, 0.81059, 1e-5);
    CHECK_NEAR(x->pad, 48.498, 1e-3);
    CHECK(x->hbm_share == full.experts[CLG_FP8].hbm_share);
    CASE("within a sixth of the timed ones, products alone");
    for (int i = 0; i < 3; i++) {
        double reached = 512 * (1 - pow(1 - 10.0 / 512, tokens[i]));
        double rows = 10 * tokens[i] + reached * x->pad, flop = 6 * 2048.0 * 256 * rows;
        double seconds = flop / (gpu.peak_flop_per_s[CLG_FP8] * x->flop_share) + x->launch_s;
        CHECK_NEAR(seconds * 1e6 / timed_us[i], 1, 1.0 / 6);
    }
    CASE("MI300X has experts of its own and all else of its lender");
    CHECK(clg_gpu_find(&arena, "mi300x", &gpu, &e) == CLG_OK);
    CHECK(clg_serve_curves_find(&arena, &gpu, &c, &e) == CLG_OK);
    CHECK_NEAR(c.experts[CLG_BF16].flop_share, 0.4, 1e-14);
    CHECK_NEAR(c.shared[CLG_FP8].pad, 84.5, 1e-12);
    CHECK(c.weights[CLG_BF16].hbm_share == full.weights[CLG_BF16].hbm_share && c.borrowed);
}

/* cuDNN's backward of sparse attention on B200: 4,096 queries of 64 heads of 512, five products
 * (cudnn-frontend pull request 318). */
static void gathered(double keys, double ms) {
    clg_gpu gpu;
    clg_kernels k;
    clg_error e = {0};
    clg_op op = {.kind = CLG_OP_ATTENTION, .count = 1};
    CHECK(clg_gpu_find(&arena, "b200-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    op.attention.heads = 64, op.attention.batch = 1;
    op.attention.query_tokens = op.attention.key_tokens = 4096;
    op.attention.window = keys;
    op.attention.head_dim = op.attention.value_head_dim = 512;
    op.attention.fused = op.attention.backward = op.attention.gathered = true;
    op.flop = 2 * 4096.0 * 64 * keys * 5 * 512;
    double s = clg_attention_s(&gpu, &k, CLG_CUDNN, CLG_BF16, &op);
    CHECK_NEAR(1e3 * s, ms, 0.05);
    op.attention.gathered = false;
    CASE("where it was never timed, as dense");
    CHECK(clg_gpu_find(&arena, "h100-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    double dense = clg_attention_s(&gpu, &k, CLG_CUDNN, CLG_BF16, &op);
    op.attention.gathered = true;
    CHECK(clg_attention_s(&gpu, &k, CLG_CUDNN, CLG_BF16, &op) == dense);
}

/* Gated DeltaNet by flash-linear-attention 0.5.1, heads of 128 x 128, chunks of 64: 184,320 flop
 * and 5,120 bytes a token and head, 65,536 of the flop from chunk to chunk
 * (tests/step/test_state.c); backward 507,904, 10,496 and 163,840. Measured: QwenLM/FlashQLA,
 * benchmark/ benchmark_results_H200.txt and _GB200.txt; curves were fitted on 8 and 32 heads. */
static double state_ms(const char *name, double heads, double tokens, double longest, bool back) {
    clg_gpu gpu;
    clg_kernels k;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, name, &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    clg_op op = {.kind = CLG_OP_ATTENTION, .precision = CLG_BF16, .count = 1};
    op.flop = heads * tokens * (back ? 507904 : 184320);
    op.hbm_bytes = heads * tokens * (back ? 10496 : 5120);
    op.attention.backward = back;
    op.attention.chunks = longest / 64;
    op.attention.serial_share = back ? 163840.0 / 507904 : 65536.0 / 184320;
    double fused = clg_attention_s(&gpu, &k, CLG_FLASH3, CLG_BF16, &op);
    CHECK_NEAR(fused, clg_attention_s(&gpu, &k, CLG_UNFUSED, CLG_BF16, &op), 0);
    return 1e3 * fused;
}

static void states(void) {
    static const struct {
        const char *gpu;
        double heads, tokens, longest, ms, within;
        bool back;
    } row[] = {{"h200-sxm", 32, 8192, 8192, .472, .04, false},
               {"h200-sxm", 8, 32768, 32768, .902, .06, false}, /* one chunk after another */
               {"h200-sxm", 8, 32768, 4096, .471, .06, false},  /* eight sequences side by side */
               {"h200-sxm", 64, 32768, 32768, 3.331, .16, false},
               {"h200-sxm", 16, 2048, 2048, .098, .16, false},
               {"gb200", 48, 8192, 8192, .655, .16, false},
               {"gb200", 64, 8192, 2048, .772, .22, false},
               {"h200-sxm", 16, 32768, 4096, 2.973, .16, true},
               {"h200-sxm", 4, 32768, 32768, 2.311, .16, true}};
    CASE("chunked kernels of a state against those of a table, most of it not fitted");
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        CHECK_NEAR(state_ms(row[i].gpu, row[i].heads, row[i].tokens, row[i].longest, row[i].back),
                   row[i].ms, row[i].within);
    CASE("H200 by hand: 15 us, 32 x 8,192 x (184,320 / (989.4e12 x 0.55) + 5,120 / (4.8e12 x "
         "0.77))");
    double by_hand = 15e-3 + 1e3 * 32 * 8192 * (184320 / (989.4e12 * .55) + 5120 / (4.8e12 * .77));
    CHECK_NEAR(state_ms("h200-sxm", 32, 8192, 1024, false), by_hand, 1e-9);
    CASE("one head: 512 chunks of 1.2 us, and its own work but for that part beside");
    double work = 1e3 * 32768 * (184320 / (989.4e12 * .55) + 5120 / (4.8e12 * .77));
    CHECK_NEAR(state_ms("h200-sxm", 1, 32768, 32768, false),
               15e-3 + 512 * 1.2e-3 + work * (1 - 65536.0 / 184320), 1e-9);
}

/* Tflop/s of a bf16 product of n x n x n. */
static double cube(const char *name, double n) {
    clg_gpu gpu;
    clg_kernels k;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, name, &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    return 2e-12 * n * n * n / clg_gemm_s(&gpu, &k, CLG_BF16, n, n, n, 1);
}

/* github zzc0721/torch-performance-test-data, issues 79, 95 and 112, 185, 162 and 160: 30 products
 * of torch in a row, never fitted on but for the limit of the last board. */
static void boards(void) {
    CASE("products of 8,192 and 10,240: H100 SXM, PCIe (H800 PCIe beside it) and A40");
    CHECK_NEAR(cube("h100-sxm", 10240), 720, 0.06);
    CHECK_NEAR(cube("h100-pcie", 8192), (493 + 499) / 2.0, 0.05);
    CHECK_NEAR(cube("h100-pcie", 10240), (472 + 487) / 2.0, 0.06);
    CHECK_NEAR(cube("a40", 8192), 111, 0.1);
    CHECK_NEAR(cube("a40", 10240), 122, 0.05);
    CHECK_NEAR(cube("rtx-pro-6000", 10240), (387 + 334) / 2.0, 0.02);
    CASE("L4 is set by two products (issue 120)");
    CHECK_NEAR(cube("l4", 8192), 59.4, 0.04);
    CHECK_NEAR(cube("l4", 10240), 56.9, 0.04);
}

/* Tflop/s of a causal forward of 16 heads of 192 and values of 128, 16,384 tokens in all. */
static double causal(const char *name, double tokens) {
    clg_gpu gpu;
    clg_kernels k;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, name, &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    double flop = 16 * 16384 * tokens * (192 + 128);
    clg_op op = {.flop = flop,
                 .attention = {.batch = (int)(16384 / tokens),
                               .heads = 16,
                               .query_tokens = tokens,
                               .key_tokens = tokens,
                               .head_dim = 192,
                               .value_head_dim = 128,
                               .fused = true}};
    return 1e-12 * flop / clg_attention_s(&gpu, &k, CLG_FLASH2, CLG_BF16, &op);
}

/* github ROCm/aiter pull request 4205 (fmha_v3_fwd) and issue 2407 (hipBLASLt). */
static void cdna4(void) {
    CASE("MI355X: causal attention as timed, three lengths of five fitted");
    CHECK_NEAR(causal("mi355x", 1024), 665, 0.05);
    CHECK_NEAR(causal("mi355x", 2048), 913, 0.05);
    CHECK_NEAR(causal("mi355x", 4096), 1117, 0.05);
    CHECK_NEAR(causal("mi355x", 8192), 1235, 0.02);
    CHECK_NEAR(causal("mi355x", 16384), 1288, 0.05);
    CASE("its products in fp8");
    clg_gpu gpu;
    clg_kernels k;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "mi355x", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    CHECK_NEAR(2e-12 * 4096 * 4096 * 7168 / clg_gemm_s(&gpu, &k, CLG_FP8, 4096, 4096, 7168, 1),
               3034, 0.1);
    CHECK_NEAR(2e-12 * 4096 * 7168 * 2048 / clg_gemm_s(&gpu, &k, CLG_FP8, 4096, 7168, 2048, 1),
               2035, 0.1);
}

static void of_age(void) {
    clg_gpu old, usual, new;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "v100-sxm-32gb", &old, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, "a100-sxm-80gb", &usual, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, "b200-sxm", &new, &e) == CLG_OK);
    CASE("FlashAttention 2 needs compute capability 8.0: below it runs what the software has");
    CHECK(clg_attention_default(&old, "flash2", "unfused") == CLG_UNFUSED);
    CHECK(clg_attention_default(&old, "cudnn", "flash1") == CLG_FLASH1);
    CHECK(clg_attention_default(&old, NULL, NULL) == CLG_FLASH1);
    CHECK(clg_attention_default(&old, "masked", "unfused") == CLG_MASKED);
    CASE("what is older anyway stays; so does what a younger GPU runs");
    CHECK(clg_attention_default(&old, "unfused", "flash1") == CLG_UNFUSED);
    CHECK(clg_attention_default(&usual, "flash2", "unfused") == CLG_FLASH2);
    CHECK(clg_attention_default(&new, "flash2", "unfused") == CLG_CUDNN);
}

int main(void) {
    static const char *const gpus[] = {"v100-sxm-32gb", "a100-sxm-40gb", "a100-sxm-80gb",
                                       "a800-sxm-80gb", "h100-sxm",      "h100-hbm2e-500w",
                                       "h800-sxm",      "h200-sxm",      "b200-sxm",
                                       "b300-sxm",      "gb200",         "gb300",
                                       "mi250x",        "mi300x",        "mi325x",
                                       "mi350x",        "mi355x",        "h100-pcie",
                                       "h100-nvl",      "gh200-96gb",    "gh200-144gb",
                                       "l40s",          "a40",           "rtx-4090",
                                       "rtx-pro-6000",  "a30",           "l4"};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) bounds(gpus[i]);
    limits();
    based();
    of_age();
    slower_units();
    experts_of_slower_units();
    boards();
    cdna4();
    states();
    masked();
    CASE("keys by their places: 0.560 to 4.019 ms to 128 to 2,048 of them");
    gathered(128, 0.560), gathered(512, 1.233), gathered(2048, 4.019);
    one_rate();
    clg_arena_clear(&arena);
    return DONE;
}
