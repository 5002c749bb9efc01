/* What to measure: shares of an interval, what a reading takes of them, and what is chosen. */
#include "calibrate/measure.h"
#include "plan.h"

static clg_arena arena;

/* An 8B model on `gpus` H100, all of them copies. */
static clg_scenario scenario_of(int gpus) {
    return plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2026", gpus);
}

static clg_layout copies(int gpus) {
    clg_layout l = plan_layout(4096);
    l.dp = gpus;
    l.zero = 1;
    l.accumulation = 8;
    l.global_batch = 8 * gpus;
    return l;
}

static clg_agenda *agenda_of(const clg_measure_ask *ask) {
    clg_agenda *a = clg_take(&arena, 1, clg_agenda);
    clg_error error = {0};
    bool ok = clg_measure(&arena, ask, a, &error) == CLG_OK;
    if (!ok) printf("  %s\n", error.message);
    CHECK(ok);
    return a;
}

static const clg_measurement *find(const clg_measurement *list, int count,
                                   clg_measurement_kind kind, int gpus) {
    for (int i = 0; i < count; i++)
        if (list[i].kind == kind && list[i].gpus == gpus) return &list[i];
    return NULL;
}

static void derivatives(void) {
    double weight[CLG_DOUBT_TERMS];
    clg_error error = {0};
    CASE("derivatives of what nothing hides behind are shares of the step");
    clg_scenario alone = scenario_of(1);
    alone.stack.sigma.jitter = 0;
    clg_layout single = copies(1);
    single.offload = true;
    clg_evaluation one = plan_evaluation(&arena, &alone, single);
    CHECK(clg_doubts_weights(&arena, &alone, &one, weight, &error) == CLG_OK);
    CHECK_NEAR(weight[CLG_DOUBT_PRODUCTS], one.matrix_s / one.step_s, 0.05);
    CHECK_NEAR(weight[CLG_DOUBT_ATTENTION], one.attention_s / one.step_s, 0.05);
    CHECK(weight[CLG_DOUBT_INSIDE] == 0 && weight[CLG_DOUBT_BETWEEN] == 0);
}

static void twin_plans(clg_scenario s, clg_evaluation e) {
    CASE("two plans alike: a coin until both were run");
    clg_evaluation twins[2] = {e, e};
    clg_measure_ask ask = {&s, twins, 2, 3600, 64};
    clg_agenda *a = agenda_of(&ask);
    CHECK_NEAR(a->now.right, 0.5, 1e-9);
    CHECK(a->count == 2 && a->chosen[0].plan != a->chosen[1].plan);
    /* They differ by 0.04, of which two readings of 0.01 leave 0.04 x 0.0141/0.0424: what is lost
     * falls from 0.04 / sqrt(2 pi). */
    CHECK_NEAR(a->now.regret, 0.04 / sqrt(2 * acos(-1)), 1e-3);
    CHECK_NEAR(a->after[1].regret,
               (0.04 - sqrt(0.04 * 0.04 - 2 * 1 / (1 / 0.0008 + 1 / 0.0001))) / sqrt(2 * acos(-1)),
               1e-3);
    CHECK(a->after[1].right > 0.85);
    CASE("one that is far behind needs no measuring");
    twins[1].tokens_per_s = e.tokens_per_s / 2;
    a = agenda_of(&ask);
    CHECK(a->now.right > 0.999);
}

static void plans_run(clg_scenario s, clg_evaluation e) {
    CASE("the plan itself, run, leaves the noise of its reading");
    clg_measure_ask ask = {&s, &e, 1, 3600, 64};
    clg_agenda *a = agenda_of(&ask);
    const clg_measurement *m = find(a->all, a->candidates, CLG_MEASURE_STEP, 64);
    CHECK(m != NULL);
    CHECK_NEAR(a->alone[m - a->all].log_sigma, 0.01, 0.02);
    CASE("on fewer nodes at least what plans of one job differ by, and less than now");
    m = find(a->all, a->candidates, CLG_MEASURE_STEP, 8);
    CHECK(m != NULL && m->layout.dp == 8 && m->layout.global_batch == 64);
    CHECK(a->alone[m - a->all].log_sigma > 0.027 && a->alone[m - a->all].log_sigma < e.log_sigma);

    CASE("links between nodes that no plan's step hangs on are not measured");
    clg_scenario box = scenario_of(8);
    clg_evaluation inside = plan_evaluation(&arena, &box, copies(8));
    ask = (clg_measure_ask){&box, &inside, 1, 1800, 8};
    a = agenda_of(&ask);
    for (int i = 0; i < a->candidates; i++) CHECK(a->all[i].nodes == 1);
}

static void limited(clg_scenario s, clg_evaluation e) {
    CASE("each measurement narrows; budget and GPUs hold");
    clg_measure_ask ask = {&s, &e, 1, 600, 16};
    clg_agenda *a = agenda_of(&ask);
    double seconds = 0, before = a->now.log_sigma;
    CHECK(a->count > 0);
    for (int i = 0; i < a->count; i++) {
        seconds += a->chosen[i].seconds;
        CHECK(a->after[i].log_sigma < before && a->chosen[i].gpus <= 16);
        before = a->after[i].log_sigma;
    }
    CHECK(seconds <= 600);
}

static void interval(clg_scenario s, clg_evaluation e) {
    double weight[CLG_DOUBT_TERMS];
    clg_error error = {0};
    CASE("the interval is that of the plan, and its shares are all of it");
    clg_measure_ask ask = {&s, &e, 1, 1800, 64};
    clg_agenda *a = agenda_of(&ask);
    CHECK_NEAR(a->now.p10_s, e.step_p10_s, 1e-9);
    CHECK_NEAR(a->now.p90_s, e.step_p90_s, 1e-9);
    double sum = a->own_share;
    for (int i = 0; i < CLG_DOUBT_TERMS; i++) sum += a->share[i];
    CHECK_NEAR(sum, 1, 1e-9);

    CASE("by hand: products of variance v weighed w, read with noise n, leave v n/(v + n) of v");
    const clg_measurement *m = find(a->all, a->candidates, CLG_MEASURE_PRODUCTS, 1);
    CHECK(m != NULL && m->readings == 1);
    double v = a->doubts.sigma[CLG_DOUBT_PRODUCTS] * a->doubts.sigma[CLG_DOUBT_PRODUCTS],
           n = 0.0036;
    CHECK(clg_doubts_weights(&arena, &s, &e, weight, &error) == CLG_OK);
    double w = weight[CLG_DOUBT_PRODUCTS];
    double whole = e.log_sigma * e.log_sigma, then = sqrt(whole - w * w * v * v / (v + n));
    CHECK_NEAR(a->alone[m - a->all].p10_s, e.step_s / (1 + 1.2816 * then), 1e-6);
}

int main(void) {
    clg_scenario s = scenario_of(64);
    clg_evaluation e = plan_evaluation(&arena, &s, copies(64));

    derivatives();
    interval(s, e);
    limited(s, e);
    plans_run(s, e);
    twin_plans(s, e);
    clg_arena_clear(&arena);
    return DONE;
}
