/* An engine's iteration against the training step of the same layers: one description, so the same
 * products; and what it adds of contexts, by hand. */
#include "step/iteration.h"

#include "plan.h"
#include "step/sizes.h"

#include <string.h>

static clg_arena arena;
static clg_step step;

typedef struct served {
    clg_serving serving;
    clg_serving_layout layout;
    clg_engine engine;
} served;

static void serve(served *in, const clg_scenario *s, int tp) {
    *in = (served){.layout = {.tp = tp, .pp = 1, .dp = 1, .ep = 1}};
    in->layout.compute = in->layout.weights = in->layout.cache = CLG_BF16;
    in->layout.attention_weights = CLG_BF16;
    in->serving = (clg_serving){.model = &s->model,
                                .machine = &s->machine,
                                .engine = &in->engine,
                                .layout = &in->layout,
                                .expert_imbalance = 1,
                                .scale_values = 128,
                                .prompt_tokens = 1000,
                                .context_tokens = 1000,
                                .max_tokens = 8192,
                                .max_sequences = 8192};
}

static bool is_product(const clg_op *op) {
    return op->kind == CLG_OP_GEMM || op->kind == CLG_OP_GROUPED;
}

static double trained_flop(const clg_block *block) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (is_product(&block->op[i]) && block->op[i].pass == CLG_PASS_FORWARD)
            sum += block->op[i].flop * block->op[i].count;
    return sum;
}

static double served_flop(const clg_iteration_ops *ops) {
    double sum = 0;
    for (int i = 0; i < ops->count; i++)
        if (is_product(&ops->op[i].op)) sum += ops->op[i].op.flop * ops->op[i].op.count;
    return sum;
}

/* Products of 4,096 tokens through each kind of layer and the output head. */
static void compare(const char *model, int tp) {
    clg_scenario s = plan_scenario(&arena, model, "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(4096);
    served in;
    clg_iteration_ops ops;
    l.tp = l.etp = tp;
    serve(&in, &s, tp);
    clg_step_build(&s.model, &s.machine, &s.stack, &l, &step);
    for (int k = 0; k < s.model.kinds; k++) {
        const clg_attention *a = &s.model.kind[k].attention;
        if (a->kind != CLG_ATTENTION_NONE && a->heads % tp != 0) return;
        ops.count = 0;
        clg_iteration_layer(&in.serving, &s.model.kind[k], 4096, false, &ops);
        CHECK_NEAR(served_flop(&ops), trained_flop(&step.kind[k]), 1e-12);
    }
    ops.count = 0;
    clg_iteration_head(&in.serving, 4096, &ops);
    CHECK_NEAR(served_flop(&ops), 2 * 4096.0 * (double)s.model.vocab * (double)s.model.hidden / tp,
               1e-12);
}

static void test_products(void) {
    int count;
    const char *const *names = clg_model_names(&arena, &count);
    CASE("every preset: a forward pass multiplies the same in training and in serving");
    for (int i = 0; i < count; i++) {
        compare(names[i], 1);
        compare(names[i], 2);
    }
}

static const clg_iteration_op *find(const clg_iteration_ops *ops, const char *name) {
    for (int i = 0; i < ops->count; i++)
        if (strcmp(ops->op[i].op.name, name) == 0) return &ops->op[i];
    return NULL;
}

/* Llama 3.1 70B on eight ranks: 64 heads and 8 of keys of 128, a hidden width of 8,192. */
static void test_sums(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3.1-70b", "h100-sxm", NULL, 8);
    served in;
    clg_iteration_ops ops = {0};
    serve(&in, &s, 8);
    clg_iteration_layer(&in.serving, &s.model.kind[0], 5, true, &ops);
    CASE("two sums of 5 x 8,192 values of 16 bit over eight ranks in a layer");
    const clg_iteration_op *sum = find(&ops, "sums over tensor ranks");
    CHECK(sum && sum->op.count == 2 && sum->op.group.ranks == 8);
    CHECK_NEAR(sum->op.bytes, 5 * 8192 * 2, 0);
    CASE("a token of context: one head of keys and values of 128 on each, 8 x 128 x 4 flop");
    clg_iteration_ops contexts = {0};
    clg_context_decode(&in.serving, &s.model.kind[0].attention, 777, 1, &contexts);
    CHECK(contexts.count == 1);
    CHECK_NEAR(contexts.op[0].op.hbm_bytes, 2 * 128 * 2, 0);
    CHECK_NEAR(contexts.op[0].op.flop, 8 * 128 * 4, 0);
    CASE("sixteen ranks keep a whole head of keys each");
    in.layout.tp = 16;
    CHECK_NEAR(clg_entry_bytes(&in.serving, &s.model.kind[0].attention), 2 * 128 * 2, 0);
}

/* Qwen3-Next: 16 heads and two of keys, 256 wide, and a gate as wide as queries; two of four ranks
 * share a head of keys. */
static void test_sizes(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-next-80b-a3b", "h100-sxm", NULL, 8);
    CASE("widths on one rank and on four, by hand");
    for (int k = 0; k < s.model.kinds; k++) {
        const clg_attention *a = &s.model.kind[k].attention;
        if (a->kind != CLG_ATTENTION_GROUPED) continue;
        clg_widths one = clg_widths_of(a, 1), four = clg_widths_of(a, 4);
        CHECK_NEAR(one.columns, 2 * 16 * 256 + 2 * 2 * 256, 0);
        CHECK_NEAR(four.columns, 2 * 4 * 256 + 2 * 256, 0);
        CHECK_NEAR(four.kv_heads, 1, 0);
        CHECK_NEAR(four.results, 4 * 256, 0);
    }
}

/* Mixtral 8x7B: two of eight experts of 14,336. One token reaches two; many reach all. */
static void test_experts(void) {
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", NULL, 8);
    served in;
    clg_iteration_ops ops = {0};
    serve(&in, &s, 2);
    clg_iteration_layer(&in.serving, &s.model.kind[0], 1, true, &ops);
    CASE("experts that a token reaches are read, in halves by two ranks");
    const clg_iteration_op *e = find(&ops, "experts");
    CHECK(e != NULL);
    CHECK_NEAR(e->op.hbm_bytes, 2.0 * 3 * 4096 * 7168 * 2, 1e-12);
    ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 500, true, &ops);
    CHECK_NEAR(find(&ops, "experts")->op.hbm_bytes, 8.0 * 3 * 4096 * 7168 * 2, 1e-12);
    CHECK_NEAR(find(&ops, "experts")->op.m, 1000, 1e-12);
}

/* Mixtral: rows of 4,096 in and out and of 3 x 14,336 between the products, written and read. */
static void test_rows(void) {
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", NULL, 8);
    const clg_layer_kind *kind = &s.model.kind[0];
    const double widths = 2 * 4096 + 3 * 14336.0;
    served in;
    clg_iteration_ops ops = {0};
    serve(&in, &s, 1);
    in.layout.dp = in.layout.ep = 2, in.serving.expert_imbalance = 1.5;
    clg_iteration_layer(&in.serving, kind, 100, true, &ops);
    CASE("200 tokens, two experts each, two ranks: 200 rows, 300 on the fullest, sums of 200");
    CHECK_NEAR(find(&ops, "experts")->op.m, 300, 1e-12);
    CHECK_NEAR(find(&ops, "experts")->between_bytes, 2 * 300 * widths + 4 * 200 * 4096.0, 1e-12);
    CASE("eight ranks: 200 rows of 800 tokens; only what was sent is summed");
    in.layout.dp = in.layout.ep = 8, in.serving.expert_imbalance = 2, ops.count = 0;
    clg_iteration_layer(&in.serving, kind, 100, true, &ops);
    CHECK_NEAR(find(&ops, "experts")->between_bytes, 2 * 400 * widths + 4 * 400 * 4096.0, 1e-12);
    CASE("engines that gather see all 800 tokens, and so do eight tensor ranks");
    in.engine.gathers = 1, ops.count = 0;
    clg_iteration_layer(&in.serving, kind, 100, true, &ops);
    CHECK_NEAR(find(&ops, "experts")->between_bytes, 2 * 400 * widths + 4 * 800 * 4096.0, 1e-12);
    in.engine.gathers = 0, in.layout.tp = 8, in.layout.dp = 1, ops.count = 0;
    clg_iteration_layer(&in.serving, kind, 800, true, &ops);
    CHECK_NEAR(find(&ops, "experts")->between_bytes, 2 * 400 * widths + 4 * 800 * 4096.0, 1e-12);
    CASE("kernels that write rows of all experts: 1,600");
    in.layout.expert_kernels = CLG_EXPERTS_WHOLE, ops.count = 0;
    clg_iteration_layer(&in.serving, kind, 800, true, &ops);
    CHECK_NEAR(find(&ops, "experts")->between_bytes, 2 * 1600 * widths, 1e-12);
}

/* Three tokens of two experts each: 3 x 2 + 8 x 127 rows, and all eight experts are read. */
static void test_empty_blocks(void) {
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", NULL, 8);
    served in;
    clg_iteration_ops ops = {0};
    serve(&in, &s, 1);
    in.engine.expert_block_rows = 128, in.layout.expert_kernels = CLG_EXPERTS_GROUPED;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 3, true, &ops);
    CASE("blocks of experts that no token reaches are read and multiplied");
    const clg_op *e = &find(&ops, "experts")->op;
    CHECK_NEAR(e->m, 1022, 1e-12);
    CHECK_NEAR(e->hbm_bytes, 8.0 * 3 * 4096 * 14336 * 2, 1e-12);
    CHECK_NEAR(e->flop, 2 * 1022.0 * 3 * 4096 * 14336, 1e-12);
    CASE("not by other kernels");
    in.layout.expert_kernels = CLG_EXPERTS_WHOLE, ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 3, true, &ops);
    CHECK(find(&ops, "experts")->op.m < 7);
}

/* Tokens leave in one byte a value and come back in two. */
static void test_exchange(void) {
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", NULL, 8);
    served in;
    clg_iteration_ops ops = {0};
    serve(&in, &s, 1);
    in.layout.dp = in.layout.ep = 4;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 100, true, &ops);
    CASE("a token goes to its two experts, in fp8, and comes back in 16 bit");
    CHECK_NEAR(find(&ops, "tokens to experts")->op.bytes, 100 * 4096.0 * 2, 1e-12);
    CHECK_NEAR(find(&ops, "sums from experts")->op.bytes, 100 * 4096.0 * 4, 1e-12);
    CASE("engines that gather: 16 bit of the tokens of four ranks, there and back");
    in.engine.gathers = 1, ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 100, true, &ops);
    CHECK_NEAR(find(&ops, "tokens of all ranks")->op.bytes, 400 * 4096.0 * 2, 1e-12);
    CHECK_NEAR(find(&ops, "sums of all ranks")->op.bytes, 400 * 4096.0 * 2, 1e-12);
    CASE("inside a box no kernels of their own send tokens");
    in.engine.gathers = 0, in.engine.sends_tokens = 1, ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 100, true, &ops);
    CHECK(find(&ops, "tokens to experts") && !find(&ops, "tokens to experts and back"));
}

/* 128 experts, 8 a token, on sixteen ranks in two boxes: a token meets 16 (1 - (15/16)^8) ranks and
 * 2 (1 - (1/2)^8) boxes. */
static void test_sending(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", NULL, 16);
    served in;
    clg_iteration_ops ops = {0};
    serve(&in, &s, 1);
    in.layout.dp = in.layout.ep = 16, in.engine.sends_tokens = 1;
    CASE("between boxes, decoding: a kernel of its own, by tokens, experts and width");
    clg_iteration_layer(&in.serving, &s.model.kind[0], 100, true, &ops);
    const clg_iteration_op *e = find(&ops, "tokens to experts and back");
    CHECK(e && e->kernel == CLG_KERNEL_SEND_TOKENS && !find(&ops, "tokens to experts"));
    CHECK(e && e->op.m == 100 && e->op.n == 8 && e->op.k == 2048 && e->op.bytes == 0);
    CHECK(e && e->op.group.ranks == 16 && e->op.group.per_domain == 8);
    CASE("prompts: a byte a value to each rank that is met, two back, over the network to boxes");
    double met = 16 * (1 - 2562890625.0 / 4294967296), boxes = 2 * (1 - 1.0 / 256);
    ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 100, false, &ops);
    const clg_iteration_op *out = find(&ops, "tokens to experts");
    const clg_iteration_op *back = find(&ops, "sums from experts");
    CHECK_NEAR(out->op.bytes, 100 * 2048 * met, 1e-12);
    CHECK_NEAR(back->op.bytes, 2 * 100 * 2048 * met, 1e-12);
    CHECK_NEAR(out->op.slow_share, boxes / met, 1e-12);
    CHECK_NEAR(back->op.slow_share, boxes / met, 1e-12);
    CASE("not where tensor ranks share a token, nor where experts are on fewer ranks");
    in.layout.tp = 2, in.layout.dp = 8, in.layout.ep = 8, ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 100, true, &ops);
    CHECK(!find(&ops, "tokens to experts and back"));
    in.layout.tp = 1, in.layout.dp = 16, in.layout.ep = 8, ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 100, true, &ops);
    CHECK(!find(&ops, "tokens to experts and back"));
}

/* DeepSeek-V3.2: an indexer of 64 heads of 128; Llama's MLP: 28,672 over eight ranks. */
static void test_streams(void) {
    clg_scenario s = plan_scenario(&arena, "deepseek-v3.2", "h100-sxm", NULL, 8);
    served in;
    clg_iteration_ops ops = {0};
    serve(&in, &s, 8);
    clg_iteration_layer(&in.serving, &s.model.kind[0], 5, true, &ops);
    CASE("index queries and key are rotated; weights of heads come with the key");
    CHECK_NEAR(find(&ops, "index rotation")->op.hbm_bytes, 4 * 5 * (64 * 128 + 128.0), 0);
    CHECK_NEAR(find(&ops, "index key projection")->op.n, 128 + 64, 0);
    CASE("activation: gate and up are read, their product written, 16 bit");
    s = plan_scenario(&arena, "llama-3.1-70b", "h100-sxm", NULL, 8);
    serve(&in, &s, 8);
    ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 5, true, &ops);
    CHECK_NEAR(find(&ops, "activation")->op.hbm_bytes, 2 * 5 * 3 * 28672.0 / 8, 0);
    CHECK_NEAR(find(&ops, "norm and residual")->op.hbm_bytes, 8 * 5 * 8192.0, 0);
}

/* MiniMax M2: norms over all heads, 256 experts chosen in fp32 out of 3,072 values. */
static void test_routers(void) {
    clg_scenario s = plan_scenario(&arena, "minimax-m2", "h100-sxm", NULL, 8);
    served in;
    clg_iteration_ops ops = {0};
    serve(&in, &s, 4);
    clg_iteration_layer(&in.serving, &s.model.kind[0], 5, true, &ops);
    CASE("a router in fp32 reads tokens widened by a kernel before it");
    const clg_iteration_op *router = find(&ops, "router");
    CHECK(router && router->kernel == CLG_KERNEL_ROUTER);
    CHECK_NEAR(router->op.hbm_bytes, 4.0 * (256 * 3072 + 5 * 3072 + 5 * 256), 0);
    CHECK_NEAR(find(&ops, "tokens in fp32")->op.hbm_bytes, 6.0 * 5 * 3072, 0);
    CASE("squares of queries and keys cross the ranks together, or apart");
    CHECK(find(&ops, "sums of squares")->op.count == 1);
    CHECK_NEAR(find(&ops, "sums of squares")->op.bytes, 8 * 5, 0);
    in.engine.apart_sums = 1;
    ops.count = 0;
    clg_iteration_layer(&in.serving, &s.model.kind[0], 5, true, &ops);
    CHECK(find(&ops, "sums of squares")->op.count == 2);
    CHECK_NEAR(find(&ops, "sums of squares")->op.bytes, 4 * 5, 0);
}

int main(void) {
    test_routers();
    test_products();
    test_sums();
    test_sizes();
    test_experts();
    test_empty_blocks();
    test_rows();
    test_exchange();
    test_sending();
    test_streams();
    clg_arena_clear(&arena);
    return DONE;
}
