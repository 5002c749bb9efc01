/* Layers that read the keys of others, gate by the head, or convolve only, by hand of their
 * configurations; limits: one token, a context shorter than a window. */
#include "step/iteration.h"
#include "step/step.h"

#include "plan.h"

#include <string.h>

static clg_arena arena;
static clg_step step;

static double flop_of(const clg_block *block, const char *name) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == CLG_PASS_FORWARD && strcmp(block->op[i].name, name) == 0)
            sum += block->op[i].count * block->op[i].flop;
    return sum;
}

static double kept_bytes(const char *model, double context) {
    clg_scenario s = plan_scenario(&arena, model, "h100-sxm", NULL, 8);
    clg_serving_layout layout = {.tp = 1, .pp = 1, .dp = 1, .ep = 1, .cache = CLG_BF16};
    clg_engine engine = {0};
    clg_serving serving = {.model = &s.model,
                           .machine = &s.machine,
                           .engine = &engine,
                           .layout = &layout,
                           .context_tokens = context};
    double sum = 0;
    for (int i = 0; i < s.model.layers; i++)
        sum += context * clg_layer_cache_bytes(
                             &serving, &s.model.kind[s.model.layer_kind[i]].attention, context);
    return sum;
}

static void caches(void) {
    CASE("Gemma 4 E2B: 15 of 35 layers keep, 12 a window of 512 at width 256, 3 all at width 512");
    CHECK_NEAR(kept_bytes("gemma-4-e2b", 8192), 2 * 2.0 * (12 * 512 * 256 + 3 * 8192 * 512), 1e-12);
    CASE("shorter than the window: all of it");
    CHECK_NEAR(kept_bytes("gemma-4-e2b", 100), 2 * 2.0 * 100 * (12 * 256 + 3 * 512), 1e-12);
    CASE("LFM2 1.2B: 6 of 16 layers keep 8 heads of 64, the others no context");
    CHECK_NEAR(kept_bytes("lfm2-1.2b", 8192), 8192 * 2 * 2.0 * 6 * 8 * 64, 1e-12);
}

static int kind_where(const clg_model *m, bool (*is)(const clg_attention *)) {
    for (int k = 0; k < m->kinds; k++)
        if (is(&m->kind[k].attention)) return k;
    CHECK(false);
    return 0;
}

static bool serves(const clg_attention *a) { return a->keys_serve; }

static bool borrows(const clg_attention *a) { return a->borrows; }

static bool is_gated(const clg_attention *a) { return a->gate_dim > 0; }

static const clg_block *built(const char *model, clg_model *m, bool (*is)(const clg_attention *)) {
    clg_scenario s = plan_scenario(&arena, model, "h100-sxm", "megatron-2024", 1);
    clg_layout l = plan_layout(1024);
    clg_step_build(&s.model, &s.machine, &s.stack, &l, &step);
    *m = s.model;
    return &step.kind[kind_where(m, is)];
}

static void products(void) {
    clg_model m;
    const clg_block *layer = built("gemma-4-31b", &m, serves);
    CASE("keys that serve as values are multiplied once: 32 query heads and 4 of keys, 512 wide");
    CHECK_NEAR(flop_of(layer, "query-key-value projection"), 2 * 1024.0 * 5376 * (32 + 4) * 512,
               1e-12);
    layer = built("gemma-4-e2b", &m, borrows);
    CASE("a layer that borrows keys multiplies its 8 query heads alone, 256 wide");
    CHECK_NEAR(flop_of(layer, "query-key-value projection"), 2 * 1024.0 * 1536 * 8 * 256, 1e-12);
    layer = built("step-3.5-flash", &m, is_gated);
    const clg_attention *a = &m.kind[kind_where(&m, is_gated)].attention;
    CASE("one gate a head is one more column of it");
    double columns = a->heads * (128 + 1) + 2 * a->kv_heads * 128;
    CHECK_NEAR(flop_of(layer, "query-key-value projection"), 2 * 1024.0 * 4096 * columns, 1e-12);
}

int main(void) {
    caches();
    products();
    clg_arena_clear(&arena);
    return DONE;
}
