/* Laws by hand, and the limits of curves. */
#include "explain/sensitivity.h"
#include "model/preset.h"
#include "scaling/curve.h"
#include "scaling/ladder.h"
#include "test.h"

static clg_arena arena;

static clg_scenario scenario(const char *model) {
    clg_scenario s = {.expert_imbalance = 1};
    clg_error e = {0};
    CHECK(clg_model_find(&arena, model, &s.model, &e) == CLG_OK);
    CHECK(clg_gpu_find(&arena, "h100-sxm", &s.machine.gpu, &e) == CLG_OK);
    CHECK(clg_node_default(&arena, &s.machine.gpu, &s.machine.node, &e) == CLG_OK);
    CHECK(clg_fabric_find(&arena, s.machine.node.fabric, &s.machine.fabric, &e) == CLG_OK);
    CHECK(clg_stack_find(&arena, "megatron-2024", &s.stack, &e) == CLG_OK);
    s.machine.gpus = 8;
    CHECK(clg_scenario_prepare(&arena, &s, &e) == CLG_OK);
    return s;
}

static double law(const clg_critical_batch *c, const char *name) {
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->law[i].name, name) == 0) return c->law[i].tokens;
    return -1;
}

static void laws(void) {
    clg_error e = {0};
    clg_critical_batch c;
    clg_model m;
    CHECK(clg_model_find(&arena, "llama-3.1-405b", &m, &e) == CLG_OK);
    CASE("Zhang et al.: 27 Mtok at 15 T tokens (93.2 x 512 x 750,000^0.468)");
    CHECK(clg_critical_batch_find(&arena, &m, 15e12, 0, &c, &e) == CLG_OK);
    CHECK(c.count >= 3);
    CHECK_NEAR(law(&c, "zhang-2024"), 26.8e6, 0.01);
    CASE("DeepSeek: 0.292 (6 N D)^0.3271");
    CHECK_NEAR(law(&c, "deepseek-2024"), 0.292 * pow(6 * 405853388800.0 * 15e12, 0.3271), 1e-9);
    CASE("Kaplan: 7.75 Mtok at a loss of 2");
    double loss;
    CHECK(clg_expected_loss(&arena, 1e30, 1e30, &loss, &e) == CLG_OK);
    CHECK_NEAR(loss, 1.69, 1e-3);
    CHECK_NEAR(2.1e8 / pow(2, 1 / 0.21), 7.74e6, 0.01);
    CHECK(clg_expected_loss(&arena, 405853388800.0, 15e12, &loss, &e) == CLG_OK);
    CHECK_NEAR(law(&c, "kaplan-2020"), 2.1e8 / pow(loss, 1 / 0.21), 1e-3);
    CASE("the band holds the laws, and its middle");
    CHECK(c.low_tokens <= c.tokens && c.tokens <= c.high_tokens);
    CASE("at the critical batch twice the samples, far below it none more");
    CHECK_NEAR(clg_samples_ratio(8e6, 8e6), 2, 1e-12);
    CHECK_NEAR(clg_balanced_parameters(70e9, 1.4e12), 70e9, 1); /* Chinchilla's own */
    CHECK_NEAR(clg_balanced_parameters(280e9, 3e11), 64.8e9,
               1e8); /* Gopher's computing: 63 to 70 */
    CHECK_NEAR(clg_samples_ratio(8, 8e6), 1, 1e-5);
    CHECK(clg_samples_ratio(1e9, INFINITY) == 1);
}

static clg_curve *curve(const clg_scenario *s, clg_scale_mode mode, double critical,
                        int64_t batch) {
    clg_space space = {.seq = 4096,
                       .global_batch = batch,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = 1};
    clg_scale_request ask = {.gpus = {8, 16, 32, 64, 128, 256, 512, 1024},
                             .count = 8,
                             .mode = mode,
                             .train_tokens = 1e12,
                             .critical_tokens = critical,
                             .knee_share = 0.5};
    clg_curve *c = clg_take(&arena, 1, clg_curve);
    clg_error e = {0};
    CHECK(clg_scale(&arena, s, &space, &ask, (clg_progress){0}, c, &e) == CLG_OK);
    return c;
}

static void ladder(const clg_scenario *s) {
    clg_error e = {0};
    clg_model m;
    CASE("a ladder of Llama 3 8B: 405B is near the published one (hidden 16,384, 126 layers)");
    clg_model small;
    CHECK(clg_model_find(&arena, "llama-3-8b", &small, &e) == CLG_OK);
    CHECK(clg_ladder_model(&arena, &small, 405e9, &m, &e) == CLG_OK);
    CHECK_NEAR((double)m.parameters, 405e9, 0.02);
    CHECK_NEAR((double)m.hidden, 16384, 0.12);
    CHECK_NEAR(m.layers, 126, 0.25);
    CHECK(m.kind[0].attention.kv_heads == 8 && m.vocab == small.vocab);
    CASE("its own size is itself; a model of several kinds of layers has no ladder");
    CHECK(clg_ladder_model(&arena, &small, (double)small.active_parameters, &m, &e) == CLG_OK);
    CHECK(m.parameters == small.parameters && m.layers == small.layers);
    CHECK(clg_model_find(&arena, "deepseek-v3", &small, &e) == CLG_OK);
    CHECK(clg_ladder_model(&arena, &small, 1e9, &m, &e) == CLG_BAD_INPUT);
    CASE("grow: parameters and tokens with the root of the GPUs, work per GPU stays");
    clg_curve *c = curve(s, CLG_GROW, 0, 256);
    for (int i = 0; i < 8; i++) {
        const clg_scale_point *p = &c->point[i];
        double root = sqrt((double)p->gpus / 8);
        CHECK_NEAR((double)p->model->active_parameters, 6738415616.0 * root, 0.06);
        CHECK_NEAR(p->train_tokens / (double)p->model->active_parameters, 1e12 / 6738415616.0,
                   1e-9);
        if (!p->runs) continue;
        double ideal = c->point[0].seconds_to_target;
        CHECK_NEAR(p->seconds_to_target * p->efficiency / ideal, 1, 0.15);
    }
    CASE("grow without a wall: the batch grows as the laws do all the same");
    clg_curve *free_of = curve(s, CLG_GROW, INFINITY, 256);
    CHECK(free_of->point[7].batch_growth == c->point[7].batch_growth);
    CHECK(!free_of->point[7].past_dp_cap && free_of->point[7].samples_ratio == 1);
    CASE("grow: the critical batch grows with the model, the batch with it");
    CHECK(c->point[7].critical_tokens > 2 * c->point[0].critical_tokens);
    CHECK(c->point[7].plan.layout.global_batch > 2 * 256);
}

static void margins(const clg_scenario *s) {
    CASE("margins: the first point is its mean, later ones what the step bought");
    clg_scenario priced = *s;
    priced.price.usd_per_s = 3.0 / 3600;
    clg_curve *c = curve(&priced, CLG_STRONG, INFINITY, 64);
    const clg_scale_point *p = c->point;
    CHECK_NEAR(p[0].marginal_per_gpu, p[0].plan.tokens_per_s_per_gpu, 1e-9);
    CHECK_NEAR(p[1].marginal_per_gpu, (p[1].plan.tokens_per_s - p[0].plan.tokens_per_s) / 8, 1e-9);
    CHECK_NEAR(p[1].marginal_per_usd_per_h, p[1].marginal_per_gpu / 3, 1e-9);
    CHECK(p[7].marginal_per_w < p[0].marginal_per_w);
    CASE("knees: money and energy knees come after the knee in time; infinite patience has none");
    CHECK(c->knee >= 0 && c->knee <= c->knee_usd && c->knee_usd <= c->knee_j);
    CHECK_NEAR(p[0].usd_to_target, p[0].seconds_to_target * 8 * 3.0 / 3600, 1e-9);
    CHECK(p[c->knee_usd].usd_to_target <= 2 * p[0].usd_to_target * 1.001);
    CHECK(curve(&priced, CLG_WEAK, INFINITY, 64)->knee_usd == -1);
}

static void strong_and_weak(clg_scenario s) {
    CASE("strong: efficiency starts at 1 and decays; tokens/s still grow");
    clg_curve *c = curve(&s, CLG_STRONG, 4e6, 256);
    CHECK_NEAR(c->point[0].efficiency, 1, 1e-12);
    CHECK(c->point[7].efficiency < 0.95);
    for (int i = 1; i < 8; i++)
        CHECK(c->point[i].plan.tokens_per_s > c->point[i - 1].plan.tokens_per_s);
    CASE("E = 1 / (1 + c): c is all exposed traffic over the rest of the step");
    for (int i = 0; i < 8; i++) {
        const clg_time_ledger *t = &c->point[i].plan.time;
        double rest = c->point[i].plan.step_s - t->tp_exposed_s - t->cp_exposed_s -
                      t->ep_exposed_s - t->dp_exposed_s - t->pp_exposed_s;
        CHECK_NEAR(c->point[i].bound_efficiency, rest / c->point[i].plan.step_s, 1e-12);
    }
    CHECK(c->point[7].plan.time.dp_exposed_s > 0);
    CASE("weak: efficiency holds");
    c = curve(&s, CLG_WEAK, 4e6, 64);
    CHECK(c->point[7].efficiency > 0.9);
    CHECK(c->point[7].plan.layout.global_batch == 64 * 128);
    CASE("past the critical batch more tokens are needed, and the point says so");
    CHECK(c->point[7].past_dp_cap && !c->point[0].past_dp_cap);
    CHECK(c->point[7].samples_ratio > 5);
    CASE("the target is the same wherever a curve begins: as asked, then (1 + B/B_crit) / 2 times");
    for (int i = 0; i < 8; i++) {
        const clg_scale_point *p = &c->point[i];
        double over = p->samples_ratio / 2;
        CHECK_NEAR(p->tokens_needed, 1e12 * (over > 1 ? over : 1), 1e-12);
        CHECK(p->past_critical_batch == (over > 1));
        CHECK_NEAR(p->seconds_to_target * p->plan.tokens_per_s, p->tokens_needed, 1e-12);
    }
}

static void walls(clg_scenario s) {
    clg_curve *c;
    CASE("no wall: no cap, no point past it");
    c = curve(&s, CLG_WEAK, INFINITY, 64);
    CHECK(isinf(c->dp_cap_gpus));
    for (int i = 0; i < 8; i++) CHECK(!c->point[i].past_dp_cap && c->point[i].samples_ratio == 1);
    CASE("the cap: sequences in the critical batch, by micro-batch, times the GPUs of a copy");
    const clg_curve *capped = curve(&s, CLG_STRONG, 3.3e6, 256); /* 805 sequences of 4,096 */
    const clg_layout *first = &capped->point[0].plan.layout;
    CHECK_NEAR(capped->dp_cap_gpus,
               (double)(805 / first->micro_batch) * first->tp * first->cp * first->pp, 1e-12);
    CASE("weak: the cap is where the batch is critical: 8 GPUs x 805.7 of 64 sequences");
    c = curve(&s, CLG_WEAK, 3.3e6, 64);
    CHECK_NEAR(c->dp_cap_gpus, 8 * (3.3e6 / 4096) / 64, 1e-12);
    for (int i = 0; i < 8; i++)
        CHECK(c->point[i].past_dp_cap == ((double)c->point[i].gpus > c->dp_cap_gpus));
    CASE("weak: the knee is the batch's doing; strong: the network's");
    CHECK(c->knee >= 0 && c->knee_of_batch && !capped->knee_of_batch);
    CASE("the knee is the last size before the first step that buys less than its share");
    for (int i = 1; i <= capped->knee; i++) CHECK(capped->point[i].marginal_share >= 0.5);
    CHECK(capped->knee < 0 || capped->point[capped->knee + 1].marginal_share < 0.5);
    CASE("the cap moves right with the critical batch");
    CHECK(curve(&s, CLG_STRONG, 8e6, 256)->dp_cap_gpus >
          1.9 * curve(&s, CLG_STRONG, 4e6, 256)->dp_cap_gpus);
}

static void limits_moved(clg_scenario s) {
    clg_error e = {0};
    clg_curve *c;
    CASE("a network without limits: no exposed traffic, efficiency stays near 1");
    clg_scenario fast = s;
    fast.machine.node.link_bytes_per_s *= 1e6;
    fast.machine.gpu.fast_link_bytes_per_s *= 1e6;
    fast.machine.fabric.bytes_per_s *= 1e6;
    fast.machine.node.nic_bytes_per_s *= 1e6;
    fast.machine.node.link_latency_s = fast.machine.fabric.latency_s = 1e-12;
    fast.stack.sigma.jitter = 0;
    CHECK(clg_scenario_prepare(&arena, &fast, &e) == CLG_OK);
    c = curve(&fast, CLG_WEAK, INFINITY, 64);
    CHECK(c->point[7].communication_fraction < 0.05);
    CHECK_NEAR(c->point[7].efficiency, 1, 0.05);
    CASE("a larger model holds efficiency longer");
    clg_scenario large = scenario("llama-2-70b");
    clg_curve *of_large = curve(&large, CLG_STRONG, 4e6, 256);
    clg_curve *of_small = curve(&s, CLG_STRONG, 4e6, 256);
    CHECK(of_large->point[7].plan.mfu > of_small->point[7].plan.mfu);
    CASE("elasticities: between 0 and 1, tensor rate the largest for a compute-bound plan");
    clg_sensitivity r[CLG_RESOURCES];
    CHECK(clg_sensitivities(&arena, &s, &of_small->point[0].plan.layout, r, &e) == CLG_OK);
    double sum = 0;
    for (int i = 0; i < CLG_RESOURCES; i++) {
        CHECK(r[i].elasticity > -1e-6 && r[i].elasticity < 1);
        CHECK(r[i].elasticity <= r[0].elasticity + 1e-9);
        sum += r[i].elasticity;
    }
    CHECK(sum < 1.02);
}

int main(void) {
    laws();
    clg_scenario s = scenario("llama-2-7b");
    strong_and_weak(s);
    walls(s);
    ladder(&s);
    margins(&s);
    limits_moved(s);
    clg_arena_clear(&arena);
    return DONE;
}
