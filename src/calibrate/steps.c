/* steps.c -- a few measured steps of the user's own into terms of the stack.
 *
 * At most two terms: how much slower tensor-core kernels are than the best ones alone, and either
 * the host's time per step or how much of the gradient's reduction hides. With three steps or more
 * the set of terms with the least error on steps left out is taken, and a set of more terms (from
 * none to two) only where it is clearly better; with two a second term only where one leaves more
 * than 2 %; with one, one. Few steps move a term less than they ask for: they carry the errors of
 * the model on those steps, which others do not share. */
#include "calibrate/calibrate.h"

#include "dataset/dataset.h"
#include "units/units.h"

#include <math.h>

enum { SLOWDOWN, HOST, OVERLAP, STEP_TERMS };
/* Sets of terms: none, the first alone, or the first and another. */
enum { NONE = -1, ALONE = 0 };
enum { FOLDS = 4, MOST_STEPS = 60 };

typedef struct measured {
    const clg_measured_step *steps;
    double *measured_s;
    int count;
    clg_arena *scratch;
} measured;

static double predict(const void *context, const double *values, int sample) {
    const measured *m = context;
    const clg_measured_step *step = &m->steps[sample];
    clg_arena_mark here = clg_arena_here(m->scratch);
    clg_scenario scenario = *step->scenario;
    clg_evaluation evaluation;
    clg_error error = {0};
    scenario.stack.kernels.slowdown = values[SLOWDOWN];
    scenario.stack.host.step_s = values[HOST];
    scenario.stack.overlap.gradient = values[OVERLAP];
    clg_status status =
        clg_evaluate(m->scratch, &scenario, &step->layout, false, NULL, &evaluation, &error);
    clg_arena_back_to(m->scratch, here);
    return status == CLG_OK ? evaluation.step_s : (double)NAN;
}

/* Shortest of the measured steps: what the host takes of every step must fit in it. */
static double shortest_s(const measured *m) {
    double least = INFINITY;
    for (int i = 0; i < m->count; i++) least = fmin(least, m->measured_s[i]);
    return least;
}

/* The terms of a set: the first always, one of the others when `second` names it. Bounds: kernels
 * not faster than the best known, as stacks are read (measured products say it where they are:
 * errs slow there), a step's host time up to a minute. */
static void fill_terms(const measured *m, int second, clg_fit_term *terms) {
    const clg_stack *stack = &m->steps[0].scenario->stack;
    terms[SLOWDOWN] = (clg_fit_term){.name = "kernel_slowdown",
                                     .unit = "",
                                     .unit_si = 1,
                                     .from = stack->kernels.slowdown,
                                     .least = 1,
                                     .most = 5};
    terms[HOST] = (clg_fit_term){.name = "host_step_s",
                                 .unit = "ms",
                                 .unit_si = 1e-3,
                                 .from = stack->host.step_s,
                                 .least = 1e-5,
                                 .most = 60,
                                 .start = fmax(stack->host.step_s, 0.01 * shortest_s(m))};
    terms[OVERLAP] = (clg_fit_term){.name = "gradient_overlap",
                                    .unit = "1",
                                    .unit_si = 1,
                                    .from = stack->overlap.gradient,
                                    .least = 0.02,
                                    .most = 1};
    terms[SLOWDOWN].spread = 0.15; /* as sources of one stack differ */
    terms[HOST].spread = 2.0;
    terms[OVERLAP].spread = 0.7;
    if (second == NONE) terms[SLOWDOWN].held = "moving it does not help steps left out";
    for (int i = HOST; i < STEP_TERMS; i++)
        if (i != second) terms[i].held = "not among the terms chosen for so many steps";
}

/* Log-residual of single steps within one source of runs, once its mean is taken off. */
static const double STEP_NOISE = 0.06;

static clg_problem problem_of(const measured *m) {
    double rounding = 0.05;
    return (clg_problem){.predict = predict,
                         .context = m,
                         .measured_s = m->measured_s,
                         .samples = m->count,
                         .samples_per_term = 1,
                         .rounding = rounding,
                         /* the prior against n readings of that noise */
                         .pull = STEP_NOISE * STEP_NOISE / (2 * m->count * rounding),
                         .most_calls = 110,
                         .most_fitted = MOST_STEPS};
}

static void fit_set(clg_arena *arena, const measured *m, int second, clg_calibration *c) {
    clg_problem problem = problem_of(m);
    c->terms = STEP_TERMS;
    fill_terms(m, second, c->term);
    clg_terms_solve(arena, &problem, c->term, c->terms, &c->fit);
}

/* The steps of one fold, or all the others. */
static measured part_of(clg_arena *arena, const measured *m, int folds, int fold, bool inside) {
    measured part = {.scratch = m->scratch};
    clg_measured_step *steps = clg_take(arena, (size_t)m->count + 1, clg_measured_step);
    part.measured_s = clg_take(arena, (size_t)m->count + 1, double);
    for (int i = 0; i < m->count; i++) {
        if ((i % folds == fold) != inside) continue;
        part.measured_s[part.count] = m->measured_s[i];
        steps[part.count++] = m->steps[i];
    }
    part.steps = steps;
    return part;
}

/* Error of a set of terms on steps that the fit did not see; its mean in *mean. */
static clg_residual left_out(clg_arena *arena, const measured *m, int second, double *mean) {
    clg_residual r = {0};
    int folds = m->count < FOLDS ? m->count : FOLDS;
    double *errors = clg_take(arena, (size_t)m->count + 1, double);
    *mean = 0;
    for (int fold = 0; fold < folds; fold++) {
        measured others = part_of(arena, m, folds, fold, false);
        measured unseen = part_of(arena, m, folds, fold, true);
        clg_calibration c = {0};
        double values[STEP_TERMS];
        fit_set(arena, &others, second, &c);
        for (int i = 0; i < STEP_TERMS; i++) values[i] = c.term[i].to;
        for (int i = 0; i < unseen.count; i++)
            errors[r.samples++] = fabs(log(predict(&unseen, values, i) / unseen.measured_s[i]));
    }
    for (int i = 0; i < r.samples; i++) *mean += errors[i] / r.samples;
    r.median = clg_terms_quantile(errors, r.samples, 0.5);
    r.p90 = clg_terms_quantile(errors, r.samples, 0.9);
    return r;
}

static bool one_plan(const measured *m) {
    const clg_measured_step *first = &m->steps[0];
    for (int i = 1; i < m->count; i++) {
        const clg_layout *a = &first->layout, *b = &m->steps[i].layout;
        bool same = a->dp == b->dp && a->tp == b->tp && a->pp == b->pp && a->cp == b->cp &&
                    a->micro_batch == b->micro_batch && a->global_batch == b->global_batch &&
                    a->seq == b->seq;
        if (!same || m->steps[i].scenario->model.parameters != first->scenario->model.parameters)
            return false;
    }
    return true;
}

static void fit_many(clg_arena *arena, const measured *m, clg_calibration *c) {
    static const char *const notes[] = {
        "the steps do not agree on what to move: the built-in values stand",
        "one term; a second one did not lessen the error on steps left out",
        "two terms; chosen by the error on steps left out of the fit"};
    int best = NONE;
    double least = INFINITY, mean;
    clg_residual unseen = {0};
    for (int set = NONE; set < STEP_TERMS; set++) {
        clg_residual r = left_out(arena, m, set, &mean);
        if (!(mean < 0.9 * least)) continue;
        least = mean;
        unseen = r;
        best = set;
    }
    fit_set(arena, m, best, c);
    c->fit.held_out = unseen;
    c->sigma_to = clg_calibrate_sigma(c);
    c->notes = notes[best == NONE ? 0 : best == ALONE ? 1 : 2];
    if (!one_plan(m)) return;
    c->sigma_to = c->sigma_from;
    c->notes = "readings of one plan: they agree with each other, which says little of other plans";
}

static void fit_two(clg_arena *arena, const measured *m, clg_calibration *c) {
    fit_set(arena, m, ALONE, c);
    c->notes = "two steps, one term: it explains both within 2 %";
    if (c->fit.after.p90 <= 0.02) return;
    double least = c->fit.after.p90;
    c->notes = "two steps differ by more than one term explains, and no second term helps: "
               "is one of them not as its row says?";
    for (int second = HOST; second < STEP_TERMS; second++) {
        clg_calibration with = *c;
        fit_set(arena, m, second, &with);
        if (!(with.fit.after.p90 < 0.5 * least)) continue;
        least = with.fit.after.p90;
        *c = with;
        c->notes = "two steps, two terms: exactly determined, so the residual says nothing; "
                   "a third step would tell";
    }
}

static void fit_one(clg_arena *arena, const measured *m, clg_calibration *c) {
    fit_set(arena, m, ALONE, c);
    c->notes = "underdetermined: one step cannot tell slow kernels from a slow host or slow "
               "traffic; kernel_slowdown takes most of the difference. Measure a second layout or "
               "GPU count";
}

static const char *range_of(clg_arena *arena, const measured *m) {
    int few = 1 << 30, many = 0;
    char from[32], to[32];
    double longest = 0;
    for (int i = 0; i < m->count; i++) {
        int gpus = m->steps[i].scenario->machine.gpus;
        few = gpus < few ? gpus : few;
        many = gpus > many ? gpus : many;
        longest = fmax(longest, m->measured_s[i]);
    }
    clg_quantity_print(shortest_s(m), CLG_SECONDS, 3, from, sizeof from);
    clg_quantity_print(longest, CLG_SECONDS, 3, to, sizeof to);
    const char *gpu = m->steps[0].scenario->machine.gpu.name;
    if (few == many) return clg_arena_print(arena, "%d %s, steps of %s to %s", few, gpu, from, to);
    return clg_arena_print(arena, "%d to %d %s, steps of %s to %s", few, many, gpu, from, to);
}

double clg_calibrate_step_s(const clg_calibration *c, const clg_measured_step *step) {
    clg_arena scratch = {0};
    measured m = {.steps = step, .count = 1, .scratch = &scratch};
    double values[STEP_TERMS];
    for (int i = 0; i < STEP_TERMS; i++) values[i] = c->term[i].to;
    double seconds = predict(&m, values, 0);
    clg_arena_clear(&scratch);
    return seconds;
}

/* A term at the end of its search says that the difference lies elsewhere. */
static void note_bounds(clg_arena *arena, clg_calibration *c) {
    for (int i = 0; i < c->terms; i++) {
        const clg_fit_term *t = &c->term[i];
        if (t->held || (t->to > t->least * 1.01 && t->to < t->most * 0.99)) continue;
        if (i == OVERLAP && t->to > 0.5) continue; /* all hidden is a physical end */
        if (i == HOST && t->to < 1e-3) continue;   /* so is no time at all */
        c->notes = clg_arena_print(
            arena, "%s; %s ended at its bound: the difference lies elsewhere", c->notes, t->name);
    }
}

void clg_calibrate_steps(clg_arena *arena, const clg_measured_step *steps, int steps_count,
                         clg_calibration *calibration) {
    const clg_stack *stack = &steps[0].scenario->stack;
    clg_arena scratch = clg_arena_beside(arena);
    measured m = {.steps = steps, .count = steps_count, .scratch = &scratch};
    m.measured_s = clg_take(arena, (size_t)steps_count, double);
    for (int i = 0; i < steps_count; i++) m.measured_s[i] = steps[i].step_s;
    *calibration = (clg_calibration){.knob = "stack",
                                     .part = "",
                                     .title = "whole steps",
                                     .base = stack->name,
                                     .range = range_of(arena, &m),
                                     .sigma_from = stack->sigma.step,
                                     .sigma_to = stack->sigma.step};
    if (!clg_dataset_find(stack->file)) calibration->base_data = stack->data;
    if (steps_count >= 3)
        fit_many(arena, &m, calibration);
    else if (steps_count == 2)
        fit_two(arena, &m, calibration);
    else
        fit_one(arena, &m, calibration);
    note_bounds(arena, calibration);
    clg_arena_clear(&scratch);
}
