/* What a step of sparse attention executes and keeps, by hand and by counting pairs one by one; its
 * limits: sequences no longer than the choice, and a model without an indexer. */
#include "step/step.h"

#include "plan.h"

#include <string.h>

static clg_arena arena;
static clg_step step;

static const clg_step *built(const clg_scenario *s, const clg_layout *l) {
    return plan_step(&arena, s, l, &step);
}

static double all_flop(const clg_block *block) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++) sum += block->op[i].flop * block->op[i].count;
    return sum;
}

static void by_hand(void) {
    CASE("DeepSeek V3.2, 6,144 tokens: an indexer, and 2,048 latents a query");
    clg_scenario s = plan_scenario(&arena, "deepseek-v3.2", "h100-sxm", "megatron-2024", 1);
    clg_layout l = plan_layout(6144);
    const clg_block *layer = &built(&s, &l)->kind[0];
    /* pairs: 6144 x 2048 x (1 - 2048 / 12288) = 10,485,760; all 6144^2 / 2 = 18,874,368 */
    double pairs = 10485760.0, all = 18874368.0;
    CHECK_NEAR(pairs, plan_walked_pairs(6144, 2048, 1), 1e-12);
    CHECK_NEAR(all, plan_walked_pairs(6144, 6144, 1), 1e-12);
    /* 128 heads, queries and keys of 576, results of 512; scores again and four gradients */
    CHECK_NEAR(plan_work_of(layer, "attention core", CLG_PASS_FORWARD), pairs * 128 * 2 * 1088,
               1e-13);
    CHECK_NEAR(plan_work_of(layer, "attention core", CLG_PASS_BACKWARD_INPUT),
               pairs * 128 * 2 * (3 * 576 + 2 * 512), 1e-13);
    /* 64 heads of 128 */
    CHECK_NEAR(plan_work_of(layer, "index scores", CLG_PASS_FORWARD), all * 64 * 256, 1e-13);
    CHECK_NEAR(plan_work_of(layer, "index gradients", CLG_PASS_BACKWARD_INPUT),
               pairs * 64 * 256 * 3, 1e-13);
    CHECK_NEAR(plan_work_of(layer, "index target", CLG_PASS_BACKWARD_INPUT), pairs * 128 * 2 * 576,
               1e-13);
    CHECK_NEAR(plan_work_of(layer, "choice of keys", CLG_PASS_FORWARD), all * 8, 1e-13);
    /* 1,536 x 8,192 and 7,168 x (128 + 64); forward and weights, no gradient of the input */
    CHECK_NEAR(plan_work_of(layer, "index query projection", CLG_PASS_FORWARD),
               2.0 * 6144 * 1536 * 8192, 1e-13);
    CHECK_NEAR(plan_work_of(layer, "index key projection", CLG_PASS_BACKWARD_WEIGHT),
               2.0 * 6144 * 7168 * 192, 1e-13);
    CHECK(plan_work_of(layer, "index query projection", CLG_PASS_BACKWARD_INPUT) == 0);
    CASE("what a layer keeps: 340,608 bytes a token dense; latents instead of heads, the choice");
    /* 131,072 of expanded heads become 128 x (128 + 576 + 512) x 2 = 311,296; index queries, key
     * and weights (8,192 + 128 + 64) x 2 = 16,768; 2,048 places of 4 bytes = 8,192 */
    CHECK_NEAR(layer->saved_bytes, 6144.0 * (340608 - 131072 + 311296 + 16768 + 8192), 1e-14);
}

static void limits(void) {
    clg_scenario s = plan_scenario(&arena, "deepseek-v3.2", "h100-sxm", "megatron-2024", 1);
    clg_scenario dense = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2024", 1);
    CASE("up to 2,048 tokens: dense latent attention and the indexer beside it");
    clg_layout l = plan_layout(2048);
    double with = all_flop(&built(&s, &l)->kind[0]);
    double core = plan_work_of(&step.kind[0], "attention core", CLG_PASS_FORWARD), beside = 0;
    for (int i = 0; i < step.kind[0].ops; i++)
        if (strncmp(step.kind[0].op[i].name, "index", 5) == 0) beside += step.kind[0].op[i].flop;
    double without = all_flop(&built(&dense, &l)->kind[0]);
    CHECK(beside > 0);
    CHECK_NEAR(with, without + beside, 1e-13);
    CHECK_NEAR(core, plan_work_of(&step.kind[0], "attention core", CLG_PASS_FORWARD), 1e-14);
    CASE("a query and what it chooses do not depend on the sequence once that is long");
    l = plan_layout(1 << 20);
    double long_core =
        plan_work_of(&built(&s, &l)->kind[0], "attention core", CLG_PASS_FORWARD) / (1 << 20);
    CHECK_NEAR(long_core, 2048.0 * 128 * 2 * 1088, 2e-3);
    CASE("kernels that keep scores compute all of them");
    l = plan_layout(8192);
    l.attention = CLG_UNFUSED;
    double masked = plan_work_of(&built(&s, &l)->kind[0], "attention core", CLG_PASS_FORWARD);
    CHECK_NEAR(masked,
               plan_work_of(&built(&dense, &l)->kind[0], "attention core", CLG_PASS_FORWARD),
               1e-14);
    CASE("context ranks share queries out");
    l = plan_layout(8192);
    double one = plan_work_of(&built(&s, &l)->kind[0], "index scores", CLG_PASS_FORWARD);
    l.cp = 4;
    CHECK_NEAR(plan_work_of(&built(&s, &l)->kind[0], "index scores", CLG_PASS_FORWARD), one / 4,
               1e-14);
    CASE("tensor ranks each do the whole indexer, and a share of attention");
    l = plan_layout(8192);
    double heads = plan_work_of(&built(&s, &l)->kind[0], "index target", CLG_PASS_BACKWARD_INPUT);
    l.tp = 4;
    CHECK_NEAR(plan_work_of(&built(&s, &l)->kind[0], "index scores", CLG_PASS_FORWARD), one, 1e-14);
    CHECK_NEAR(plan_work_of(&step.kind[0], "index target", CLG_PASS_BACKWARD_INPUT), heads / 4,
               1e-14);
}

static void others(void) {
    CASE("GLM-5.2: a layer that shares a choice attends to as many keys and has no indexer");
    clg_scenario s = plan_scenario(&arena, "glm-5.2", "h100-sxm", "megatron-2024", 1);
    clg_layout l = plan_layout(8192);
    built(&s, &l);
    const clg_block *own = &step.kind[s.model.layer_kind[6]];
    const clg_block *shares = &step.kind[s.model.layer_kind[7]];
    CHECK(plan_work_of(own, "index scores", CLG_PASS_FORWARD) > 0);
    CHECK(plan_work_of(shares, "index scores", CLG_PASS_FORWARD) == 0);
    CHECK_NEAR(plan_work_of(own, "attention core", CLG_PASS_FORWARD),
               plan_work_of(shares, "attention core", CLG_PASS_FORWARD), 1e-14);
    CASE("MiniMax-M3: grouped heads of 128, a quarter of the pairs of 8,192 tokens less the start");
    s = plan_scenario(&arena, "minimax-m3", "h100-sxm", "megatron-2024", 1);
    built(&s, &l);
    double pairs = 8192.0 * 2048 * (1 - 2048.0 / 16384);
    CHECK_NEAR(plan_work_of(&step.kind[s.model.layer_kind[9]], "attention core", CLG_PASS_FORWARD),
               pairs * 64 * 2 * 256, 1e-13);
    CHECK_NEAR(plan_work_of(&step.kind[s.model.layer_kind[0]], "attention core", CLG_PASS_FORWARD),
               8192.0 * 8192 / 2 * 64 * 2 * 256, 1e-13);
    CHECK_NEAR(
        plan_work_of(&step.kind[s.model.layer_kind[9]], "index key projection", CLG_PASS_FORWARD),
        2.0 * 8192 * 6144 * 128, 1e-13);
}

int main(void) {
    by_hand();
    limits();
    others();
    clg_arena_clear(&arena);
    return DONE;
}
