/* test_iteration.c -- what an iteration costs beside its kernels: graphs, routing, casts, memory
 * rules, limits of benchmarks; by hand, and against draws. */
#include "demand.h"
#include "demand/random.h"
#include "measured/bench_limits.h"
#include "plan.h"
#include "serve/replica.h"
#include "step/routing.h"

/* Share reached, by drawing how popular experts are. */
static double drawn_reach(double spread, double hits) {
    clg_random random = {7};
    double none = 0;
    int draws = 200000;
    for (int i = 0; i < draws; i++)
        none += exp(-hits * clg_random_gamma(&random, 1 / (spread * spread)));
    return 1 - none / draws;
}

/* Rows of the fullest rank over the mean, by drawing popularity and then rows. */
static double drawn_fullest(double spread, int ranks, int experts, double rows) {
    clg_random random = {9};
    double sum = 0;
    int draws = 4000, each = experts / ranks;
    for (int i = 0; i < draws; i++) {
        double most = 0;
        for (int r = 0; r < ranks; r++) {
            double share = 0;
            for (int e = 0; e < each; e++)
                share += clg_random_gamma(&random, 1 / (spread * spread)) / each;
            double got = rows * share + sqrt(rows * share) * clg_random_normal(&random);
            if (got > most) most = got;
        }
        sum += most;
    }
    return sum / draws / rows;
}

static void test_routing(void) {
    CASE("experts reached: even, one token, by hand, by draws");
    CHECK_NEAR(clg_experts_reached(0, 1.0 / 16, 16), 1 - pow(15.0 / 16, 16), 1e-12);
    CHECK_NEAR(clg_experts_reached(0, 1.0 / 16, 1), 1.0 / 16, 1e-12);
    /* h = 16 ln(16/15) = 1.032616; 1 + .49 h = 1.505982; to the -1/.49: .433613 */
    CHECK_NEAR(clg_experts_reached(0.7, 1.0 / 16, 16), 0.566387, 1e-5);
    for (double hits = 0.1; hits < 20; hits *= 3)
        CHECK_NEAR(clg_experts_reached(0.9, -expm1(-hits / 100), 100), drawn_reach(0.9, hits),
                   0.01);
    CHECK(clg_experts_reached(0.7, 0.1, 10) < clg_experts_reached(0.1, 0.1, 10));
    CASE("the fullest rank: alone, by hand, by draws, bounded");
    CHECK_NEAR(clg_fullest_rank(0.7, 1, 128, 3), 1, 1e-12);
    /* variance .49 x 8 / 128 + 1 / 64 = .04625; 1 + 1.4236 x .215058 */
    CHECK_NEAR(clg_fullest_rank(0.7, 8, 128, 64), 1.306157, 1e-5);
    CHECK_NEAR(clg_fullest_rank(0.7, 8, 128, 4096), drawn_fullest(0.7, 8, 128, 4096), 0.03);
    CHECK_NEAR(clg_fullest_rank(0.5, 4, 64, 100), drawn_fullest(0.5, 4, 64, 100), 0.03);
    CHECK_NEAR(clg_fullest_rank(0.7, 2, 128, 0.001), 1.566356, 1e-5); /* rows: 1 at least */
    CHECK_NEAR(clg_fullest_rank(9, 8, 8, 1), 8, 1e-12);
    double six = clg_fullest_rank(0, 6, 128, 100); /* log2 6 = 2.58496: between 4 and 8 ranks */
    CHECK_NEAR(six, 1 + (1.0294 + 0.58496 * (1.4236 - 1.0294)) / 10, 1e-5);
}

static void test_limits(clg_arena *arena) {
    clg_scenario s = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    const clg_gpu *gpu = &s.machine.gpu;
    CASE("limits of trtllm-bench, by hand");
    /* 79.1 GiB - 8.030 GB, .95 of it, 65,536 B a token: 371.6 requests of 3,000 tokens */
    clg_bench_limits l = clg_bench_limits_of(&s.model, gpu, 1, CLG_FP8, CLG_FP8, 1000, 2000, 0.95);
    CHECK(l.sequences == 384 && l.tokens == 2048);
    /* 4,354 requests of 256 tokens: the most there may be, and twice the tokens */
    l = clg_bench_limits_of(&s.model, gpu, 1, CLG_FP8, CLG_FP8, 128, 128, 0.95);
    CHECK(l.sequences == 4096 && l.tokens == 8192);
    /* 50.7 requests: the least there is, and a whole prompt beside them */
    l = clg_bench_limits_of(&s.model, gpu, 1, CLG_FP8, CLG_FP8, 20000, 2000, 0.95);
    CHECK(l.sequences == 64 && l.tokens == 20064);
    /* 8 heads of keys on 16 GPUs count as 16: 131,072 B: 1,506.3 requests of 6,500; x 13 */
    l = clg_bench_limits_of(&s.model, gpu, 16, CLG_FP8, CLG_FP8, 6000, 500, 0.95);
    CHECK(l.sequences == 1536 && l.tokens == 20480);
    /* of latents it knows nothing: 61 layers x 2 x 128 heads x 7168 / 128 = 874,496 B a token. Of
     * 671.03e9 weights it counts 9/16, half a byte each: 4 x 178.35 GiB - 188.73 GB = 577.28 GB,
     * .95 of it: 306.2 requests of 2,048 tokens */
    clg_scenario latent = plan_scenario(arena, "deepseek-v3", "b200-sxm", NULL, 0);
    gpu = &latent.machine.gpu;
    l = clg_bench_limits_of(&latent.model, gpu, 4, CLG_NVFP4, CLG_FP8, 1024, 1024, 0.95);
    CHECK(l.sequences == 384 && l.tokens == 2048);
    /* mxfp4 it does not know: 116.83e9 x 17/32, two bytes each: 124.13 GB of 191.50; 36 layers x
     * 2 x 8 x 64 = 36,864 B a token: 847.7 requests of 2,048 */
    clg_scenario oss = plan_scenario(arena, "gpt-oss-120b", "b200-sxm", NULL, 0);
    l = clg_bench_limits_of(&oss.model, gpu, 1, CLG_MXFP4, CLG_FP8, 1024, 1024, 0.95);
    CHECK(l.sequences == 896 && l.tokens == 2048);
}

static clg_replica made(clg_arena *arena, const clg_scenario *s, const clg_engine *e,
                        clg_precision weights, int most, double memory_share) {
    static clg_demand d;
    clg_replica r = {0};
    clg_error error = {0};
    d = demand_at_rate(arena, 1, 60, 300, 100, 0.5, 3);
    clg_replica_choice c = {.tp = 1,
                            .weights = weights,
                            .compute = clg_serve_arithmetic(&s->machine.gpu, weights),
                            .cache = CLG_BF16,
                            .max_sequences = most,
                            .memory_share = memory_share};
    CHECK(clg_replica_prepare(arena, s, e, &c, &d, &r, &error) == CLG_OK);
    return r;
}

static clg_engine engine(clg_arena *arena, const char *name) {
    clg_engine e = {0};
    clg_error error = {0};
    CHECK(clg_engine_find(arena, name, &e, &error) == CLG_OK);
    return e;
}

static void test_graphs(clg_arena *arena) {
    CASE("sizes of graphs");
    clg_engine e = engine(arena, "trtllm");
    static const int pairs[][2] = {{1, 1},     {3, 4},     {5, 8},      {9, 16},   {100, 104},
                                   {128, 128}, {129, 256}, {600, 1024}, {2049, 0}, {0, 0}};
    for (int i = 0; pairs[i][0]; i++)
        CHECK(clg_graph_padded(&e.graphs, pairs[i][0]) == pairs[i][1]);
    CASE("batches that only decode cost what the graph they are padded to costs");
    clg_scenario s = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    clg_replica r = made(arena, &s, &e, CLG_BF16, 700, 0);
    CHECK_NEAR(r.cost.decode_s[100], clg_replica_dense_s(&r, 104), 1e-12);
    CHECK_NEAR(r.cost.decode_s[300], clg_replica_dense_s(&r, 512), 1e-12);
    CHECK_NEAR(r.cost.decode_s[513], clg_replica_dense_s(&r, 700), 1e-12); /* the largest batch */
    CASE("beyond the largest graph kernels are launched one by one");
    clg_engine v = engine(arena, "vllm");
    clg_replica big = made(arena, &s, &v, CLG_BF16, 700, 0);
    CHECK_NEAR(big.cost.decode_s[512], clg_replica_dense_s(&big, 512), 1e-12);
    CHECK(big.cost.decode_s[513] >= big.cost.eager_s);
}

static void test_memory(clg_arena *arena) {
    CASE("shares of memory: of all, of what is left, of weights and cache");
    clg_scenario s = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    clg_engine all = engine(arena, "vllm"), left = all, fixed = all;
    left.free_share = 1;
    fixed.static_share = 1;
    clg_replica a = made(arena, &s, &all, CLG_BF16, 8, 0.8);
    clg_replica b = made(arena, &s, &left, CLG_BF16, 8, 0.8);
    clg_replica c = made(arena, &s, &fixed, CLG_BF16, 8, 0.8);
    double usable = s.machine.gpu.memory_usable_bytes,
           beside = a.room.activation_bytes + 0.8 * 1073741824;
    CHECK_NEAR(a.room.cache_room_bytes, 0.8 * usable - a.room.weight_bytes - beside, 1e-12);
    CHECK_NEAR(b.room.cache_room_bytes, 0.8 * (usable - a.room.weight_bytes - beside), 1e-12);
    CHECK_NEAR(c.room.cache_room_bytes, 0.8 * usable - a.room.weight_bytes, 1e-12);
    CASE("memory is profiled with layers, then with the logits of the largest batch");
    clg_replica many = made(arena, &s, &all, CLG_BF16, 1024, 0.8);
    CHECK_NEAR(many.room.activation_bytes, 14.0 * 1024 * 128256, 1e-12);
    CHECK(a.room.activation_bytes > 14.0 * 8 * 128256 &&
          a.room.activation_bytes < many.room.activation_bytes);
}

static void test_defaults(clg_arena *arena) {
    CASE("vLLM on A100: 256 sequences, 2,048 tokens; 1,024 and 8,192 on other GPUs of 70 GiB");
    clg_engine v = engine(arena, "vllm"), g = engine(arena, "sglang");
    clg_scenario h = plan_scenario(arena, "gpt-oss-120b", "h100-sxm", NULL, 0);
    clg_scenario a = plan_scenario(arena, "gpt-oss-120b", "a100-sxm-80gb", NULL, 0);
    clg_scenario small = plan_scenario(arena, "llama-3.1-8b", "a100-sxm-40gb", NULL, 0);
    clg_replica on_h = made(arena, &h, &v, CLG_MXFP4, 0, 0);
    clg_replica on_a = made(arena, &a, &v, CLG_MXFP4, 0, 0);
    clg_replica on_small = made(arena, &small, &v, CLG_BF16, 0, 0);
    CHECK(on_h.rules.max_sequences == 1024 && on_h.rules.max_tokens == 8192);
    CHECK(on_a.rules.max_sequences == 256 && on_a.rules.max_tokens == 2048);
    CHECK(on_small.rules.max_sequences == 256 && on_small.rules.max_tokens == 2048);
    CASE("gpt-oss 120B as vLLM's logs have it: 64.38 GiB by Triton, 65.97 GiB by Marlin");
    CHECK_NEAR(on_h.room.weight_bytes, 64.38 * 1073741824, 0.005);
    CHECK_NEAR(on_a.room.weight_bytes, 65.97 * 1073741824, 0.005);
    CASE("SGLang leaves 512 + 1.5 x 8,192 + 2 x 256 + 128 MiB, and keeps what windows no longer "
         "see");
    clg_replica s = made(arena, &h, &g, CLG_MXFP4, 0, 0);
    double reserve = (512 + 1.5 * 8192 + 2 * 256 + 128) * 1048576;
    CHECK_NEAR(s.room.cache_room_bytes,
               h.machine.gpu.memory_usable_bytes - reserve - s.room.weight_bytes, 1e-12);
    CHECK_NEAR(s.room.cache_bytes_per_token, 36 * 2 * 8 * 64 * 2.0, 1e-12);
    CHECK(on_h.room.cache_bytes_per_token < s.room.cache_bytes_per_token);
    CASE("and keeps no graph for more than 256 on one GPU, 512 on four");
    CHECK(s.cost.decode_s[257] >= s.cost.eager_s && s.cost.decode_s[256] < s.cost.eager_s);
    CHECK(clg_engine_graph_most(&g, 1) == 256 && clg_engine_graph_most(&g, 4) == 512);
    CHECK(clg_engine_graph_most(&v, 1) == 0);
}

static clg_replica long_prompts(clg_arena *arena, const clg_scenario *s, const clg_engine *e) {
    clg_demand d = demand_at_rate(arena, 1, 60, 9000, 100, 0, 3);
    clg_replica_choice c = {
        .tp = 1, .weights = CLG_BF16, .compute = CLG_BF16, .cache = CLG_BF16, .max_sequences = 8};
    clg_replica r = {0};
    clg_error error = {0};
    CHECK(clg_replica_prepare(arena, s, e, &c, &d, &r, &error) == CLG_OK);
    return r;
}

static void test_windows(clg_arena *arena) {
    CASE("TensorRT-LLM's built engines know no windows: as of a model that has none");
    clg_scenario s = plan_scenario(arena, "mistral-7b", "h100-sxm", NULL, 0), none = s;
    for (int k = 0; k < none.model.kinds; k++) none.model.kind[k].attention.window = 0;
    clg_engine built = engine(arena, "trtllm-0.17"), knows = built;
    knows.no_windows = 0;
    clg_replica blind = long_prompts(arena, &s, &built), bare = long_prompts(arena, &none, &knows);
    clg_replica seeing = long_prompts(arena, &s, &knows);
    CHECK_NEAR(blind.room.cache_bytes_per_token, 32 * 2 * 8 * 128 * 2.0, 1e-12);
    CHECK_NEAR(blind.cost.context_s, bare.cost.context_s, 1e-12);
    CHECK_NEAR(blind.cost.pair_s, bare.cost.pair_s, 1e-12);
    CASE("4,096 of 9,050 tokens are read by who knows, 4,096 of 4,500 pairs");
    CHECK_NEAR(seeing.cost.context_s / bare.cost.context_s, 4096.0 / 9050, 0.01);
    CHECK_NEAR(seeing.cost.pair_s / bare.cost.pair_s, 4096.0 / 4500, 1e-9);
}

static clg_replica of_lengths(clg_arena *arena, const char *model, const char *gpu,
                              const clg_engine *e, int prompt, int output, clg_replica_choice c) {
    clg_scenario s = plan_scenario(arena, model, gpu, NULL, 0);
    clg_scenario *kept = clg_take(arena, 1, clg_scenario);
    clg_demand d = demand_at_rate(arena, 1, 60, prompt, output, 0, 3);
    clg_replica r = {0};
    clg_error error = {0};
    *kept = s;
    c.compute = clg_serve_arithmetic(&s.machine.gpu, c.weights);
    c.max_sequences = 64;
    CHECK(clg_replica_prepare(arena, kept, e, &c, &d, &r, &error) == CLG_OK);
    return r;
}

/* Llama 4 Maverick, 48 layers, every fourth of which sees all; 40 heads share 8 keys. At a context
 * of 20,000 + 2,000 / 2 layers of chunks see 4,096 of 21,000 on the mean: (12 + 36 x .195048 x 5) /
 * (12 + 36 x .195048) = 2.476568. */
static void test_chunks(clg_arena *arena) {
    clg_engine e = engine(arena, "trtllm-1.0"), shared = e;
    clg_replica_choice c = {.dp = 8, .ep = 8, .tp = 1, .weights = CLG_FP8, .cache = CLG_FP8};
    shared.chunk_reads = 0;
    CASE("TensorRT-LLM before Blackwell reads chunks for each query head");
    const char *model = "llama-4-maverick";
    clg_replica apart = of_lengths(arena, model, "h200-sxm", &e, 20000, 2000, c);
    clg_replica together = of_lengths(arena, model, "h200-sxm", &shared, 20000, 2000, c);
    CHECK_NEAR(apart.cost.context_s / together.cost.context_s, 2.476568, 1e-6);
    CHECK_NEAR(together.cost.context_s,
               (12 + 36 * 4096 / 21000.0) * 2 * 8 * 128 / (4.8e12 * 0.833) / 8, 1e-9);
    CASE("not where no sequence outgrows a chunk, nor on Blackwell");
    apart = of_lengths(arena, model, "h200-sxm", &e, 6192, 2000, c);
    together = of_lengths(arena, model, "h200-sxm", &shared, 6192, 2000, c);
    CHECK_NEAR(apart.cost.context_s, together.cost.context_s, 1e-15);
    apart = of_lengths(arena, model, "b200-sxm", &e, 20000, 2000, c);
    together = of_lengths(arena, model, "b200-sxm", &shared, 20000, 2000, c);
    CHECK_NEAR(apart.cost.context_s, together.cost.context_s, 1e-15);
    CASE("gpt-oss slides: no chunks; its windows are kept whole");
    c = (clg_replica_choice){.tp = 1, .weights = CLG_MXFP4, .cache = CLG_BF16};
    apart = of_lengths(arena, "gpt-oss-20b", "h200-sxm", &e, 20000, 2000, c);
    together = of_lengths(arena, "gpt-oss-20b", "h200-sxm", &shared, 20000, 2000, c);
    CHECK_NEAR(apart.cost.context_s, together.cost.context_s, 1e-15);
    CHECK_NEAR(apart.room.cache_bytes_per_token, 24 * 2 * 8 * 64 * 2.0, 1e-12);
}

/* DeepSeek, 61 layers, a head is multiplied with 576 + 512 of a key: 2 x 128 x 1,088 x 61 =
 * 16,990,208 flop a token at .555 of 989.4 Tflop/s, 30.94 ns; 576 B x 61 in 8 bit are read in 8.8
 * ns, 1,152 B in 8.8 x 2 ns. By 16 heads of 8 GPUs they take 3.87 ns, less than the read. */
static void test_latent(clg_arena *arena) {
    CASE("decode attention over latents is arithmetic");
    clg_engine e = engine(arena, "trtllm-1.0");
    clg_replica_choice c = {.dp = 8, .ep = 8, .tp = 1, .weights = CLG_FP8, .cache = CLG_FP8};
    clg_replica r = of_lengths(arena, "deepseek-v3", "h200-sxm", &e, 1000, 1000, c);
    double peak = r.scenario->machine.gpu.peak_flop_per_s[CLG_BF16];
    CHECK_NEAR(r.cost.context_s, 16990208 / (0.555 * peak) / 8, 1e-12);
    CHECK_NEAR(r.cost.context_pad, 250, 1e-12);
    CASE("for each token that is checked");
    c.drafted = 2;
    r = of_lengths(arena, "deepseek-v3", "h200-sxm", &e, 1000, 1000, c);
    CHECK_NEAR(r.cost.context_s, 3 * 16990208 / (0.555 * peak) / 8, 1e-12);
    CASE("a read where few heads are on a GPU, and where none was timed");
    c = (clg_replica_choice){.tp = 8, .ep = 8, .weights = CLG_FP8, .cache = CLG_BF16};
    r = of_lengths(arena, "deepseek-v3", "h200-sxm", &e, 1000, 1000, c);
    CHECK_NEAR(r.cost.context_s, 61 * 1152 / (4.8e12 * 0.833), 1e-12);
    CHECK_NEAR(r.cost.context_pad, 0, 1e-12);
    c = (clg_replica_choice){.tp = 1, .dp = 8, .ep = 8, .weights = CLG_NVFP4, .cache = CLG_BF16};
    r = of_lengths(arena, "deepseek-v3", "rtx-pro-6000", &e, 1000, 1000, c);
    double rate = r.scenario->machine.gpu.hbm_bytes_per_s * r.curves.cache[CLG_BF16].hbm_share;
    CHECK_NEAR(r.cost.context_s, 61 * 1152 / rate / 8, 1e-12);
    CASE("multiplied in the format of the cache where that was timed: Blackwell");
    r = of_lengths(arena, "deepseek-v3", "b200-sxm", &e, 1000, 1000, c);
    const clg_gpu *gpu = &r.scenario->machine.gpu;
    CHECK_NEAR(r.cost.context_s, 16990208 / (0.444 * gpu->peak_flop_per_s[CLG_BF16]) / 8, 1e-12);
    c.cache = CLG_FP8;
    r = of_lengths(arena, "deepseek-v3", "b200-sxm", &e, 1000, 1000, c);
    gpu = &r.scenario->machine.gpu;
    CHECK_NEAR(r.cost.context_s, 16990208 / (0.444 * gpu->peak_flop_per_s[CLG_FP8]) / 8, 1e-12);
    CHECK_NEAR(r.cost.context_pad, 0, 1e-12);
}

/* 64 experts of DeepSeek a rank of 4, 512 tokens: all but .002 of them are reached. */
static void test_tuned(clg_arena *arena) {
    CASE("CUTLASS: autotuned, as timed without, and where there is neither");
    clg_engine now = engine(arena, "trtllm-cutlass"), old = now, other = now;
    clg_replica_choice c = {.tp = 1, .dp = 4, .ep = 4, .weights = CLG_NVFP4, .cache = CLG_FP8};
    old.tiled_experts = 1, other.tiled_experts = 0;
    clg_replica tuned = of_lengths(arena, "deepseek-v3", "b200-sxm", &now, 1000, 1000, c);
    clg_replica timed = of_lengths(arena, "deepseek-v3", "b200-sxm", &old, 1000, 1000, c);
    clg_replica own = of_lengths(arena, "deepseek-v3", "b200-sxm", &other, 1000, 1000, c);
    const clg_serve_curves *t = &tuned.curves, *o = &own.curves;
    CHECK_NEAR(t->shared[CLG_NVFP4].launch_s - o->shared[CLG_NVFP4].launch_s, 20.8e-6, 1e-9);
    CHECK_NEAR(t->shared[CLG_NVFP4].hbm_share, o->shared[CLG_NVFP4].hbm_share, 1e-12);
    CHECK_NEAR(t->experts[CLG_NVFP4].pad, o->experts[CLG_NVFP4].pad, 1e-12);
    CHECK(clg_replica_dense_s(&tuned, 512) < 0.8 * clg_replica_dense_s(&timed, 512));
    CHECK(clg_replica_dense_s(&tuned, 512) > clg_replica_dense_s(&own, 512));
    c = (clg_replica_choice){.tp = 1, .dp = 4, .ep = 4, .weights = CLG_FP8, .cache = CLG_FP8};
    tuned = of_lengths(arena, "qwen3-235b-a22b", "h200-sxm", &now, 1000, 1000, c);
    own = of_lengths(arena, "qwen3-235b-a22b", "h200-sxm", &other, 1000, 1000, c);
    CHECK_NEAR(clg_replica_dense_s(&tuned, 512), clg_replica_dense_s(&own, 512), 1e-15);
}

/* Llama 3.1 8B, 8,192 tokens in 8 bit: .94 of the arithmetic of vLLM's 1.06, and as many casts. */
static void test_cublas(clg_arena *arena) {
    CASE(
        "cuBLAS's large products on Hopper at 700 W, not at 350, nor on Ada, which borrow from it");
    clg_engine e = engine(arena, "trtllm"), other = e;
    clg_replica_choice c = {.tp = 1, .weights = CLG_FP8, .cache = CLG_FP8};
    other.narrow_weights = 0;
    clg_replica own = of_lengths(arena, "llama-3.1-8b", "h100-sxm", &e, 1000, 1000, c);
    clg_replica table = of_lengths(arena, "llama-3.1-8b", "h100-sxm", &other, 1000, 1000, c);
    CHECK_NEAR(own.curves.product[CLG_FP8].time_share / table.curves.product[CLG_FP8].time_share,
               0.94 / 1.06, 1e-12);
    CHECK_NEAR(own.curves.product[CLG_FP8].quantize_hbm_share,
               table.curves.product[CLG_FP8].quantize_hbm_share, 1e-12);
    double saved = clg_replica_dense_s(&table, 8192) - clg_replica_dense_s(&own, 8192);
    double flop = 2 * 6.98e9 * 8192, least = flop / 1979e12 * 0.12;
    CHECK(saved > least && saved < 2 * least);
    own = of_lengths(arena, "llama-3.1-8b", "l40s", &e, 1000, 1000, c);
    table = of_lengths(arena, "llama-3.1-8b", "l40s", &other, 1000, 1000, c);
    CHECK_NEAR(own.curves.product[CLG_FP8].time_share, table.curves.product[CLG_FP8].time_share,
               1e-12);
    own = of_lengths(arena, "llama-3.1-8b", "h100-pcie", &e, 1000, 1000, c);
    table = of_lengths(arena, "llama-3.1-8b", "h100-pcie", &other, 1000, 1000, c);
    CHECK_NEAR(own.curves.product[CLG_FP8].time_share, table.curves.product[CLG_FP8].time_share,
               1e-12);
    own = of_lengths(arena, "llama-3.1-8b", "gh200-144gb", &e, 1000, 1000, c);
    CHECK_NEAR(own.curves.product[CLG_FP8].time_share, 0.94, 1e-12);
    CASE("TensorRT-LLM's experts split in width are CUTLASS's too");
    c = (clg_replica_choice){.tp = 2, .weights = CLG_BF16, .cache = CLG_BF16};
    clg_engine built = engine(arena, "trtllm-0.17"), triton = built;
    triton.tiled_experts = 0;
    own = of_lengths(arena, "mixtral-8x7b", "a100-sxm-80gb", &built, 1000, 1000, c);
    table = of_lengths(arena, "mixtral-8x7b", "a100-sxm-80gb", &triton, 1000, 1000, c);
    /* 32 layers, two rows a token and padding, 6 x 4096 x 7168 flop a row on each of two
     * GPUs: 13.05 ms at .731 of 312 Tflop/s, 28.93 ms at .327 */
    double rows = 8192 * 2 + 8 * 64.0, each = 6.0 * 4096 * 7168;
    double fast = rows * each / (0.731 * 312e12),
           slow = (8192 * 2 + 8 * 48.4) * each / (0.327 * 312e12);
    CHECK_NEAR(clg_replica_dense_s(&table, 8192) - clg_replica_dense_s(&own, 8192),
               32 * (slow - fast), 0.02);
}

static void test_rotations(clg_arena *arena) {
    CASE("a table of rotations: 10,485,760 x 128 x 4 B for Scout, 131,072 x 128 x 4 for Llama 3.1");
    clg_engine e = engine(arena, "trtllm-1.0"), none = e;
    clg_replica_choice c = {.tp = 4, .weights = CLG_FP8, .cache = CLG_FP8};
    none.position_bytes = 0;
    clg_replica with = of_lengths(arena, "llama-4-scout", "h200-sxm", &e, 1000, 1000, c);
    clg_replica bare = of_lengths(arena, "llama-4-scout", "h200-sxm", &none, 1000, 1000, c);
    CHECK_NEAR(with.room.weight_bytes - bare.room.weight_bytes, 5368709120.0, 1e-12);
    CHECK_NEAR(bare.room.cache_room_bytes - with.room.cache_room_bytes, 0.9 * 5368709120.0, 1e-12);
    with = of_lengths(arena, "llama-3.1-8b", "h200-sxm", &e, 1000, 1000, c);
    bare = of_lengths(arena, "llama-3.1-8b", "h200-sxm", &none, 1000, 1000, c);
    CHECK_NEAR(with.room.weight_bytes - bare.room.weight_bytes, 67108864.0, 1e-9);
}

static void test_formats(clg_arena *arena) {
    CASE("mxfp4: 4 bits and a byte for 32 of them; multiplied in what the GPU has");
    clg_scenario old = plan_scenario(arena, "gpt-oss-20b", "h100-sxm", NULL, 0);
    clg_scenario new = plan_scenario(arena, "gpt-oss-20b", "b200-sxm", NULL, 0);
    CHECK_NEAR(clg_precision_bytes(CLG_MXFP4), (32 * 0.5 + 1) / 32, 1e-15);
    CHECK(clg_serve_arithmetic(&old.machine.gpu, CLG_MXFP4) == CLG_BF16);
    CHECK(clg_serve_arithmetic(&new.machine.gpu, CLG_MXFP4) == CLG_MXFP8);
    CHECK(clg_serve_arithmetic(&new.machine.gpu, CLG_NVFP4) == CLG_NVFP4);
    clg_scenario amd = plan_scenario(arena, "llama-3.1-8b", "mi355x", NULL, 0);
    CHECK(clg_serve_arithmetic(&amd.machine.gpu, CLG_MXFP4) == CLG_MXFP4);
    CHECK(clg_serve_arithmetic(&old.machine.gpu, CLG_FP8) == CLG_FP8);
    clg_engine e = engine(arena, "vllm");
    /* prompts are arithmetic: 10.07 Pflop/s where 8 bit has 5.03, activations are made narrow too
     */
    clg_replica half = made(arena, &amd, &e, CLG_MXFP4, 64, 0);
    clg_replica whole = made(arena, &amd, &e, CLG_FP8, 64, 0);
    double four = clg_replica_dense_s(&half, 8000), eight_bit = clg_replica_dense_s(&whole, 8000);
    CHECK(four > 0.5 * eight_bit && four < 0.9 * eight_bit);
    clg_replica r = made(arena, &old, &e, CLG_MXFP4, 8, 0);
    /* safetensors of openai/gpt-oss-20b: 13.76 GB, experts in rows of 3,072 instead of 2,880 */
    CHECK_NEAR(r.room.weight_bytes, 13.76e9 + 24 * 32 * 3 * 2880.0 * 192 * 4.25 / 8, 0.01);
    CASE("int4: groups of 128; a few rows are multiplied in tiles of 16, and weights are read");
    CHECK_NEAR(clg_precision_bytes(CLG_INT4), (128 * 0.5 + 2 + 0.5) / 128, 1e-15);
    CHECK(clg_serve_arithmetic(&new.machine.gpu, CLG_INT4) == CLG_BF16);
    clg_scenario a100 = plan_scenario(arena, "llama-3.1-70b", "a100-sxm-80gb", NULL, 0);
    clg_replica packed = made(arena, &a100, &e, CLG_INT4, 8, 0);
    clg_iteration eight = clg_replica_iteration(&packed, 8, 1000);
    /* 3 x 8192 x 28672 of 80 layers at .519531 B by .74 of 2.039 TB/s, activations less than 1 %,
     * and two launches of 5.5 us a layer; tiles of 64 would take 45 ms */
    CHECK_NEAR(eight.part[CLG_SPENT_MLP],
               80 * (3.0 * 8192 * 28672 * 4.15625 / 8 / (0.74 * 2.039e12) + 11e-6), 0.02);
    CASE("scales of the checkpoint: one pass over the activations");
    clg_scenario s = plan_scenario(arena, "llama-3.1-8b", "h200-sxm", NULL, 0);
    clg_engine once = e;
    once.static_scales = 1;
    clg_replica slow = made(arena, &s, &e, CLG_FP8, 64, 0);
    clg_replica fast = made(arena, &s, &once, CLG_FP8, 64, 0);
    /* 3 bytes an element of hidden 4096 three times, width 14336 once, 32 layers */
    double bytes = 3.0 * 4096 * (3 * 4096 + 14336) * 32, hbm = 4.8e12;
    CHECK_NEAR(clg_replica_dense_s(&slow, 4096) - clg_replica_dense_s(&fast, 4096),
               bytes / hbm * (1 / 0.28 - 1 / 0.85), 1e-6);
}

static clg_replica chosen(clg_arena *arena, const clg_scenario *s, const clg_engine *e,
                          clg_replica_choice c) {
    static clg_demand d;
    clg_replica r = {0};
    clg_error error = {0};
    d = demand_at_rate(arena, 1, 60, 300, 100, 0.5, 3);
    c.compute = clg_serve_arithmetic(&s->machine.gpu, c.weights);
    c.cache = CLG_BF16;
    c.max_sequences = 64;
    CHECK(clg_replica_prepare(arena, s, e, &c, &d, &r, &error) == CLG_OK);
    return r;
}

static double with_blocks_s(clg_arena *arena, const char *model, double share) {
    clg_scenario s = plan_scenario(arena, model, "h200-sxm", NULL, 0);
    clg_engine e = engine(arena, "vllm-v0");
    e.block_flop_share = share;
    clg_replica_choice c = {.tp = 8, .weights = CLG_FP8, .cache = CLG_BF16, .max_sequences = 8};
    clg_replica r = chosen(arena, &s, &e, c);
    return clg_replica_dense_s(&r, 8000);
}

static void test_blocks(clg_arena *arena) {
    CASE("scales for blocks: products of models published in 8 bit alone, at the engine's share");
    CHECK_NEAR(engine(arena, "vllm-v0").block_flop_share,
               (248.2 + 301.4 + 259.7 + 266.7) / 4 / 1979, 1e-2);
    CHECK_NEAR(with_blocks_s(arena, "llama-3.1-8b", 1e-4), with_blocks_s(arena, "llama-3.1-8b", 0),
               1e-12);
    /* 62 layers on 8 ranks: 3,072 x (6,144 + 2 x 1,024) / 8 in and 6,144 / 8 x 3,072 out */
    double flop = 2 * 8000.0 * 62 * (3072 * 1024.0 + 768 * 3072.0);
    double more =
        with_blocks_s(arena, "minimax-m2", 1e-4) - with_blocks_s(arena, "minimax-m2", 2e-4);
    CHECK_NEAR(more, flop / 1979e12 * (1e4 - 5e3), 1e-2);
    CASE("but not faster than others: a share of 1 changes nothing");
    CHECK_NEAR(with_blocks_s(arena, "minimax-m2", 1), with_blocks_s(arena, "minimax-m2", 0), 1e-12);
    CASE("where a GPU's products of blocks were timed, they take 1.66 instead of 1.06");
    clg_scenario s = plan_scenario(arena, "minimax-m2", "mi355x", NULL, 0);
    clg_engine e = engine(arena, "vllm");
    clg_replica_choice c = {.tp = 8, .weights = CLG_FP8, .cache = CLG_BF16, .max_sequences = 8};
    clg_replica timed = chosen(arena, &s, &e, c), borrowed = timed;
    borrowed.curves.blocks[CLG_FP8].known = false;
    const clg_gpu *gpu = &s.machine.gpu;
    const clg_kernels *k = &s.kernels;
    double in = clg_gemm_arithmetic_s(gpu, k, CLG_FP8, 8000, 1024, 3072);
    double out = clg_gemm_arithmetic_s(gpu, k, CLG_FP8, 8000, 3072, 768);
    CHECK_NEAR(clg_replica_dense_s(&timed, 8000) - clg_replica_dense_s(&borrowed, 8000),
               62 * (1.66 - 1.06) * (in + out), 1e-7);
}

/* An iteration of 64 tokens without the contexts; `walked`: how the engine multiplies 8-bit blocks;
 * `joined`: where its shared expert is. */
static double walking_s(clg_arena *arena, const char *gpu, double walked, double joined) {
    clg_scenario s = plan_scenario(arena, "deepseek-r1", gpu, NULL, 0);
    clg_engine e = engine(arena, "sglang");
    e.walked_blocks = walked;
    e.joined_shared = joined;
    clg_replica_choice c = {.tp = 8, .weights = CLG_FP8, .cache = CLG_BF16, .max_sequences = 64};
    clg_replica r = chosen(arena, &s, &e, c);
    return clg_replica_dense_s(&r, 64);
}

/* A product of 64 rows in 8 bit, without its launch; `walked` of its arithmetic. */
static double rows_s(const clg_scenario *s, const clg_serve_curves *c, double n, double k,
                     double share, double walked) {
    const clg_gpu *gpu = &s->machine.gpu;
    double plain = clg_gemm_arithmetic_s(gpu, &s->kernels, CLG_FP8, 64, n, k) * share;
    double cast = 3 * 64 * k / (gpu->hbm_bytes_per_s * c->product[CLG_FP8].quantize_hbm_share);
    double read = (n * k + 128 * (n + k)) / gpu->hbm_bytes_per_s / c->weights[CLG_FP8].hbm_share;
    return fmax(fmax(plain, walked) + cast, read);
}

/* Of DeepSeek on MI300X: how much longer a product takes where its depth is walked. */
static double longer_s(clg_arena *arena, double n, double k) {
    clg_scenario s = plan_scenario(arena, "deepseek-r1", "mi300x", NULL, 0);
    clg_engine e = engine(arena, "sglang");
    clg_replica_choice c = {.tp = 8, .weights = CLG_FP8, .cache = CLG_BF16, .max_sequences = 64};
    clg_serve_curves curves = chosen(arena, &s, &e, c).curves;
    return rows_s(&s, &curves, n, k, 1.22, ceil(k / 128) * 2.2e-6) -
           rows_s(&s, &curves, n, k, 1.22, 0);
}

/* 61 layers: 2,112 x 7,168 and 3,072 x 1,536 in, 7,168 x 2,048 out; three of them have an MLP of
 * 4,608 x 7,168 and 7,168 x 2,304. Published are 123, 34, 122 and 39 us (InferenceX issue 863). */
static void test_walked(clg_arena *arena) {
    CASE("tiles that walk all of the depth: 2.2 us for each 128 of it, whatever the rows");
    double three = 3 * (longer_s(arena, 4608, 7168) + longer_s(arena, 7168, 2304));
    double all = 61 * (longer_s(arena, 2112, 7168) + longer_s(arena, 3072, 1536) +
                       longer_s(arena, 7168, 2048));
    double none = walking_s(arena, "mi300x", 0, 256);
    CHECK_NEAR(walking_s(arena, "mi300x", 2, 256) - none, all + three, 1e-9);
    CASE("but of shapes that are tuned: the three MLPs are left");
    CHECK_NEAR(walking_s(arena, "mi300x", 1, 256) - none, three, 1e-9);
    CASE("on GPUs whose tiles were not timed as before; releases before 2026-02 have none tuned");
    CHECK(walking_s(arena, "h200-sxm", 2, 0) == walking_s(arena, "h200-sxm", 0, 0));
    CHECK(engine(arena, "sglang").walked_blocks == 1);
    CHECK(engine(arena, "sglang-0.5").walked_blocks == 2);
    CHECK(engine(arena, "sglang-0.4").walked_blocks == 0);
}

static void test_joined(clg_arena *arena) {
    CASE("a shared expert among 256: two products and what is between them less, one expert more");
    clg_scenario s = plan_scenario(arena, "deepseek-r1", "h200-sxm", NULL, 0);
    clg_engine e = engine(arena, "sglang");
    clg_replica_choice c = {.tp = 8, .weights = CLG_FP8, .cache = CLG_BF16, .max_sequences = 64};
    clg_serve_curves curves = chosen(arena, &s, &e, c).curves;
    double share = curves.product[CLG_FP8].time_share;
    double products = rows_s(&s, &curves, 512, 7168, share, 0) +
                      rows_s(&s, &curves, 7168, 256, share, 0) +
                      2 * curves.weights[CLG_FP8].launch_s;
    double between = clg_memory_bound_s(&s.machine.gpu, &s.kernels, 2 * 64 * (512 + 256.0));
    const clg_expert_curve *x = &curves.experts[CLG_FP8];
    double expert =
        3 * 7168 * 256.0 / x->hbm_share + 2 * 64 * (2 * 7168 + 3 * 256.0) / x->activation_hbm_share;
    double less = walking_s(arena, "h200-sxm", 0, 0) - walking_s(arena, "h200-sxm", 0, 256);
    CHECK_NEAR(less, 58 * (products + between - expert / 4.8e12), 1e-8);
    CASE("not on Blackwell, whose kernels have no room for it");
    CHECK(walking_s(arena, "b200-sxm", 0, 0) == walking_s(arena, "b200-sxm", 0, 256));
}

/* Qwen3 14B on an A100: 40 layers of 40 heads of 128 in 64 rows, at 0.62 of 312 Tflop/s. */
static void test_mixed(clg_arena *arena) {
    CASE("beside a prompt FlashAttention 2 has a tile of 64 rows for each head that decodes");
    clg_scenario s = plan_scenario(arena, "qwen3-14b", "a100-sxm-80gb", NULL, 0);
    clg_engine v1 = engine(arena, "vllm"), v0 = engine(arena, "vllm-v0");
    clg_replica_choice c = {.tp = 1, .weights = CLG_BF16};
    clg_replica r = chosen(arena, &s, &v1, c);
    CHECK_NEAR(r.cost.context_s + r.cost.mixed_s,
               40 * 40 * 64 * 2.0 * (128 + 128) / (312e12 * 0.62), 1e-12);
    CASE("64 sequences, 0.25 prompts of 512 an iteration of 2,048: a sixteenth has any at least");
    clg_demand_means m = {.prompt_tokens = 512, .output_tokens = 256, .context_tokens = 640};
    clg_replica plain = r;
    plain.cost.mixed_s = 0;
    plain.rules.max_tokens = r.rules.max_tokens = 2048;
    double more = 64 / clg_replica_steady_tokens_per_s(&r, &m, 64) -
                  64 / clg_replica_steady_tokens_per_s(&plain, &m, 64);
    CHECK_NEAR(more, 64 * 640 / 16.0 * r.cost.mixed_s, 1e-12);
    CASE("not where prompts have a kernel of their own, nor on Hopper, nor with sinks");
    CHECK(chosen(arena, &s, &v0, c).cost.mixed_s == 0);
    clg_scenario hopper = plan_scenario(arena, "qwen3-14b", "h100-sxm", NULL, 0);
    CHECK(chosen(arena, &hopper, &v1, c).cost.mixed_s == 0);
    clg_scenario sinks = plan_scenario(arena, "gpt-oss-20b", "a100-sxm-80gb", NULL, 0);
    CHECK(chosen(arena, &sinks, &v1, c).cost.mixed_s == 0);
}

/* Qwen3 235B in 8 bit, 8 ranks of H200, 512 tokens: of 128 experts .996987 are reached (h =
 * 33.0437), 15.9518 of a rank's 16, 301.08 MB; the fullest rank has 512 x 1.256951 = 643.559 of
 * 4,096 rows.
 *   timed   78.31 us to read at .801 of 4.8 TB/s + 24.864 MB between at .159 (32.58) + 31.2
 *   Triton  76.31 at .822 + all rows, 2 x 4,096 x 12,800 B, at .255 (85.67) + 38.8
 * 58.69 us more, in 94 layers. */
static void test_expert_kernels(clg_arena *arena) {
    CASE("experts by Triton, DeepGEMM and as timed");
    clg_scenario s = plan_scenario(arena, "qwen3-235b-a22b", "h200-sxm", NULL, 0);
    clg_engine e = engine(arena, "vllm");
    clg_replica_choice c = {.tp = 8, .ep = 8, .weights = CLG_FP8};
    double seconds[3];
    for (int i = CLG_EXPERTS_TIMED; i <= CLG_EXPERTS_GROUPED; i++) {
        c.expert_kernels = (clg_expert_kernels)i;
        clg_replica r = chosen(arena, &s, &e, c);
        seconds[i] = clg_replica_dense_s(&r, 512);
    }
    CHECK_NEAR(seconds[CLG_EXPERTS_WHOLE] - seconds[CLG_EXPERTS_TIMED], 94 * 58.69e-6, 0.001);
    CHECK_NEAR(seconds[CLG_EXPERTS_GROUPED] - seconds[CLG_EXPERTS_WHOLE], 94 * e.grouped_experts_s,
               1e-9);
}

/* The same with 8 tokens: h = .51631, .36889 of the experts are reached, 111.40 MB in 28.23 us at
 * .822 of 4.8 TB/s; all 16 of a rank are 301.99 MB, 76.54 us. The 2,096 rows take less. */
static void test_empty_blocks(clg_arena *arena) {
    CASE("DeepGEMM as vLLM 0.11 calls it reads experts without tokens, too");
    clg_scenario s = plan_scenario(arena, "qwen3-235b-a22b", "h200-sxm", NULL, 0);
    clg_engine e = engine(arena, "vllm-0.11"), later = e;
    clg_replica_choice c = {
        .tp = 8, .ep = 8, .weights = CLG_FP8, .expert_kernels = CLG_EXPERTS_GROUPED};
    later.expert_block_rows = 0;
    clg_replica blocks = chosen(arena, &s, &e, c), skipped = chosen(arena, &s, &later, c);
    CHECK_NEAR(clg_replica_dense_s(&blocks, 8) - clg_replica_dense_s(&skipped, 8), 94 * 48.31e-6,
               0.001);
    CASE("by itself for weights published in 8 bit, not for others");
    c.expert_kernels = CLG_EXPERTS_TIMED;
    CHECK(chosen(arena, &s, &e, c).layout.expert_kernels == CLG_EXPERTS_TIMED);
    s = plan_scenario(arena, "minimax-m2", "h200-sxm", NULL, 0);
    CHECK(chosen(arena, &s, &e, c).layout.expert_kernels == CLG_EXPERTS_GROUPED);
    CHECK(chosen(arena, &s, &later, c).layout.expert_kernels == CLG_EXPERTS_TIMED);
}

static void test_wide_experts(clg_arena *arena) {
    CASE("16-bit experts on Blackwell were Triton's at first, in both engines");
    static const char *const then[] = {"vllm-0.11", "sglang-0.5"}, *const now[] = {"vllm",
                                                                                   "sglang"};
    clg_scenario s = plan_scenario(arena, "qwen3-235b-a22b", "b200-sxm", NULL, 0);
    clg_scenario older = plan_scenario(arena, "qwen3-235b-a22b", "h200-sxm", NULL, 0);
    clg_replica_choice c = {.tp = 8, .weights = CLG_BF16}, narrow = {.tp = 8, .weights = CLG_FP8};
    for (int i = 0; i < 2; i++) {
        clg_engine was = engine(arena, then[i]), is = engine(arena, now[i]);
        clg_replica before = chosen(arena, &s, &was, c), after = chosen(arena, &s, &is, c);
        CHECK(before.layout.expert_kernels == CLG_EXPERTS_WHOLE);
        CHECK(after.layout.expert_kernels == CLG_EXPERTS_TIMED);
        CHECK(clg_replica_dense_s(&before, 16) > clg_replica_dense_s(&after, 16));
        CHECK(chosen(arena, &older, &was, c).layout.expert_kernels == CLG_EXPERTS_TIMED);
        CHECK(chosen(arena, &s, &was, narrow).layout.expert_kernels == CLG_EXPERTS_TIMED);
    }
}

/* 3 ms and 20 us a sequence on a host that takes 2.75 of the time; kernels of 80 layers at .2 ms
 * and 5 ms beside them. */
static void test_host(clg_arena *arena) {
    CASE("the host's share of an iteration, by hand");
    clg_scenario s = plan_scenario(arena, "llama-3.1-70b", "gb200", NULL, 0);
    CHECK_NEAR(s.machine.node.host_time, 2.75, 1e-12);
    clg_engine e = engine(arena, "trtllm-1.0");
    e.step_s = 0.0001, e.loop_s = 0.003, e.eager_step_s = 0.005, e.eager_layer_s = 0.0002;
    e.loop_sequence_s = 20e-6;
    clg_replica_choice c = {.tp = 4, .weights = CLG_NVFP4};
    clg_replica each = chosen(arena, &s, &e, c);
    CHECK_NEAR(each.cost.loop_s, 0.00825, 1e-9);
    CHECK_NEAR(each.cost.loop_sequence_s, 55e-6, 1e-9);
    CHECK_NEAR(each.cost.eager_s, 2.75 * (0.0001 + 0.003 + 0.005 + 80 * 0.0002), 1e-9);
    s.machine.node.host_time = 0;
    CHECK_NEAR(chosen(arena, &s, &e, c).cost.loop_sequence_s, 20e-6, 1e-9);
    CASE("what hides behind the GPU stands between iterations where nothing overlaps: 4 and 12.5 "
         "us");
    clg_engine beside = engine(arena, "vllm"), apart = beside;
    apart.overlapped = 0;
    clg_scenario h100 = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    clg_replica_choice two = {.tp = 1, .dp = 2, .weights = CLG_BF16};
    CHECK_NEAR(chosen(arena, &h100, &beside, two).cost.sequence_s, 4e-6 / 2, 1e-12);
    CHECK_NEAR(chosen(arena, &h100, &apart, two).cost.sequence_s, 16.5e-6 / 2, 1e-12);
    CASE("DeepSeek V3 launched kernel by kernel under SGLang: 82.64 ms, as was published");
    clg_scenario latent = plan_scenario(arena, "deepseek-v3", "h200-sxm", NULL, 0);
    clg_engine g = engine(arena, "sglang");
    clg_replica_choice eight = {.tp = 8, .weights = CLG_FP8};
    CHECK_NEAR(chosen(arena, &latent, &g, eight).cost.eager_s, 82.64e-3, 1e-3);
    CASE("36 of Qwen3-Next's 48 layers keep a state: 0.126 + 48 (0.5 + 0.3) + 36 x 0.51 ms");
    clg_scenario states = plan_scenario(arena, "qwen3-next-80b-a3b", "b200-sxm", NULL, 0);
    clg_replica_choice four = {.tp = 4, .weights = CLG_BF16};
    CHECK_NEAR(chosen(arena, &states, &beside, four).cost.eager_s, 56.886e-3, 1e-9);
    CASE("convolutions alone are no state: 0.126 + 16 x 0.5 ms");
    clg_scenario taps = plan_scenario(arena, "lfm2-1.2b", "h100-sxm", NULL, 0);
    CHECK_NEAR(chosen(arena, &taps, &beside, (clg_replica_choice){.tp = 1}).cost.eager_s, 8.126e-3,
               1e-9);
    CASE("a stage of five launches a fifth of the layers for each of five micro-batches");
    c.pp = 5;
    clg_replica staged = chosen(arena, &s, &e, c);
    CHECK_NEAR(staged.cost.eager_s, 0.0001 + 0.003 + 0.005 + 16 * 0.0002, 1e-12);
    CHECK(staged.cost.stages == 5);
    CASE("and the last stage makes the logits of all five: 4 more than one stage of a fifth");
    e.step_s = 0;
    clg_replica five = chosen(arena, &s, &e, c);
    c.pp = 1;
    clg_replica one = chosen(arena, &s, &e, c);
    double rows = 100, columns = 128256 / 4.0;
    double reads = 2 * (columns * 8192 + rows * 8192 + rows * columns) /
                   (8e12 * one.curves.weights[CLG_BF16].hbm_share);
    double more = clg_replica_dense_s(&five, 500) - clg_replica_dense_s(&one, 100);
    CHECK(more > 4 * reads && more < 8 * reads);
}

static void test_states_apart(clg_arena *arena) {
    clg_engine old = engine(arena, "sglang-0.5.9"), g = engine(arena, "sglang");
    clg_scenario h100 = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    clg_scenario states = plan_scenario(arena, "qwen3-next-80b-a3b", "b200-sxm", NULL, 0);
    clg_scenario amd = plan_scenario(arena, "qwen3-next-80b-a3b", "mi300x", NULL, 0);
    clg_scenario taps = plan_scenario(arena, "lfm2-1.2b", "h100-sxm", NULL, 0);
    clg_replica_choice one = {.tp = 1}, four = {.tp = 4, .weights = CLG_BF16}, whole = four;
    whole.no_prefix_cache = true;
    CASE("SGLang keeps prefixes of states where it schedules between iterations: 0.57 ms more, and "
         "12.5 us a sequence; by now of convolutions alone, and on AMD's GPUs");
    clg_replica waits = chosen(arena, &states, &old, four);
    CHECK(!waits.rules.overlapped && waits.engine.state_slots == 3);
    CHECK_NEAR(waits.engine.step_s, 696e-6, 1e-12);
    CHECK_NEAR(waits.cost.sequence_s, 16.5e-6, 1e-12);
    clg_replica none = chosen(arena, &states, &old, whole);
    CHECK(none.rules.overlapped && none.engine.state_slots == 0);
    CHECK_NEAR(none.engine.step_s, 126e-6, 1e-12);
    CHECK(chosen(arena, &states, &g, four).rules.overlapped);
    CHECK(!chosen(arena, &amd, &g, four).rules.overlapped);
    CHECK(!chosen(arena, &taps, &g, one).rules.overlapped);
    CHECK(chosen(arena, &h100, &old, one).rules.overlapped);
}

/* Boards on PCIe know the all-reduce of the SXM board, and take none of it. */
static void test_reduce_link(clg_arena *arena) {
    CASE("reductions timed over NVLink are no measure of PCIe");
    clg_scenario s = plan_scenario(arena, "llama-3.1-70b", "h100-pcie", NULL, 0);
    clg_engine e = engine(arena, "trtllm-0.17");
    clg_replica_choice c = {.tp = 2, .weights = CLG_FP8};
    clg_replica r = chosen(arena, &s, &e, c);
    CHECK(r.curves.borrowed);
    CHECK_NEAR(r.curves.reduce_link_bytes_per_s, 450e9, 1e-12);
    double own = clg_replica_dense_s(&r, 1000);
    r.curves.reduce_link_bytes_per_s = 64e9;
    double borrowed = clg_replica_dense_s(&r, 1000);
    /* 160 times 16.4 MB: 406 us over PCIe (40.3 GB/s), 156 us where they were timed */
    CHECK_NEAR(own - borrowed, 160 * (412.7e-6 - 152.9e-6), 0.02);
    s = plan_scenario(arena, "llama-3.1-70b", "h100-sxm", NULL, 0);
    r = chosen(arena, &s, &e, c);
    double timed = clg_replica_dense_s(&r, 1000);
    r.curves.reduce_link_bytes_per_s = 0;
    CHECK_NEAR(timed, clg_replica_dense_s(&r, 1000), 1e-15);
}

/* Seconds per token of one request alone, stepped by the simulator. */
static double alone_s(clg_arena *arena, const clg_replica *replica, double prompt, double output) {
    clg_replica r = *replica;
    clg_served served;
    clg_serve_totals totals;
    r.rules.front.token_s = r.rules.front.after_s = 0;
    clg_synthetic s = demand_steady(1e9, 2e-9, prompt, output, 0, 1);
    s.most = 1;
    clg_demand d = demand_made(arena, s);
    clg_replica_serve(arena, &r, &d, &served, &totals);
    return (served.finish_s - served.first_token_s) / (output - 1);
}

/* The prompt gives the first token; the 1,000 after it read 300 to 1,299 tokens of cache, 799.5 on
 * average, and cost is linear in them. */
static void test_parts(clg_arena *arena) {
    CASE("parts of an iteration add up to what the simulator takes for it");
    static const char *const models[] = {"llama-3.1-8b", "qwen3-30b-a3b", "gpt-oss-20b"};
    clg_engine e = engine(arena, "vllm");
    for (int i = 0; i < 3; i++) {
        clg_scenario s = plan_scenario(arena, models[i], "h100-sxm", NULL, 0);
        clg_replica r = chosen(arena, &s, &e, (clg_replica_choice){.tp = 2, .weights = CLG_BF16});
        clg_iteration one = clg_replica_iteration(&r, 1, 799.5);
        double sum = 0;
        for (int k = 0; k < CLG_ITERATION_PARTS; k++) {
            CHECK(one.part[k] >= 0);
            sum += one.part[k];
        }
        CHECK_NEAR(sum, one.seconds, 1e-12);
        CHECK_NEAR(alone_s(arena, &r, 300, 1001), one.seconds, 1e-9);
        CHECK((one.part[CLG_SPENT_EXPERTS] > 0) == (i > 0) && one.part[CLG_SPENT_REDUCTIONS] > 0);
        clg_iteration longer = clg_replica_iteration(&r, 1, 1599.5);
        CHECK_NEAR(longer.seconds - one.seconds, 800 * r.cost.context_s, 1e-12);
    }
}

static void test_prompt_graphs(clg_arena *arena) {
    CASE("graphs for prompts: the engine's, or as a script sets them");
    clg_scenario s = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    clg_engine e = engine(arena, "vllm");
    clg_replica_choice c = {.tp = 1};
    CHECK(chosen(arena, &s, &e, c).cost.graph_tokens == (int)e.graph_tokens);
    c.graph_tokens = 2048;
    CHECK(chosen(arena, &s, &e, c).cost.graph_tokens == 2048);
    CASE("none at all: one sequence is launched kernel by kernel, 32 layers of 0.5 ms");
    c.weights = CLG_BF16;
    double replayed_s = chosen(arena, &s, &e, c).cost.decode_s[1];
    c.graph_tokens = c.graph_most = CLG_NO_GRAPHS;
    clg_replica eager = chosen(arena, &s, &e, c);
    CHECK(eager.cost.graph_tokens == 0 && replayed_s < 0.008 && eager.cost.decode_s[1] > 0.016);
}

static int kept_tokens(clg_arena *arena, const char *name, const char *model, const char *gpu,
                       clg_replica_choice c) {
    clg_scenario s = plan_scenario(arena, model, gpu, NULL, 0);
    clg_engine e = engine(arena, name);
    if (c.prefills == 0) return chosen(arena, &s, &e, c).cost.graph_tokens;
    return chosen(arena, &s, &e, c).prefill->cost.graph_tokens;
}

static void test_plain_graphs(clg_arena *arena) {
    clg_replica_choice one = {.tp = 8, .weights = CLG_FP8};
    CASE("SGLang keeps graphs of prompts since 0.5.10, fewer with latents");
    CHECK(kept_tokens(arena, "sglang", "minimax-m2.5", "h200-sxm", one) == 16384);
    CHECK(kept_tokens(arena, "sglang-0.5.9", "minimax-m2.5", "h200-sxm", one) == 0);
    CHECK(kept_tokens(arena, "sglang", "deepseek-r1", "h200-sxm", one) == 2048);
    CASE("not on AMD's GPUs, of keys that are chosen for latents, or of states");
    CHECK(kept_tokens(arena, "sglang", "minimax-m2.5", "mi300x", one) == 0);
    CHECK(kept_tokens(arena, "sglang", "glm-5", "h200-sxm", one) == 0);
    CHECK(kept_tokens(arena, "sglang", "qwen3-next-80b-a3b", "h200-sxm", one) == 0);
    CASE("nor of models with images, whose text model is within");
    clg_replica_choice alone = {.tp = 2, .weights = CLG_BF16};
    CHECK(kept_tokens(arena, "sglang", "gemma-4-31b", "h200-sxm", alone) == 0);
    CHECK(kept_tokens(arena, "sglang", "qwen3-32b", "h200-sxm", alone) == 16384);
    CHECK(kept_tokens(arena, "vllm", "gemma-4-31b", "h200-sxm", alone) == 512);
    CASE("nor with ranks of attention, or a pool for prompts");
    clg_replica_choice ranks = {.tp = 1, .dp = 8, .ep = 8, .weights = CLG_FP8};
    clg_replica_choice pools = {.tp = 8, .weights = CLG_FP8, .prefills = 1, .decodes = 1};
    CHECK(kept_tokens(arena, "sglang", "minimax-m2.5", "h200-sxm", ranks) == 0);
    CHECK(kept_tokens(arena, "sglang", "minimax-m2.5", "h200-sxm", pools) == 0);
    CHECK(kept_tokens(arena, "vllm", "minimax-m2.5", "h200-sxm", pools) == 512);
}

static void test_filter(clg_arena *arena) {
    CASE("sampling from the likeliest: 128,256 logits of 536 B at 3.35 TB/s, and 0.1 ms");
    clg_scenario s = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    clg_engine e = engine(arena, "vllm");
    clg_replica_choice c = {.tp = 2};
    clg_replica plain = chosen(arena, &s, &e, c);
    c.filtered = true;
    clg_replica filtered = chosen(arena, &s, &e, c);
    CHECK_NEAR((filtered.cost.sequence_s - plain.cost.sequence_s) * 1e6, 20.521, 1e-4);
    clg_iteration one = clg_replica_iteration(&filtered, 40, 900);
    clg_iteration other = clg_replica_iteration(&plain, 40, 900);
    CHECK_NEAR(one.part[CLG_SPENT_HEAD] - other.part[CLG_SPENT_HEAD], 100e-6 + 40 * 20.520959e-6,
               1e-6);
    CHECK_NEAR(one.seconds - other.seconds, 100e-6 + 40 * 20.520959e-6, 1e-6);
    CHECK_NEAR(filtered.cost.decode_s[40] - plain.cost.decode_s[40], 100e-6, 1e-12);
    CASE("engines with kernels of their own have nothing beside");
    e = engine(arena, "sglang");
    CHECK_NEAR(chosen(arena, &s, &e, c).cost.sequence_s, e.sequence_s, 1e-15);
}

static double context_s(clg_arena *arena, const char *model, double query_reads) {
    clg_scenario s = plan_scenario(arena, model, "h200-sxm", NULL, 0);
    clg_engine e = engine(arena, "trtllm-0.6");
    e.query_reads = query_reads;
    clg_replica_choice c = {.tp = 8, .weights = CLG_FP8};
    return chosen(arena, &s, &e, c).cost.context_s;
}

static void test_query_reads(clg_arena *arena) {
    CASE("reads of a key: 232 heads over 8, 64 over 8, 32 over 8, one each");
    CHECK_NEAR(context_s(arena, "falcon-180b", 1) / context_s(arena, "falcon-180b", 0), 29, 1e-9);
    CHECK_NEAR(context_s(arena, "llama-3.1-70b", 1) / context_s(arena, "llama-3.1-70b", 0), 8,
               1e-9);
    CHECK_NEAR(context_s(arena, "llama-3.1-8b", 1) / context_s(arena, "llama-3.1-8b", 0), 4, 1e-9);
    CHECK_NEAR(context_s(arena, "llama-2-7b", 1) / context_s(arena, "llama-2-7b", 0), 1, 1e-9);
}

int main(void) {
    clg_arena arena = {0};
    test_routing();
    test_limits(&arena);
    test_graphs(&arena);
    test_memory(&arena);
    test_defaults(&arena);
    test_windows(&arena);
    test_chunks(&arena);
    test_latent(&arena);
    test_tuned(&arena);
    test_cublas(&arena);
    test_rotations(&arena);
    test_blocks(&arena);
    test_walked(&arena);
    test_joined(&arena);
    test_mixed(&arena);
    test_formats(&arena);
    test_empty_blocks(&arena);
    test_wide_experts(&arena);
    test_expert_kernels(&arena);
    test_host(&arena);
    test_states_apart(&arena);
    test_parts(&arena);
    test_reduce_link(&arena);
    test_filter(&arena);
    test_prompt_graphs(&arena);
    test_plain_graphs(&arena);
    test_query_reads(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
