/* Windows and wide heads where PyTorch's flash kernel takes neither. */
#include "plan.h"

static clg_arena arena;
static clg_step step;

static const clg_op *core_of(const clg_scenario *s, const clg_layout *l, bool windowed) {
    const clg_step *built = plan_step(&arena, s, l, &step);
    for (int k = 0; k < built->kinds; k++) {
        if ((s->model.kind[k].attention.window > 0) != windowed) continue;
        for (int i = 0; i < built->kind[k].ops; i++)
            if (built->kind[k].op[i].kind == CLG_OP_ATTENTION) return &built->kind[k].op[i];
    }
    return NULL;
}

/* Gemma 4 31B: windows of 1,024 with heads of 256, whole layers with heads of 512; 2 texts of
 * 2,048. Under a mask the whole square: 2 products of 2 x 32 heads x 2,048^2 x 256 x 2 operations.
 */
int main(void) {
    clg_scenario s = plan_scenario(&arena, "gemma-4-31b", "a100-sxm-80gb", "transformers", 8);
    clg_layout l = plan_layout(2048);
    l.micro_batch = 2, l.global_batch = 16, l.dp = 8, l.attention = CLG_FLASH2;
    double square = 2 * 32 * 2048.0 * 2048 * 2;
    CASE("a window narrower than the text is a mask, whose kernel does the whole square");
    const clg_op *op = core_of(&s, &l, true);
    CHECK(op->attention.masked && op->attention.window <= 0);
    CHECK_NEAR(op->flop, square * 2 * 256, 1e-14);
    CASE("so are heads of 512, window or not");
    op = core_of(&s, &l, false);
    CHECK(op->attention.masked);
    CHECK_NEAR(op->flop, square * 2 * 512, 1e-14);
    CASE("a text as long as the window has no mask");
    l.seq = 1024;
    CHECK(!core_of(&s, &l, true)->attention.masked);
    CASE("kernels that know windows: 1,024 keys of 2,048, the triangle of each end taken off");
    l.seq = 2048, s.stack.kernels.masked_windows = false;
    op = core_of(&s, &l, true);
    CHECK(!op->attention.masked);
    CHECK_NEAR(op->flop, square * 2 * 256 * 0.5 * 0.75, 1e-14);
    CHECK(!core_of(&s, &l, false)->attention.masked);
    clg_arena_clear(&arena);
    return DONE;
}
