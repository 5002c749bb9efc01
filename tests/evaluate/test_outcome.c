/* What a ledger of seconds comes to, worked by hand: rates, watts, dollars, walls, waits. */
#include "evaluate/composition.h"

#include "evaluate/compose.h"
#include "plan.h"

static clg_arena arena;
static clg_scenario base;

/* 10 s on 32 GPUs, each term of its own size: a sign or a term left out shows. */
static clg_evaluation ten_seconds(void) {
    clg_evaluation e = {.layout = plan_layout(4096), .fits = true, .step_s = 10};
    e.layout.dp = 32, e.layout.global_batch = 32;
    e.time = (clg_time_ledger){.compute_s = 4,
                               .tp_exposed_s = 0.1,
                               .cp_exposed_s = 0.2,
                               .ep_exposed_s = 0.3,
                               .dp_exposed_s = 0.4,
                               .pp_exposed_s = 0.5,
                               .bubble_s = 1,
                               .optimizer_s = 0.5,
                               .host_s = 0.6,
                               .data_loading_s = 0.4,
                               .straggler_s = 2};
    e.matrix_s = 2, e.attention_s = 1, e.memory_bound_s = 0.7;
    e.executed_flop = 1.6e17;
    return e;
}

static void rates(void) {
    clg_evaluation e = ten_seconds();
    base.machine.gpu.peak_flop_per_s[CLG_BF16] = 1e15;
    clg_outcome(&base, 0, &e);
    CASE("32 x 4096 tokens in 10 s; HFU 1.6e17 / 10 s / 32 / 1e15");
    CHECK_NEAR(e.tokens_per_s, 13107.2, 1e-12);
    CHECK_NEAR(e.tokens_per_s_per_gpu, 409.6, 1e-12);
    CHECK_NEAR(e.hfu, 0.5, 1e-12);
    CHECK_NEAR(e.mfu, e.model_flop / 3.2e17, 1e-12);
    CASE("three quarters frozen: 2 flop less of each weight, 6 more of a quarter that is trained");
    double whole = e.model_flop / 131072, parameters = 8030261248;
    clg_outcome(&base, 0.75, &e);
    CHECK_NEAR(e.model_flop / 131072, whole - 2 * parameters + 1.5 * parameters, 1e-12);
}

/* Memory 0.7 + 0.3 in no kernel + 0.5 of the optimizer; waiting 3.5; idle 2. Joules per watt of the
 * limit: 1.8 + 0.8 + 1.05 + 1.4 + 0.4 = 5.45. */
static void power_and_cost(void) {
    clg_evaluation e = ten_seconds();
    base.power = (clg_power){.matrix = 0.9, .attention = 0.8, .memory = 0.7, .waiting = 0.4};
    base.power.idle = 0.2;
    base.machine.gpu.tdp_w = 700;
    base.machine.node.host_w = 2000;
    base.price.usd_per_s = 0.001;
    clg_outcome(&base, 0, &e);
    CASE("0.545 of 700 W; 32 GPUs and 4 hosts of 2 kW, for 10 s");
    CHECK_NEAR(e.gpu_w, 381.5, 1e-12);
    CHECK_NEAR(e.cluster_w, 20208, 1e-12);
    CHECK_NEAR(e.step_j, 202080, 1e-12);
    CHECK_NEAR(e.tokens_per_j, 13107.2 / 20208, 1e-12);
    CASE("a tenth of a cent a second and GPU: 115.2 an hour, 2.44 a million tokens");
    CHECK_NEAR(e.usd_per_h, 115.2, 1e-12);
    CHECK_NEAR(e.usd_per_million_tokens, 2.44140625, 1e-12);
}

static void interval(void) {
    CASE("late by what no plan says: the squares of 0.3 and 0.4 make 0.5; early 0.3, mean 0.4");
    clg_scenario s = base;
    clg_evaluation e = ten_seconds();
    s.stack.sigma.step = 0.3, s.stack.sigma.late = 0.4, s.stack.sigma.experts = 1.2;
    s.stack.sigma.traffic = s.stack.sigma.step_s = s.stack.sigma.age = 0;
    clg_outcome(&s, 0, &e);
    CHECK_NEAR(e.step_p90_s, 10 * (1 + 1.2816 * 0.5), 1e-12);
    CHECK_NEAR(e.step_p10_s, 10 / (1 + 1.2816 * 0.3), 1e-12);
    CHECK_NEAR(e.log_sigma, 0.4, 1e-12);
    CASE("software that nobody named: early 0.3 and 0.4 make 0.5");
    s.stack.sigma.unnamed = 0.4;
    clg_outcome(&s, 0, &e);
    CHECK_NEAR(e.step_p10_s, 10 / (1 + 1.2816 * 0.3), 1e-12);
    s.stack.known = false;
    clg_outcome(&s, 0, &e);
    CHECK_NEAR(e.step_p10_s, 10 / (1 + 1.2816 * 0.5), 1e-12);
    CHECK_NEAR(e.step_p90_s, 10 * (1 + 1.2816 * sqrt(0.41)), 1e-12);
    s.stack.known = true;
    CASE("experts make late too: 0.5 and 1.2 make 1.3");
    s.model.kind[0].mlp.kind = CLG_MLP_MOE;
    clg_outcome(&s, 0, &e);
    CHECK_NEAR(e.step_p90_s, 10 * (1 + 1.2816 * 1.3), 1e-12);
    CHECK_NEAR(e.step_p10_s, 10 / (1 + 1.2816 * 0.3), 1e-12);
}

static void is_wall(clg_evaluation e, clg_wall wall) {
    clg_outcome(&base, 0, &e);
    CHECK(e.bound_by == wall);
}

/* In each case two or more parts of one wall pass the largest other, 1.4, only together. */
static void walls(void) {
    clg_evaluation e = {.layout = plan_layout(4096), .fits = true, .step_s = 10};
    e.matrix_s = 0.9, e.attention_s = 0.5;
    CASE("the wall: the largest part of a step, all traffic as one");
    clg_evaluation t = e;
    t.time.bubble_s = 1.3, t.time.straggler_s = 1.2;
    is_wall(t, CLG_WALL_COMPUTE);
    t.memory_bound_s = 0.8, t.time.optimizer_s = 0.7;
    is_wall(t, CLG_WALL_MEMORY_BANDWIDTH);
    t = e, t.time.host_s = 0.8, t.time.data_loading_s = 0.7;
    is_wall(t, CLG_WALL_HOST);
    t = e, t.time.bubble_s = 1.5;
    is_wall(t, CLG_WALL_BUBBLE);
    t = e, t.time.straggler_s = 1.5;
    is_wall(t, CLG_WALL_STRAGGLER);
    double *traffic[] = {&t.time.tp_exposed_s, &t.time.cp_exposed_s, &t.time.ep_exposed_s,
                         &t.time.dp_exposed_s, &t.time.pp_exposed_s};
    static const clg_wall names[] = {CLG_WALL_TP, CLG_WALL_CP, CLG_WALL_EP, CLG_WALL_DP,
                                     CLG_WALL_SENDS};
    for (int most = 0; most < 5; most++) {
        t = e;
        for (int i = 0; i < 5; i++) *traffic[i] = i == most ? 0.32 : 0.3;
        is_wall(t, names[most]);
    }
    CASE("what does not fit is bound by memory, whatever it spends its time on");
    e.fits = false;
    is_wall(e, CLG_WALL_MEMORY);
}

/* 32 GPUs are 4 nodes: sqrt(2 ln 4) = 1.665109, ln 4 = 1.386294. */
static void waits(void) {
    clg_scenario s = base;
    clg_layout l = plan_layout(4096);
    s.stack.sigma.jitter = 0.02, s.stack.sigma.shard_jitter = 0.01;
    s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    l.dp = 32, l.accumulation = 5;
    CASE("the slowest of four nodes: 0.02 sqrt(2 ln 4); one node waits for none");
    CHECK_NEAR(clg_straggler_share(&s, &l), 0.02 * 1.6651092223153954, 1e-12);
    CASE("one node in 200 a tenth slower: among four with the chance 1 - 0.995^4 = 0.0198505");
    s.slow_nodes = 0.005, s.slow_by = 0.1;
    CHECK_NEAR(clg_straggler_share(&s, &l),
               (1 - 0.0198505) * 0.02 * 1.6651092223153954 + 0.0198505 * 0.1, 1e-5);
    CASE("a node that is slower by less than the others' jitter delays nobody");
    s.slow_by = 0.001;
    CHECK_NEAR(clg_straggler_share(&s, &l), 0.02 * 1.6651092223153954, 1e-12);
    s.slow_nodes = 0;
    CASE("sharded weights wait in every layer, ZeRO-2 in one of five micro-batches");
    static const double shares[] = {0, 0, 0.01 * 1.3862943611198906 / 5, 0.01 * 1.3862943611198906};
    for (l.zero = 0; l.zero <= 3; l.zero++)
        CHECK_NEAR(clg_shard_wait_share(&s, &l), shares[l.zero], 1e-12);
    CASE("ZeRO-2 that scatters in every micro-batch waits in every one");
    l.zero = 2;
    s.stack.traffic.scatters = CLG_SCATTERS_EACH;
    CHECK_NEAR(clg_shard_wait_share(&s, &l), 0.01 * 1.3862943611198906, 1e-12);
    l.dp = 8;
    CHECK(clg_straggler_share(&s, &l) == 0 && clg_shard_wait_share(&s, &l) == 0);
}

int main(void) {
    base = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2024", 32);
    rates();
    power_and_cost();
    interval();
    walls();
    waits();
    clg_arena_clear(&arena);
    return DONE;
}
