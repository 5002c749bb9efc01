/* Experts: grouped products both ways round, and the host that calls them. */
#include "cost/price.h"
#include "plan.h"

static clg_arena arena;

/* A made-up GPU of 7 multiprocessors. */
static clg_gpu gpu = {.multiprocessors = 7, .hbm_bytes_per_s = 1.7e11};
static clg_kernels kernels;

static void curves(void) {
    clg_gemm_curve c = {.efficiency = 0.7,
                        .k_overhead = 11,
                        .tail_share = 0.25,
                        .launch_s = 3e-6,
                        .medium_tile = 0.9,
                        .small_tile = 0.8,
                        .hbm_efficiency = 0.6,
                        .sustained = 0.9};
    gpu.peak_flop_per_s[CLG_BF16] = 3.1e12;
    kernels.grouped[CLG_BF16] = c;
}

static void weight_gradient(void) {
    CASE("weight gradients of 3 experts, 90 rows, the fullest with 1.2 times 30");
    /* [300, 36] x [36, 200] each; 64 x 128 tiles win: 5 x 2 x 3 = 30 on 7, 4.285714 waves, of
     * which a quarter counts as 5: 4.464286; 2 x 64 x 128 x (36 + 11) / (3.1e12 / 7 x .7 x .9 x .8)
     * = 3.450036e-6 each. Bytes: (90 x 500 + 3 x 300 x 200) x 2 = 450,000: 4.41e-6 s, less. */
    double seconds = clg_grouped_weight_s(&gpu, &kernels, CLG_BF16, 300, 200, 90, 3, 1.2);
    CHECK_NEAR(seconds, 4.46428571428571 * 3.45003584229391e-6 + 3e-6, 1e-12);
    CASE("few rows: the results' bytes decide");
    /* 3 rows of 2 x 500 bytes, and 3 results of 2 x 60,000 */
    gpu.hbm_bytes_per_s = 1e9;
    seconds = clg_grouped_weight_s(&gpu, &kernels, CLG_BF16, 300, 200, 3, 3, 1);
    CHECK_NEAR(seconds, 363000 / 0.6e9 + 3e-6, 1e-12);
    gpu.hbm_bytes_per_s = 1.7e11;
    CASE("one expert is a plain product, either way round");
    kernels.gemm[CLG_BF16] = kernels.grouped[CLG_BF16];
    kernels.gemm[CLG_BF16].efficiency = 0.8;
    double plain = clg_gemm_s(&gpu, &kernels, CLG_BF16, 512, 512, 512, 1);
    CHECK_NEAR(clg_grouped_weight_s(&gpu, &kernels, CLG_BF16, 512, 512, 512, 1, 1), plain, 1e-12);
    CHECK_NEAR(clg_grouped_gemm_s(&gpu, &kernels, CLG_BF16, 512, 512, 512, 1, 1), plain, 1e-12);
}

/* 18.88 Tflop/s at 5120 x 4096 x 4096, as published. */
static void single(void) {
    CASE(
        "fp32 products run without tensor cores: no slowdown of those, and 97 % of an A100's peak");
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "a100-sxm-80gb", "transformers", 1);
    clg_op op = {.kind = CLG_OP_GEMM, .count = 1, .batch = 1, .m = 5120, .n = 4096, .k = 4096};
    clg_pricing p = {.gpu = &s.machine.gpu, .kernels = &s.kernels, .stack = &s.stack};
    op.precision = CLG_FP32;
    double seconds = clg_op_s(&p, &op);
    CHECK_NEAR(2.0 * 5120 * 4096 * 4096 / seconds, 18.88e12, 0.03);
    s.stack.kernels.slowdown *= 2;
    CHECK(clg_op_s(&p, &op) == seconds);
    op.precision = CLG_BF16;
    double slowed = clg_op_s(&p, &op);
    s.stack.kernels.slowdown /= 2;
    CHECK_NEAR(slowed, 2 * clg_op_s(&p, &op), 1e-12);
}

/* 165.2 Tflop/s over 82.6 in fp32 are twice, 362.05 over 91.6 four times less a hundredth. */
static void halved(void) {
    CASE("a board with half the rate of its chip's matrix units feels half of what a stack loses");
    clg_op op = {.kind = CLG_OP_GEMM, .count = 1, .batch = 1, .m = 5120, .n = 4096, .k = 4096};
    static const struct {
        const char *gpu;
        clg_precision precision;
        double times;
    } boards[] = {{"rtx-4090", CLG_BF16, 1.2},
                  {"l40s", CLG_BF16, 1 + 0.4 * 0.98812},
                  {"a100-sxm-80gb", CLG_BF16, 1.4},
                  {"p100-sxm-16gb", CLG_FP16, 1}}; /* no matrix units */
    for (int i = 0; i < 4; i++) {
        op.precision = boards[i].precision;
        clg_scenario s = plan_scenario(&arena, "llama-2-7b", boards[i].gpu, "pytorch", 1);
        clg_pricing p = {.gpu = &s.machine.gpu, .kernels = &s.kernels, .stack = &s.stack};
        s.stack.kernels.slowdown = 1;
        double alone = clg_op_s(&p, &op);
        s.stack.kernels.slowdown = 1.4;
        CHECK_NEAR(clg_op_s(&p, &op) / alone, boards[i].times, 1e-5);
    }
}

/* 4,096 tokens, 768 features, 50,257 words: 2 x 4,096 x 50,257 x 768 over 500 x 100 x 1e9 a second
 * and the launch of 3 us. */
static void odd(void) {
    CASE("a head of 50,257 words takes an old kernel, one of 50,304 does not");
    clg_scenario s = plan_scenario(&arena, "gpt2", "h200-sxm", "pytorch", 1);
    s.machine.gpu.multiprocessors = 100;
    s.machine.gpu.clock_hz = 1e9;
    s.kernels.gemm[CLG_BF16].launch_s = 3e-6;
    s.stack.kernels.odd_flop_per_clock = 500;
    s.stack.kernels.slowdown = 1;
    clg_pricing p = {.gpu = &s.machine.gpu, .kernels = &s.kernels, .stack = &s.stack};
    clg_op op = {.kind = CLG_OP_GEMM, .count = 1, .batch = 1, .m = 4096, .n = 50257, .k = 768};
    op.precision = CLG_BF16;
    CHECK_NEAR(clg_op_s(&p, &op), 6.32379408384e-3 + 3e-6, 1e-9);
    op.pass = CLG_PASS_BACKWARD_WEIGHT; /* the same rows, summed over tokens */
    op.m = 768, op.k = 4096;
    CHECK_NEAR(clg_op_s(&p, &op), 6.32379408384e-3 + 3e-6, 1e-9);
    CASE("an odd count of tokens is no odd row");
    op.n = 50304, op.k = 4097;
    CHECK(clg_op_s(&p, &op) < 1e-3);
    CASE("where tables are padded, nothing is odd; fp32 was not timed");
    op.n = 50257;
    s.stack.kernels.odd_flop_per_clock = 0;
    CHECK(clg_op_s(&p, &op) < 1e-3);
    CASE("slow units are never faster for it");
    s.stack.kernels.odd_flop_per_clock = 1e9;
    double fast = clg_op_s(&p, &op);
    s.stack.kernels.odd_flop_per_clock = 0;
    CHECK(clg_op_s(&p, &op) == fast);
}

static void hiding(void) {
    CASE("room: 1.25 s of products and 0.25 of host, 0.1 taken: 1.4 s, that is 0.875 of traffic at "
         "1.6");
    clg_stack stack = {.overlap.slowdown = 1.126, .overlap.traffic_slowdown = 1.6};
    clg_pass_cost c = {.matrix_s = 1.25, .host_s = 0.25};
    c.hidden_s[CLG_AXIS_TP] = 0.1;
    CHECK_NEAR(clg_pass_hide(&c, CLG_AXIS_DP, 0.7, &stack), 0.7, 1e-14);
    CHECK_NEAR(c.slowdown_s, 0.7 * 0.126, 1e-13);
    CHECK_NEAR(c.hidden_s[CLG_AXIS_DP], 0.7 * 1.6, 1e-14);
    CHECK_NEAR(clg_pass_hide(&c, CLG_AXIS_DP, 0.7, &stack), 0.175, 1e-13);
    CHECK_NEAR(c.hidden_s[CLG_AXIS_DP], 1.4, 1e-14);
    CHECK(clg_pass_hide(&c, CLG_AXIS_DP, 0.7, &stack) < 1e-15 && c.exposed_s[CLG_AXIS_DP] == 0);
    CASE("a share of 0.8 of 0.5 s where there is room for 0.3: 0.2 exposed");
    stack.overlap.traffic_slowdown = 1;
    c = (clg_pass_cost){.matrix_s = 0.3};
    clg_pass_communicate(&c, CLG_AXIS_DP, 0.5, 0.8, &stack);
    CHECK_NEAR(c.exposed_s[CLG_AXIS_DP], 0.2, 1e-14);
}

/* Copies and an exchange of experts whose seconds are their bytes. */
static clg_op copy_of(clg_pass pass, double seconds) {
    return (clg_op){.kind = CLG_OP_COPY, .pass = pass, .count = 1, .bytes = seconds};
}

static clg_op exchange_of(clg_pass pass, clg_group group, double seconds) {
    return (clg_op){.kind = CLG_OP_COLLECTIVE,
                    .collective = CLG_ALL_TO_ALL,
                    .axis = CLG_AXIS_EP,
                    .group = group,
                    .pass = pass,
                    .count = 1,
                    .overlap = 0.8,
                    .bytes = seconds};
}

static void exchanges(void) {
    CASE("0.8 of 3 s under 1 s of its forward and 1.4 of a backward's 2; of 2 s under 1.5 and 0.1");
    static clg_block block;
    const clg_group two = {.ranks = 2, .per_domain = 2}, apart = {.ranks = 2, .per_domain = 1};
    clg_gpu one = {.pcie_bytes_per_s = 1};
    clg_stack stack = {.overlap.slowdown = 1, .overlap.traffic_slowdown = 1};
    clg_network network = {.fast = {.bytes_per_s = 0.5}, .slow = {.bytes_per_s = 0.5}};
    clg_pricing p = {
        .gpu = &one, .kernels = &kernels, .network = &network, .stack = &stack, .imbalance = 1};
    block.op[0] = copy_of(CLG_PASS_FORWARD, 1);
    block.op[1] = copy_of(CLG_PASS_BACKWARD_INPUT, 1.5);
    block.op[2] = copy_of(CLG_PASS_BACKWARD_WEIGHT, 2);
    block.op[3] = exchange_of(CLG_PASS_FORWARD, two, 3);
    block.op[4] = exchange_of(CLG_PASS_BACKWARD_INPUT, two, 2);
    block.ops = 5;
    clg_pass_cost cost[CLG_PASSES];
    clg_block_price(&p, &block, cost);
    CHECK_NEAR(cost[CLG_PASS_FORWARD].exposed_s[CLG_AXIS_EP], 0.6, 1e-12);
    CHECK_NEAR(cost[CLG_PASS_BACKWARD_INPUT].exposed_s[CLG_AXIS_EP], 0.4, 1e-12);
    CHECK_NEAR(cost[CLG_PASS_BACKWARD_WEIGHT].hidden_s[CLG_AXIS_EP], 1.5, 1e-12);
    CASE("a network that slows exchanges of experts slows those between its domains, and no other");
    network.exchange = 2.8;
    clg_op near = exchange_of(CLG_PASS_FORWARD, two, 3);
    clg_op far = exchange_of(CLG_PASS_FORWARD, apart, 3), other = far;
    other.axis = CLG_AXIS_CP;
    CHECK_NEAR(clg_op_s(&p, &near), 3, 1e-12);
    CHECK_NEAR(clg_op_s(&p, &far), 8.4, 1e-12);
    CHECK_NEAR(clg_op_s(&p, &other), 3, 1e-12);
}

static void arrived_rows(void) {
    CASE("1.5 times the rows on the fullest rank are 1.5 times the bytes; of its own tokens as "
         "many");
    clg_gpu one = {.hbm_bytes_per_s = 1e12};
    clg_op own = {.kind = CLG_OP_MEMORY, .count = 1, .hbm_bytes = 2e9}, sent = own;
    clg_stack stack = {0};
    clg_kernels whole = {.memory.efficiency = 1};
    clg_pricing p = {.gpu = &one, .kernels = &whole, .stack = &stack, .imbalance = 1.5};
    sent.arrived = true;
    CHECK_NEAR(clg_op_s(&p, &own), 0.002, 1e-12);
    CHECK_NEAR(clg_op_s(&p, &sent), 0.003, 1e-12);
}

static double host_of(clg_scenario *s, clg_layout *l, double *pass_s) {
    static clg_step step;
    clg_pass_cost cost[CLG_PASSES];
    clg_pricing pricing = {.gpu = &s->machine.gpu,
                           .kernels = &s->kernels,
                           .network = &s->network,
                           .stack = &s->stack,
                           .attention = CLG_CUDNN,
                           .imbalance = 1};
    clg_step_build(&s->model, &s->machine, &s->stack, l, &step);
    clg_block_price(&pricing, &step.kind[0], cost);
    if (pass_s) *pass_s = clg_pass_s(&cost[CLG_PASS_FORWARD]);
    return cost[CLG_PASS_FORWARD].host_s;
}

static void calls(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "b200-sxm", "megatron-2026", 8);
    clg_layout l = plan_layout(4096);
    double before, after;
    l.dp = 8, l.ep = 8, l.global_batch = 8, l.precision = CLG_MXFP8;
    s.stack.fused.experts = false;
    s.stack.host.launch_s = s.stack.host.experts_s = s.stack.host.expert_s = 0;
    CASE("no host time: nothing waits");
    CHECK(host_of(&s, &l, &before) <= 0);
    CASE("16 experts, two casts of 3 calls and two products of one: 128 calls forward");
    s.stack.host.expert_s = 1;
    host_of(&s, &l, &after);
    CHECK_NEAR(after, 128, 1e-2);
    CASE("fp8: a call a cast, 64 in all; with current scaling three");
    l.precision = CLG_FP8;
    s.stack.precision.current_scaling = false;
    host_of(&s, &l, &after);
    CHECK_NEAR(after, 64, 1e-2);
    s.stack.precision.current_scaling = true;
    host_of(&s, &l, &after);
    CHECK_NEAR(after, 128, 1e-2);
    CASE("16-bit products need no casts: 32 calls");
    l.precision = CLG_BF16;
    host_of(&s, &l, &after);
    CHECK_NEAR(after, 32, 1e-2);
    CASE("fused ones: none");
    l.precision = CLG_MXFP8;
    s.stack.fused.experts = true;
    host_of(&s, &l, &after);
    CHECK(after < before);
    CASE("routing costs the host its own time, once per pass, unless the step is recorded");
    s.stack.fused.experts = false, s.stack.host.expert_s = 0, s.stack.host.experts_s = 0.25;
    host_of(&s, &l, &after);
    CHECK_NEAR(after, 0.25, 1e-12);
    s.stack.fused.experts = true;
    host_of(&s, &l, &after);
    CHECK(after < before);
}

static void scaling(void) {
    CASE("current scaling reads what it casts once more: 6 bytes an element, not 4");
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 1);
    static clg_step step;
    clg_layout l = plan_layout(4096);
    double bytes[2] = {0, 0};
    l.precision = CLG_FP8;
    for (int twice = 0; twice < 2; twice++) {
        s.stack.precision.current_scaling = twice == 1;
        clg_step_build(&s.model, &s.machine, &s.stack, &l, &step);
        for (int i = 0; i < step.kind[0].ops; i++)
            if (strstr(step.kind[0].op[i].name, "cast"))
                bytes[twice] += step.kind[0].op[i].hbm_bytes;
    }
    CHECK(bytes[0] > 0);
    CHECK_NEAR(bytes[1] / bytes[0], 1.5, 1e-12);
}

int main(void) {
    curves();
    weight_gradient();
    hiding();
    exchanges();
    arrived_rows();
    single();
    halved();
    odd();
    calls();
    scaling();
    clg_arena_clear(&arena);
    return DONE;
}
