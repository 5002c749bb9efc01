/* Stages that are balanced, in a search: against brute force, and against even ones. */
#include "dataset/dataset.h"
#include "model/preset.h"
#include "search/search.h"
#include "test.h"

#include <string.h>

static clg_arena arena;

static clg_scenario scenario(const char *model, const char *gpu, int gpus, const char *stack) {
    clg_scenario s = {.expert_imbalance = 1};
    clg_error e = {0};
    CHECK(clg_model_find(&arena, model, &s.model, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, gpu, &s.machine.gpu, &e) == CLG_OK);
    CHECK(clg_node_default(&arena, &s.machine.gpu, &s.machine.node, &e) == CLG_OK);
    CHECK(clg_fabric_find(&arena, s.machine.node.fabric, &s.machine.fabric, &e) == CLG_OK);
    CHECK(clg_stack_find(&arena, stack, &s.stack, &e) == CLG_OK);
    s.machine.gpus = gpus;
    CHECK(clg_scenario_prepare(&arena, &s, &e) == CLG_OK);
    return s;
}

static clg_space space_of(int64_t gpus, int64_t seq, int64_t batch) {
    return (clg_space){.gpus = gpus,
                       .seq = seq,
                       .global_batch = batch,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = 5};
}

static bool same_split(const clg_layout *a, const clg_layout *b) {
    if (!a->split || !b->split) return a->split == b->split;
    return a->split_count == b->split_count &&
           memcmp(a->split, b->split, (size_t)a->split_count * sizeof *a->split) == 0;
}

/* Pipelines alone, stages to be balanced or left to the search; the split is in the plan, and a
 * search of both finds the faster of the two. */
static void check_agrees(void) {
    CASE("stages balanced: brute force agrees, and never slower than even ones");
    static const char *const models[] = {"llama-3-8b", "gpt-oss-20b", "llama-3.2-1b"};
    for (int i = 0; i < 6; i++) {
        clg_scenario s = scenario(models[i % 3], "h100-sxm", 16, "megatron-2026");
        clg_space space = space_of(16, 4096, 64);
        space.pp = (clg_axis_values){.count = 2, .value = {4, 8}};
        if (i >= 3) space.vpp = (clg_axis_values){.count = 1, .value = {2}};
        clg_found quick, brute, even;
        clg_error e = {0};
        CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &quick, &e) == CLG_OK);
        space.exhaustive = true;
        CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &brute, &e) == CLG_OK);
        space.exhaustive = false;
        CHECK(quick.count == 5 && brute.count == 5 && quick.layouts == brute.layouts);
        CHECK(brute.layouts == brute.priced + brute.cut[CLG_CUT_SAME]);
        for (int j = 0; j < quick.count; j++) {
            CHECK(quick.best[j].step_s == brute.best[j].step_s);
            CHECK(same_split(&quick.best[j].layout, &brute.best[j].layout));
        }
        space.placing = (clg_axis_values){.count = 1, .value = {CLG_STAGES_EVEN}};
        CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &even, &e) == CLG_OK);
        CHECK(!even.best[0].layout.split && even.cut[CLG_CUT_SAME] == 0);
        CHECK(quick.best[0].step_s <= even.best[0].step_s);
        if (i < 3) CHECK(quick.best[0].layout.split && quick.best[0].step_s < even.best[0].step_s);
    }
}

static void check_left_out(void) {
    CASE("a pipeline that is given keeps even stages, and so does software that cannot");
    for (int i = 0; i < 2; i++) {
        clg_scenario s = scenario("llama-3-8b", "h100-sxm", 16, "megatron-2026");
        clg_space space = space_of(16, 4096, 64);
        if (i == 0) space.pp = (clg_axis_values){.count = 1, .value = {4}};
        if (i == 1) s.stack.uneven_stages = false;
        clg_found found;
        clg_error e = {0};
        CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
        CHECK(found.count > 0 && found.cut[CLG_CUT_SAME] == 0);
        for (int j = 0; j < found.count; j++) CHECK(!found.best[j].layout.split);
    }
}

int main(void) {
    check_agrees();
    check_left_out();
    clg_arena_clear(&arena);
    return DONE;
}
