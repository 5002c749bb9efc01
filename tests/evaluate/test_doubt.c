/* Intervals: what the user's own curves take away. */
#include "evaluate/compose.h"
#include "plan.h"

static clg_arena arena;

int main(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2026", 64);
    clg_layout l = plan_layout(4096);
    l.dp = 64;
    l.zero = 1;
    l.accumulation = 4;
    l.global_batch = 256;
    clg_evaluation e = plan_evaluation(&arena, &s, l);
    double before = e.log_sigma;

    CASE("built-in curves take nothing away");
    CHECK(e.doubt.measured_kernels == 0 && e.doubt.measured_links == 0);

    CASE("products of residual 0.08, measured to 0.02: share^2 (0.0064 - 0.0004) off the variance");
    s.kernels.gemm[CLG_BF16].sigma = 0.02;
    s.built_in.gemm[CLG_BF16] = 0.08;
    e = plan_evaluation(&arena, &s, l);
    double share = e.matrix_s / e.step_s;
    CHECK_NEAR(e.log_sigma, sqrt(before * before - share * share * (0.0064 - 0.0004)), 1e-9);
    CHECK(e.step_p90_s < e.step_s * (1 + 1.2816 * before));

    CASE("a curve that fits the user's machine worse makes it wider");
    s.kernels.gemm[CLG_BF16].sigma = 0.1;
    e = plan_evaluation(&arena, &s, l);
    CHECK(e.log_sigma > before);

    CASE("no more than the stack has: never below the rest");
    s.kernels.gemm[CLG_BF16].sigma = 0;
    s.built_in.gemm[CLG_BF16] = 10;
    e = plan_evaluation(&arena, &s, l);
    CHECK_NEAR(e.doubt.measured_kernels, s.stack.sigma.step * s.stack.sigma.step, 1e-9);
    CHECK(e.log_sigma > 0 && e.log_sigma < before);
    s.kernels.gemm[CLG_BF16].sigma = s.built_in.gemm[CLG_BF16];

    CASE("borrowed kernels: products that were measured are borrowed no more");
    s.kernels.borrowed = true;
    s.stack.sigma.borrowed = 0.2;
    s.built_in.gemm[CLG_BF16] = s.kernels.gemm[CLG_BF16].sigma = 0.08;
    clg_evaluation borrowed = plan_evaluation(&arena, &s, l);
    CHECK_NEAR(borrowed.log_sigma, sqrt(before * before + 0.04), 1e-9);
    s.kernels.gemm[CLG_BF16].sigma = 0.07999999;
    e = plan_evaluation(&arena, &s, l);
    double streams_s = e.memory_bound_s + e.time.optimizer_s;
    double others = e.attention_s * e.attention_s + streams_s * streams_s;
    double left = others / (e.matrix_s * e.matrix_s + others);
    CHECK_NEAR(e.log_sigma, sqrt(before * before + 0.04 * left), 1e-5);
    s.kernels.borrowed = false;

    CASE("links between nodes by the share of their traffic, no more than traffic adds");
    s.built_in.slow = 0.2;
    s.network.sigma_slow = 0.1;
    e = plan_evaluation(&arena, &s, l);
    share = e.time.dp_exposed_s / e.step_s;
    CHECK(share > 0);
    double traffic = e.doubt.traffic * s.stack.sigma.traffic;
    CHECK_NEAR(e.doubt.measured_links, fmin(share * share * (0.04 - 0.01), traffic * traffic),
               1e-9);
    clg_arena_clear(&arena);
    return DONE;
}
