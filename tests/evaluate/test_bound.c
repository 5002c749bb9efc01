/* The lower bounds of time and memory, worked by hand on a priced model of round numbers. */
#include "evaluate/bound.h"
#include "evaluate/compose.h"
#include "plan.h"

static clg_arena arena;
static clg_scenario base;
static clg_priced priced;

static void fill(clg_pass_cost pass[CLG_PASSES], double forward, double input, double weight,
                 double again) {
    for (int p = 0; p < CLG_PASSES; p++) pass[p] = (clg_pass_cost){0};
    pass[CLG_PASS_FORWARD].matrix_s = forward;
    pass[CLG_PASS_BACKWARD_INPUT].matrix_s = input;
    pass[CLG_PASS_BACKWARD_WEIGHT].matrix_s = weight;
    pass[CLG_PASS_RECOMPUTE].matrix_s = again;
}

/* 8 layers of 1 + 1.5 + 0.5 s and 0.8 again; embedding and head take 1 s together. */
static void start(void) {
    base = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2024", 32);
    base.model.layers = 8;
    base.stack.sigma.jitter = base.stack.sigma.shard_jitter = 0;
    base.stack.host.step_s = 0.01, base.stack.host.micro_batch_s = 0.003;
    base.stack.stages.by_cost = false;
    base.data_loading_s = 0.02;
    priced.step.kinds = 1;
    priced.layers_of_kind[0] = 8;
    fill(priced.layer[0], 1, 1.5, 0.5, 0.8);
    fill(priced.embedding, 0.2, 0, 0, 0);
    fill(priced.head, 0.4, 0.3, 0.1, 0);
}

/* 4 stages of 2 layers, 6 micro-batches: host 0.01 + 0.02 + 6 x 0.003 = 0.048 s. */
static clg_layout four(clg_schedule_kind schedule) {
    clg_layout l = plan_layout(4096);
    l.pp = 4, l.dp = 8, l.accumulation = 6, l.global_batch = 48, l.schedule = schedule;
    return l;
}

static double bound_s(const clg_scenario *s, clg_layout l) {
    clg_priced_sum(&s->model, &priced);
    return clg_compose_bound_s(s, &l, &priced);
}

static double bound_bytes(const clg_scenario *s, clg_layout l) {
    clg_priced_sum(&s->model, &priced);
    clg_bytes_bound bound = clg_compose_bytes_bound(s, &l, &priced);
    return clg_bytes_bound_at(&bound, l.recompute_layers);
}

static void schedules(void) {
    CASE("1f1b: 6 x 2 layers x 3 s, behind a way down and up of 3 stages x 2 layers x 3 s");
    CHECK_NEAR(bound_s(&base, four(CLG_1F1B)), 36 + 18 + 0.048, 1e-12);
    CASE("where weight gradients wait only the way down is sure: 6 x 1 s");
    CHECK_NEAR(bound_s(&base, four(CLG_ZB_H1)), 36 + 6 + 0.048, 1e-12);
    CASE("steps that overlap or start at both ends: the mean work of a stage, 6 x 25 s / 4");
    CHECK_NEAR(bound_s(&base, four(CLG_ZB_H2)), 37.5 + 0.048, 1e-12);
    CHECK_NEAR(bound_s(&base, four(CLG_DUALPIPE)), 37.5 + 0.048, 1e-12);
    CASE("2 chunks of one layer: the way is half as long, the host has twice the calls");
    clg_layout l = four(CLG_INTERLEAVED);
    l.vpp = 2;
    CHECK_NEAR(bound_s(&base, l), 36 + 9 + 0.066, 1e-12);
    CASE("stages cut by cost: the last may hold less, only the mean is sure");
    clg_scenario s = base;
    s.stack.stages.by_cost = true;
    CHECK_NEAR(bound_s(&s, four(CLG_1F1B)), 37.5 + 0.048, 1e-12);
}

static void layers(void) {
    clg_scenario s = base;
    CASE("9 layers on 4 stages: some stage holds 3, more than the mean of 7 s");
    s.model.layers = 9, priced.layers_of_kind[0] = 9;
    CHECK_NEAR(bound_s(&s, four(CLG_ZB_H2)), 6 * 9 + 0.048, 1e-12);
    CASE("two kinds: the mean counts both (37 s / 4), the way the cheaper");
    s = base;
    s.model.kinds = 2, priced.layers_of_kind[0] = priced.layers_of_kind[1] = 4;
    fill(priced.layer[1], 2, 3, 1, 1.6);
    CHECK_NEAR(bound_s(&s, four(CLG_1F1B)), 6 * 9.25 + 0.048, 1e-12);
    clg_layout few = four(CLG_1F1B);
    few.accumulation = 2; /* 2 x 2 x 3 + 18, host 0.036: more than 2 x 9.25 */
    CHECK_NEAR(bound_s(&s, few), 30 + 0.036, 1e-12);
    priced.layers_of_kind[0] = 8, priced.layers_of_kind[1] = 0;
}

static void recomputed(void) {
    clg_layout l = four(CLG_1F1B);
    l.recompute = CLG_RECOMPUTE_FULL;
    CASE("all recomputed: 3.8 s a layer, (36 + 18) x 3.8 / 3");
    CHECK_NEAR(bound_s(&base, l), 68.4 + 0.048, 1e-12);
    CASE("one of a stage's two: half of 8 x 0.8 s more over 4 stages; two: all of it");
    l.schedule = CLG_ZB_H2, l.recompute_layers = 1;
    CHECK_NEAR(bound_s(&base, l), 6 * 7.05 + 0.048, 1e-12);
    l.recompute_layers = 2;
    CHECK_NEAR(bound_s(&base, l), 6 * 7.85 + 0.048, 1e-12);
}

static void waiting(void) {
    clg_scenario s = base;
    s.stack.sigma.jitter = 0.02, s.stack.sigma.shard_jitter = 0.01;
    clg_layout l = four(CLG_1F1B);
    double nodes = 0.02 * 1.6651092223153954, shards = 0.01 * 1.3862943611198906;
    CASE("32 GPUs wait for the slowest of 4 nodes; for shards surely only without a pipeline");
    l.zero = 3;
    CHECK_NEAR(bound_s(&s, l), 54.048 * (1 + nodes), 1e-12);
    l.pp = 1, l.dp = 32;
    CHECK_NEAR(bound_s(&s, l), 150.048 * (1 + nodes + shards), 1e-12);
}

static void shared(void) {
    clg_layout l = four(CLG_1F1B);
    CASE("all layouts of a batch of 48 on 32 GPUs: 1.5 sequences each, of 25 s, and the host");
    clg_priced_sum(&base.model, &priced);
    CHECK_NEAR(clg_compose_shared_bound_s(&base, &l, &priced), 37.5 + 0.03 + 1.5 * 0.003, 1e-8);
    CASE(
        "the same whatever pp, dp, schedule and recomputing; two context ranks take twice as long");
    l.pp = 1, l.dp = 32, l.schedule = CLG_ZB_H1, l.recompute = CLG_RECOMPUTE_FULL;
    CHECK_NEAR(clg_compose_shared_bound_s(&base, &l, &priced), 37.5 + 0.03 + 1.5 * 0.003, 1e-8);
    l.cp = 2, l.dp = 16;
    CHECK_NEAR(clg_compose_shared_bound_s(&base, &l, &priced), 75 + 0.03 + 3 * 0.003, 1e-8);
    CASE("micro-batches of two: half as many");
    l.micro_batch = 2;
    CHECK_NEAR(clg_compose_shared_bound_s(&base, &l, &priced), 37.5 + 0.03 + 1.5 * 0.003, 1e-8);
}

/* Stage 0: 2 layers of a million parameters and 100 GB, kept 4 times. Sums of 2, 4 and 12 bytes a
 * parameter show in the last digits; under ZeRO-3 the
 * fp32 master is the shard. */
static void bytes(void) {
    clg_layout l = four(CLG_1F1B);
    clg_scenario s = base;
    s.stack.memory.workspace_bytes = 3e9, s.stack.memory.split_share = 0.1;
    s.stack.memory.communicator_bytes = 0;
    priced.step.kind[0].dense_parameters = 1e6;
    priced.step.kind[0].saved_bytes = 1e11;
    priced.step.kind[0].rebuilt_bytes = 1e10;
    CASE("first stage: states cut by ZeRO, activations, workspace, and a tenth on top");
    static const double held[] = {18, 6 + 12.0 / 8, 2 + 16.0 / 8, 16.0 / 8};
    for (l.zero = 0; l.zero <= 3; l.zero++)
        CHECK_NEAR(bound_bytes(&s, l), (8e11 + 2e6 * held[l.zero] + 3e9) * 1.1, 1e-12);
    CASE("one layer of two recomputed: the other keeps a tenth");
    l.zero = 0, l.recompute_layers = 1;
    CHECK_NEAR(bound_bytes(&s, l), (4.4e11 + 3.6e7 + 3e9) * 1.1, 1e-12);
    CASE("no activations: the even share of the whole model's states decides");
    priced.step.kind[0].saved_bytes = priced.step.kind[0].rebuilt_bytes = 0;
    double states = clg_memory_bound(&s.model, priced.expert_parameters, &s.stack, &l);
    CHECK(states > 2e10);
    CHECK(bound_bytes(&s, l) == states);
    CASE("where communicators take a third of the room, half as much again");
    s.machine.gpu.memory_usable_bytes = 80e9, s.stack.memory.context_bytes = 5e9;
    s.stack.memory.communicator_bytes = 25e9 / 3; /* dp, pp, both */
    CHECK_NEAR(bound_bytes(&s, l), states * 1.5, 1e-14);
}

int main(void) {
    start();
    schedules();
    shared();
    layers();
    recomputed();
    waiting();
    bytes();
    clg_arena_clear(&arena);
    return DONE;
}
