/* test_router.c -- routers in fp32: the table, other shapes and GPUs, rows that fill the GPU. */
#include "cost/router.h"
#include "test.h"

static clg_arena arena;

static clg_gpu gpu_of(double peak, int multiprocessors) {
    clg_gpu gpu = {.multiprocessors = multiprocessors};
    gpu.peak_flop_per_s[CLG_FP32] = peak;
    return gpu;
}

int main(void) {
    clg_error error = {0};
    clg_router_curve c;
    clg_gpu timed = gpu_of(80e12, 152), h100 = gpu_of(66.9e12, 132);
    CHECK(clg_router_find(&arena, &c, &error) == CLG_OK);
    CASE("as timed, and between two points");
    CHECK_NEAR(clg_router_s(&c, &timed, 1, 256, 6144), 7.52e-6, 1e-3);
    CHECK_NEAR(clg_router_s(&c, &timed, 64, 256, 6144), 63.3e-6, 1e-3);
    CHECK_NEAR(clg_router_s(&c, &timed, 96, 256, 6144), 66.3e-6, 1e-3);
    CASE("half the values on an H100: 7.52 us + 55.78 us x 1/2 x 0.526 / (66.9 / 132)");
    CHECK_NEAR(clg_router_s(&c, &h100, 64, 256, 3072), 36.46e-6, 1e-3);
    CHECK_NEAR(clg_router_s(&c, &h100, 64, 128, 3072), 36.46e-6, 1e-3); /* fewer tiles */
    CASE("8,192 tokens: 2 x 8,192 x 256 x 3,072 flop at 0.9 x 66.9 Tflop/s");
    CHECK_NEAR(clg_router_s(&c, &h100, 8192, 256, 3072), 214.0e-6, 1e-3);
    CASE("twice the experts, twice the time; a GPU without a peak of fp32 takes the table's");
    CHECK_NEAR(clg_router_s(&c, &h100, 8192, 512, 3072), 428.0e-6, 1e-3);
    clg_gpu none = gpu_of(0, 100);
    CHECK_NEAR(clg_router_s(&c, &none, 64, 256, 3072), 63.3e-6, 1e-3);
    return DONE;
}
