/* The search against brute force: the same best plans to the last layout, the same count. */
#include "model/preset.h"
#include "search/search.h"
#include "test.h"

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

static void agree(const char *name, const char *model, const char *gpu, int gpus, int batch,
                  const char *stack) {
    CASE(name);
    clg_scenario s = scenario(model, gpu, gpus, stack);
    clg_space space = {.gpus = gpus,
                       .seq = 4096,
                       .global_batch = batch,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = 5};
    clg_found quick, brute;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &quick, &e) == CLG_OK);
    space.exhaustive = true;
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &brute, &e) == CLG_OK);
    CHECK(quick.layouts == brute.layouts && quick.complete && brute.complete);
    CHECK(quick.priced < brute.priced);
    CHECK(quick.layouts == quick.priced + quick.cut[CLG_CUT_MEMORY] + quick.cut[CLG_CUT_TIME] +
                               quick.cut[CLG_CUT_LAZIER]);
    CHECK(quick.count == brute.count && quick.count > 0);
    for (int i = 0; i < quick.count; i++) {
        char a[160], b[160];
        clg_layout_print(&quick.best[i].layout, a, sizeof a);
        clg_layout_print(&brute.best[i].layout, b, sizeof b);
        CHECK_TEXT(a, b);
        CHECK(quick.best[i].step_s == brute.best[i].step_s);
    }
}

/* 8 layers a chunk, of which none, one, ... may be recomputed: none does not fit, all is slower. */
static void check_part_recomputed(void) {
    CASE("some layers recomputed: as few as fit, and brute force agrees");
    clg_scenario s = scenario("llama-3.1-405b", "h100-sxm", 16384, "megatron-2024");
    clg_space space = {.gpus = 16384,
                       .seq = 8192,
                       .global_batch = 2048,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .tp = {.count = 1, .value = {8}},
                       .pp = {.count = 1, .value = {16}},
                       .cp = {.count = 1, .value = {1}},
                       .keep = 4};
    clg_found quick, brute, whole;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &quick, &e) == CLG_OK);
    space.exhaustive = true;
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &brute, &e) == CLG_OK);
    CHECK(quick.layouts == brute.layouts && quick.layouts == brute.priced);
    for (int i = 0; i < 4; i++) {
        CHECK(quick.best[i].step_s == brute.best[i].step_s);
        CHECK(quick.best[i].layout.recompute_layers == brute.best[i].layout.recompute_layers);
    }
    CHECK(quick.best[0].layout.recompute_layers > 0);
    space.recompute = (clg_axis_values){.count = 1, .value = {CLG_RECOMPUTE_FULL}};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &whole, &e) == CLG_OK);
    CHECK(whole.best[0].layout.recompute_layers == 0);
    CHECK(whole.best[0].step_s > quick.best[0].step_s && whole.layouts < quick.layouts);
}

int main(void) {
    agree("a dense model on 16 GPUs", "llama-2-7b", "h100-sxm", 16, 64, "megatron-2024");
    agree("a dense model that needs splitting", "llama-2-70b", "a100-sxm-80gb", 32, 32,
          "megatron-2024");
    agree("a mixture of experts", "mixtral-8x7b", "h100-sxm", 16, 32, "megatron-2024");
    agree("a cluster that is no power of two", "llama-2-13b", "h100-sxm", 24, 48, "megatron-2024");
    agree("every schedule", "llama-2-7b", "h100-sxm", 16, 64, "unknown");
    agree("every schedule, experts", "mixtral-8x7b", "h100-sxm", 16, 32, "unknown");
    CASE("nothing fits: the nearest says what is missing");
    clg_scenario s = scenario("llama-3.1-405b", "a100-sxm-40gb", 8, "megatron-2024");
    clg_space space = {.gpus = 8,
                       .seq = 4096,
                       .global_batch = 8,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = 1};
    clg_found found;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    CHECK(found.count == 0 && found.has_nearest);
    CHECK(found.nearest.memory.total_bytes > found.nearest.capacity_bytes);
    CASE("the nearest: no layout that is priced needs less");
    double least_bytes = found.nearest.memory.total_bytes;
    space.exhaustive = true;
    clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e);
    CHECK(found.layouts == found.priced);
    CHECK_NEAR(found.nearest.memory.total_bytes, least_bytes, 1e-12);
    space.exhaustive = false;
    CASE("a fixed axis is kept; one without a legal layout is an error");
    s = scenario("llama-2-7b", "h100-sxm", 16, "megatron-2024");
    space = (clg_space){.gpus = 16,
                        .seq = 4096,
                        .global_batch = 64,
                        .precision = CLG_BF16,
                        .attention = {.count = 1, .value = {CLG_FLASH2}},
                        .tp = {.count = 1, .value = {4}},
                        .keep = 3};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    for (int i = 0; i < found.count; i++) CHECK(found.best[i].layout.tp == 4);
    space.tp = (clg_axis_values){.count = 1, .value = {3}};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_BAD_INPUT);
    e = (clg_error){0};
    CASE("the rule of the field comes out: tensor parallel stays inside the box");
    s = scenario("llama-3-70b", "h100-sxm", 512, "megatron-2024");
    space = (clg_space){.gpus = 512,
                        .seq = 8192,
                        .global_batch = 512,
                        .precision = CLG_BF16,
                        .attention = {.count = 1, .value = {CLG_FLASH2}},
                        .keep = 8};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    for (int i = 0; i < found.count; i++) CHECK(found.best[i].layout.tp <= 8);
    check_part_recomputed();
    clg_arena_clear(&arena);
    return DONE;
}
