/* The tensor degree of a layout, wider and narrower; and the GPUs a job needs at least. */
#include "evaluate/interval.h"
#include "explain/widths.h"
#include "model/preset.h"
#include "scaling/fewest.h"
#include "test.h"

static clg_arena arena;

static clg_scenario scenario(const char *model, const char *gpu) {
    clg_scenario s = {.expert_imbalance = 1};
    clg_error e = {0};
    CHECK(clg_model_find(&arena, model, &s.model, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, gpu, &s.machine.gpu, &e) == CLG_OK);
    CHECK(clg_node_default(&arena, &s.machine.gpu, &s.machine.node, &e) == CLG_OK);
    CHECK(clg_fabric_find(&arena, s.machine.node.fabric, &s.machine.fabric, &e) == CLG_OK);
    CHECK(clg_stack_find(&arena, "megatron-2024", &s.stack, &e) == CLG_OK);
    CHECK(clg_scenario_prepare(&arena, &s, &e) == CLG_OK);
    return s;
}

static clg_space space_of(int64_t gpus) {
    return (clg_space){.gpus = gpus,
                       .seq = 4096,
                       .global_batch = 64,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = 1};
}

/* Every rank of a wider tensor group must do a part of the layers' work: tokens of experts are
 * shared out by sequence parallelism, which a layout of degree 1 does not speak of. */
static void wider(void) {
    CASE("a mixture of tp 1 made wider splits its sequence: the work of a rank stays");
    clg_scenario s = scenario("mixtral-8x7b", "h100-sxm");
    clg_space space = space_of(64);
    space.tp = (clg_axis_values){.count = 1, .value = {1}};
    clg_found found;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    clg_width width[CLG_WIDTHS];
    int count = clg_rank_widths(&arena, &s, &found.best[0].layout, width);
    CHECK(count >= 3 && width[0].plan.layout.tp == 1 && !width[0].plan.layout.sp);
    for (int i = 1; i < count; i++) {
        CHECK(width[i].plan.layout.sp);
        CHECK_NEAR(width[i].plan.executed_flop, width[0].plan.executed_flop, 0.1);
    }
    CHECK(width[1].plan.step_s < 1.5 * width[0].plan.step_s);
    CASE("without sequence parallelism as asked, it stays without");
    clg_layout plain = width[1].plan.layout;
    plain.sp = false;
    count = clg_rank_widths(&arena, &s, &plain, width);
    for (int i = 0; i < count; i++) CHECK(!width[i].plan.layout.sp);
}

static void fewest(void) {
    CASE("the first doubling that fits: half of it does not");
    clg_scenario s = scenario("llama-2-70b", "a100-sxm-80gb");
    clg_space space = space_of(4);
    const clg_evaluation *plan = clg_fewest_gpus(&arena, &s, &space);
    CHECK(plan != NULL);
    if (!plan) return;
    int64_t gpus = clg_layout_gpus(&plan->layout);
    CHECK(plan->fits && gpus > 4);
    space.gpus = gpus / 2;
    s.machine.gpus = (int)space.gpus;
    clg_found found;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    CHECK(found.count == 0);
    CASE("an axis that holds it back at every size: none");
    space.gpus = 4;
    space.tp = space.pp = space.cp = (clg_axis_values){.count = 1, .value = {1}};
    space.zero = (clg_axis_values){.count = 1, .value = {0}};
    CHECK(clg_fewest_gpus(&arena, &s, &space) == NULL);
}

static void overflow(void) {
    CASE("chance of running out: a half at the prediction, a tenth at P90, nine tenths at P10");
    clg_evaluation e = {.memory = {.total_bytes = 37e9, .needed_bytes = 37e9},
                        .memory_p90_bytes = 47.3e9};
    CHECK_NEAR(clg_evaluation_overflow(&e, 37e9), 0.5, 1e-12);
    CHECK_NEAR(clg_evaluation_overflow(&e, 47.3e9), 0.1, 1e-4);
    CHECK_NEAR(clg_evaluation_overflow(&e, 37e9 * 37 / 47.3), 0.9, 1e-4);
    CASE("without a width it is sure");
    e.memory_p90_bytes = 37e9;
    CHECK(clg_evaluation_overflow(&e, 36e9) == 1 && clg_evaluation_overflow(&e, 38e9) == 0);
    CASE("what the allocator lets go of where the GPU is full is not in the way");
    e.memory.needed_bytes = 35e9;
    CHECK(clg_evaluation_overflow(&e, 36e9) == 0);
}

int main(void) {
    wider();
    fewest();
    overflow();
    clg_arena_clear(&arena);
    return DONE;
}
