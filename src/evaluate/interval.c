/* interval.c -- what an interval is made of.
 *
 * The sigma of a stack is of whole steps priced with the built-in curves: it holds their residuals,
 * by each curve's share of the step. Where the user's own curve has another residual, the
 * difference is taken off, as far as the stack's has it. The same of
 * links, of what traffic adds. Errs wide: borrowed curves stay borrowed once products alone were
 * measured. */
#include "evaluate/compose.h"

#include <math.h>

static double square(double x) { return x * x; }

/* Variance that measuring a curve took away from a part of the step. */
static double taken(double share, double before, double now) {
    return before > 0 ? square(share) * (square(before) - square(now)) : 0;
}

static double measured_kernels(const clg_scenario *s, const clg_evaluation *e) {
    clg_precision p = e->layout.precision;
    double streams_s = e->memory_bound_s + e->time.optimizer_s;
    double sum = taken(e->matrix_s / e->step_s, s->built_in.gemm[p], s->kernels.gemm[p].sigma) +
                 taken(streams_s / e->step_s, s->built_in.memory, s->kernels.memory.sigma);
    return fmin(sum, square(s->stack.sigma.step));
}

/* Kernels share the doubt of borrowing by their part of the step; those that were measured have
 * none left. */
static double measured_borrowed(const clg_scenario *s, const clg_evaluation *e) {
    clg_precision p = e->layout.precision;
    double products = square(e->matrix_s), attention = square(e->attention_s);
    double streams = square(e->memory_bound_s + e->time.optimizer_s), own = 0;
    if (s->built_in.gemm[p] != s->kernels.gemm[p].sigma) own += products;
    if (s->built_in.memory != s->kernels.memory.sigma) own += streams;
    double all = products + attention + streams;
    return own > 0 ? square(s->stack.sigma.borrowed) * own / all : 0;
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
                       .experts = scenario->model.active_parameters < scenario->model.parameters,
                       .borrowed = scenario->kernels.borrowed};
    double whole = square(doubt.traffic * scenario->stack.sigma.traffic);
    doubt.measured_kernels = measured_kernels(scenario, evaluation);
    if (doubt.borrowed) doubt.measured_borrowed = measured_borrowed(scenario, evaluation);
    doubt.measured_links = fmin(measured_links(scenario, evaluation), whole);
    return doubt;
}

/* Independent errors add in squares: the stack's own residual, exposed traffic by its share of the
 * step, seconds that no term explains, and kernels borrowed from another GPU. Routers and their
 * loads, dispatch, and code that people write themselves are slower than priced where they are not
 * as priced: of 85 sources at their first look two in three were late. */
clg_sides clg_doubt_sides(const clg_doubt *doubt, const clg_stack *stack) {
    double variance = square(stack->sigma.step) - doubt->measured_kernels +
                      square(doubt->traffic * stack->sigma.traffic) - doubt->measured_links +
                      square(doubt->open);
    if (doubt->step_s > 0) variance += square(stack->sigma.step_s / doubt->step_s);
    if (doubt->aged) variance += square(stack->sigma.age);
    if (doubt->borrowed) variance += square(stack->sigma.borrowed) - doubt->measured_borrowed;
    double late = square(stack->sigma.late);
    if (doubt->experts) late += square(stack->sigma.experts);
    return (clg_sides){sqrt(variance), sqrt(variance + late)};
}
