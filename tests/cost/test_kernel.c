/* Kernels: never faster than flop over peak or bytes over bandwidth; quantized in tiles. */
#include "cost/kernel.h"
#include "test.h"

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
    CHECK(share > 0.3 && share < 0.99);
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
    CASE("under the same limit, and where no limit was met, nothing changes");
    CHECK(clg_gpu_find(&arena, "h800-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK);
    CHECK(k.gemm[CLG_BF16].sustained == full.gemm[CLG_BF16].sustained);
    CHECK(clg_gpu_find(&arena, "a800-sxm-80gb", &gpu, &e) == CLG_OK);
    gpu.tdp_w = 300;
    CHECK(clg_kernels_find(&arena, &gpu, &k, &e) == CLG_OK && k.gemm[CLG_BF16].sustained == 1);
}

int main(void) {
    static const char *const gpus[] = {
        "v100-sxm-32gb",   "a100-sxm-40gb", "a100-sxm-80gb", "a800-sxm-80gb", "h100-sxm",
        "h100-hbm2e-500w", "h800-sxm",      "h200-sxm",      "b200-sxm",      "b300-sxm",
        "gb200",           "gb300",         "mi250x",        "mi300x",        "mi325x",
        "mi350x",          "mi355x"};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) bounds(gpus[i]);
    limits();
    clg_arena_clear(&arena);
    return DONE;
}
