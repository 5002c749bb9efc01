/* interval_widths.c -- quantiles of left-out errors into the widths of intervals. */
#include "calibrate/interval_widths.h"

#include "base/normal.h"

#include "base/real.h"
#include "calibrate/fit_terms.h"
#include "calibrate/minimize.h"
#include "evaluate/interval.h"

#include <math.h>
#include <string.h>

/* The share between P10 and P90, the most that is asked for, and for how many sources the common
 * width counts in that of a stack. */
static const double INSIDE = 0.8, MOST_INSIDE = 0.95, COMMON = 3;

enum { SIGMA, EXPERTS, TRAFFIC, STEP, WIDTHS };
enum { MOST_RUNS = 10 };
static const double START[WIDTHS] = {0.1, 0.1, 0.3, 0.01}; /* the last in seconds */
static const double LEAST[WIDTHS] = {0.01, 0.01, 0.01, 1e-4}, MOST = 2;

typedef struct fitting {
    const clg_miss *misses;
    const bool *counts;
    const clg_stack *standard;
    const double *weight; /* of each miss */
    int count;
    double inside;               /* share to be held */
    bool experts, traffic, step; /* a miss depends on that width */
} fitting;

static double bounded(int width, double x) {
    return fmin(fmax(START[width] * clg_exp(x), LEAST[width]), MOST);
}

static clg_stack stack_at(const fitting *f, const double *x) {
    clg_stack stack = *f->standard;
    stack.sigma.step = bounded(SIGMA, x[SIGMA]);
    stack.sigma.experts = bounded(EXPERTS, f->experts ? x[EXPERTS] : 0);
    stack.sigma.traffic = bounded(TRAFFIC, f->traffic ? x[TRAFFIC] : 0);
    stack.sigma.step_s = bounded(STEP, f->step ? x[STEP] : 0);
    return stack;
}

/* How far an interval would have to reach, in its sigmas. */
static double reach(const clg_miss *miss) {
    return clg_expm1(fabs(miss->log_error)) / CLG_SIGMAS_TO_TENTH;
}

/* The sigma of the side that a miss lies on. */
static double side(const clg_miss *miss, const clg_stack *stack) {
    clg_sides sides = clg_doubt_sides(&miss->doubt, stack);
    return miss->log_error < 0 ? sides.late : sides.early;
}

static double pinball(void *context, const double *x) {
    const fitting *f = context;
    clg_stack stack = stack_at(f, x);
    double sum = 0;
    for (int i = 0; i < f->count; i++) {
        if (!f->counts[i]) continue;
        double beyond = reach(&f->misses[i]) - side(&f->misses[i], &stack);
        sum += f->weight[i] * (beyond > 0 ? f->inside * beyond : (f->inside - 1) * beyond);
    }
    return sum;
}

static bool of_source(const fitting *f, int i, const char *stack, const char *source) {
    const clg_miss *m = &f->misses[i];
    return f->counts[i] && (!stack || strcmp(m->stack, stack) == 0) &&
           strcmp(m->source, source) == 0;
}

static double *weights_of(clg_arena *arena, const fitting *f) {
    double *weight = clg_take(arena, (size_t)f->count + 1, double);
    for (int i = 0; i < f->count; i++) {
        int runs = 0;
        if (!f->counts[i] || weight[i] > 0) continue;
        for (int j = i; j < f->count; j++) runs += of_source(f, j, NULL, f->misses[i].source);
        for (int j = i; j < f->count; j++)
            if (of_source(f, j, NULL, f->misses[i].source))
                weight[j] = 1.0 / (runs > MOST_RUNS ? runs : MOST_RUNS);
    }
    return weight;
}

/* What holds 80 % of n sources holds less of the next: n + 1 of n times that share is asked for
 * (Lei et al. 2018, J. Am. Stat. Assoc. 113:1094, section 2). */
static double share_of(int sources) {
    return fmin(INSIDE * (sources + 1) / (sources > 0 ? sources : 1), MOST_INSIDE);
}

static void look_at(fitting *f) {
    int sources = 0;
    for (int i = 0; i < f->count; i++) {
        const clg_miss *m = &f->misses[i];
        bool first = f->counts[i];
        for (int j = 0; j < i && first; j++) first = !of_source(f, j, NULL, m->source);
        sources += first;
        f->experts = f->experts || (f->counts[i] && m->doubt.experts);
        f->traffic = f->traffic || (f->counts[i] && m->doubt.traffic > 0);
        f->step = f->step || (f->counts[i] && m->doubt.step_s > 0);
    }
    f->inside = share_of(sources);
}

static bool is_late_mixture(const fitting *f, int i) {
    return f->counts[i] && f->misses[i].doubt.experts && f->misses[i].log_error < 0;
}

/* What experts would have to add for a run to be inside, in squares. */
static double experts_need(const fitting *f, const clg_stack *rest, int i) {
    return clg_square(reach(&f->misses[i])) - clg_square(side(&f->misses[i], rest));
}

/* The least sigma_experts that holds their share of the weight of mixtures that are late. */
static double experts_of(const fitting *f, const clg_stack *common) {
    clg_stack rest = *common;
    double all = 0, least = INFINITY;
    int sources = 0;
    rest.sigma.experts = 0;
    for (int i = 0; i < f->count; i++) {
        bool first = is_late_mixture(f, i);
        all += first ? f->weight[i] : 0;
        for (int j = 0; j < i && first; j++)
            first = !(is_late_mixture(f, j) && of_source(f, j, NULL, f->misses[i].source));
        sources += first;
    }
    if (sources == 0) return common->sigma.experts;
    for (int i = 0; i < f->count; i++) {
        double need = experts_need(f, &rest, i), held = 0;
        if (!is_late_mixture(f, i) || need >= least) continue;
        for (int j = 0; j < f->count; j++)
            if (is_late_mixture(f, j) && experts_need(f, &rest, j) <= need) held += f->weight[j];
        if (held >= share_of(sources) * all) least = need;
    }
    return fmin(fmax(sqrt(fmax(least, 0)), LEAST[EXPERTS]), MOST);
}

/* Upper tenth of Student's t for 2, 3, .. 20 degrees of freedom (Abramowitz & Stegun 1964, table
 * 26.10). Of n values the next is the mean plus t s sqrt(1 + 1 / n). */
static const double T90[] = {1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383, 1.372, 1.363,
                             1.356, 1.350, 1.345, 1.341, 1.337, 1.333, 1.330, 1.328, 1.325};

/* How much wider than a normal error of known width, for a stack of n sources. */
static double wider_for_few(int sources) {
    int last = (int)(sizeof T90 / sizeof *T90) - 1;
    double t = T90[sources < last ? sources : last];
    return t / CLG_SIGMAS_TO_TENTH * sqrt(1 + 1 / (sources + COMMON));
}

/* The variance that leaves 80 % of a source's runs inside, with the rest of theirs. */
static double source_variance(clg_arena *arena, const fitting *f, const clg_stack *rest,
                              const char *stack, const char *source) {
    double *needs = clg_take(arena, (size_t)f->count + 1, double);
    int runs = 0;
    for (int i = 0; i < f->count; i++)
        if (of_source(f, i, stack, source))
            needs[runs++] =
                clg_square(reach(&f->misses[i])) - clg_square(side(&f->misses[i], rest));
    return fmax(0, clg_terms_quantile(needs, runs, INSIDE));
}

static clg_stack_width width_of(clg_arena *arena, const fitting *f,
                                const clg_interval_widths *common, const char *stack) {
    clg_stack_width width = {.stack = stack};
    clg_stack rest = *f->standard;
    double sum = COMMON * clg_square(common->sigma);
    rest.sigma.step = 0;
    rest.sigma.experts = common->sigma_experts;
    rest.sigma.traffic = common->sigma_traffic;
    rest.sigma.step_s = common->sigma_step_s;
    for (int i = 0; i < f->count; i++) {
        const char *source = f->misses[i].source;
        bool first = f->counts[i] && of_source(f, i, stack, source);
        for (int j = 0; j < i && first; j++) first = !of_source(f, j, stack, source);
        if (!first) continue;
        sum += source_variance(arena, f, &rest, stack, source);
        width.sources++;
    }
    width.sigma = sqrt(sum / (COMMON + width.sources)) * wider_for_few(width.sources);
    return width;
}

void clg_widths_fit(clg_arena *arena, const clg_miss *misses, const bool *counts, int count,
                    const clg_stack *standard, clg_interval_widths *widths) {
    clg_arena scratch = clg_arena_beside(arena);
    clg_stack punctual = *standard; /* how late software may be is told by first looks */
    punctual.sigma.late = 0;
    fitting f = {.misses = misses, .counts = counts, .standard = &punctual, .count = count};
    double x[WIDTHS] = {0};
    f.weight = weights_of(&scratch, &f);
    look_at(&f);
    clg_minimize(pinball, &f, x, WIDTHS, 400);
    clg_stack common = stack_at(&f, x);
    clg_interval_widths w = {.sigma = common.sigma.step,
                             .sigma_experts = experts_of(&f, &common),
                             .sigma_traffic = common.sigma.traffic,
                             .sigma_step_s = common.sigma.step_s};
    w.stack = clg_take(arena, (size_t)count + 1, clg_stack_width);
    for (int i = 0; i < count; i++) {
        bool seen = !counts[i];
        for (int j = 0; j < w.stacks && !seen; j++)
            seen = strcmp(w.stack[j].stack, misses[i].stack) == 0;
        if (!seen) w.stack[w.stacks++] = width_of(&scratch, &f, &w, misses[i].stack);
    }
    clg_arena_clear(&scratch);
    *widths = w;
}

void clg_interval_widths_apply(const clg_interval_widths *widths, const char *name,
                               clg_stack *stack) {
    stack->sigma.step = widths->sigma * wider_for_few(0);
    stack->sigma.experts = widths->sigma_experts;
    stack->sigma.traffic = widths->sigma_traffic;
    stack->sigma.step_s = widths->sigma_step_s;
    for (int i = 0; i < widths->stacks; i++)
        if (strcmp(widths->stack[i].stack, name) == 0) stack->sigma.step = widths->stack[i].sigma;
}
