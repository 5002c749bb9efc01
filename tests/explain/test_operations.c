/* The rows of a step add up to its ledger: compute exactly, traffic where nothing hides it. */
#include "explain/operations.h"
#include "plan.h"

#include <string.h>

static clg_arena arena;

/* Products and kernels of passes: those of updates are under the optimizer in the ledger. */
static double passes_s(const clg_operations_table *t, clg_op_kind kind) {
    double seconds = 0;
    for (int i = 0; i < t->count; i++)
        if (t->row[i].op->kind == kind && strcmp(t->row[i].block, "update") != 0)
            seconds += t->row[i].seconds * t->row[i].times;
    return seconds;
}

/* Seconds a step of the traffic on an axis. */
static double axis_s(const clg_operations_table *t, clg_axis axis) {
    double seconds = 0;
    for (int i = 0; i < t->count; i++) {
        clg_op_kind kind = t->row[i].op->kind;
        if ((kind == CLG_OP_COLLECTIVE || kind == CLG_OP_SEND) && t->row[i].op->axis == axis)
            seconds += t->row[i].seconds * t->row[i].times;
    }
    return seconds;
}

static clg_operations_table check_compute(const char *model, const char *stack, clg_layout l) {
    clg_scenario s = plan_scenario(&arena, model, "h100-sxm", stack, (int)clg_layout_gpus(&l));
    s.stack.overlap.tensor = s.stack.overlap.tensor_backward = s.stack.overlap.expert = 0;
    clg_evaluation e = plan_evaluation(&arena, &s, l);
    clg_operations_table t = clg_explain_operations(&arena, &s, &e);
    CHECK_NEAR(passes_s(&t, CLG_OP_GEMM) + passes_s(&t, CLG_OP_GROUPED), e.matrix_s, 1e-9);
    CHECK_NEAR(passes_s(&t, CLG_OP_ATTENTION), e.attention_s, 1e-9);
    CHECK_NEAR(passes_s(&t, CLG_OP_MEMORY), e.memory_bound_s, 1e-9);
    CHECK_NEAR(axis_s(&t, CLG_AXIS_TP), e.time.tp_exposed_s, 1e-9);
    CHECK_NEAR(axis_s(&t, CLG_AXIS_EP), e.time.ep_exposed_s, 1e-9);
    return t;
}

static clg_layout layout(int dp, int tp, int pp, int accumulation) {
    clg_layout l = plan_layout(4096);
    l.dp = dp;
    l.tp = tp;
    l.sp = tp > 1;
    l.pp = pp;
    l.accumulation = accumulation;
    l.global_batch = (int64_t)dp * accumulation;
    return l;
}

static void sums(void) {
    CASE("tensor and pipeline parallel");
    check_compute("llama-3-8b", "megatron-2024", layout(2, 4, 4, 8));
    CASE("all layers done again");
    clg_layout l = layout(2, 4, 2, 8);
    l.recompute = CLG_RECOMPUTE_FULL;
    check_compute("llama-3-8b", "megatron-2024", l);
    CASE("chunks of unlike stages");
    l = layout(1, 2, 4, 8);
    l.vpp = 4;
    l.schedule = CLG_INTERLEAVED;
    check_compute("llama-3-8b", "megatron-2024", l);
    CASE("experts over ranks");
    l = layout(8, 1, 1, 4);
    l.ep = 8;
    clg_operations_table t = check_compute("mixtral-8x7b", "megatron-2024", l);
    CHECK(axis_s(&t, CLG_AXIS_EP) > 0);
    CHECK(axis_s(&t, CLG_AXIS_TP) == 0);
}

/* 16 GPUs of ZeRO-3 gather each layer twice a micro-batch: 32 layers x 2 micro-batches. */
static void shards(void) {
    CASE("sharded weights: each layer's gather, forward and backward, with every micro-batch");
    clg_layout l = layout(16, 1, 1, 2);
    l.zero = 3;
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "fsdp-2024", 16);
    clg_evaluation e = plan_evaluation(&arena, &s, l);
    clg_operations_table t = clg_explain_operations(&arena, &s, &e);
    double gathers = 0, exposed = e.time.dp_exposed_s;
    for (int i = 0; i < t.count; i++)
        if (strstr(t.row[i].op->name, "gather layer weights") && t.row[i].times > 2)
            gathers += t.row[i].times;
    CHECK_NEAR(gathers, 2 * 32 * 2, 1e-12);
    CASE("what is exposed is no more than what there is");
    CHECK(exposed > 0 && exposed <= axis_s(&t, CLG_AXIS_DP));
}

int main(void) {
    sums();
    shards();
    return DONE;
}
