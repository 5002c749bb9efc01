/* test_exchange.c -- tokens to experts on other ranks, two batches in turn, experts placed by load.
 */
#include "demand.h"
#include "demand/random.h"
#include "plan.h"
#include "serve/replica.h"

/* Places that hold the k experts of a token, by drawing groups and experts. */
static double drawn_places(const clg_mlp *mlp, int places) {
    clg_random random = {3};
    int draws = 20000, met = 0;
    for (int i = 0; i < draws; i++) {
        bool open[64] = {false}, taken[1024] = {false}, seen[256] = {false};
        for (int g = 0; g < mlp->groups_per_token;) {
            int group = (int)(clg_random_unit(&random) * mlp->groups);
            if (!open[group]) open[group] = true, g++;
        }
        for (int k = 0; k < mlp->experts_per_token;) {
            int expert = (int)(clg_random_unit(&random) * mlp->experts);
            if (taken[expert] || !open[expert * mlp->groups / mlp->experts]) continue;
            int place = expert * places / mlp->experts;
            taken[expert] = true, k++;
            if (!seen[place]) seen[place] = true, met++;
        }
    }
    return (double)met / draws;
}

static void test_places(void) {
    clg_mlp plain = {.experts = 128, .experts_per_token = 8};
    clg_mlp deepseek = {.experts = 256, .experts_per_token = 8, .groups = 8, .groups_per_token = 4};
    CASE("ranks that a token meets: by hand, by draws");
    CHECK_NEAR(clg_mlp_places_met(&plain, 1), 1, 1e-12);
    CHECK_NEAR(clg_mlp_places_met(&plain, 4), 4 * (1 - 0.1001129150390625), 1e-12); /* .75^8 */
    CHECK_NEAR(clg_mlp_places_met(&deepseek, 32), 16 * (1 - pow(15.0 / 16, 8)), 1e-12);
    for (int places = 8; places <= 64; places *= 2)
        CHECK_NEAR(clg_mlp_places_met(&deepseek, places), drawn_places(&deepseek, places), 0.03);
    CHECK(clg_mlp_places_met(&deepseek, 1 << 20) < 8);
}

static clg_exchange_curve curve_of(clg_arena *arena) {
    clg_exchange_curve c;
    clg_error error = {0};
    CHECK(clg_exchange_find(arena, &c, &error) == CLG_OK);
    return c;
}

static void test_decoding(clg_arena *arena) {
    clg_exchange_curve c = curve_of(arena);
    clg_network network = {.slow = {.latency_s = 2e-6, .bytes_per_s = 45e9}};
    CASE("kernels for decoding: the table at its points, and by hand between and beside them");
    CHECK_NEAR(clg_exchange_decode_s(&c, &network, 50e9, 64, 8, 7168, 128), 539e-6, 1e-9);
    CHECK_NEAR(clg_exchange_decode_s(&c, &network, 50e9, 4, 8, 7168, 128), 481e-6, 1e-9);
    CHECK_NEAR(clg_exchange_decode_s(&c, &network, 50e9, 999, 8, 7168, 128), 554e-6, 1e-9);
    /* 72 ranks: log2(72/64) = .169925 of the way from 539 to 561 */
    CHECK_NEAR(clg_exchange_decode_s(&c, &network, 50e9, 72, 8, 7168, 128), 542.738e-6, 1e-5);
    /* two hops of 2 us, and half of the rest for half of the bytes, whichever way they halve */
    CHECK_NEAR(clg_exchange_decode_s(&c, &network, 50e9, 64, 8, 7168, 64), 271.5e-6, 1e-9);
    CHECK_NEAR(clg_exchange_decode_s(&c, &network, 50e9, 64, 4, 7168, 128), 271.5e-6, 1e-9);
    CHECK_NEAR(clg_exchange_decode_s(&c, &network, 50e9, 64, 8, 3584, 128), 271.5e-6, 1e-9);
    CHECK_NEAR(clg_exchange_decode_s(&c, &network, 100e9, 64, 8, 7168, 128), 271.5e-6, 1e-9);
}

/* Exchange of a prompt of 4,096 tokens a rank in the last layer, as the iteration has it. */
static double exchanged_s(const clg_scenario *s, const clg_layer_kind *kind) {
    clg_engine engine = {.sends_tokens = 1};
    clg_serving_layout layout = {.tp = 1, .pp = 1, .dp = s->machine.gpus, .ep = s->machine.gpus};
    clg_serve_curves curves = {0};
    clg_serving serving = {.model = &s->model,
                           .machine = &s->machine,
                           .engine = &engine,
                           .layout = &layout,
                           .expert_imbalance = 1};
    clg_iteration_pricing by = {.serving = &serving, .network = &s->network, .curves = &curves};
    clg_iteration_ops ops = {0};
    double seconds = 0;
    clg_iteration_layer(&serving, kind, 4096, false, &ops);
    for (int i = 0; i < ops.count; i++)
        if (ops.op[i].part == CLG_SPENT_EXCHANGE) seconds += clg_iteration_op_s(&by, &ops.op[i]);
    return seconds;
}

/* DeepEP's own figures, README of 2025-06: 4,096 tokens a rank, H800 and 400 Gb/s, rate of what a
 * rank sends to boxes, its own among them. Of two boxes it says 43 GB/s, half of what the line
 * would give (its second version: 90): not predicted. */
static void test_prompts(clg_arena *arena) {
    clg_scenario s = plan_scenario(arena, "deepseek-v3", "h100-sxm", NULL, 0);
    const clg_layer_kind *kind = &s.model.kind[s.model.layer_kind[60]];
    static const double rates[][3] = {{32, 58e9, 57e9}, {64, 51e9, 50e9}};
    CASE("kernels for prompts against DeepEP's measured rates, none of which is used");
    for (int i = 0; i < 2; i++) {
        double boxes = rates[i][0] / 8, sent = 4096 * 7168 * clg_mlp_places_met(&kind->mlp, boxes);
        s.machine.gpus = (int)rates[i][0];
        double measured = sent / rates[i][1] + 2 * sent / rates[i][2];
        CHECK_NEAR(exchanged_s(&s, kind), measured, 0.1);
    }
    CASE("not more than a copy for each expert");
    clg_layer_kind anywhere = *kind;
    anywhere.mlp.groups = anywhere.mlp.groups_per_token = 0;
    CHECK(exchanged_s(&s, kind) < exchanged_s(&s, &anywhere));
}

static clg_replica wide(clg_arena *arena, const clg_scenario *s, bool two, bool balanced) {
    clg_demand d = demand_at_rate(arena, 1, 64, 2000, 100, 0, 5);
    clg_engine e;
    clg_replica r = {0};
    clg_error error = {0};
    clg_replica_choice c = {.tp = 1,
                            .dp = 32,
                            .ep = 32,
                            .weights = CLG_FP8,
                            .compute = CLG_FP8,
                            .cache = CLG_BF16,
                            .max_sequences = 32 * 256,
                            .two_batches = two,
                            .balanced = balanced};
    CHECK(clg_engine_find(arena, "sglang", &e, &error) == CLG_OK);
    CHECK(clg_replica_prepare(arena, s, &e, &c, &d, &r, &error) == CLG_OK);
    return r;
}

static void test_turns(clg_arena *arena) {
    clg_scenario s = plan_scenario(arena, "deepseek-v3", "h100-sxm", NULL, 0), quick = s;
    quick.network.slow.bytes_per_s *= 1e6; /* an exchange of no bytes: what is left is compute */
    quick.network.fast.bytes_per_s *= 1e6;
    clg_replica one = wide(arena, &s, false, true), two = wide(arena, &s, true, true);
    clg_replica free_one = wide(arena, &quick, false, true);
    CASE("two batches: neither below computing alone, nor above one after the other");
    double tokens = 32 * 8192;
    CHECK(clg_replica_dense_s(&two, tokens) < clg_replica_dense_s(&one, tokens));
    CHECK(clg_replica_dense_s(&two, tokens) > clg_replica_dense_s(&free_one, tokens));
    double exposed = clg_replica_dense_s(&one, tokens) - clg_replica_dense_s(&free_one, tokens);
    CHECK(clg_replica_dense_s(&two, tokens) > exposed);
    CASE("one token cannot be halved");
    CHECK_NEAR(clg_replica_dense_s(&two, 32), clg_replica_dense_s(&one, 32), 1e-12);
    CASE("experts placed by load: the fullest rank has less, weights that are read stay");
    clg_replica uneven = wide(arena, &s, false, false);
    CHECK(clg_replica_dense_s(&one, tokens) < clg_replica_dense_s(&uneven, tokens));
    CHECK_NEAR(one.room.weight_bytes, uneven.room.weight_bytes, 1e-12);
    CASE("decoding by the table: a line twice as fast saves half of 58 exchanges but their hops");
    clg_scenario faster = s;
    faster.machine.fabric.gpu_bytes_per_s = 2 * clg_machine_line_bytes_per_s(&s.machine);
    clg_replica fast = wide(arena, &faster, false, true);
    clg_exchange_curve c = curve_of(arena);
    double each = clg_exchange_decode_s(&c, &s.network, 50e9, 32, 8, 7168, 16);
    CHECK_NEAR(one.cost.decode_s[512] - fast.cost.decode_s[512],
               58 * (each - 2 * s.network.slow.latency_s) / 2, 1e-9);
}

int main(void) {
    clg_arena arena = {0};
    test_places();
    test_decoding(&arena);
    test_prompts(&arena);
    test_turns(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
