/* What a copy that serves keeps, and what is left for its cache: bytes of one GPU, by hand. */
#include "memory/room.h"

#include "plan.h"

static clg_arena arena;

typedef struct served {
    clg_scenario scenario;
    clg_serving serving;
    clg_serving_layout layout;
    clg_engine engine;
    clg_serve_curves curves;
} served;

/* 16 bit, contexts of 8,192 tokens, iterations of 4,096 tokens in 256 sequences. */
static void serve(served *in, const char *model, int tp) {
    *in = (served){.layout = {.tp = tp, .pp = 1, .dp = 1, .ep = 1}};
    in->scenario = plan_scenario(&arena, model, "h100-sxm", NULL, 8);
    in->layout.compute = in->layout.weights = in->layout.cache = CLG_BF16;
    in->layout.attention_weights = CLG_BF16;
    in->engine = (clg_engine){
        .block_tokens = 16, .memory_share = 0.9, .token_hidden_bytes = 12, .logit_bytes = 8};
    in->serving = (clg_serving){.model = &in->scenario.model,
                                .machine = &in->scenario.machine,
                                .engine = &in->engine,
                                .layout = &in->layout,
                                .expert_imbalance = 1,
                                .scale_values = 128,
                                .context_tokens = 8192,
                                .max_tokens = 4096,
                                .max_sequences = 256};
}

static clg_serving_room room_of(const served *in) {
    return clg_serving_room_of(&in->serving, &in->curves, 0, 0);
}

/* Llama 3.1 70B: 80 layers of 855,638,016 and two norms of 8,192; ends of 128,256 x 8,192. */
static void dense(void) {
    served in;
    serve(&in, "llama-3.1-70b", 8);
    clg_serving_room r = room_of(&in);
    double layers = 80 * (855638016 * 2.0 / 8 + 2 * 16384), end = 128256 * 8192 * 2.0 / 8;
    CASE("matrices over eight ranks, norms whole on each, both ends");
    CHECK_NEAR(r.weight_bytes, layers + 2 * end, 1e-7); /* and the last norm */
    CASE("two stages: half of the layers and one end");
    in.layout.pp = 2;
    CHECK_NEAR(room_of(&in).weight_bytes, layers / 2 + end, 1e-7);
    in.layout.pp = 1;
    CASE("a table of 131,072 positions of 128 values, 4 bytes each");
    in.engine.position_bytes = 4;
    CHECK_NEAR(room_of(&in).weight_bytes - r.weight_bytes, 131072 * 128 * 4.0, 1e-12);
    CASE("a token: one head of keys and values of 128 in 80 layers");
    CHECK_NEAR(r.cache_bytes_per_token, 80 * 2 * 128 * 2, 0);
    CHECK(r.read_bytes_per_token == r.cache_bytes_per_token);
    CASE("an iteration: 4,096 tokens of 12 x 8,192 + 6 x 28,672 / 8, logits of 256 over 8 ranks");
    CHECK_NEAR(r.activation_bytes, 4096 * (98304 + 21504.0) + 256 * 128256.0, 1e-12);
    CASE("sampled when no layer runs: the larger of the two, 22 bytes a logit of all ranks");
    in.engine.sampled_apart = 1, in.engine.logit_bytes = 22;
    CHECK_NEAR(room_of(&in).activation_bytes, 22 * 256 * 128256.0, 1e-12);
    in.engine.logit_bytes = 8;
    CHECK_NEAR(room_of(&in).activation_bytes, 4096 * (98304 + 21504.0), 1e-12);
    in.engine.sampled_apart = 0;
    CASE("MLPs without gates: 4 x 28,672 / 8");
    for (int k = 0; k < in.scenario.model.kinds; k++) in.scenario.model.kind[k].mlp.gated = false;
    CHECK_NEAR(room_of(&in).activation_bytes, 4096 * (98304 + 14336.0) + 256 * 128256.0, 1e-12);
    for (int k = 0; k < in.scenario.model.kinds; k++) in.scenario.model.kind[k].mlp.gated = true;
    CASE("nine tenths of the GPU, less weights and activations, in blocks of 16");
    double left = 0.9 * in.scenario.machine.gpu.memory_usable_bytes;
    left -= r.weight_bytes + r.activation_bytes;
    CHECK_NEAR(r.cache_room_bytes, left, 1e-12);
    CHECK(r.blocks == (int64_t)(left / (40960 * 16)));
}

/* Gemma 2 9B: 42 layers of 8 heads of keys of 256, every other one with a window of 4,096. */
static void windows(void) {
    served in;
    CASE("a window is half of 8,192 tokens: half of the layers keep half, or all of it");
    serve(&in, "gemma-2-9b", 1);
    CHECK_NEAR(room_of(&in).cache_bytes_per_token, 8192 * (21 + 10.5), 0);
    in.engine.whole_windows = 1;
    CHECK_NEAR(room_of(&in).cache_bytes_per_token, 8192 * 42.0, 0);
    CASE("what is read of a token: of 8,192 and of 2,048");
    CHECK_NEAR(clg_read_bytes_per_token(&in.serving, 8192), 8192 * 31.5, 0);
    CHECK_NEAR(clg_read_bytes_per_token(&in.serving, 2048), 8192 * 42.0, 0);
    CASE("16 heads over 8 of keys, each read apart: twice");
    in.engine.query_reads = 1;
    CHECK_NEAR(clg_read_bytes_per_token(&in.serving, 2048), 2 * 8192 * 42.0, 0);
}

/* DeepSeek-V3.2: 61 latents of 512 and 64 rotated, index keys of 128 and a scale of 4 bytes; a
 * decode reads 2,048 chosen tokens. */
static void sparse(void) {
    served in;
    serve(&in, "deepseek-v3.2", 8);
    clg_serving_room r = room_of(&in);
    CASE("chosen keys: all are kept, a quarter of 8,192 is read, and every index key");
    CHECK_NEAR(r.cache_bytes_per_token, 61 * (1152 + 132.0), 0);
    CHECK_NEAR(r.read_bytes_per_token, 61 * (1152 / 4.0 + 132), 1e-12);
    CASE("of a latent only 64 values are rotated");
    in.engine.position_bytes = 4;
    CHECK_NEAR(room_of(&in).weight_bytes - r.weight_bytes,
               (double)in.scenario.model.max_seq * 64 * 4, 1e-9);
}

/* Mixtral 8x7B: 8 experts of 3 matrices of 4,096 x 14,336 in 32 layers. */
static void padded(void) {
    served in;
    CASE("kernels that want multiples of 3,000 and 10,000: 6,000 x 20,000");
    serve(&in, "mixtral-8x7b", 1);
    double plain = room_of(&in).weight_bytes;
    in.curves.experts[CLG_BF16].hidden_multiple = 3000;
    in.curves.experts[CLG_BF16].width_multiple = 10000;
    double more = 32 * 8 * 3 * (6000.0 * 20000 - 4096.0 * 14336) * 2;
    CHECK_NEAR(room_of(&in).weight_bytes - plain, more, 1e-12);
    CASE("experts over two ranks of sequences: half of them on each, attention whole");
    in.curves.experts[CLG_BF16] = (clg_expert_curve){0};
    in.layout.dp = 2;
    CHECK_NEAR(plain - room_of(&in).weight_bytes, 32 * 8 * 3 * 4096.0 * 14336, 1e-12);
    CASE("tokens of both ranks are gathered, and computed at most so many at a time");
    in.engine.gathers = 1;
    double all = room_of(&in).activation_bytes, token = 2 * (4096 * 4.0 + 7168 * 6.0);
    in.engine.expert_chunk = 1024; /* of 2 x 2,048 */
    CHECK_NEAR(all - room_of(&in).activation_bytes, (4096 - 1024) * token, 1e-12);
    in.engine.gathers = 0;
    CHECK_NEAR(all - room_of(&in).activation_bytes, (4096 - 1024) * token + 2048 * 4.0 * 2 * 4096,
               1e-12);
}

int main(void) {
    dense();
    windows();
    sparse();
    padded();
    clg_arena_clear(&arena);
    return DONE;
}
