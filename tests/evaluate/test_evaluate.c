/* Limits that must come out right, whatever the constants are. */
#include "evaluate/advice.h"
#include "plan.h"
#include "schedule/schedule.h"

#include <string.h>

static clg_arena arena;

static clg_scenario scenario(const char *model, const char *gpu, int gpus) {
    return plan_scenario(&arena, model, gpu, "megatron-2024", gpus);
}

static clg_layout layout(int dp, int tp, int pp, int batch) {
    clg_layout l = plan_layout(4096);
    l.global_batch = batch, l.dp = dp, l.zero = 1, l.tp = tp, l.sp = tp > 1, l.pp = pp;
    l.accumulation = batch / dp;
    return l;
}

static clg_evaluation evaluate(const clg_scenario *s, clg_layout l) {
    return plan_evaluation(&arena, s, l);
}

static double sum(const clg_time_ledger *t) {
    double all = 0;
    for (int i = 0; i < CLG_LEDGER_TERMS; i++) all += t->term_s[i];
    return all;
}

static void ledgers(const clg_evaluation *e) {
    CHECK_NEAR(sum(&e->time), e->step_s, 1e-9);
    const clg_memory_ledger *m = &e->memory;
    CHECK_NEAR(m->weights_bytes + m->gradients_bytes + m->optimizer_bytes + m->activations_bytes +
                   m->buffers_bytes + m->reserved_bytes,
               m->total_bytes, 1e-9);
    CHECK(e->step_p10_s < e->step_s && e->step_s < e->step_p90_s);
    CHECK(e->mfu > 0 && e->mfu < 1 && e->hfu < 1);
}

static void degrees(clg_scenario s) {
    clg_error error = {0};
    CASE("degree 1 has no traffic of its axis");
    clg_evaluation e = evaluate(&s, layout(64, 1, 1, 256));
    CHECK(e.time.tp_exposed_s == 0 && e.time.cp_exposed_s == 0 && e.time.ep_exposed_s == 0);
    CHECK(e.time.pp_exposed_s == 0 && e.time.bubble_s < 1e-9 * e.step_s);
    CASE("one GPU has no traffic and waits for nobody");
    clg_scenario one = scenario("gpt2", "h100-sxm", 1);
    e = evaluate(&one, layout(1, 1, 1, 8));
    CHECK(e.time.dp_exposed_s == 0 && e.time.straggler_s < 1e-3 * e.step_s);
    CASE("odd degrees work");
    clg_scenario odd = scenario("llama-2-7b", "h100-sxm", 56);
    e = evaluate(&odd, layout(7, 8, 1, 252));
    ledgers(&e);
    CASE("an illegal layout says which rule");
    clg_layout l = layout(64, 1, 1, 256);
    l.tp = 3;
    clg_evaluation none_of_it;
    CHECK(clg_evaluate(&arena, &s, &l, false, NULL, &none_of_it, &error) == CLG_BAD_INPUT);
    CHECK(error.message[0] != '\0');
}

static void pipelines(clg_scenario s) {
    clg_evaluation e;
    CASE("dualpipe holds both ends of the model, and works on each for half of the batches");
    clg_layout two_way = layout(2, 1, 4, 64);
    clg_evaluation straight = evaluate(&s, two_way);
    two_way.schedule = CLG_DUALPIPE;
    clg_evaluation both = evaluate(&s, two_way);
    ledgers(&both);
    CHECK_NEAR(both.executed_flop, straight.executed_flop, 1e-9);
    CHECK_NEAR(both.memory.weights_bytes,
               straight.stages[0].memory.weights_bytes + straight.stages[3].memory.weights_bytes,
               1e-9);
    CHECK(both.stages[0].layers == straight.stages[0].layers + straight.stages[3].layers);
    CHECK_NEAR(both.stages[0].memory.total_bytes, both.stages[3].memory.total_bytes, 1e-9);
    for (int kind = 0; kind < CLG_SCHEDULES; kind++) {
        two_way.schedule = (clg_schedule_kind)kind;
        CHECK(clg_layout_copies(&two_way) == clg_schedule_of(two_way.schedule)->weight_copies);
    }
    CASE("one micro-batch: the bubble is (p-1)/p of the pipeline");
    e = evaluate(&s, layout(8, 1, 8, 8));
    double share = e.time.bubble_s / (e.step_s - e.time.dp_exposed_s - e.time.optimizer_s -
                                      e.time.straggler_s - e.time.host_s);
    CHECK(share > 0.75 && share < 0.92);
}

static void walls(clg_scenario s) {
    CASE("traffic is one wall: more of it than of compute, though no kind alone is");
    int together = 0;
    clg_error error = {0};
    for (double gbit_per_s = 400; gbit_per_s > 1; gbit_per_s /= 1.5) {
        s.machine.fabric.gpu_bytes_per_s = gbit_per_s * 1e9 / 8;
        CHECK(clg_scenario_prepare(&arena, &s, &error) == CLG_OK);
        for (int tp = 2; tp <= 16; tp *= 2)
            for (int batch = 64; batch <= 1024; batch *= 2) {
                clg_layout l = layout(64 / tp, tp, 1, batch);
                clg_evaluation e = evaluate(&s, l);
                double compute = e.matrix_s + e.attention_s;
                double traffic = clg_ledger_traffic_s(&e.time);
                if (!e.fits) continue;
                CHECK((e.bound_by == CLG_WALL_COMPUTE) <= (traffic <= compute));
                double most = fmax(e.time.tp_exposed_s, e.time.dp_exposed_s);
                bool only_together = most < compute && traffic > compute;
                together += only_together;
                if (only_together)
                    CHECK(e.bound_by == (most == e.time.tp_exposed_s ? CLG_WALL_TP : CLG_WALL_DP));
            }
    }
    CHECK(together > 0);
}

static void loading(clg_scenario s) {
    CASE("exposed data loading is a part of its own, waited for like the rest");
    clg_layout l = layout(64, 1, 1, 256);
    clg_evaluation without = evaluate(&s, l);
    s.data_loading_s = 0.05;
    clg_evaluation with = evaluate(&s, l);
    CHECK(without.time.data_loading_s == 0);
    CHECK_NEAR(with.time.data_loading_s, 0.05, 1e-12);
    CHECK_NEAR(with.time.host_s, without.time.host_s, 1e-12);
    CHECK(with.step_s - without.step_s >= 0.05);
    CASE("MFU and HFU are shares of one peak");
    double peak = s.machine.gpu.peak_flop_per_s[CLG_BF16];
    CHECK_NEAR(with.hfu * peak, clg_executed_flop_per_s_per_gpu(&with), 1e-12);
    CHECK_NEAR(with.mfu * peak, with.model_flop_per_s_per_gpu, 1e-12);
}

static void recomputation(clg_scenario s) {
    CASE("recomputing more layers costs time and saves memory");
    clg_layout some = layout(8, 1, 1, 64);
    clg_evaluation least = evaluate(&s, some);
    some.recompute = CLG_RECOMPUTE_FULL;
    for (some.recompute_layers = 4; some.recompute_layers <= 32; some.recompute_layers *= 2) {
        clg_evaluation more = evaluate(&s, some);
        CHECK(more.step_s > least.step_s);
        CHECK(more.memory.activations_bytes <
              least.memory.activations_bytes * (some.recompute_layers == 4 ? 1.1 : 1));
        least = more;
    }
    CASE("recompute costs time and saves memory");
    clg_layout l = layout(8, 4, 2, 256);
    clg_evaluation none = evaluate(&s, l);
    l.recompute = CLG_RECOMPUTE_FULL;
    clg_evaluation full = evaluate(&s, l);
    CHECK(full.time.compute_s > none.time.compute_s * 1.2);
    CHECK(full.memory.activations_bytes < none.memory.activations_bytes / 3);
    CHECK(full.model_flop == none.model_flop);
    /* forward 1, backward 2, the head is not done again: a little under 4/3 */
    double again = full.executed_flop / none.executed_flop;
    CHECK(again > 1.29 && again < 4.0 / 3);
}

static void shards(clg_scenario s) {
    clg_evaluation e;
    CASE("zero 1 over parts of dp: larger states, one more reduction");
    clg_layout part = layout(64, 1, 1, 256);
    clg_evaluation whole = evaluate(&s, part);
    part.hsdp = 8;
    clg_evaluation parts = evaluate(&s, part);
    CHECK_NEAR(parts.memory.optimizer_bytes, 8 * whole.memory.optimizer_bytes, 1e-9);
    part.zero = 0;
    CHECK(clg_layout_refuses(&arena, &s.model, &part) != NULL);
    CASE("ZeRO stage n needs no more memory than stage n - 1");
    double before = INFINITY;
    for (int zero = 0; zero <= 3; zero++) {
        clg_layout l = layout(64, 1, 1, 256);
        l.zero = zero;
        e = evaluate(&s, l);
        CHECK(e.memory.total_bytes <= before * (1 + 1e-9));
        before = e.memory.total_bytes;
    }
}

static void speed(clg_scenario s) {
    CASE("more bandwidth never slows a plan");
    clg_scenario fast = s;
    clg_error error = {0};
    fast.machine.fabric.gpu_bytes_per_s = 2 * clg_machine_line_bytes_per_s(&s.machine);
    CHECK(clg_scenario_prepare(&arena, &fast, &error) == CLG_OK);
    for (int tp = 1; tp <= 16; tp *= 2)
        CHECK(evaluate(&fast, layout(64 / tp, tp, 1, 256)).step_s <=
              evaluate(&s, layout(64 / tp, tp, 1, 256)).step_s * (1 + 1e-9));
    CASE("tensor parallelism past the box is a cliff");
    double in = evaluate(&s, layout(8, 8, 1, 256)).step_s;
    double past = evaluate(&s, layout(4, 16, 1, 256)).step_s;
    CHECK(past > 1.4 * in);
    CASE("twice the batch: nearly twice the time, never less");
    double once = evaluate(&s, layout(64, 1, 1, 256)).step_s;
    double twice = evaluate(&s, layout(64, 1, 1, 512)).step_s;
    CHECK(twice > once && twice <= 2 * once * 1.01);
}

static void papers(void) {
    clg_evaluation e;
    clg_layout l;
    clg_error error = {0};
    CASE("activations of a GPT layer: Korthikanti et al. 2022, table 2");
    clg_scenario gpt = scenario("gpt3-175b", "a100-sxm-80gb", 64);
    CHECK(clg_stack_find(&arena, "megatron-2022", &gpt.stack, &error) == CLG_OK);
    CHECK(clg_scenario_prepare(&arena, &gpt, &error) == CLG_OK);
    l = layout(1, 8, 8, 64);
    l.seq = 2048;
    l.attention = CLG_UNFUSED;
    l.recompute = CLG_RECOMPUTE_SELECTIVE;
    e = evaluate(&gpt, l);
    /* s b h 34 / t per layer, 12 layers a stage, p micro-batches alive on the first stage */
    double paper = 2048.0 * 12288 * 34 / 8 * 12 * 8;
    CHECK_NEAR(e.stages[0].memory.activations_bytes, paper, 0.12);
    CASE("states of mixed-precision Adam: 18 bytes a parameter with fp32 gradients, ZeRO-0");
    l.zero = 0;
    e = evaluate(&gpt, l);
    clg_memory_ledger *m = &e.stages[3].memory;
    double parameters = (174604259328.0 - 51281.0 * 12288 - 2048.0 * 12288) / 64;
    CHECK_NEAR(m->weights_bytes + m->gradients_bytes + m->optimizer_bytes, 18 * parameters, 0.02);
}

static void experts_and_contexts(clg_scenario s) {
    clg_evaluation a, b;
    clg_layout flat, wide;
    CASE("expert parallelism: no traffic at degree 1, some above, fewer weights per rank");
    clg_scenario moe = scenario("mixtral-8x7b", "h100-sxm", 64);
    flat = wide = layout(32, 2, 1, 256);
    wide.ep = 8;
    a = evaluate(&moe, flat), b = evaluate(&moe, wide);
    CHECK(a.time.ep_exposed_s == 0 && b.time.ep_exposed_s > 0);
    CHECK(b.memory.weights_bytes < a.memory.weights_bytes / 3);
    CASE("context parallelism: traffic only above 1, activations divided");
    flat = layout(64, 1, 1, 64);
    flat.seq = 32768;
    wide = flat;
    wide.dp = 16, wide.cp = 4, wide.accumulation = 4;
    a = evaluate(&s, flat), b = evaluate(&s, wide);
    CHECK(b.time.cp_exposed_s >= 0 && a.time.cp_exposed_s == 0);
    CHECK(b.memory.activations_bytes < a.memory.activations_bytes / 3);
}

static void ledgers_of_many(clg_scenario s) {
    CASE("ledgers add up for many layouts");
    for (int tp = 1; tp <= 8; tp *= 2)
        for (int pp = 1; pp <= 8; pp *= 2) {
            clg_evaluation e = evaluate(&s, layout(64 / tp / pp, tp, pp, 256));
            ledgers(&e);
        }
}

static bool warns_of_batch(int gpus, int64_t batch, const char *words) {
    clg_scenario s = scenario("llama-2-7b", "h100-sxm", gpus);
    clg_layout l = plan_layout(4096);
    l.global_batch = batch;
    const char *caveats = clg_evaluate_caveats(&arena, &s, &l);
    return caveats && strstr(caveats, words);
}

/* 63 Mtok of 4,096 is 15,381 = 9 x 1,709 sequences; 15,381 / 8 ranks of one power of two at most:
 * 1,024, of which 15 are 15,360. */
static void batches(void) {
    CASE("a batch that next to nothing divides names the nearest that many ranks share");
    CHECK(warns_of_batch(2048, 15381, "15381 sequences divide over few"));
    CHECK(warns_of_batch(2048, 15381, "15360 (62.91 Mtok) would over up to 1024"));
    CHECK(!warns_of_batch(2048, 15360, "divide over few"));
    CHECK(!warns_of_batch(2048, 4000, "divide over few")); /* 4,000 = 32 x 125 */
    CHECK(!warns_of_batch(8, 15381, "divide over few"));
}

/* Curves of a 700 W board, of which 83 % last: (580 / 700)^(1/3) of it at 580 W. */
static void limited(void) {
    CASE("a box that limits its GPUs slows products by the cube root of their watts");
    clg_scenario s = scenario("llama-2-7b", "gh200-96gb", 4);
    CHECK(s.machine.gpu.tdp_w == 580);
    CHECK_NEAR(s.kernels.gemm[CLG_BF16].sustained, 0.83 * 0.93925, 1e-4);
    clg_error error = {0};
    s.machine.node.gpu_limit_w = 0, s.machine.gpu.tdp_w = 900;
    CHECK(clg_scenario_prepare(&arena, &s, &error) == CLG_OK && s.machine.gpu.tdp_w == 900);
    CHECK_NEAR(s.kernels.gemm[CLG_BF16].sustained, 0.83, 1e-12);
}

int main(void) {
    clg_scenario s = scenario("llama-2-7b", "h100-sxm", 64);
    degrees(s);
    pipelines(s);
    recomputation(s);
    walls(s);
    loading(s);
    shards(s);
    speed(s);
    papers();
    experts_and_contexts(s);
    ledgers_of_many(s);
    batches();
    limited();
    clg_arena_clear(&arena);
    return DONE;
}
