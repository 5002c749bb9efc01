/* Layers that keep a state, served: blocks as vLLM's logs have them, pools as SGLang shares them
 * out, and what an iteration reads and writes, by hand. */
#include "plan.h"
#include "serve/replica.h"

#include <math.h>

static clg_arena arena;

typedef struct asked {
    const char *model, *engine;
    clg_precision weights, cache;
    int tp, drafted;
} asked;

static clg_replica made(asked a) {
    static clg_scenario s; /* the replica points to it: one at a time */
    clg_replica r = {0};
    clg_error error = {0};
    clg_engine engine;
    s = plan_scenario(&arena, a.model, "h200-sxm", NULL, 8);
    CHECK(clg_engine_find(&arena, a.engine, &engine, &error) == CLG_OK);
    clg_replica_choice c = {.tp = a.tp, .weights = a.weights, .compute = a.weights};
    c.cache = a.cache;
    c.drafted = a.drafted;
    c.accepted = a.drafted > 0 ? .5 : 0;
    clg_arrival ask[4] = {{.prompt_tokens = 300, .output_tokens = 200}};
    clg_demand d = {.request = ask, .count = 1, .span_s = 1};
    clg_demand_finish(&arena, &d);
    bool ok = clg_replica_prepare(&arena, &s, &engine, &c, &d, &r, &error) == CLG_OK;
    if (!ok) printf("  %s\n", error.message);
    CHECK(ok);
    return r;
}

/* "Setting attention block size to N tokens to ensure that attention page size is >= mamba page
 * size": vLLM 0.18 on Qwen3.5 35B-A3B, 0.25 on 9B, LMCache's page on 27B, 0.13 on Qwen3-Next with
 * an 8-bit cache on two GPUs. */
static void blocks(void) {
    static const struct {
        const char *model;
        clg_precision cache;
        int tp, tokens, states;
    } log[] = {{"qwen3.5-35b-a3b", CLG_BF16, 1, 1056, 3},
               {"qwen3.5-9b", CLG_BF16, 1, 528, 3},
               {"qwen3.5-27b", CLG_BF16, 1, 784, 3},
               {"qwen3-next-80b-a3b", CLG_FP8, 2, 1072, 3}};
    for (size_t i = 0; i < sizeof log / sizeof log[0]; i++) {
        CASE(log[i].model);
        clg_replica r = made((asked){log[i].model, "vllm", CLG_FP8, log[i].cache, log[i].tp, 0});
        CHECK(r.rules.block_tokens == log[i].tokens);
        CHECK(r.rules.sequence_blocks == log[i].states);
    }
    CASE("a token proposed holds a page more of each group; other models have no states");
    clg_replica r = made((asked){"qwen3.5-35b-a3b", "vllm", CLG_FP8, CLG_BF16, 1, 1});
    CHECK(r.rules.sequence_blocks == 6);
    r = made((asked){"llama-3.1-8b", "vllm", CLG_FP8, CLG_BF16, 1, 0});
    CHECK(r.rules.sequence_blocks == 0 && r.rules.block_tokens == 16);
    CHECK_NEAR(r.room.state_bytes + r.cost.state_s + r.cost.scan_s, 0, 0);
}

/* Qwen3.5 35B-A3B: 30 layers of 32 states of 128 x 128 in fp32 and 3 x 8,192 inputs in 16 bit are
 * 30 x (2,097,152 + 49,152) = 64,389,120 bytes; 10 layers of 2 x 2 x 256 x 2 = 20,480 a token. */
static void bytes(void) {
    CASE("bytes of a sequence and a token by hand, and of a page of ten layers");
    clg_replica r = made((asked){"qwen3.5-35b-a3b", "vllm", CLG_FP8, CLG_BF16, 1, 0});
    CHECK_NEAR(r.room.state_bytes, 64389120, 0);
    CHECK_NEAR(r.room.cache_bytes_per_token, 20480, 0);
    double page = 1056 * 20480.0;
    CHECK(r.rules.blocks == (int64_t)(r.room.cache_room_bytes / page));
    CHECK(clg_serve_blocks(&r.rules, 1056) == 4 && clg_serve_blocks(&r.rules, 1057) == 5);
    CASE("SGLang: 0.9 / 1.9 of the room for states, three a sequence that runs");
    r = made((asked){"qwen3.5-35b-a3b", "sglang", CLG_FP8, CLG_BF16, 1, 0});
    CHECK_NEAR(r.room.state_bytes, 64389120, 0);
    CHECK(r.rules.max_sequences == (int)(r.room.cache_room_bytes * .9 / 1.9 / 64389120 / 3));
    CHECK(r.rules.sequence_blocks == 0);
    CHECK(r.rules.blocks ==
          (int64_t)(r.room.cache_room_bytes / 1.9 / (20480.0 * r.rules.block_tokens)));
    CASE("TensorRT-LLM: one for each sequence of the largest batch, 16 bits where not said");
    r = made((asked){"nemotron-h-8b", "trtllm-1.0", CLG_BF16, CLG_BF16, 1, 0});
    double each = 24 * (128 * 64 * 128 * 2.0 + 3 * (8192 + 2048) * 2);
    CHECK_NEAR(r.room.state_bytes, each, 0);
    double left = r.room.cache_room_bytes - r.rules.max_sequences * each;
    CHECK(r.rules.blocks ==
          (int64_t)(left / (r.room.cache_bytes_per_token * r.rules.block_tokens)));
    CHECK_NEAR(r.room.cache_bytes_per_token, 4 * 2 * 8 * 128 * 2.0, 0);
}

static void iteration(void) {
    CASE("a decoding sequence reads and writes its states, with a token proposed once more");
    clg_replica r = made((asked){"qwen3.5-35b-a3b", "vllm", CLG_FP8, CLG_BF16, 1, 0});
    double hbm = r.scenario->machine.gpu.hbm_bytes_per_s;
    double by_hand = 30 * (2 * 2097152 / (.56 * hbm) + 2 * 49152 / (.21 * hbm));
    CHECK_NEAR(r.cost.state_s, by_hand, 1e-12);
    clg_replica once = made((asked){"qwen3.5-35b-a3b", "vllm", CLG_FP8, CLG_BF16, 1, 1});
    CHECK_NEAR(once.cost.state_s, 1.5 * by_hand, 1e-12);
    CASE("prompts by FlashInfer: 27 of 300 tokens have 864 heads, seven rounds on 132 processors");
    CHECK_NEAR(r.cost.scan_s, 30 * 7 * 300 * 50e-9 / (27 * 300), 1e-12);
    CASE("by Triton's kernels under SGLang, as the step has them");
    r = made((asked){"qwen3.5-35b-a3b", "sglang", CLG_FP8, CLG_BF16, 1, 0});
    double n = floor(r.rules.max_tokens / 300.0), tokens = 300 * n;
    double work = 32 * tokens * (184320 / (989.4e12 * .55) + 5120 / (hbm * .77));
    CHECK_NEAR(r.cost.scan_s, 30 * (15e-6 + work) / tokens, 1e-9);
    CASE("two tensor ranks: half the states, half of what they take");
    clg_replica two = made((asked){"qwen3.5-35b-a3b", "vllm", CLG_FP8, CLG_BF16, 2, 0});
    CHECK_NEAR(two.room.state_bytes, 64389120 / 2.0, 0);
    CHECK_NEAR(two.cost.state_s, by_hand / 2, 1e-12);
    CASE("layers without attention read no cache and no more than their part");
    r = made((asked){"nemotron-3-nano-30b-a3b", "vllm", CLG_BF16, CLG_BF16, 1, 0});
    CHECK_NEAR(r.room.cache_bytes_per_token, 6 * 2 * 2 * 128 * 2.0, 0);
    CHECK(isfinite(r.cost.pair_s) && r.cost.pair_s > 0 && isfinite(r.cost.dense_s[1]));
    CHECK_NEAR(r.room.state_bytes, 23 * (64 * 64 * 128 * 4.0 + 3 * 6144 * 2), 0);
}

int main(void) {
    blocks();
    bytes();
    iteration();
    clg_arena_clear(&arena);
    return DONE;
}
