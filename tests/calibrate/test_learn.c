/* A measured step against its own prediction: who takes the difference, what stays open. */
#include "calibrate/learn.h"
#include "plan.h"

static clg_arena arena;

static clg_learned learn(const clg_scenario *s, const clg_evaluation *e, double measured_s) {
    clg_learned l;
    clg_error error = {0};
    CHECK(clg_learn_step(&arena, s, e, measured_s, &l, &error) == CLG_OK);
    return l;
}

int main(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2026", 8);
    clg_layout layout = plan_layout(4096);
    layout.dp = 8, layout.zero = 1, layout.accumulation = 8, layout.global_batch = 64;
    clg_evaluation e = plan_evaluation(&arena, &s, layout);
    clg_learned same = learn(&s, &e, e.step_s), late = learn(&s, &e, 1.1 * e.step_s);
    double variance = same.own.before * same.own.before, moved = late.own.moved;
    for (int i = 0; i < CLG_DOUBT_TERMS; i++) {
        variance += same.term[i].before * same.term[i].before;
        moved += late.term[i].moved;
    }
    CASE("a step as predicted moves nothing, and what is open of it is the reading's noise");
    CHECK_NEAR(same.step_s, e.step_s, 1e-12);
    CHECK(same.p90_s < e.step_p90_s && same.p10_s > e.step_p10_s);
    CHECK_NEAR(same.p90_s / same.step_s - 1, 1.2816 * 0.01, 2e-2); /* 0.01^2 beside 0.14^2 */
    CASE("a tenth later: terms take of ln 1.1 what is theirs of the variance, noise 0.01^2 the "
         "rest");
    CHECK_NEAR(moved, log(1.1) * variance / (variance + 1e-4), 1e-9);
    CHECK_NEAR(late.step_s, e.step_s * exp(moved), 1e-9);
    const clg_learned_term *software = &late.term[CLG_DOUBT_SOFTWARE];
    const clg_learned_term *products = &late.term[CLG_DOUBT_PRODUCTS];
    CHECK_NEAR(software->moved / products->moved, pow(software->before / products->before, 2),
               1e-9);
    CASE("a term is known better, but not as well as the step");
    CHECK_NEAR(pow(software->after, 2),
               pow(software->before, 2) - pow(software->before, 4) / (variance + 1e-4), 1e-9);
    CASE("the stack's interval narrows, but never below what is each plan's own");
    CHECK(late.stack_sigma < s.stack.sigma.step && late.stack_sigma > late.own.before);
    CASE("half as fast is no reading of terms");
    clg_learned sick = learn(&s, &e, 2 * e.step_s);
    CHECK(sick.beyond && !late.beyond);
    CHECK_NEAR(sick.stack_sigma, s.stack.sigma.step, 1e-12);
    CASE("the stack, fitted: it comes nearer to what was measured, in the right direction");
    clg_calibration c;
    clg_error error = {0};
    CHECK(clg_learn_stack(&arena, &s, &e, 1.1 * e.step_s, &late, &c, &error) == CLG_OK);
    CHECK(late.fitted_s > 1.05 * e.step_s && late.fitted_s < 1.1 * e.step_s);
    CHECK_NEAR(c.sigma_to, late.stack_sigma, 1e-12);
    clg_arena_clear(&arena);
    return DONE;
}
