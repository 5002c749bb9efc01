/* A fit finds the terms that made the samples, through noise and outliers, and says what it cannot
 * know. */
#include "calibrate/minimize.h"
#include "plan.h"
#include "synthetic.h"

static clg_arena arena;

static double banana(void *context, const double *x) {
    (*(int *)context)++;
    return 100 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2);
}

static clg_machine machine(void) {
    clg_machine m = {.gpus = 128};
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "h100-sxm", &m.gpu, &e) == CLG_OK);
    CHECK(clg_node_default(&arena, &m.gpu, &m.node, &e) == CLG_OK);
    CHECK(clg_fabric_find(&arena, m.node.fabric, &m.fabric, &e) == CLG_OK);
    return m;
}

static clg_network built_in(const clg_machine *m) {
    clg_network n = {0};
    clg_error e = {0};
    CHECK(clg_network_find(&arena, m, &n, &e) == CLG_OK);
    return n;
}

static clg_network truth(const clg_machine *m) {
    clg_network n = built_in(m);
    n.base_s = 9e-6;
    n.fast.latency_s = 1.7e-6;
    n.ramp_bytes = 20e6;
    n.fast.bytes_per_s = 0.8 * m->node.link_bytes_per_s;
    n.in_switch_bytes_per_s = 0.6 * m->node.link_bytes_per_s;
    n.base_slow_s = 25e-6;
    n.slow.latency_s = 7e-6;
    n.ramp_slow_bytes = 6e6;
    n.slow.bytes_per_s *= 0.7;
    n.tail = 0.06;
    return n;
}

static int fit_network(const clg_machine *m, double spread, int wild, clg_calibration list[2],
                       clg_network *fitted) {
    clg_network known = truth(m);
    clg_samples samples = {0};
    int count = 0;
    *fitted = built_in(m);
    synthetic_collectives(&arena, &known, spread, wild, &samples);
    clg_calibrate_network(&arena, m, fitted, &samples, list, &count);
    return count;
}

static void check_network(const clg_network *n, const clg_network *t, double within) {
    CHECK_NEAR(n->base_s, t->base_s, within);
    CHECK_NEAR(n->fast.latency_s, t->fast.latency_s, within);
    CHECK_NEAR(n->ramp_bytes, t->ramp_bytes, within);
    CHECK_NEAR(n->fast.bytes_per_s, t->fast.bytes_per_s, within);
    CHECK_NEAR(n->in_switch_bytes_per_s, t->in_switch_bytes_per_s, within);
    CHECK_NEAR(n->base_slow_s, t->base_slow_s, within);
    CHECK_NEAR(n->slow.latency_s, t->slow.latency_s, within);
    CHECK_NEAR(n->ramp_slow_bytes, t->ramp_slow_bytes, 2 * within);
    CHECK_NEAR(n->slow.bytes_per_s, t->slow.bytes_per_s, within);
    CHECK_NEAR(n->tail, t->tail, 4 * within);
}

static void test_minimize(void) {
    CASE("minimize: Rosenbrock's valley, the same way twice");
    int calls = 0, again = 0;
    double x[2] = {-1.2, 1}, y[2] = {-1.2, 1};
    clg_minimize(banana, &calls, x, 2, 4000);
    clg_minimize(banana, &again, y, 2, 4000);
    CHECK_NEAR(x[0], 1, 1e-3);
    CHECK_NEAR(x[1], 1, 1e-3);
    CHECK(calls == again && x[0] == y[0] && x[1] == y[1]);
    CASE("minimize: never worse than the start, also without a budget");
    double z[2] = {1, 1};
    calls = 0;
    CHECK(clg_minimize(banana, &calls, z, 2, 1) <= 1e-12);
}

static void test_network(void) {
    clg_machine m = machine();
    clg_network known = truth(&m), fitted;
    clg_calibration list[2];
    CASE("links: exact samples give the terms back");
    CHECK(fit_network(&m, 0, 0, list, &fitted) == 2);
    check_network(&fitted, &known, 0.03);
    CHECK(list[0].fit.after.median < 0.005 && list[1].fit.after.median < 0.005);
    CHECK(list[0].fit.before.median > list[0].fit.after.median);
    CASE("links: 8 % noise");
    fit_network(&m, 0.08, 0, list, &fitted);
    check_network(&fitted, &known, 0.12);
    CHECK(list[0].fit.held_out.median < 1.5 * list[0].fit.after.median);
    CHECK(list[1].fit.held_out.median < 1.5 * list[1].fit.after.median);
    CASE("links: noise, and every ninth sample three times too slow");
    fit_network(&m, 0.05, 9, list, &fitted);
    check_network(&fitted, &known, 0.15);
    CHECK(list[0].fit.after.median < 0.06 && list[0].fit.after.p90 > 0.5);
    CASE("links: the interval widens with what the fit cannot explain");
    CHECK(list[0].sigma_to > list[0].sigma_from);
}

static void test_undetermined(void) {
    clg_machine m = machine();
    clg_network known = truth(&m), fitted = built_in(&m);
    clg_samples samples = {0};
    clg_calibration list[2];
    int count = 0;
    CASE("links: one size of one group: the bandwidth moves, latencies stay and say why");
    for (int i = 0; i < 4; i++) {
        clg_sample s = {.kind = CLG_SAMPLE_COLLECTIVE,
                        .collective = CLG_ALL_GATHER,
                        .ranks = 8,
                        .nodes = 1,
                        .bytes = 4e9,
                        .gpu = ""};
        clg_collective_best(&known, s.collective, (clg_group){8, 8}, s.bytes, &s.seconds);
        clg_samples_add(&arena, &samples, &s);
    }
    clg_calibrate_network(&arena, &m, &fitted, &samples, list, &count);
    CHECK(count == 1);
    CHECK(synthetic_term(&list[0], "base")->held && synthetic_term(&list[0], "ramp")->held);
    CHECK(!synthetic_term(&list[0], "efficiency")->held);
    CHECK(list[0].fit.after.median < 0.002);
    CHECK(list[0].sigma_to <= list[0].sigma_from);
    CASE("links: one group size: latencies move in proportion");
    samples.count = count = 0;
    for (double bytes = 8; bytes < 1e10; bytes *= 2) {
        clg_sample s = {.kind = CLG_SAMPLE_COLLECTIVE,
                        .collective = CLG_ALL_GATHER,
                        .ranks = 8,
                        .nodes = 1,
                        .bytes = bytes,
                        .gpu = ""};
        clg_collective_best(&known, s.collective, (clg_group){8, 8}, s.bytes, &s.seconds);
        clg_samples_add(&arena, &samples, &s);
    }
    fitted = built_in(&m);
    clg_calibrate_network(&arena, &m, &fitted, &samples, list, &count);
    CHECK(synthetic_term(&list[0], "hop")->tied != NULL);
    CHECK_NEAR(fitted.base_s + 7 * fitted.fast.latency_s, 9e-6 + 7 * 1.7e-6, 0.03);
}

static void fit_products(double spread, int wild, double within) {
    clg_machine m = machine();
    clg_kernels kernels, known;
    clg_error e = {0};
    clg_samples samples = {0};
    clg_calibration list[CLG_PRECISIONS];
    int count = 0;
    CHECK(clg_kernels_find(&arena, &m.gpu, &kernels, &e) == CLG_OK);
    known = kernels;
    clg_gemm_curve *c = &known.gemm[CLG_BF16];
    *c = (clg_gemm_curve){.efficiency = 0.7,
                          .k_overhead = 350,
                          .tail_share = 0.5,
                          .launch_s = 4e-6,
                          .medium_tile = 0.85,
                          .small_tile = 0.8,
                          .hbm_efficiency = 0.75,
                          .sustained = 1,
                          .known = true};
    synthetic_products(&arena, &m.gpu, &known, spread, wild, &samples);
    clg_calibrate_gemm(&arena, &m.gpu, &kernels, &samples, list, &count);
    CHECK(count == 1);
    CHECK_TEXT(list[0].part, "bf16");
    CHECK_NEAR(synthetic_term(&list[0], "efficiency")->to, 0.7, within);
    CHECK_NEAR(synthetic_term(&list[0], "launch")->to, 4e-6, within);
    CHECK_NEAR(synthetic_term(&list[0], "hbm_efficiency")->to, 0.75, within);
    CHECK_NEAR(synthetic_term(&list[0], "k_overhead")->to, 350, 2 * within);
    CHECK(list[0].fit.held_out.median < 1.5 * list[0].fit.after.median + 0.001);
    CHECK(list[0].fit.after.median < list[0].fit.before.median / 2);
}

static void test_products(void) {
    CASE("products: exact samples give the curve back");
    fit_products(0, 0, 0.03);
    CASE("products: 8 % noise");
    fit_products(0.08, 0, 0.1);
    CASE("products: noise, and every seventh three times too slow");
    fit_products(0.05, 7, 0.1);
}

/* Llama 2 7B on 2^(3+i) H100 under a stack with a third slower kernels and 90 ms on the host. */
static int make_steps(clg_scenario *s, clg_measured_step *steps, int count) {
    clg_error e = {0};
    for (int i = 0; i < count; i++) {
        s[i] = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 8 << i);
        steps[i] = (clg_measured_step){.scenario = &s[i], .layout = plan_layout(4096)};
        clg_layout *l = &steps[i].layout;
        l->global_batch = 64, l->dp = 8 << i, l->accumulation = 8 >> i, l->zero = 1;
        l->recompute = CLG_RECOMPUTE_FULL;
        clg_scenario own = s[i];
        clg_evaluation v;
        own.stack.kernels.slowdown = 1.33 * 1.06;
        own.stack.host.step_s = 0.09;
        CHECK(clg_evaluate(&arena, &own, &steps[i].layout, false, NULL, &v, &e) == CLG_OK);
        steps[i].step_s = v.step_s;
    }
    return count;
}

static void test_steps(void) {
    clg_scenario s[4];
    clg_measured_step steps[4];
    clg_calibration c;
    make_steps(s, steps, 4);
    CASE("steps: four find both terms, but for the pull of a few steps' prior");
    clg_calibrate_steps(&arena, steps, 4, &c);
    CHECK_NEAR(synthetic_term(&c, "kernel_slowdown")->to, 1.33 * 1.06, 0.05);
    CHECK_NEAR(synthetic_term(&c, "host_step_s")->to, 0.09, 0.3);
    CHECK(synthetic_term(&c, "gradient_overlap")->held != NULL);
    CHECK(c.fit.after.p90 < 0.02 && c.sigma_to < c.sigma_from);
    CASE("steps: two are met nearly, and it says that this proves nothing");
    clg_measured_step pair[2] = {steps[0], steps[3]};
    clg_calibrate_steps(&arena, pair, 2, &c);
    CHECK(c.fit.after.p90 < 0.05 && c.sigma_to == c.sigma_from);
    CHECK(strstr(c.notes, "two steps") != NULL);
    CASE("steps: three that disagree move nothing");
    double scale[3] = {1.3, 0.75, 1};
    make_steps(s, steps, 3);
    for (int i = 0; i < 3; i++) steps[i].step_s *= scale[i] / 1.4;
    clg_calibrate_steps(&arena, steps, 3, &c);
    CHECK(synthetic_term(&c, "kernel_slowdown")->held != NULL);
    CHECK(strstr(c.notes, "built-in values stand") != NULL && c.sigma_to > c.sigma_from);
    make_steps(s, steps, 4);
    CASE("steps: one is underdetermined, and it says so");
    clg_calibrate_steps(&arena, steps, 1, &c);
    CHECK(c.fit.after.p90 < 0.05 && c.sigma_to == c.sigma_from);
    CHECK(strstr(c.notes, "underdetermined") != NULL);
    CHECK(synthetic_term(&c, "host_step_s")->held != NULL);
}

int main(void) {
    test_minimize();
    test_network();
    test_undetermined();
    test_products();
    test_steps();
    clg_arena_clear(&arena);
    return DONE;
}
