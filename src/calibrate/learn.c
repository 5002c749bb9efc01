/* learn.c -- a step as a reading of its plan's doubts. */
#include "calibrate/learn.h"

#include "base/normal.h"
#include "base/real.h"
#include "calibrate/measure.h"

#include <math.h>

typedef struct learning {
    clg_doubt_shares doubts;
    clg_beliefs before, after;
    clg_belief_reading step;
    double surprise; /* ln(measured / planned) */
} learning;

static double sigma_of(const clg_beliefs *b, const clg_belief_reading *sum) {
    return sqrt(fmax(clg_beliefs_covariance(b, sum, sum), 0));
}

/* The terms from..to as they stand in the step. */
static clg_belief_reading part_of(const learning *l, int from, int to) {
    clg_belief_reading part = {.noise = 0};
    for (int i = from; i <= to; i++) part.weight[i] = l->step.weight[i];
    return part;
}

static clg_learned_term term_of(const learning *l, int from, int to) {
    clg_belief_reading part = part_of(l, from, to);
    return (clg_learned_term){.before = sigma_of(&l->before, &part),
                              .moved =
                                  clg_beliefs_expected(&l->before, &l->step, l->surprise, &part),
                              .after = sigma_of(&l->after, &part)};
}

static void know_step(const learning *l, clg_learned *k) {
    clg_belief_reading early = clg_doubts_early(&l->step);
    double moved = clg_beliefs_expected(&l->before, &l->step, l->surprise, &l->step);
    k->step_s = k->planned_s * clg_exp(moved);
    k->p10_s = k->step_s / (1 + CLG_SIGMAS_TO_TENTH * sigma_of(&l->after, &early));
    k->p90_s = k->step_s * (1 + CLG_SIGMAS_TO_TENTH * sigma_of(&l->after, &l->step));
}

/* Kernels and software are what a stack's interval is made of, and what is each plan's own, which
 * the next one has anew. */
static double stack_sigma(const learning *l, double sigma) {
    clg_belief_reading part = part_of(l, CLG_DOUBT_PRODUCTS, CLG_DOUBT_STREAMS);
    part.weight[CLG_DOUBT_SOFTWARE] = l->step.weight[CLG_DOUBT_SOFTWARE];
    double before = clg_beliefs_covariance(&l->before, &part, &part) + l->doubts.own;
    double after = clg_beliefs_covariance(&l->after, &part, &part) + l->doubts.own;
    return before > 0 ? sigma * sqrt(fmax(after, 0) / before) : sigma;
}

clg_status clg_learn_step(clg_arena *arena, const clg_scenario *scenario,
                          const clg_evaluation *planned, double measured_s, clg_learned *k,
                          clg_error *error) {
    learning l = {.surprise = log(measured_s / planned->step_s)};
    clg_measuring costs;
    if (clg_measuring_find(arena, &costs, error) != CLG_OK ||
        clg_doubts_weights(arena, scenario, planned, l.step.weight, error) != CLG_OK ||
        clg_doubts_of(arena, scenario, planned, l.step.weight, &l.doubts, error) != CLG_OK)
        return error->status;
    l.before = clg_doubts_beliefs(&l.doubts);
    l.before.covariance[CLG_DOUBT_TERMS][CLG_DOUBT_TERMS] = l.doubts.own;
    l.step.weight[CLG_DOUBT_TERMS] = 1;
    l.step.noise = costs.step_noise * costs.step_noise;
    l.after = l.before;
    double open = sqrt(clg_beliefs_covariance(&l.before, &l.step, &l.step) + l.step.noise);
    bool beyond = fabs(l.surprise) > costs.beyond * open;
    if (!beyond) clg_beliefs_observe(&l.after, &l.step);
    *k = (clg_learned){.measured_s = measured_s,
                       .beyond = beyond,
                       .planned_s = planned->step_s,
                       .planned_p10_s = planned->step_p10_s,
                       .planned_p90_s = planned->step_p90_s,
                       .fitted_s = planned->step_s};
    for (int i = 0; i < CLG_DOUBT_TERMS; i++) k->term[i] = term_of(&l, i, i);
    k->own = term_of(&l, CLG_DOUBT_TERMS, CLG_DOUBT_TERMS);
    k->stack_sigma = stack_sigma(&l, scenario->stack.sigma.step);
    know_step(&l, k);
    return CLG_OK;
}

clg_status clg_learn_stack(clg_arena *arena, const clg_scenario *scenario,
                           const clg_evaluation *planned, double measured_s, clg_learned *k,
                           clg_calibration *c, clg_error *error) {
    clg_measured_step step = {scenario, planned->layout, measured_s};
    if (clg_learn_step(arena, scenario, planned, measured_s, k, error) != CLG_OK)
        return error->status;
    clg_calibrate_steps(arena, &step, 1, c);
    k->fitted_s = clg_calibrate_step_s(c, &step);
    c->sigma_to = k->stack_sigma;
    return CLG_OK;
}
