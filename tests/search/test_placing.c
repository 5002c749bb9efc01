/* Stages that are balanced, in a search: against brute force, and against even ones. */
#include "space.h"

static clg_arena arena;

/* Pipelines alone, stages to be balanced or left to the search; the split is in the plan, and a
 * search of both finds the faster of the two. */
static void check_agrees(void) {
    CASE("stages balanced: brute force agrees, and never slower than even ones");
    static const char *const models[] = {"llama-3-8b", "gpt-oss-20b", "llama-3.2-1b"};
    for (int i = 0; i < 6; i++) {
        clg_scenario s = plan_scenario(&arena, models[i % 3], "h100-sxm", "megatron-2026", 16);
        clg_space space = space_of(16, 4096, 64, 5);
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
        clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "megatron-2026", 16);
        clg_space space = space_of(16, 4096, 64, 5);
        if (i == 0) space.pp = (clg_axis_values){.count = 1, .value = {4}};
        if (i == 1) s.stack.stages.uneven = false;
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
