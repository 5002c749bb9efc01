/* What layers keep for the backward where compilers, policies and tiles let go of some, on paper.
 */
#include "step/step.h"

#include "plan.h"

static clg_arena arena;
static clg_step step;

static const clg_block *layer(const clg_scenario *s, const clg_layout *l) {
    return &plan_step(&arena, s, l, &step)->kind[s->model.kinds - 1];
}

/* Dispatch and combine that the backward does again. */
static int exchanges_again(const clg_block *block) {
    int again = 0;
    for (int i = 0; i < block->ops; i++) {
        const clg_op *op = &block->op[i];
        again += op->kind == CLG_OP_COLLECTIVE && op->pass == CLG_PASS_RECOMPUTE;
    }
    return again;
}

/* Qwen3 30B-A3B: 32 heads and 4 of 128, 2,048 wide, 8 of 128 experts a token, 768 wide. */
static void check_kept_of_mixture(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "torchtitan-2025", 8);
    clg_layout l = plan_layout(4096);
    l.recompute = CLG_RECOMPUTE_SELECTIVE;
    CASE("of a mixture attention's are kept alone: its products are grouped, not on the list");
    /* words a token: 2048 + q 4096 + v 512 + result 4096 = 10752; statistics 32 x 4 bytes */
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 4096.0 * (10752 * 2 + 128), 1e-14);
    CASE(
        "spread over ranks, not tokens that came and went: all-to-all is not on this model's list");
    l.ep = 8, l.dp = 8, l.global_batch = 8;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 4096.0 * (10752 * 2 + 128), 1e-14);
    CHECK(exchanges_again(&step.kind[0]) == 2);
    CASE("on the list of all models since 2026-03 they are kept: 2 x 8 x 2048");
    s.stack.recompute.kept_exchanges = true;
    layer(&s, &l);
    CHECK(exchanges_again(&step.kind[0]) == 0);
    CHECK_NEAR(step.kind[0].saved_bytes, 4096.0 * ((10752 + 32768) * 2 + 128), 1e-14);
    CASE("by DeepEP once per rank met, five to six of eight, and their sum");
    s.stack.experts.dedup = true, s.stack.recompute.kept_exchanges = false;
    layer(&s, &l);
    double met = clg_mlp_places_met(&s.model.kind[0].mlp, 8);
    CHECK(met > 5 && met < 6);
    CHECK_NEAR(step.kind[0].saved_bytes, 4096.0 * ((10752 + 2048 * (met + 1)) * 2 + 128), 1e-13);
    CASE("but not what one kernel of dispatch, experts and combine moves");
    s.stack.fused.experts = true;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 4096.0 * (10752 * 2 + 128), 1e-14);
    CASE("every product of experts is done again");
    for (int i = 0, again = 0; i < step.kind[0].ops; i++) {
        const clg_op *op = &step.kind[0].op[i];
        again += op->kind == CLG_OP_GROUPED && op->pass == CLG_PASS_RECOMPUTE;
        if (i == step.kind[0].ops - 1) CHECK(again == 2);
    }
}

/* Llama-2 7B: 4,096 wide, MLP 11,008 and gated. */
static void check_let_go(void) {
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(4096);
    layer(&s, &l);
    double kept = step.kind[0].saved_bytes;
    int ops = step.kind[0].ops;
    CASE("compiled, results of norms and activation are kept: products of the backward read them");
    s.stack.recompute.inside = true;
    layer(&s, &l);
    CHECK(step.kind[0].saved_bytes == kept && step.kind[0].ops == ops);
    CASE("asked for, they are made again, by kernels");
    s.stack.recompute.activation = true;
    layer(&s, &l);
    CHECK_NEAR(kept - step.kind[0].saved_bytes, 4096.0 * 2 * (2 * 4096 + 11008), 1e-13);
    CHECK(step.kind[0].ops == ops + 3);
    CASE("done again as a whole, a layer keeps its input either way");
    l.recompute = CLG_RECOMPUTE_FULL;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 4096.0 * 2 * 4096, 1e-14);
    s.stack.recompute.inside = s.stack.recompute.activation = false;
    layer(&s, &l);
    CASE("activation's backward: its output's gradient and its inputs', the output gone: 2 of 3");
    CHECK_NEAR(step.kind[0].transient_bytes, 4096.0 * 11008 * 2 * 2, 1e-14);
    CASE("inputs' gradients in place of the inputs: the output's alone, or what attention holds");
    s.stack.memory.activation_in_place = true;
    layer(&s, &l);
    CHECK(step.kind[0].transient_bytes < 4096.0 * 11008 * 2 * 2);
    CHECK(step.kind[0].transient_bytes >= 4096.0 * 11008 * 2);
}

static void check_tiled(void) {
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(4096);
    layer(&s, &l);
    double kept = step.kind[0].saved_bytes;
    int ops = step.kind[0].ops;
    CASE("an MLP in parts keeps neither gate, up nor their product, and is done again");
    s.stack.memory.mlp_chunks = 8;
    layer(&s, &l);
    CHECK_NEAR(kept - step.kind[0].saved_bytes, 4096.0 * 3 * 11008 * 2, 1e-13);
    CHECK(step.kind[0].ops == ops + 3);
}

/* Half a token's words less: 16-bit logits instead of fp32 ones. */
static void check_loss_by_model(void) {
    clg_layout l = plan_layout(1024);
    const char *models[] = {"gpt2-xl", "llama-2-7b"};
    CASE("ungated models of Hugging Face leave logits in 16 bit, but under autocast");
    for (int gated = 0; gated < 2; gated++) {
        clg_scenario s = plan_scenario(&arena, models[gated], "h100-sxm", "transformers", 8);
        s.stack.precision.autocast = s.stack.loss.by_model = false;
        layer(&s, &l);
        double wide = step.head.transient_bytes + step.head.saved_bytes;
        s.stack.loss.by_model = true;
        layer(&s, &l);
        double now = step.head.transient_bytes + step.head.saved_bytes;
        CHECK(gated ? now == wide : now < wide);
    }
}

/* DeepSeek-V3 predicts one token further: two losses over 129,280 words. */
static void check_losses(void) {
    clg_scenario s = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(4096);
    double logits = 4096.0 * 129280;
    CASE("each loss keeps its softmax; what one has for a moment is gone before the next: 6 - 4");
    layer(&s, &l);
    CHECK_NEAR(step.head.transient_bytes, logits * 2, 1e-14);
    CASE("fused: the gradient beside 16-bit logits, or written over them");
    s.stack.fused.cross_entropy = true;
    layer(&s, &l);
    double kept = step.head.saved_bytes;
    CHECK_NEAR(step.head.transient_bytes, logits * 2, 1e-14);
    s.stack.loss.in_place = true;
    layer(&s, &l);
    CHECK(step.head.transient_bytes == 0 && step.head.saved_bytes == kept);
}

int main(void) {
    check_kept_of_mixture();
    check_let_go();
    check_tiled();
    check_loss_by_model();
    check_losses();
    clg_arena_clear(&arena);
    return DONE;
}
