/* Latent experts: what is multiplied and sent, by hand. */
#include "step/step.h"

#include "plan.h"

static clg_arena arena;
static clg_step step;

static double forward(const clg_block *block, const char *name, bool flop) {
    double all = 0;
    for (int i = 0; i < block->ops; i++) {
        const clg_op *op = &block->op[i];
        if (op->pass == CLG_PASS_FORWARD && strcmp(op->name, name) == 0)
            all += (flop ? op->flop : op->bytes) * op->count;
    }
    return all;
}

static const clg_block *built(const clg_scenario *s, const clg_layout *l) {
    clg_step_build(&s->model, &s->machine, &s->stack, l, &step);
    for (int i = 0; i < s->model.layers; i++) {
        int kind = s->model.layer_kind[i];
        if (s->model.kind[kind].mlp.kind == CLG_MLP_MOE) return &step.kind[kind];
    }
    return NULL;
}

/* Nemotron 3 Super, 8,192 tokens a rank: 22 of 512 experts of 1024 x 2688 each. */
int main(void) {
    clg_scenario s =
        plan_scenario(&arena, "nemotron-3-super-120b-a12b", "h100-sxm", "megatron-2024", 64);
    clg_layout l = plan_layout(8192);
    l.dp = l.ep = 64, l.global_batch = 64;
    const clg_block *block = built(&s, &l);
    double tokens = 8192, sent = forward(block, "dispatch", false);
    CASE("there and back 2 x 4096 x 1024 a token, up and down 2 x 1024 x 2688 a copy");
    CHECK_NEAR(forward(block, "to latent width", true), 2 * tokens * 4096 * 1024, 1e-14);
    CHECK_NEAR(forward(block, "from latent width", true), 2 * tokens * 4096 * 1024, 1e-14);
    CHECK_NEAR(forward(block, "expert up projection", true), 2 * tokens * 22 * 1024 * 2688, 1e-14);
    CHECK_NEAR(forward(block, "expert down projection", true), 2 * tokens * 22 * 1024 * 2688,
               1e-14);
    CASE("router and shared expert are as wide as the layer");
    CHECK_NEAR(forward(block, "router", true), 2 * tokens * 4096 * 512, 1e-14);
    CHECK_NEAR(forward(block, "shared expert up projection", true), 2 * tokens * 4096 * 5376,
               1e-14);
    CASE("a quarter of the traffic of experts of the whole width");
    for (int i = 0; i < s.model.kinds; i++) s.model.kind[i].mlp.latent = 0;
    block = built(&s, &l);
    CHECK(sent > 0);
    CHECK_NEAR(forward(block, "dispatch", false), 4 * sent, 1e-14);
    clg_arena_clear(&arena);
    return DONE;
}
