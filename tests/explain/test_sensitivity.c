/* What would move a plan: shares of the step that a resource is responsible for. */
#include "explain/sensitivity.h"

#include "plan.h"

static clg_arena arena;

enum { TENSOR, HBM, LINK, FABRIC, LATENCY, HOST, STEADY };

int main(void) {
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 64);
    clg_sensitivity into[CLG_RESOURCES];
    clg_error error = {0};
    CASE("all resources together make up the step: none helps by itself more than in proportion");
    clg_layout l = plan_layout(4096);
    l.dp = 8, l.tp = 8, l.sp = true, l.global_batch = 32, l.accumulation = 4;
    CHECK(clg_sensitivities(&arena, &s, &l, into, &error) == CLG_OK);
    double all = 0;
    for (int i = 0; i < CLG_RESOURCES; i++) {
        CHECK(into[i].elasticity >= -1e-9 && into[i].elasticity <= 1);
        all += into[i].elasticity;
    }
    CHECK(all > 0.6 && all <= 1.01);
    CASE("tensor parallel with small products: links and their latency count");
    CHECK(into[LINK].elasticity > 0.02 && into[LATENCY].elasticity > 0.005);
    CASE("one GPU: no link, no fabric, no latency, nobody to wait for");
    s = plan_scenario(&arena, "gpt2", "h100-sxm", "megatron-2024", 1);
    l = plan_layout(1024);
    CHECK(clg_sensitivities(&arena, &s, &l, into, &error) == CLG_OK);
    for (int i = LINK; i <= LATENCY; i++) CHECK(fabs(into[i].elasticity) < 1e-12);
    CHECK(fabs(into[STEADY].elasticity) < 1e-12);
    CHECK(into[HOST].elasticity > 0.1);
    clg_arena_clear(&arena);
    return DONE;
}
