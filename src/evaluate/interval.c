/* interval.c -- what an interval is made of.
 *
 * The sigma of a stack is of whole steps priced with the built-in curves: it holds their residuals,
 * by each curve's share of the step. Where the user's own curve has another residual, the
 * difference is taken off, as far as the stack's has it. The same of
 * links, of what traffic adds. Errs wide: borrowed curves stay borrowed once products alone were
 * measured. */
#include "evaluate/interval.h"

#include "base/real.h"

#include <math.h>

/* Variance that measuring a curve took away from a part of the step. */
static double taken(double share, double before, double now) {
    return before > 0 ? clg_square(share) * (clg_square(before) - clg_square(now)) : 0;
}

static double measured_kernels(const clg_scenario *s, const clg_evaluation *e) {
    clg_precision p = e->layout.precision;
    double streams_s = e->memory_bound_s + e->time.optimizer_s;
    double sum = taken(e->matrix_s / e->step_s, s->built_in.gemm[p], s->kernels.gemm[p].sigma) +
                 taken(streams_s / e->step_s, s->built_in.memory, s->kernels.memory.sigma);
    return fmin(sum, clg_square(s->stack.sigma.step));
}

/* Kernels share the doubt of borrowing by their part of the step; those that were measured have
 * none left. */
static double measured_borrowed(const clg_scenario *s, const clg_evaluation *e) {
    clg_precision p = e->layout.precision;
    double products = clg_square(e->matrix_s), attention = clg_square(e->attention_s);
    double streams = clg_square(e->memory_bound_s + e->time.optimizer_s), own = 0;
    if (s->built_in.gemm[p] != s->kernels.gemm[p].sigma) own += products;
    if (s->built_in.memory != s->kernels.memory.sigma) own += streams;
    double all = products + attention + streams;
    return own > 0 ? clg_square(s->stack.sigma.borrowed) * own / all : 0;
}

/* Traffic of an axis is inside a domain where its ranks, and those nearer, fit into one. */
static double measured_links(const clg_scenario *s, const clg_evaluation *e) {
    const clg_layout *l = &e->layout;
    const clg_time_ledger *t = &e->time;
    double domain = s->machine.node.domain;
    bool all = (double)clg_layout_gpus(l) > domain;
    const struct {
        double seconds;
        bool between;
    } axes[] = {{t->tp_exposed_s, l->tp > domain},
                {t->cp_exposed_s, (double)l->tp * l->cp > domain},
                {t->ep_exposed_s, (double)l->ep * l->etp > domain},
                {t->dp_exposed_s, all}};
    double level[2] = {0};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++)
        level[axes[i].between] += axes[i].seconds;
    return taken(level[0] / e->step_s, s->built_in.fast, s->network.sigma_fast) +
           taken(level[1] / e->step_s, s->built_in.slow, s->network.sigma_slow);
}

clg_doubt clg_doubt_of(const clg_scenario *scenario, const clg_evaluation *evaluation) {
    const clg_time_ledger *t = &evaluation->time;
    double traffic_s = clg_ledger_traffic_s(t) - t->pp_exposed_s;
    clg_doubt doubt = {.traffic =
                           traffic_s / evaluation->step_s * (scenario->network.borrowed ? 2 : 1),
                       .step_s = evaluation->step_s,
                       .aged = scenario->stack.known && scenario->stack.years_off > 0.5,
                       .unnamed = !scenario->stack.known,
                       .experts = clg_model_experts(&scenario->model) != NULL,
                       .borrowed = scenario->kernels.borrowed};
    double whole = clg_square(doubt.traffic * scenario->stack.sigma.traffic);
    doubt.measured_kernels = measured_kernels(scenario, evaluation);
    if (doubt.borrowed) doubt.measured_borrowed = measured_borrowed(scenario, evaluation);
    doubt.measured_links = fmin(measured_links(scenario, evaluation), whole);
    return doubt;
}

/* Independent errors add in squares: the stack's own residual, exposed traffic by its share of the
 * step, seconds that no term explains, and kernels borrowed from another GPU. Networks, routers and
 * their loads are slower than priced where they are not as priced: of 117 sources at their first
 * look a fifth lay beyond P90 without the late terms. */
clg_sides clg_doubt_sides(const clg_doubt *doubt, const clg_stack *stack) {
    double variance = clg_square(stack->sigma.step) - doubt->measured_kernels +
                      clg_square(doubt->traffic * stack->sigma.traffic) - doubt->measured_links +
                      clg_square(doubt->open);
    if (doubt->step_s > 0) variance += clg_square(stack->sigma.step_s / doubt->step_s);
    if (doubt->aged) variance += clg_square(stack->sigma.age);
    if (doubt->unnamed) variance += clg_square(stack->sigma.unnamed);
    if (doubt->borrowed) variance += clg_square(stack->sigma.borrowed) - doubt->measured_borrowed;
    double late = clg_square(stack->sigma.late) + clg_square(doubt->slower);
    if (doubt->experts) late += clg_square(stack->sigma.experts);
    return (clg_sides){sqrt(variance), sqrt(variance + late)};
}

/* 1.2816 sigma of a log-normal error, to first order so that every machine prints the same digits
 * (no exp in answers). */
void clg_evaluation_widen(clg_evaluation *e, clg_sides sides) {
    e->log_sigma = (sides.early + sides.late) / 2;
    e->step_p90_s = e->step_s * (1 + CLG_SIGMAS_TO_TENTH * sides.late);
    e->step_p10_s = e->step_s / (1 + CLG_SIGMAS_TO_TENTH * sides.early);
}

clg_sides clg_evaluation_sides(const clg_evaluation *e) {
    return (clg_sides){(e->step_s / e->step_p10_s - 1) / CLG_SIGMAS_TO_TENTH,
                       (e->step_p90_s / e->step_s - 1) / CLG_SIGMAS_TO_TENTH};
}

double clg_capacity_bytes(const clg_scenario *scenario, const clg_layout *layout) {
    return scenario->machine.gpu.memory_usable_bytes -
           clg_memory_outside_bytes(&scenario->stack, layout);
}

double clg_crowding(const clg_scenario *scenario, const clg_layout *layout) {
    double least = scenario->machine.gpu.memory_usable_bytes - scenario->stack.memory.context_bytes;
    return least / clg_capacity_bytes(scenario, layout);
}

/* `wide`: P90 over the prediction. */
static double chance_above(double needed_bytes, double wide, double capacity_bytes) {
    if (!(wide > 1)) return needed_bytes > capacity_bytes ? 1 : 0;
    return clg_normal_below(log(needed_bytes / capacity_bytes) / log(wide) * CLG_SIGMAS_TO_TENTH);
}

double clg_evaluation_overflow(const clg_evaluation *e, double capacity_bytes) {
    double wide = e->memory_p90_bytes / e->memory.total_bytes;
    return chance_above(e->memory.needed_bytes, wide, capacity_bytes);
}

double clg_evaluation_chance_out(const clg_evaluation *e) {
    return clg_evaluation_overflow(e, e->capacity_bytes);
}

bool clg_evaluation_is_safe(const clg_evaluation *e) {
    return clg_evaluation_chance_out(e) <= 0.02;
}

double clg_memory_limit_bytes(const clg_scenario *scenario, double capacity_bytes, double risk) {
    double wide = clg_memory_wide(scenario), low = 0, high = capacity_bytes;
    if (chance_above(high, wide, capacity_bytes) <= risk) return high;
    for (int i = 0; i < 64; i++) { /* halves until no double is left between */
        double middle = low + (high - low) / 2;
        if (chance_above(middle, wide, capacity_bytes) <= risk)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double clg_memory_wide(const clg_scenario *scenario) {
    return 1 + CLG_SIGMAS_TO_TENTH * scenario->stack.sigma.memory;
}
