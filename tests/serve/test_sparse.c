/* Serving sparse attention: what is kept and read of a token, and what kernels take, by hand and by
 * walking a prompt; limits where everything is chosen. */
#include "demand.h"
#include "plan.h"
#include "serve/replica.h"

static const clg_attention *attention_at(const clg_scenario *s, int layer) {
    return &s->model.kind[s->model.layer_kind[layer]].attention;
}

static void test_bytes(clg_arena *arena) {
    clg_sparse_kernels k;
    clg_error error = {0};
    CHECK(clg_sparse_kernels_find(arena, &k, &error) == CLG_OK);
    clg_serving_layout layout = {.tp = 1, .cache = CLG_FP8};
    clg_serving in = {.layout = &layout, .scale_values = k.scale_values};
    clg_scenario deepseek = plan_scenario(arena, "deepseek-v3.2", "h200-sxm", NULL, 0);
    clg_scenario glm = plan_scenario(arena, "glm-5.2", "h200-sxm", NULL, 0);
    clg_scenario minimax = plan_scenario(arena, "minimax-m3", "h200-sxm", NULL, 0);
    CASE("a token: 128 + 4 bytes of index key, 512 + 16 + 128 of latent");
    CHECK_NEAR(clg_index_key_bytes(&in, attention_at(&deepseek, 5)), 132, 1e-15);
    CHECK_NEAR(clg_entry_bytes(&in, attention_at(&deepseek, 5)), 656, 1e-15);
    CHECK(clg_index_key_bytes(&in, attention_at(&glm, 7)) == 0); /* shares layer 6's choice */
    CHECK_NEAR(clg_index_key_bytes(&in, attention_at(&glm, 6)), 132, 1e-15);
    CHECK_NEAR(clg_index_key_bytes(&in, attention_at(&minimax, 6)), 256, 1e-15);
    CHECK(clg_index_key_bytes(&in, attention_at(&minimax, 0)) == 0);
    CASE("scales are per 128 values, begun ones whole");
    clg_attention odd = *attention_at(&deepseek, 0);
    odd.indexer.dim = 129, odd.kv_rank = 300, odd.rope_dim = 7;
    CHECK_NEAR(clg_index_key_bytes(&in, &odd), 129 + 8, 1e-15);
    CHECK_NEAR(clg_entry_bytes(&in, &odd), 300 + 12 + 14, 1e-15);
}

/* Kernels with awkward numbers, on a GPU of 1 TB/s, 100 and 300 Tflop/s: half of the rate for the
 * cache, .8 of it for streams. */
static const clg_sparse_kernels awkward = {.index_hbm_share = 0.7,
                                           .scores_launch_s = 3e-6,
                                           .choice_short_s = 5e-6,
                                           .choice_launch_s = 8e-6,
                                           .choice_token_s = 1.5e-9,
                                           .index_flop_share = 0.4,
                                           .gather_share = 0.9,
                                           .decode_flop_share = 0.25,
                                           .prefill_flop_share = 0.6,
                                           .heads_least = 24,
                                           .scale_values = 32};

typedef struct stage {
    clg_machine machine;
    clg_engine engine;
    clg_serving_layout layout;
    clg_kernels kernels;
    clg_serve_curves curves;
    clg_serving serving;
    clg_iteration_pricing pricing;
} stage;

static const clg_iteration_pricing *set(stage *s) {
    *s = (stage){.machine.gpu.hbm_bytes_per_s = 1e12, .layout = {.tp = 1, .dp = 1, .pp = 1}};
    s->machine.gpu.generation = "any";
    s->machine.gpu.peak_flop_per_s[CLG_BF16] = 100e12;
    s->machine.gpu.peak_flop_per_s[CLG_FP8] = 300e12;
    s->layout.cache = CLG_BF16;
    s->curves.cache[CLG_BF16].hbm_share = 0.5;
    s->kernels.memory.efficiency = 0.8;
    s->engine.launch_share = 1;
    s->serving = (clg_serving){.machine = &s->machine,
                               .engine = &s->engine,
                               .layout = &s->layout,
                               .scale_values = awkward.scale_values};
    s->pricing = (clg_iteration_pricing){
        .serving = &s->serving, .kernels = &s->kernels, .curves = &s->curves, .sparse = &awkward};
    return &s->pricing;
}

/* Seconds per token of a context, and per pair of a prompt. */
static double context_s(const clg_attention *a, double tokens, int queries) {
    stage s;
    clg_iteration_ops ops = {0};
    set(&s);
    clg_context_decode(&s.serving, a, tokens, queries, &ops);
    return clg_iteration_ops_s(&s.pricing, &ops);
}

static double pair_s(const clg_attention *a, double tokens) {
    stage s;
    clg_iteration_ops ops = {0};
    set(&s);
    s.serving.prompt_tokens = tokens;
    clg_context_pair(&s.serving, a, tokens, &ops);
    return clg_iteration_ops_s(&s.pricing, &ops);
}

static void test_decode(void) {
    clg_attention a = {.kind = CLG_ATTENTION_LATENT, .heads = 3, .kv_rank = 96, .rope_dim = 24};
    a.indexer = (clg_indexer){.heads = 6, .dim = 80, .top_k = 1000};
    CASE("a layer's scores and choice: 3 + 5 us of a short context, 3 + 8 + 6 us of 4,000 tokens");
    CHECK_NEAR(clg_sparse_fixed_s(&awkward, 1000, 1000), 8e-6, 1e-12);
    CHECK_NEAR(clg_sparse_fixed_s(&awkward, 1000, 4000), 17e-6, 1e-12);
    CASE(
        "per token of context: index keys and scores always, entries and work by the share chosen");
    /* key 80 + 3 x 4 = 92, scores 8: 100 / 0.7e12; entry (96 + 24) x 2 / (0.5e12 x .9); work of 24
     * heads, not 3: 24 x 2 x (2 x 96 + 24) = 10,368 / 25e12, less than the read */
    double index = 100 / 0.7e12, read = 240 / 0.45e12;
    CHECK_NEAR(context_s(&a, 4000, 1), index + read / 4, 1e-12);
    CHECK_NEAR(context_s(&a, 900, 1), index + read, 1e-12);
    /* 200 heads: 200 x 432 = 86,400 flop, longer than the read */
    clg_attention many = a;
    many.heads = 200;
    CHECK_NEAR(context_s(&many, 4000, 1), index + 86400 / 25e12 / 4, 1e-12);
    CASE(
        "a sequence decodes 2,000 and 200,000 tokens: what it gathers stays, what it scores grows");
    double near = 2000 * context_s(&a, 2000, 1), far = 2e5 * context_s(&a, 2e5, 1);
    CHECK_NEAR(far - near, (2e5 - 2000) * index, 1e-9);
    CASE("three tokens at once: the index is read once, scores and entries three times");
    CHECK_NEAR(context_s(&a, 4000, 3), (92 + 24) / 0.7e12 + 3 * read / 4, 1e-12);
    CASE("a shared choice: no key, no scores, the same entries");
    a.indexer.shared = true;
    CHECK_NEAR(context_s(&a, 4000, 1), read / 4, 1e-12);
    CASE("grouped heads gather whole blocks, and none is padded");
    a = (clg_attention){.kind = CLG_ATTENTION_GROUPED,
                        .heads = 3,
                        .kv_heads = 1,
                        .head_dim = 70,
                        .value_head_dim = 50};
    a.indexer = (clg_indexer){.heads = 2, .dim = 46, .top_k = 1000};
    CHECK_NEAR(context_s(&a, 4000, 1), (92 + 8) / 0.7e12 + 240 / 0.5e12 / 4, 1e-12);
}

/* Seconds of a prompt, query by query. */
static double walked(const clg_attention *a, double memory, int tokens) {
    double flop = a->heads * 2 * (2 * a->kv_rank + a->rope_dim), sum = 0;
    for (int i = 0; i < tokens; i++) {
        double before = i + 0.5; /* the diagonal is half */
        double chosen = before < (double)a->indexer.top_k ? before : (double)a->indexer.top_k;
        sum += before * (2.0 * a->indexer.heads * a->indexer.dim / (300e12 * 0.4) + 8 / memory);
        sum += chosen * flop / (100e12 * 0.6);
    }
    return sum;
}

static void test_prompt(void) {
    clg_attention a = {.kind = CLG_ATTENTION_LATENT, .heads = 60, .kv_rank = 96, .rope_dim = 24};
    a.indexer = (clg_indexer){.heads = 6, .dim = 80, .top_k = 1000};
    CASE("prompts of 400 to 9,000 tokens, against a walk over their queries");
    for (int tokens = 400; tokens < 10000; tokens += 1720) {
        double pairs = (double)tokens * tokens / 2;
        CHECK_NEAR(pairs * pair_s(&a, tokens), walked(&a, 0.8e12, tokens), 1e-6);
    }
    CASE("by hand, 4,000 tokens: 960 flop at 120 Tflop/s and 8 bytes; 7/16 of 25,920 flop");
    CHECK_NEAR(pair_s(&a, 4000), 960 / 120e12 + 8 / 0.8e12 + 0.4375 * 25920 / 60e12, 1e-12);
}

static clg_replica served(clg_arena *arena, const clg_scenario *s, const char *engine, int prompt,
                          int tp, int dp) {
    clg_engine e;
    clg_error error = {0};
    clg_replica r;
    clg_demand demand = demand_at_rate(arena, 1, 20, prompt, 64, 0, 3);
    clg_replica_choice choice = {
        .tp = tp, .dp = dp, .compute = CLG_FP8, .weights = CLG_FP8, .cache = CLG_FP8};
    CHECK(clg_engine_find(arena, engine, &e, &error) == CLG_OK);
    bool ok = clg_replica_prepare(arena, s, &e, &choice, &demand, &r, &error) == CLG_OK;
    if (!ok) printf("  %s\n", error.message);
    CHECK(ok);
    return r;
}

static void test_replica(clg_arena *arena) {
    clg_scenario sparse = plan_scenario(arena, "deepseek-v3.2", "h200-sxm", NULL, 0);
    clg_scenario dense = plan_scenario(arena, "deepseek-v3", "h200-sxm", NULL, 0);
    clg_scenario glm = plan_scenario(arena, "glm-5.2", "h200-sxm", NULL, 0);
    CASE("the cache of a token on every rank: 61 x (656 + 132) bytes; dense 61 x 576");
    clg_replica s = served(arena, &sparse, "sglang", 60000, 8, 1);
    clg_replica d = served(arena, &dense, "sglang", 60000, 8, 1);
    CHECK_NEAR(s.room.cache_bytes_per_token, 61 * 788.0, 1e-12);
    CHECK_NEAR(d.room.cache_bytes_per_token, 61 * 576.0, 1e-12);
    CHECK_NEAR(served(arena, &glm, "sglang", 5000, 8, 1).room.cache_bytes_per_token,
               78 * 656.0 + 21 * 132.0, 1e-12);
    CASE("of a long context a small part is read, of a short one all");
    double share = 2048 / s.mean_context_tokens;
    CHECK_NEAR(s.room.read_bytes_per_token, 61 * (132 + 656 * share), 1e-9);
    clg_replica brief = served(arena, &sparse, "sglang", 1000, 8, 1);
    CHECK_NEAR(brief.room.read_bytes_per_token, 61 * 788.0, 1e-12);
    CASE("long contexts decode faster than dense ones, short ones slower");
    CHECK(s.cost.context_s < 0.5 * d.cost.context_s);
    CHECK(brief.cost.context_s > served(arena, &dense, "sglang", 1000, 8, 1).cost.context_s);
    CASE("long prompts: ranks that share sequences gain, heads split over ranks leave each the "
         "indexer");
    CHECK(served(arena, &sparse, "sglang", 60000, 1, 8).cost.pair_s <
          0.5 * served(arena, &dense, "sglang", 60000, 1, 8).cost.pair_s);
    CHECK(s.cost.pair_s > 0.9 * d.cost.pair_s);
    CASE("docs/serving.md by hand: 64 sequences of 16,000 tokens shared out on 8 H200");
    clg_replica page = served(arena, &sparse, "sglang", 16000, 1, 8);
    /* 140 / 2.88e12 + 278,528 / (989.5e12 x .41) x 2048 / C, 61 layers, an eighth of the sequences
     */
    double context = page.mean_context_tokens;
    double token = 140 / 2.88e12 + 278528 / 405.695e12 * 2048 / context;
    CHECK_NEAR(page.cost.context_s, 61 * token / 8, 2e-4);
    CHECK_NEAR(1e3 * page.cost.context_s * 64 * context, 1.07, 0.005);
    CASE("short prompts: SGLang computes them as dense ones, vLLM does not");
    CHECK_NEAR(brief.cost.pair_s, served(arena, &dense, "sglang", 1000, 8, 1).cost.pair_s, 1e-12);
    CHECK(served(arena, &sparse, "vllm", 1000, 8, 1).cost.pair_s > 1.5 * brief.cost.pair_s);
    CASE("an indexer has weights and work on every rank: a layer more takes time at any batch");
    CHECK_NEAR(s.room.weight_bytes - d.room.weight_bytes, 61 * 13959424.0 * 2, 1e-9);
    CHECK(s.cost.decode_s[1] > d.cost.decode_s[1]);
}

int main(void) {
    clg_arena arena = {0};
    test_bytes(&arena);
    test_decode();
    test_prompt();
    test_replica(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
