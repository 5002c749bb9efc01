/* Attention over pooled keys and residual streams, by hand, by counting pairs one by one, and
 * against what the makers of DeepSeek-V4 say of it; limits: no pool, a choice as long as the
 * sequence, one stream. */
#include "step/iteration.h"
#include "step/step.h"

#include "plan.h"

#include <string.h>

static clg_arena arena;
static clg_step step;

/* The first layer that pools so many tokens. */
static int kind_of(const clg_model *m, int every) {
    for (int k = 0; k < m->kinds; k++)
        if (m->kind[k].attention.pooling.every == every) return k;
    CHECK(false);
    return 0;
}

static void pairs(const clg_model *m) {
    clg_attention a = m->kind[kind_of(m, 4)].attention;
    CASE("pairs: 128 tokens of the window, 512 entries of four tokens");
    CHECK_NEAR(clg_pooled_entry_pairs(&a, 8192), plan_walked_pairs(8192, 2048, 4), 1e-12);
    CHECK_NEAR(clg_pooled_pairs(&a, 8192),
               plan_walked_pairs(8192, 2048, 4) + plan_walked_pairs(8192, 128, 1), 1e-12);
    CHECK(clg_pooled_seen(&a, 8192) == 128 + 512);
    CASE("a short sequence: all of it, and an entry of each four");
    CHECK(clg_pooled_seen(&a, 100) == 100 + 25);
    CHECK_NEAR(clg_pooled_pairs(&a, 100), 100 * 100 / 2 * 1.25, 1e-12);
    a = m->kind[kind_of(m, 128)].attention;
    CASE("of 128 tokens an entry all are seen");
    CHECK_NEAR(clg_pooled_pairs(&a, 8192),
               plan_walked_pairs(8192, 8192, 128) + plan_walked_pairs(8192, 128, 1), 1e-12);
    a.pooling.every = 0;
    CASE("without a pool the window alone");
    CHECK_NEAR(clg_pooled_pairs(&a, 8192), plan_walked_pairs(8192, 128, 1), 1e-12);
}

static void counts(const clg_model *flash) {
    clg_error e = {0};
    clg_model pro;
    CASE("284 and 1,600 B parameters, 13 and 49 B of them active but for the embedding");
    CHECK(clg_model_find(&arena, "deepseek-v4-pro", &pro, &e) == CLG_OK);
    CHECK_NEAR((double)flash->parameters, 284e9, 0.002);
    CHECK_NEAR((double)(flash->active_parameters - flash->embedding_parameters), 13e9, 0.03);
    CHECK_NEAR((double)pro.parameters, 1.6e12, 0.02);
    CHECK_NEAR((double)(pro.active_parameters - pro.embedding_parameters), 49e9, 0.01);
    CASE("a pooling layer by hand: low ranks, 8 groups, two pools, an indexer, streams");
    int64_t h = 4096, q = 64 * 512;
    const clg_layer_parameters *p = &flash->kind[kind_of(flash, 4)].parameters;
    CHECK(p->attention == (h + q) * 1024 + h * 512 + q * 1024 + 8 * 1024 * h + 64);
    int64_t pool = 2 * h * 1024 + 4 * 1024 + 512;
    int64_t index = 1024 * 64 * 128 + 2 * h * 256 + 4 * 256 + 128 + h * 64;
    int64_t streams = 2 * (24 * (4 * h + 1) + 3), router = h * 256 + 256;
    CHECK(p->replicated == pool + index + streams + router + 2 * h + 1024 + 512);
}

static void trained(void) {
    clg_scenario s = plan_scenario(&arena, "deepseek-v4-flash", "h100-sxm", "megatron-2024", 1);
    clg_layout l = plan_layout(8192);
    clg_step_build(&s.model, &s.machine, &s.stack, &l, &step);
    const clg_block *layer = &step.kind[kind_of(&s.model, 4)];
    double window = plan_walked_pairs(8192, 128, 1), chosen = plan_walked_pairs(8192, 2048, 4);
    CASE(
        "64 heads of 512 over window and chosen entries; scores of all entries by 64 heads of 128");
    CHECK_NEAR(plan_work_of(layer, "attention core", CLG_PASS_FORWARD),
               (window + chosen) * 64 * 2 * 1024, 1e-12);
    CHECK_NEAR(plan_work_of(layer, "index scores", CLG_PASS_FORWARD),
               8192.0 * 8192 / 2 / 4 * 64 * 256, 1e-12);
    CASE("the output in 8 groups of 4,096 to 1,024 each, then to the hidden width");
    CHECK_NEAR(plan_work_of(layer, "output down projection", CLG_PASS_FORWARD),
               2 * 8192.0 * 32768 * 1024, 1e-12);
    CHECK_NEAR(plan_work_of(layer, "attention output projection", CLG_PASS_FORWARD),
               2 * 8192.0 * 8192 * 4096, 1e-12);
    CASE("four streams are read for a part, then read and written with what it gives");
    CHECK_NEAR(plan_work_of(layer, "residual streams", CLG_PASS_FORWARD),
               2 * 8192.0 * 4096 * 2 * (3 * 4 + 2), 1e-12);
    CHECK_NEAR(step.boundary_bytes, 8192.0 * 4096 * 4 * 2, 1e-12);
}

typedef struct token {
    double flop, bytes;
} token;

/* Of one more token after a million, on one GPU with an 8-bit cache: products, and its context. */
static token after_a_million(const char *model) {
    clg_scenario s = plan_scenario(&arena, model, "h100-sxm", NULL, 8);
    clg_serving_layout layout = {.tp = 1, .pp = 1, .dp = 1, .ep = 1};
    layout.compute = layout.weights = layout.cache = layout.attention_weights = CLG_FP8;
    clg_engine engine = {0};
    double context = 1 << 20;
    clg_serving serving = {.model = &s.model,
                           .machine = &s.machine,
                           .engine = &engine,
                           .layout = &layout,
                           .scale_values = 128,
                           .context_tokens = context};
    token t = {2.0 * (double)(s.model.active_parameters - s.model.embedding_parameters), 0};
    for (int i = 0; i < s.model.layers; i++) {
        const clg_attention *a = &s.model.kind[s.model.layer_kind[i]].attention;
        clg_iteration_ops ops = {0};
        clg_context_decode(&serving, a, context, 1, &ops);
        for (int j = 0; j < ops.count; j++)
            t.flop += ops.op[j].op.flop * ops.op[j].op.count * ops.op[j].share * context;
        if (a->indexer.heads > 0)
            t.flop += 2.0 * a->indexer.heads * a->indexer.dim * context /
                      (a->pooling.every > 0 ? a->pooling.every : 1);
        t.bytes += clg_layer_cache_bytes(&serving, a, context);
    }
    return t;
}

static const clg_iteration_op *named(const clg_iteration_ops *ops, const char *name) {
    for (int i = 0; i < ops->count; i++)
        if (strcmp(ops->op[i].op.name, name) == 0) return &ops->op[i];
    CHECK(false);
    return &ops->op[0];
}

static void served(void) {
    clg_scenario s = plan_scenario(&arena, "deepseek-v4-flash", "h100-sxm", NULL, 1);
    clg_serving_layout layout = {.tp = 1, .pp = 1, .dp = 1, .ep = 1, .cache = CLG_FP8};
    clg_engine engine = {0};
    clg_serving serving = {.model = &s.model,
                           .machine = &s.machine,
                           .engine = &engine,
                           .layout = &layout,
                           .scale_values = 128};
    const clg_layer_kind *kind = &s.model.kind[kind_of(&s.model, 4)];
    clg_iteration_ops context = {0}, layer = {0};
    CASE("of four tokens one index key of 128 + 4 bytes is read, and one score written and read");
    clg_context_decode(&serving, &kind->attention, 8192, 1, &context);
    CHECK_NEAR(named(&context, "index keys and scores")->op.hbm_bytes, (128 + 4 + 8) / 4.0, 1e-12);
    CASE("an entry is 448 values of 8 bit, 64 of 16, and 8 bytes of scales: 584, as engines write");
    CHECK(clg_entry_bytes(&serving, &kind->attention) == 584);
    CASE(
        "kept of 8,192 tokens: 2,048 entries, a window of 128, index keys; a pool of a tenth, 819");
    double index = 8192 * (128 + 4) / 4.0;
    CHECK_NEAR(8192 * clg_layer_cache_bytes(&serving, &kind->attention, 8192),
               (2048 + 128) * 584.0 + index, 1e-12);
    engine.window_pool = 0.1;
    CHECK_NEAR(8192 * clg_layer_cache_bytes(&serving, &kind->attention, 8192),
               (2048 + 819.2) * 584.0 + index, 1e-12);
    CASE("four streams of 16 bit keep the residual: a norm reads and writes what a part takes in");
    clg_iteration_layer(&serving, kind, 5, true, &layer);
    CHECK_NEAR(named(&layer, "norm and residual")->op.hbm_bytes, 4 * 5 * 4096.0, 1e-12);
    CHECK_NEAR(named(&layer, "one into streams")->op.hbm_bytes, 2 * 5 * 4096.0 * (4 + 1 + 4),
               1e-12);
}

/* Their card (huggingface.co/deepseek-ai/DeepSeek-V4-Pro): at a million tokens 27 % of the flop of
 * V3.2 a token and 10 % of its cache, Flash 10 and 7. Index keys are 4 bits there, 8 here. */
static void published(void) {
    token before = after_a_million("deepseek-v3.2");
    token pro = after_a_million("deepseek-v4-pro"), flash = after_a_million("deepseek-v4-flash");
    CASE("27 and 10 % of V3.2's flop a token after a million");
    CHECK_NEAR(pro.flop / before.flop, 0.27, 0.05);
    CHECK_NEAR(flash.flop / before.flop, 0.10, 0.25);
    CASE("10 and 7 % of its cache");
    CHECK_NEAR(pro.bytes / before.bytes, 0.10, 0.2);
    CHECK_NEAR(flash.bytes / before.bytes, 0.07, 0.2);
}

int main(void) {
    clg_error e = {0};
    clg_model flash;
    CHECK(clg_model_find(&arena, "deepseek-v4-flash", &flash, &e) == CLG_OK);
    pairs(&flash);
    counts(&flash);
    trained();
    served();
    published();
    clg_arena_clear(&arena);
    return DONE;
}
