/* What stacks do to the same layer: norms, losses, recomputation, gradients, weights and stages. */
#include "cost/collective.h"
#include "memory/memory.h"
#include "step/step.h"

#include "plan.h"

static clg_arena arena;
static clg_step step;

static const clg_block *layer(const clg_scenario *s, const clg_layout *l) {
    CHECK(clg_layout_refuses(&arena, &s->model, l) == NULL);
    clg_step_build(&s->model, &s->machine, &s->stack, l, &step);
    return &step.kind[0];
}

static double flop(const clg_block *block, clg_pass pass) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass) sum += block->op[i].flop * block->op[i].count;
    return sum;
}

static int kernels(const clg_block *block, const char *name) {
    int count = 0;
    for (int i = 0; i < block->ops; i++)
        if (strcmp(block->op[i].name, name) == 0) count += block->op[i].count;
    return count;
}

static void norms(void) {
    CASE("a norm kernel that came with FlashAttention-2: 3 launches a norm, else 18");
    clg_scenario s = plan_scenario(&arena, "llama-13b", "a100-sxm-80gb", "aleph-alpha-2023", 64);
    clg_layout l = plan_layout(2048);
    CHECK(kernels(layer(&s, &l), "norm") == 2 * 3);
    double kept = step.kind[0].saved_bytes;
    l.attention = CLG_FLASH1;
    CHECK(kernels(layer(&s, &l), "norm") == 2 * 18);
    CASE("elementary norms keep the input in fp32 and the value before the weight: 6 bytes more");
    CHECK_NEAR(step.kind[0].saved_bytes - kept, 2 * 2048.0 * 5120 * 6, 1e-12);
    CASE("and not where layers are recomputed: 6 launches more a norm");
    l.attention = CLG_FLASH2, l.recompute = CLG_RECOMPUTE_FULL;
    CHECK(kernels(layer(&s, &l), "norm") == 2 * 24);
}

static void losses(void) {
    CASE("a gathered loss: one gather of all logits, tp times the loss, no sums over shards");
    clg_scenario s = plan_scenario(&arena, "llama-13b", "a100-sxm-80gb", "megatron-2024", 64);
    clg_layout l = plan_layout(2048);
    l.tp = 4, l.sp = true;
    layer(&s, &l);
    double sharded = step.head.transient_bytes;
    CHECK(kernels(&step.head, "loss over vocabulary shards") == 3);
    s.stack.gathered_loss = true;
    layer(&s, &l);
    CHECK(kernels(&step.head, "loss over vocabulary shards") == 0);
    CHECK(kernels(&step.head, "gather logits") == 1);
    CHECK_NEAR(step.head.transient_bytes, 4 * sharded, 1e-12);
    for (int i = 0; i < step.head.ops; i++)
        if (strcmp(step.head.op[i].name, "gather logits") == 0)
            CHECK_NEAR(step.head.op[i].bytes, 2048.0 * 32000 * 2, 1e-14);
}

/* GPT-3: a layer of 12 h^2 parameters, 4 of them in the attention, 4 in each half of the MLP. */
static void recomputation(void) {
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2024", 64);
    clg_layout l = plan_layout(2048);
    l.recompute = CLG_RECOMPUTE_FULL;
    double forward = flop(layer(&s, &l), CLG_PASS_FORWARD), th2 = 2048.0 * 12288 * 12288;
    CASE("the whole layer again, or all but its last product: 8 t h^2 of 24 and attention");
    CHECK_NEAR(flop(&step.kind[0], CLG_PASS_RECOMPUTE), forward, 1e-14);
    s.stack.recompute_stops_early = true;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), forward - 8 * th2, 1e-14);
    CASE("by operation: every other product again (output projection 2 and down 8), no attention");
    l.recompute = CLG_RECOMPUTE_SELECTIVE;
    s.stack.selective_by_operation = true;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), 10 * th2, 1e-14);
    CASE("else attention alone");
    s.stack.selective_by_operation = false;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), forward - 24 * th2, 1e-12);
}

static void gradients(void) {
    CASE("DeepSpeed: fp16 gradients stay fp16 (2), bf16 ones are kept beside fp32 (2 + 4)");
    clg_scenario s =
        plan_scenario(&arena, "bloom-176b", "a100-sxm-80gb", "megatron-deepspeed-2022", 64);
    clg_layout l = plan_layout(2048);
    l.zero = 1, l.precision = CLG_FP16;
    CHECK(clg_gradient_bytes(&l, &s.stack) == 2 && clg_gradient_held_bytes(&l, &s.stack) == 2);
    CASE("and an update turns its own to fp32");
    CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == 4);
    l.precision = CLG_BF16;
    CHECK(clg_gradient_bytes(&l, &s.stack) == 4 && clg_gradient_held_bytes(&l, &s.stack) == 6);
    CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == 0);
}

static void weights(void) {
    CASE("owners broadcast their part one after the other: as many messages as ranks");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "a100-sxm-80gb", "internevo-2023", 24);
    clg_layout l = plan_layout(2048);
    l.dp = 24, l.zero = 1, l.global_batch = 24;
    clg_updates updates;
    layer(&s, &l);
    clg_step_updates(&s.model, &s.stack, &l, &step, 6e9, 0, 0, &updates);
    int seen = 0;
    for (int i = 0; i < updates.count; i++) {
        const clg_op *op = &updates.update[i].op;
        if (updates.update[i].when != CLG_UPDATE_PARAMETER) continue;
        seen++;
        CHECK(op->collective == CLG_BROADCAST && op->count == 24);
        CHECK_NEAR(op->bytes, 6e9 * 2 / 24, 1e-14);
    }
    CHECK(seen == 1);
}

static void whole_reduction(void) {
    CASE("ZeRO-1 that reduces whole: 4 bytes a parameter all-reduced after the backward");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "h100-sxm", "nanotron-2025", 24);
    clg_layout l = plan_layout(2048);
    l.dp = 24, l.zero = 1, l.global_batch = 24;
    for (int whole = 1; whole >= 0; whole--) {
        clg_updates updates;
        s.stack.reduces_whole = whole;
        layer(&s, &l);
        clg_step_updates(&s.model, &s.stack, &l, &step, 6.1e9, 0, 0, &updates);
        int seen = 0;
        for (int i = 0; i < updates.count; i++) {
            const clg_op *op = &updates.update[i].op;
            if (updates.update[i].when != CLG_UPDATE_GRADIENT) continue;
            seen++;
            CHECK(op->collective == (whole ? CLG_ALL_REDUCE : CLG_REDUCE_SCATTER));
            CHECK(op->group.ranks == 24 && op->overlap == (whole ? 0 : s.stack.gradient_overlap));
            CHECK_NEAR(op->bytes, 6.1e9 * 4, 1e-14);
        }
        CHECK(seen == 1);
    }
    CASE("without sharded states the reduction runs beside the backward all the same");
    l.zero = 0, s.stack.reduces_whole = true;
    clg_updates updates;
    layer(&s, &l);
    clg_step_updates(&s.model, &s.stack, &l, &step, 6.1e9, 0, 0, &updates);
    CHECK(updates.update[0].when == CLG_UPDATE_GRADIENT);
    CHECK(updates.update[0].op.overlap == s.stack.gradient_overlap && s.stack.gradient_overlap > 0);
}

static void stages(void) {
    CASE("Llama 3 8B on 8 stages by cost: layers of 218.1 M and a head of 525.3 M, 938 M a stage");
    /* sums pass 938, 1876 ... after layers 5, 9, 13, 18, 22, 26, 31 */
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "nanotron-2025", 8);
    clg_layout l = plan_layout(4096);
    static const int want[8] = {5, 4, 4, 5, 4, 4, 5, 1};
    int of[8];
    l.pp = 8;
    clg_layout_layers_by_cost(&s.model, &l, of);
    for (int i = 0; i < 8; i++) CHECK(of[i] == want[i]);
    CASE("16 layers and a head of exactly four: a stage is full when it has its share, 5 of 20");
    clg_model_shape shape = {.name = "x",
                             .layers = 16,
                             .hidden = 2048,
                             .ffn = 8192,
                             .gated = true,
                             .heads = 32,
                             .kv_heads = 32,
                             .head_dim = 64,
                             .vocab = 131072,
                             .tied = true};
    clg_model model;
    clg_error error = {0};
    CHECK(clg_model_from_shape(&arena, &shape, &model, &error) == CLG_OK);
    l.pp = 4;
    clg_layout_layers_by_cost(&model, &l, of);
    CHECK(of[0] == 5 && of[1] == 5 && of[2] == 5 && of[3] == 1);
    CASE("one stage has all");
    l.pp = 1;
    clg_layout_layers_by_cost(&s.model, &l, of);
    CHECK(of[0] == 32);
}

static double step_s(const clg_scenario *s, const clg_layout *l) {
    clg_evaluation e;
    clg_error error = {0};
    CHECK(clg_evaluate(&arena, s, l, false, NULL, &e, &error) == CLG_OK);
    return e.step_s;
}

static void pipelines(void) {
    CASE("tensor ranks without sp send a part each: faster, as with sp; nothing changes with sp");
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2021", 64);
    clg_layout l = plan_layout(2048);
    l.tp = 8, l.pp = 8, l.accumulation = l.global_batch = 32;
    double parts = step_s(&s, &l);
    s.stack.scatter_gather = false;
    CHECK(parts < step_s(&s, &l));
    l.sp = true;
    double whole = step_s(&s, &l);
    s.stack.scatter_gather = true;
    CHECK(step_s(&s, &l) == whole);
    CASE("launches that a pipeline over nodes adds: none in one node");
    s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "nanotron-2025", 16);
    l = plan_layout(4096);
    l.tp = 4, l.sp = true, l.pp = 2, l.dp = 2, l.accumulation = 16, l.global_batch = 32;
    double over = step_s(&s, &l);
    s.stack.pipeline_launches = 0;
    CHECK(over > 1.5 * step_s(&s, &l));
    l.dp = 1, l.global_batch = 16;
    double inside = step_s(&s, &l);
    s.stack.pipeline_launches = 3.5;
    CHECK(step_s(&s, &l) == inside);
}

static void lateness(void) {
    CASE(
        "late by what no plan says: (0.15^2 + (0.6 ln 12)^2)^.5 = 1.498471 on 12 nodes, early not");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "h100-sxm", "nanotron-2025", 96);
    clg_layout l = plan_layout(2048);
    l.dp = 96, l.global_batch = 96;
    s.stack.sigma = .15, s.stack.sigma_nodes = .6, s.stack.sigma_traffic = 0;
    clg_evaluation e;
    clg_error error = {0};
    CHECK(clg_evaluate(&arena, &s, &l, false, NULL, &e, &error) == CLG_OK);
    CHECK_NEAR(e.step_p90_s / e.step_s, 1 + 1.2816 * 1.498470547, 1e-6);
    CHECK_NEAR(e.step_s / e.step_p10_s, 1 + 1.2816 * .15, 1e-12);
    CASE("one node waits for nothing else");
    s.machine.gpus = 8, l.dp = 8, l.global_batch = 8;
    CHECK(clg_evaluate(&arena, &s, &l, false, NULL, &e, &error) == CLG_OK);
    CHECK_NEAR(e.step_p90_s / e.step_s, 1 + 1.2816 * .15, 1e-12);
}

static void waiting(void) {
    CASE("sharded weights wait at every layer: jitter sqrt(2 ln N) + shard_jitter ln N, N nodes");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "h100-sxm", "fsdp-2024", 96);
    clg_layout l = plan_layout(2048);
    l.dp = 96, l.global_batch = 96;
    for (l.zero = 1; l.zero <= 3; l.zero++) {
        clg_evaluation e;
        clg_error error = {0};
        CHECK(clg_evaluate(&arena, &s, &l, false, NULL, &e, &error) == CLG_OK);
        double share =
            s.stack.jitter * 2.2293078 + (l.zero >= 2 ? s.stack.shard_jitter * 2.4849066 : 0);
        CHECK_NEAR(e.time.straggler_s / (e.step_s - e.time.straggler_s), share, 1e-7);
    }
}

int main(void) {
    norms();
    losses();
    recomputation();
    gradients();
    weights();
    whole_reduction();
    stages();
    pipelines();
    waiting();
    lateness();
    clg_arena_clear(&arena);
    return DONE;
}
