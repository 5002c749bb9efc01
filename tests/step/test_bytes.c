/* Bytes that memory-bound kernels move and blocks keep, kernel by kernel, on paper. */
#include "evaluate/interval.h"
#include "step/step.h"

#include "plan.h"

static clg_arena arena;
static clg_step step;

static const clg_block *layer(const clg_scenario *s, const clg_layout *l) {
    return &plan_step(&arena, s, l, &step)->kind[s->model.kinds - 1];
}

/* All passes of the kernels of one name, forward or not. */
static double bytes_of(const clg_block *block, const char *name, bool forward) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++) {
        const clg_op *op = &block->op[i];
        if (op->kind == CLG_OP_MEMORY && strcmp(op->name, name) == 0 &&
            (op->pass == CLG_PASS_FORWARD) == forward)
            sum += op->hbm_bytes * op->count;
    }
    return sum;
}

static double core_bytes(const clg_block *block, clg_pass pass) {
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].kind == CLG_OP_ATTENTION && block->op[i].pass == pass)
            return block->op[i].hbm_bytes;
    return 0;
}

static void check_gpt(void) {
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2021", 64);
    clg_layout l = plan_layout(2048);
    const clg_block *block = layer(&s, &l);
    double sh = 2048.0 * 12288; /* elements, 2 bytes each */
    CASE("bias, dropout and residual in one kernel: 3 words and the mask, twice a layer");
    CHECK_NEAR(bytes_of(block, "residual", true), 2 * sh * (6 + 1), 1e-14);
    CHECK_NEAR(bytes_of(block, "residual", false), 2 * sh * (6 + 4 + 1), 1e-14);
    CASE("the same apart: dropout reads and writes 2 words and a mask, bias 2 words");
    s.stack.fused.elementwise = false;
    block = layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "residual", true), 2 * sh * (6 + 5 + 4), 1e-14);
    CHECK_NEAR(bytes_of(block, "residual", false), 2 * sh * 11, 1e-14);
    CASE("LayerNorm: 7.2 bytes an element forward, 16 backward, two a layer");
    CHECK_NEAR(bytes_of(block, "norm", true), 2 * sh * 7.2, 1e-14);
    CHECK_NEAR(bytes_of(block, "norm", false), 2 * sh * 16, 1e-14);
    CASE("embedding: read and write a row a token; backward into fp32: 2 + 8; dropout 2 x 2 + 1");
    CHECK_NEAR(bytes_of(&step.embedding, "embedding look-up", true), sh * 4, 1e-14);
    CHECK_NEAR(bytes_of(&step.embedding, "embedding look-up", false), sh * 10, 1e-14);
    CHECK_NEAR(bytes_of(&step.embedding, "dropout", true), sh * 5, 1e-14);
}

/* The same model in a loop of one's own. */
static void check_own_gelu(void) {
    clg_scenario s = plan_scenario(&arena, "gpt2", "a100-sxm-80gb", "pytorch@2024-06", 8);
    clg_layout l = plan_layout(1024);
    l.micro_batch = 8, l.global_batch = 8, l.attention = CLG_FLASH2;
    CASE("a GeLU of its own is one kernel: 2 words and 2 of the bias, 3 and 2");
    const clg_block *block = layer(&s, &l);
    double words = 2.0 * 4 * 8192 * 768;
    CHECK_NEAR(bytes_of(block, "activation", true), words * 4, 1e-14);
    CHECK_NEAR(bytes_of(block, "activation", false), words * 5, 1e-14);
}

/* GPT-2 of 12 x 768 as transformers runs it, 8 x 1,024 tokens, its own dropout of 0.1. */
static void check_eager(void) {
    clg_scenario s = plan_scenario(&arena, "gpt2", "a100-sxm-80gb", "transformers@2022-11", 8);
    clg_layout l = plan_layout(1024);
    l.micro_batch = 8, l.global_batch = 8, l.zero = 1, l.attention = CLG_UNFUSED;
    double sh = 8192.0 * 768, wide = 4 * sh;
    layer(&s, &l);
    const clg_block *block = &step.kind[0];
    CASE("gelu_new line by line: 18 words and 2 of the bias, 28 and 2 of its gradient");
    CHECK_NEAR(bytes_of(block, "activation", true), wide * 40, 1e-14);
    CHECK_NEAR(bytes_of(block, "activation", false), wide * 60, 1e-14);
    CASE("the file's dropout, as Megatron's apart; none where the trainer does not ask the file");
    CHECK_NEAR(bytes_of(block, "residual", true), 2 * sh * (6 + 5 + 4), 1e-14);
    double kept = block->saved_bytes;
    s.stack.kernels.model_dropout = false;
    layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "residual", true), 2 * sh * (6 + 4), 1e-14);
    CASE("two masks of a layer; of scores that stay in 16 bit the mask and what dropout gives");
    CHECK_NEAR(kept - block->saved_bytes, 2 * sh + 3 * 8 * 12 * 1024.0 * 1024, 1e-13);
    CASE("logits without the last token's: read and written; zeros, read and written back");
    double logits = 8192.0 * 50257;
    CHECK_NEAR(bytes_of(&step.head, "shift logits", true), logits * 4, 1e-14);
    CHECK_NEAR(bytes_of(&step.head, "shift logits", false), logits * 6, 1e-14);
    CASE("nothing is cast where weights are sharded or have no fp32 copy");
    CHECK(bytes_of(block, "autocast inputs", true) == 0);
    l.zero = 0, s.stack.precision.master_weights = false;
    layer(&s, &l);
    CHECK(bytes_of(block, "autocast weights", true) == 0);
    CASE("autocast: fp32 norms 14.4 and 32, each cast once; 16 bit added to fp32: 10 and 18");
    s.stack.precision.master_weights = true;
    layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "norm", true), 2 * sh * 14.4, 1e-14);
    CHECK_NEAR(bytes_of(block, "norm", false), 2 * sh * 32, 1e-14);
    CHECK_NEAR(bytes_of(block, "autocast inputs", true), 2 * sh * 6, 1e-14);
    CHECK_NEAR(bytes_of(block, "residual", true), 2 * sh * (10 + 4), 1e-14);
    CHECK_NEAR(bytes_of(block, "residual", false), 2 * sh * 18, 1e-14);
    CASE("12 x 768 x 768 weights read in fp32 and written in 16 bit, their gradients back");
    CHECK_NEAR(bytes_of(block, "autocast weights", true), 12 * 768.0 * 768 * 6, 1e-14);
    CHECK_NEAR(bytes_of(block, "autocast weight gradients", false), 12 * 768.0 * 768 * 6, 1e-14);
    CASE("gelu_new in fp32: 76 bytes and the bias, 118 and its gradient");
    CHECK_NEAR(bytes_of(block, "activation", true), wide * 80, 1e-14);
    CHECK_NEAR(bytes_of(block, "activation", false), wide * 122, 1e-14);
    CASE("compiled, casts are inside the kernels beside them, but for those of weights");
    s.stack.fused.elementwise = true;
    layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "norm", true), 2 * sh * 7.2, 1e-14);
    CHECK(bytes_of(block, "autocast inputs", true) == 0);
    CHECK_NEAR(bytes_of(block, "autocast weights", true), 12 * 768.0 * 768 * 6, 1e-14);
    s.stack.fused.elementwise = false;
    CASE("recomputed layers keep their fp32 input");
    l.recompute = CLG_RECOMPUTE_FULL;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 4 * sh, 1e-14);
    CASE("a gradient that was cast is added as fp32: 12 bytes");
    l.accumulation = 2, l.global_batch = 16;
    layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "accumulate weight gradient", false), 12 * 768.0 * 768 * 12, 1e-14);
}

/* The same in fp32, the scores alone. */
static void check_single_scores(void) {
    clg_scenario s = plan_scenario(&arena, "gpt2", "a100-sxm-80gb", "transformers@2022-11", 8);
    clg_layout l = plan_layout(1024);
    l.micro_batch = 8, l.global_batch = 8, l.zero = 1, l.attention = CLG_UNFUSED;
    l.precision = CLG_TF32;
    double scores = 8 * 12 * 1024.0 * 1024;
    const clg_block *block = layer(&s, &l);
    CASE("scores of fp32: elementary operations 30 and 90 bytes, dropout 8 and its mask");
    CHECK_NEAR(core_bytes(block, CLG_PASS_FORWARD), scores * (30 + 9), 1e-14);
    CHECK_NEAR(core_bytes(block, CLG_PASS_BACKWARD_INPUT), scores * (90 + 9), 1e-14);
    double dropped = block->saved_bytes;
    s.stack.kernels.model_dropout = false;
    layer(&s, &l);
    CASE("kept: the softmax, and beside it what dropout gives and its mask");
    CHECK_NEAR(dropped - block->saved_bytes, scores * 5 + 2 * 8192.0 * 768, 1e-13);
}

/* The same of a gated model: q, k, v, gate and up read what norms gave by themselves. */
static void check_eager_gated(void) {
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "a100-sxm-80gb", "transformers", 8);
    clg_layout l = plan_layout(1024);
    l.zero = 0;
    CASE("five products of a layer cast what they read; logits are shifted as fp32");
    const clg_block *block = layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "autocast inputs", true), 1024.0 * 4096 * 5 * 6, 1e-14);
    CHECK_NEAR(bytes_of(&step.head, "shift logits", true), 1024.0 * 32000 * 8, 1e-14);
    CHECK_NEAR(bytes_of(&step.head, "shift logits", false), 1024.0 * 32000 * 12, 1e-14);
    CASE("no longer since transformers pads labels instead");
    s = plan_scenario(&arena, "llama-2-7b", "a100-sxm-80gb", "transformers@2025-03", 8);
    layer(&s, &l);
    CHECK(bytes_of(&step.head, "shift logits", true) == 0);
}

static void check_llama(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-32b", "h100-sxm", "megatron-2024", 64);
    clg_layout l = plan_layout(4096);
    l.tp = 4, l.sp = true;
    const clg_block *block = layer(&s, &l);
    CASE("RMSNorm: 2.5 words forward, 5 backward; two of 5,120 on a quarter of 4,096 tokens");
    CHECK_NEAR(bytes_of(block, "norm", true), 2 * 1024.0 * 5120 * 5, 1e-14);
    CHECK_NEAR(bytes_of(block, "norm", false), 2 * 1024.0 * 5120 * 10, 1e-14);
    CASE("norms of queries and keys: 16 heads and 2 of 128 on all tokens");
    CHECK_NEAR(bytes_of(block, "query and key norms", true), 4096.0 * (16 + 2) * 128 * 5, 1e-14);
    CASE("fp8: 2 bytes read, 1 written twice, before each product");
    /* inputs of q, k, v: 5120 gathered; of the output: 16 x 128 = 2048; of gate and up: 5120; of
     * down: 25600 / 4 = 6400 */
    l.precision = CLG_FP8;
    CHECK_NEAR(bytes_of(layer(&s, &l), "cast to narrow precision", true),
               4096.0 * (5120 + 2048 + 5120 + 6400) * 4, 1e-14);
    CASE("scaled by row: 8 bytes instead of 4; weights, too: 2 read and 1 written, turned before "
         "backward");
    double parameters = 5120.0 * 2560 + 2048.0 * 5120 + 3.0 * 5120 * 6400;
    s.stack.precision.scaled_rows = true;
    CHECK_NEAR(bytes_of(layer(&s, &l), "cast to narrow precision", true),
               4096.0 * (5120 + 2048 + 5120 + 6400) * 8, 1e-14);
    CHECK_NEAR(bytes_of(layer(&s, &l), "scale and cast weights", true), 3 * parameters, 1e-14);
    CHECK_NEAR(bytes_of(layer(&s, &l), "scale and cast weights", false), 7 * parameters, 1e-14);
    CASE("and what products backward leave is scaled: 2 bytes read and written");
    /* by inputs of q, k, v; output; gate, up; down, and by weight */
    CHECK_NEAR(bytes_of(layer(&s, &l), "scale result by row", false),
               4096.0 * (5120 + 2048 + 5120 + 6400) * 4 + parameters * 4, 1e-14);
    CASE(
        "weight gradients of 16 bit: one order of 3 bytes, weights turned no more, nothing scaled");
    s.stack.precision.wide_weight_gradients = true;
    CHECK_NEAR(bytes_of(layer(&s, &l), "cast to narrow precision", true),
               4096.0 * (5120 + 2048 + 5120 + 6400) * 3, 1e-14);
    CHECK_NEAR(bytes_of(layer(&s, &l), "scale and cast weights", false), 3 * parameters, 1e-14);
    CHECK(bytes_of(layer(&s, &l), "scale result by row", false) == 0);
    s.stack.precision.wide_weight_gradients = false;
    s.stack.precision.scaled_rows = false;
    CASE("a kernel for each order of block scales: 6 bytes; of weights one forward, one backward");
    l.precision = CLG_MXFP8, s.stack.precision.cast_orders = true;
    CHECK_NEAR(bytes_of(layer(&s, &l), "cast to narrow precision", true),
               4096.0 * (5120 + 2048 + 5120 + 6400) * 6, 1e-14);
    CHECK_NEAR(bytes_of(layer(&s, &l), "scale and cast weights", true), 3 * parameters, 1e-14);
    CHECK_NEAR(bytes_of(layer(&s, &l), "scale and cast weights", false), 3 * parameters, 1e-14);
    s.stack.precision.cast_orders = false;
    CASE("a weight gradient is added up for every later micro-batch: 6 bytes in the product, else "
         "10");
    /* parameters of the products of a rank: 5120 (16 + 2 x 2) 128 + 2048 x 5120 + 3 x 5120 x 6400;
     * fp32 read and written instead of 16 bit written, or beside it and read again */
    l.precision = CLG_BF16, l.accumulation = l.global_batch = 2;
    CHECK_NEAR(bytes_of(layer(&s, &l), "accumulate weight gradient", false), parameters * 6, 1e-14);
    s.stack.fused.accumulation = false;
    CHECK_NEAR(bytes_of(layer(&s, &l), "accumulate weight gradient", false), parameters * 10,
               1e-14);
}

static void check_latent(void) {
    CASE("DeepSeek-V3, a dense layer: what latent attention keeps, by the token");
    /* norms: 4 x 2 x 7168 = 57344; queries: 2 x 1536 x 2 = 6144; latent 576 and its norm 512: 2176;
     * q, k of 192 and v of 128 in 128 heads: 128 x 512 x 2 = 131072; output 128 x 128 x 2 = 32768;
     * statistics 4 x 128 = 512; MLP: gate, up, product 3 x 18432 x 2 = 110592. Sum 340608. */
    clg_scenario s = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2024", 64);
    clg_layout l = plan_layout(4096);
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 4096.0 * 340608, 1e-14);
    CASE("its prediction module: two norms of 7,168 and the projection's inputs kept");
    CHECK_NEAR(bytes_of(&step.head, "prediction norms", true), 4096.0 * 2 * 7168 * 5, 1e-14);
}

static void check_loss(void) {
    CASE("cross-entropy of 50,257 words, apart: 38 bytes a logit forward, 14 backward");
    clg_scenario s = plan_scenario(&arena, "gpt2", "a100-sxm-80gb", "megatron-2021", 8);
    clg_layout l = plan_layout(1024);
    s.stack.fused.cross_entropy = false;
    layer(&s, &l);
    double logits = 1024.0 * (double)s.model.vocab;
    CHECK_NEAR(bytes_of(&step.head, "cross-entropy", true), logits * 38, 1e-14);
    CHECK_NEAR(bytes_of(&step.head, "cross-entropy", false), logits * 14, 1e-14);
    CASE("fused: three words forward, two backward");
    s.stack.fused.cross_entropy = true;
    layer(&s, &l);
    CHECK_NEAR(bytes_of(&step.head, "cross-entropy", true), logits * 6, 1e-14);
    CHECK_NEAR(bytes_of(&step.head, "cross-entropy", false), logits * 4, 1e-14);
}

static void check_kept_projection(void) {
    clg_layout l = plan_layout(8192);
    l.recompute = CLG_RECOMPUTE_SELECTIVE;
    CASE("keys and values beside the projection they were cut from: with as many heads only");
    clg_scenario equal = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "nanotron-2025", 8);
    l.tp = 1, l.sp = false;
    layer(&equal, &l);
    double twice = step.kind[0].saved_bytes;
    equal.stack.memory.kept_projection = false;
    layer(&equal, &l);
    CHECK_NEAR(twice - step.kind[0].saved_bytes, 8192.0 * 2 * 4096 * 2, 1e-13);
    CASE("16-bit gradients stay beside fp32 ones: 4 + 2");
    l.dp = 8, l.zero = 0;
    CHECK(clg_gradient_held_bytes(&l, &equal.stack) == 6);
}

/* Llama 3.1 8B: 32 heads and 8 of 128, 4,096 wide, MLP 14,336. */
static void check_kept(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "torchtitan-2025", 8);
    clg_layout l = plan_layout(8192);
    l.recompute = CLG_RECOMPUTE_SELECTIVE;
    CASE("every other product: q, v, gate, down, with the layer's input and attention's result");
    /* words a token: 4096 + 4096 + 1024 + 4096 + 14336 + 4096 = 31744; statistics 32 x 4 bytes */
    s.stack.recompute.inside = false;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 8192.0 * (31744 * 2 + 128), 1e-14);
    CASE("compiled, what down gives is let go: no backward reads it");
    s.stack.recompute.inside = true;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 8192.0 * (27648 * 2 + 128), 1e-14);
    s.stack.recompute.inside = false;
    layer(&s, &l);
    /* all of it: 2 x 4 x 4096 of norms, 6144 of q, k, v and 4096 out, 3 x 14336 of the MLP */
    CHECK_NEAR(step.kind[0].saved_bytes + step.kind[0].rebuilt_bytes,
               8192.0 * (32768 + 2 * (6144 + 4096 + 43008) + 128), 1e-14);
    CASE("the same over 8 tensor ranks: what down gives is whole before it is summed, and both "
         "sums");
    l.tp = 8, l.sp = true;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes,
               8192.0 * (2 * (512 + 512 + 128 + 512 + 1792 + 4096 + 2 * 512) + 16), 1e-14);
    CASE("gathered inputs that are kept: two of 4,096 words, whole instead of an eighth");
    l.recompute = CLG_RECOMPUTE_NONE;
    s.stack.memory.kept_gathers = 0;
    layer(&s, &l);
    double again = step.kind[0].saved_bytes, head = step.head.saved_bytes;
    s.stack.memory.kept_gathers = 0.5;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes - again, 0.5 * 2 * 7168 * 4096.0 * 2, 1e-13);
    CASE("and the one of the head");
    CHECK_NEAR(step.head.saved_bytes - head, 0.5 * 7168 * 4096.0 * 2, 1e-13);
    CASE("tables: a row on every tensor rank, unless both ends share one");
    layer(&s, &l);
    CHECK_NEAR(step.embedding.dense_parameters, 128256.0 * 4096 / 8, 1e-14);
    s.stack.memory.whole_embedding = true;
    layer(&s, &l);
    CHECK_NEAR(step.embedding.dense_parameters, 128256.0 * 4096, 1e-14);
    CHECK_NEAR(step.head.dense_parameters, 128256.0 * 4096 / 8 + 4096, 1e-14);
    CASE("a loss keeps and needs what its stack says, an eighth of 128,256 words");
    CHECK_NEAR(step.head.transient_bytes, 8192.0 * 16032 * (16 - 4), 1e-14); /* of shards */
    s.stack.loss.shard_peak_bytes = 0;
    layer(&s, &l);
    CHECK_NEAR(step.head.transient_bytes, 8192.0 * 16032 * (12 - 4), 1e-14);
    l.tp = 1, l.sp = false, s.stack.loss.shard_peak_bytes = 16;
    layer(&s, &l);
    CHECK_NEAR(step.head.transient_bytes, 8192.0 * 128256 * (12 - 4), 1e-14);
    l.tp = 8, l.sp = true;
    layer(&s, &l);
    /* the norm, half of the gathered input, logits */
    CHECK_NEAR(step.head.saved_bytes,
               2 * 1024.0 * 4096 * 2 + 0.5 * 7168 * 4096 * 2 + 8192.0 * 16032 * 4, 1e-14);
    check_kept_projection();
}

static void check_capacity(void) {
    CASE("what a plan may fill: usable memory less context and a communicator for each way it is "
         "split,"
         " and one of all; experts' connections");
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(4096);
    clg_evaluation e;
    clg_error error = {0};
    s.machine.gpu.memory_usable_bytes = 85e9, s.stack.memory.context_bytes = 1.25e9;
    s.stack.memory.communicator_bytes = 0.75e9, s.stack.memory.exchange_bytes = 3.5e9;
    l.dp = 8, l.global_batch = 8, l.zero = 1;
    CHECK(clg_evaluate(&arena, &s, &l, false, NULL, &e, &error) == CLG_OK);
    CHECK(e.capacity_bytes == 83e9);
    l.tp = 2, l.pp = 2, l.dp = 2, l.global_batch = 2;
    CHECK(clg_capacity_bytes(&s, &l) == 80.75e9);
    CHECK_NEAR(clg_crowding(&s, &l), 83.75 / 80.75, 1e-15);
    l.tp = l.pp = 1, l.dp = l.ep = 8; /* two ways and all; all seven others are connected */
    CHECK(clg_capacity_bytes(&s, &l) == 78e9);
    l.ep = 3, l.dp = 3;
    CHECK_NEAR(clg_capacity_bytes(&s, &l), 81.5e9 - 3.5e9 * 2 / 7, 1e-15);
}

/* gpt-oss 120B in bf16, 8 expert ranks: 16 experts of 2,880 each and 4 x 4,096 rows a rank. */
static void check_experts(void) {
    clg_scenario s = plan_scenario(&arena, "gpt-oss-120b", "h100-sxm", "megatron-2026", 8);
    clg_layout l = plan_layout(4096);
    l.dp = l.ep = 8, l.global_batch = 8;
    const clg_block *block = layer(&s, &l);
    double elements = 4.0 * 4096 * 2880, saved = block->saved_bytes;
    CASE("limits apart: two halves read, written, read and written again");
    CHECK_NEAR(bytes_of(block, "clamp gate and up", true), elements * 16, 1e-14);
    CASE("their gradients: one limit 3 + 5, two 3 + 3 + 3 + 5, halves joined 8 bytes");
    CHECK_NEAR(bytes_of(block, "clamp gate and up", false), elements * 30, 1e-14);
    CASE("biases: product 2, sum 6, joined 4; backward joined 4, products 4 + 4, sums 2 + 2");
    CHECK_NEAR(bytes_of(block, "add experts' biases", true), elements * 8, 1e-14);
    CHECK_NEAR(bytes_of(block, "add experts' biases", false), elements * 12, 1e-14);
    CHECK_NEAR(bytes_of(block, "join experts' rows", true), elements * 4, 1e-14);
    CHECK_NEAR(bytes_of(block, "join experts' rows", false), elements * 4, 1e-14);
    CASE("expert by expert: 2 x 16 kernels forward, 4 x 16 backward, each called by the host");
    int kernels[2] = {0}, called = 0;
    for (int i = 0; i < block->ops; i++)
        if (strcmp(block->op[i].name, "add experts' biases") == 0) {
            kernels[block->op[i].pass != CLG_PASS_FORWARD] += block->op[i].count;
            called += block->op[i].expert_calls == 1;
        }
    CHECK(kernels[0] == 32 && kernels[1] == 64 && called == 2);
    CASE("inside the activation: no kernel, and its two cut halves are not kept");
    s.stack.fused.clamp = true;
    block = layer(&s, &l);
    CHECK(bytes_of(block, "clamp gate and up", true) +
              bytes_of(block, "clamp gate and up", false) ==
          0);
    CHECK_NEAR(saved - block->saved_bytes, elements * 4, 1e-14);
    CASE("fused experts of block-scaled formats: neither limits nor biases apart");
    s.stack.fused.clamp = false, s.stack.fused.experts = true, l.precision = CLG_MXFP8;
    block = layer(&s, &l);
    CHECK(bytes_of(block, "clamp gate and up", true) +
              bytes_of(block, "add experts' biases", true) +
              bytes_of(block, "join experts' rows", false) ==
          0);
    CASE("experts without biases and limits have none");
    s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "megatron-2026", 8);
    l.precision = CLG_BF16;
    block = layer(&s, &l);
    CHECK(bytes_of(block, "clamp gate and up", true) +
              bytes_of(block, "add experts' biases", true) ==
          0);
}

/* Qwen3 30B-A3B in bf16 on 8 expert ranks: 8 x 4,096 rows of 2,048 a rank, 16 experts of 3 x 768.
 */
static void check_padded(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "fsdp2-2026", 8);
    clg_layout l = plan_layout(4096);
    l.dp = l.ep = 8, l.global_batch = 8, l.zero = 3;
    const clg_block *block = layer(&s, &l);
    double batch = 8.0 * 4096 * 2048 * 2, weights = 16.0 * 3 * 768 * 2048 * 2;
    CASE("rows read and written into a batch and out of it: 4; each of 32 writes undone by a copy, "
         "2, each of 32 reads by zeros that are added up, 4");
    CHECK_NEAR(bytes_of(block, "pad experts' rows", true), 4 * batch, 1e-14);
    CHECK_NEAR(bytes_of(block, "pad experts' rows", false), 32 * (2 + 4) * batch, 1e-14);
    CASE("weights of all 16 experts are read and written, their gradients too");
    CHECK_NEAR(bytes_of(block, "stack experts' weights", true), 2 * weights, 1e-14);
    CHECK_NEAR(bytes_of(block, "stack experts' weights", false), 2 * weights, 1e-14);
    CASE("rows multiplied as they lie: neither");
    s.stack.experts.rows = CLG_ROWS_AS_THEY_LIE;
    block = layer(&s, &l);
    CHECK(bytes_of(block, "pad experts' rows", false) +
              bytes_of(block, "stack experts' weights", true) ==
          0);
}

/* The same on one expert rank, by operations of PyTorch: transformers 5, compiled torchtitan. */
static void check_indexed(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "transformers@2026-03", 8);
    clg_layout l = plan_layout(4096);
    l.dp = 8, l.global_batch = 8, l.zero = 3;
    const clg_block *block = layer(&s, &l);
    double once = 8.0 * 4096 * 2048 * 2;
    CASE("rows moved by index: 11 passes, 53 backward, 4 of each in the permutations");
    CHECK_NEAR(bytes_of(block, "move rows by index", true), 7 * once, 1e-14);
    CHECK_NEAR(bytes_of(block, "move rows by index", false), (4 + 3 * 15) * once, 1e-14);
    CHECK_NEAR(bytes_of(block, "permute to experts", true), 2 * once, 1e-14);
    s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "torchtitan-2025", 8);
    block = layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "move rows by index", true), 9 * once, 1e-14);
    CHECK_NEAR(bytes_of(block, "move rows by index", false), (6 + 15) * once, 1e-14);
    CASE("only picked and summed: 7 passes, 20 backward; 13 more where they come from other ranks");
    s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "torchtitan@2026-04", 8);
    block = layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "move rows by index", true), 3 * once, 1e-14);
    CHECK_NEAR(bytes_of(block, "move rows by index", false), 16 * once, 1e-14);
    l.ep = 8;
    block = layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "move rows by index", false), 29 * once, 1e-14);
    l.ep = 1;
    CASE("Megatron-Core adds them by index, to the sum and undoing the pick: 13 more than copies");
    s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "megatron-2024@2025-06", 8);
    double saved = layer(&s, &l)->saved_bytes;
    block = layer(&s, &l);
    CHECK_NEAR(bytes_of(block, "move rows by index", true), 13 * once, 1e-14);
    CHECK_NEAR(bytes_of(block, "move rows by index", false), 13 * once, 1e-14);
    s.stack.experts.rows = CLG_ROWS_AS_THEY_LIE;
    block = layer(&s, &l);
    CHECK(bytes_of(block, "move rows by index", true) == 0 && block->saved_bytes == saved);
    s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "nemo-2024@2025-06", 8);
    CHECK(bytes_of(layer(&s, &l), "move rows by index", true) == 0);
    CASE("not where a permutation is one kernel");
    s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "megatron-2026", 8);
    CHECK(bytes_of(layer(&s, &l), "move rows by index", true) == 0);
}

/* Qwen3 30B-A3B, 4,096 tokens of 2,048, 128 experts of which each takes 8. */
static void check_looped(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "transformers@2024-06", 8);
    clg_layout l = plan_layout(4096);
    l.dp = 8, l.global_batch = 8, l.zero = 3;
    const clg_block *block = layer(&s, &l);
    CASE("experts in a loop: each reads the mask twice; gradients of all tokens 4 times");
    CHECK_NEAR(bytes_of(block, "loop over experts", true), 128.0 * 2 * 8 * 8 * 4096, 1e-14);
    CHECK_NEAR(bytes_of(block, "loop over experts", false), 128.0 * 4 * 4096 * 2048 * 2, 1e-14);
    CASE("13 and 30 kernels of each are called by the host");
    int found = 0;
    for (int i = 0; i < block->ops; i++) {
        const clg_op *op = &block->op[i];
        if (strcmp(op->name, "loop over experts") != 0) continue;
        CHECK(op->count == 128 * (op->pass == CLG_PASS_FORWARD ? 13 : 30));
        CHECK(op->expert_calls == 1);
        found++;
    }
    CHECK(found == 2);
    CASE("transformers 5 multiplies them in one call");
    s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "transformers@2026-03", 8);
    CHECK(bytes_of(layer(&s, &l), "loop over experts", true) == 0 && s.stack.host.expert_s == 0);
}

/* Qwen3 30B-A3B in fp8 on 8 expert ranks: 16 experts of 2,048 x 768, 8 x 4,096 rows a rank. */
static void check_casts(void) {
    CASE("scaled by the tensor's largest value: three kernels an expert, each called; 2 + 2 + 2 "
         "bytes an element as of one");
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "megatron-2026", 8);
    clg_layout l = plan_layout(4096);
    l.dp = l.ep = 8, l.global_batch = 8, l.precision = CLG_FP8;
    double rows = 8.0 * 4096, want[] = {rows * 2048 * 6, rows * 768 * 6, rows * 2048 * 6,
                                        rows * 1536 * 6}; /* inputs; gradients, in their order */
    const clg_block *block = layer(&s, &l);
    int found = 0, forward = 0;
    for (int i = 0; i < block->ops; i++) {
        const clg_op *op = &block->op[i];
        if (strcmp(op->name, "cast to narrow precision") != 0 || op->expert_calls == 0) continue;
        bool back = op->pass == CLG_PASS_BACKWARD_INPUT;
        CHECK(op->count == 48 && op->expert_calls == 1);
        double bytes = op->hbm_bytes * op->count;
        /* written product by product: input of up, gradient of up, input of down, gradient of down
         */
        CHECK_NEAR(bytes, back ? want[found == 1 ? 3 : 2] : want[forward++], 1e-14);
        found++;
    }
    CHECK(found == 4);
    CASE("by the last steps' largest: one kernel an expert, and no more than one read");
    s.stack.precision.current_scaling = false;
    block = layer(&s, &l);
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].expert_calls > 0 && block->op[i].kind == CLG_OP_MEMORY) {
            CHECK(block->op[i].count == 16);
        }
    CASE("all experts at once: one kernel");
    s.stack.fused.experts = true, l.precision = CLG_MXFP8;
    block = layer(&s, &l);
    for (int i = 0; i < block->ops; i++) CHECK(block->op[i].expert_calls == 0);
}

/* Forward kernels of one name that are done again. */
static double again_of(const clg_block *block, const char *name) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (strcmp(block->op[i].name, name) == 0 && block->op[i].pass == CLG_PASS_RECOMPUTE)
            sum += block->op[i].kind == CLG_OP_MEMORY ? block->op[i].hbm_bytes * block->op[i].count
                                                      : block->op[i].flop;
    return sum;
}

/* Bytes of dispatch and combine in a pass. */
static double exchanged(const clg_block *block, clg_pass pass) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].kind == CLG_OP_COLLECTIVE && block->op[i].axis == CLG_AXIS_EP &&
            block->op[i].pass == pass)
            sum += block->op[i].bytes;
    return sum;
}

/* The share of the exchanges of a layer that may hide. */
static double hides(const clg_block *block) {
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].axis == CLG_AXIS_EP) return block->op[i].overlap;
    return -1;
}

static void check_beside_another(void) {
    CASE("exchanges hide beside another micro-batch: not where there is one a step");
    clg_scenario s = plan_scenario(&arena, "gpt-oss-120b", "gb200", "megatron-2026", 8);
    clg_layout l = plan_layout(4096);
    l.dp = l.ep = 8, l.global_batch = 8;
    s.stack.overlap.expert = 0.5;
    CHECK(hides(layer(&s, &l)) == 0);
    l.accumulation = 2, l.global_batch = 16;
    CHECK(hides(layer(&s, &l)) == 0.5);
}

static void check_latent_again(void) {
    clg_scenario s;
    clg_layout l;
    CASE("latent heads expanded again, selectively or by the stack: 1536 x 128 x 192 and 512 x 128 "
         "x 256");
    s = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2026", 64);
    l = plan_layout(4096);
    double query = 2 * 4096.0 * 1536 * 128 * 192, key = 2 * 4096.0 * 512 * 128 * 256;
    CHECK(again_of(layer(&s, &l), "query up projection") == 0);
    s.stack.recompute.latent = true;
    CHECK_NEAR(again_of(layer(&s, &l), "query up projection"), query, 1e-14);
    CHECK_NEAR(again_of(&step.kind[0], "key-value up projection"), key, 1e-14);
    l.recompute = CLG_RECOMPUTE_SELECTIVE, s.stack.recompute.latent = false;
    CHECK_NEAR(again_of(layer(&s, &l), "query up projection"), query, 1e-14);
    CHECK(again_of(&step.kind[0], "attention core") == 0);
    CASE("of unfused attention it is the core that is done again");
    l.attention = 0;
    CHECK(again_of(layer(&s, &l), "query up projection") == 0);
    CHECK(again_of(&step.kind[0], "attention core") > 0);
}

static void check_narrow_inputs(void) {
    CASE("8-bit plans that keep narrow inputs: 1 of gate and of up, 1.5 of attention's result");
    clg_scenario d = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2026", 64);
    clg_layout n = plan_layout(4096);
    n.dp = n.ep = 64, n.global_batch = 64, n.precision = CLG_FP8;
    double kept = layer(&d, &n)->saved_bytes;
    d.stack.precision.narrow_activations = true;
    CHECK_NEAR(kept - layer(&d, &n)->saved_bytes, 4096.0 * (2 * 18432 + 0.5 * 128 * 128), 1e-13);
    n.precision = CLG_BF16;
    kept = layer(&d, &n)->saved_bytes;
    d.stack.precision.narrow_activations = false;
    CHECK_NEAR(kept, layer(&d, &n)->saved_bytes, 0);
}

static void check_made_again(void) {
    CASE("norms and activations again: of gate and up the cut halves (4) and the product (2), of "
         "two norms what they give");
    clg_scenario s = plan_scenario(&arena, "gpt-oss-120b", "gb200", "megatron-2026", 8);
    clg_layout l = plan_layout(4096);
    l.dp = l.ep = 8, l.global_batch = 8;
    double elements = 4.0 * 4096 * 2880, own = 4096.0 * 2880, before = layer(&s, &l)->saved_bytes;
    s.stack.recompute.activation = true;
    const clg_block *block = layer(&s, &l);
    CHECK_NEAR(before - block->saved_bytes, elements * 6 + own * 4, 1e-13);
    CHECK_NEAR(block->rebuilt_bytes, elements * 6 + own * 4, 1e-13);
    CHECK_NEAR(again_of(block, "clamp gate and up"), elements * 16, 1e-14);
    CHECK_NEAR(again_of(block, "activation"), elements * 6, 1e-14);
    CHECK_NEAR(again_of(block, "norm"), 2 * own * 5, 1e-14);
    check_narrow_inputs();
    CASE("of a dense MLP the product of gate and up alone is made again: 2 a value");
    clg_scenario t = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "megatron-2024", 8);
    clg_layout p = plan_layout(8192);
    double kept = layer(&t, &p)->saved_bytes;
    t.stack.recompute.activation = true;
    CHECK_NEAR(kept - layer(&t, &p)->saved_bytes, 8192.0 * (2 * 14336 + 2 * 2 * 4096), 1e-13);
    CASE("whole layers again: once, not twice");
    l.recompute = CLG_RECOMPUTE_FULL;
    CHECK_NEAR(again_of(layer(&s, &l), "activation"), elements * 6, 1e-14);
    CASE("mixtures again, from the input on: products 2 x rows x 2880 x 8640, once, traffic too; "
         "kept "
         "no byte of theirs");
    s.stack.recompute.experts = true, l.recompute = CLG_RECOMPUTE_NONE;
    block = layer(&s, &l);
    CHECK_NEAR(again_of(block, "expert up projection"), 2 * elements * 2 * 2880, 1e-14);
    CHECK_NEAR(again_of(block, "expert down projection"), 2 * elements * 2880, 1e-14);
    CHECK_NEAR(again_of(block, "activation"), elements * 6, 1e-14);
    CHECK_NEAR(exchanged(block, CLG_PASS_RECOMPUTE), exchanged(block, CLG_PASS_FORWARD), 1e-14);
    CHECK_NEAR(before - block->saved_bytes, elements * 12 + own * 4, 1e-13);
    check_beside_another();
    check_latent_again();
}

int main(void) {
    check_gpt();
    check_own_gelu();
    check_eager();
    check_single_scores();
    check_eager_gated();
    check_llama();
    check_latent();
    check_experts();
    check_padded();
    check_indexed();
    check_looped();
    check_casts();
    check_made_again();
    check_loss();
    check_kept();
    check_capacity();
    clg_arena_clear(&arena);
    return DONE;
}
