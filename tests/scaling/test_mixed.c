/* One job on two kinds of GPU: shares by hand, halves that are alike, halves that do not run. */
#include "api/request.h"
#include "model/preset.h"
#include "scaling/mixed.h"
#include "test.h"

#include <math.h>

static clg_arena arena;

/* Seconds a part takes on each; beyond `most` parts nothing runs. */
typedef struct speeds {
    double part_s[CLG_HALVES];
    int64_t most[CLG_HALVES], even;
} speeds;

static double linear(void *context, int which, int64_t parts) {
    const speeds *s = context;
    if (parts > s->most[which] || parts % s->even != 0) return INFINITY;
    return s->part_s[which] * (double)parts;
}

static void check_shares(void) {
    CASE("three times as fast: three quarters of the batch");
    speeds s = {{1, 3}, {64, 64}, 1};
    CHECK(clg_mixed_share(64, linear, &s) == 48);
    CASE("2.3 and 1: of 10 parts 7 (max 7/2.3 = 3.04, 3), not 6 (4) or 8 (3.48)");
    s = (speeds){{1 / 2.3, 1}, {10, 10}, 1};
    CHECK(clg_mixed_share(10, linear, &s) == 7);
    CASE("shares that do not divide are passed over");
    s = (speeds){{1 / 2.3, 1}, {10, 10}, 2};
    CHECK(clg_mixed_share(10, linear, &s) == 8);
    CASE("a half that holds little gets what it holds; none: nothing runs");
    s = (speeds){{1, 1}, {64, 30}, 1};
    CHECK(clg_mixed_share(64, linear, &s) == 34);
    s = (speeds){{1, 1}, {0, 64}, 1};
    CHECK(clg_mixed_share(64, linear, &s) == 0);
}

static clg_scenario scenario_on(const char *gpu, int gpus) {
    clg_scenario s = {.expert_imbalance = 1};
    clg_error e = {0};
    CHECK(clg_model_find(&arena, "llama-3.2-1b", &s.model, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, gpu, &s.machine.gpu, &e) == CLG_OK);
    CHECK(clg_node_default(&arena, &s.machine.gpu, &s.machine.node, &e) == CLG_OK);
    CHECK(clg_fabric_find(&arena, s.machine.node.fabric, &s.machine.fabric, &e) == CLG_OK);
    CHECK(clg_stack_find(&arena, "megatron-2024", &s.stack, &e) == CLG_OK);
    s.machine.gpus = gpus;
    CHECK(clg_scenario_prepare(&arena, &s, &e) == CLG_OK);
    return s;
}

static clg_mixed plan_on(const clg_scenario *a, const clg_scenario *b, int64_t batch) {
    clg_mixed m = {.link = {.sites = 2, .bytes_per_s = 400e9, .exchange_bytes = 2}};
    const clg_scenario *of[] = {a, b};
    clg_error e = {0};
    for (int i = 0; i < CLG_HALVES; i++)
        m.half[i] = (clg_half){.scenario = of[i],
                               .space = {.gpus = of[i]->machine.gpus, .seq = 4096, .keep = 1}};
    CHECK(clg_mixed_plan(&arena, batch, &m, &e) == CLG_OK);
    return m;
}

static void check_plans(void) {
    clg_scenario h = scenario_on("h100-sxm", 8), a = scenario_on("a100-sxm-80gb", 8);
    clg_mixed m = plan_on(&h, &h, 256);
    CASE("two halves alike: half of the batch each, nobody waits");
    CHECK(m.runs && m.half[0].plan.layout.global_batch == 128 && m.half[1].waits_s == 0);
    CASE("the step is that of a plan of half of the batch, and 2 B a parameter over the link");
    double exchange_s = 2 * (double)h.model.parameters / 400e9;
    CHECK_NEAR(m.exchange_s, exchange_s, 1e-12);
    clg_evaluation e;
    clg_error error = {0};
    CHECK(clg_evaluate(&arena, &h, &m.half[0].plan.layout, false, NULL, &e, &error) == CLG_OK);
    CHECK_NEAR(m.step_s, e.step_s + exchange_s, 1e-12);
    CHECK_NEAR(m.tokens_per_s, 256 * 4096 / m.step_s, 1e-12);
    CASE("unlike ones: the faster has more, the longer step counts, the other waits");
    m = plan_on(&h, &a, 256);
    CHECK(m.runs && m.half[0].plan.layout.global_batch > m.half[1].plan.layout.global_batch);
    CHECK(m.half[0].plan.layout.global_batch + m.half[1].plan.layout.global_batch == 256);
    CHECK_NEAR(fmax(m.half[0].plan.step_s, m.half[1].plan.step_s) + m.exchange_s, m.step_s, 1e-12);
    CHECK(m.half[0].waits_s == 0 || m.half[1].waits_s == 0);
    CASE("together faster than the faster alone, and no faster than two jobs apart");
    CHECK(m.tokens_per_s > m.half[0].alone.tokens_per_s);
    CHECK(m.tokens_per_s < m.apart_tokens_per_s * 1.0001);
    CASE("one sequence cannot be shared");
    m.half[0].space.seq = 4096;
    CHECK(clg_mixed_plan(&arena, 1, &m, &error) == CLG_BAD_INPUT);
}

int main(void) {
    check_shares();
    check_plans();
    clg_arena_clear(&arena);
    return DONE;
}
