/* fit_terms.c -- which terms the samples determine, and where they are. */
#include "calibrate/fit_terms.h"

#include "base/quantile.h"
#include "base/real.h"
#include "calibrate/minimize.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_PROBED = 400 }; /* samples that decide which terms are determined */

/* d ln(time) / d ln(term) below which no sample says anything of a term. */
static const double SENSITIVE = 0.005;
/* Share of a term's effect that must not be that of terms before it. */
static const double DISTINCT = 0.1;

typedef struct search {
    const clg_problem *problem;
    const clg_fit_term *terms;
    int count, dimensions;
    int coordinate[CLG_MINIMIZE_DIMENSIONS]; /* of each term, -1: held */
    double start[CLG_MINIMIZE_DIMENSIONS];   /* of each term */
    int *sample;
    int samples;
} search;

double clg_terms_quantile(double *values, int count, double share) {
    if (count == 0) return (double)NAN; /* and no array to sort */
    clg_sort(values, (size_t)count);
    return clg_quantile(values, count, share);
}

static double error_of(const clg_problem *p, const double *values, int sample) {
    double error = log(p->predict(p->context, values, sample) / p->measured_s[sample]);
    return isfinite(error) ? error : 1e3;
}

static double clamp(const clg_fit_term *term, double value) {
    return value < term->least ? term->least : value > term->most ? term->most : value;
}

/* SI values of all terms at a point of the search. */
static void values_at(const search *s, const double *x, double *values) {
    for (int i = 0; i < s->count; i++)
        values[i] = s->coordinate[i] < 0
                        ? s->terms[i].to
                        : clamp(&s->terms[i], s->start[i] * clg_exp(x[s->coordinate[i]]));
}

/* Quadratic near the start, then linear: a term that is far off is let go. */
static double pull_of(const search *s, const double *x) {
    double sum = 0;
    bool counted[CLG_MINIMIZE_DIMENSIONS] = {false};
    for (int i = 0; i < s->count; i++) {
        int d = s->coordinate[i];
        if (d < 0 || counted[d]) continue; /* a tied term counts once */
        counted[d] = true;
        double spread = s->terms[i].spread > 0 ? s->terms[i].spread : 1;
        sum += 2 * (sqrt(1 + (x[d] / spread) * (x[d] / spread)) - 1);
    }
    return s->problem->pull * sum;
}

static double objective(void *context, const double *x) {
    const search *s = context;
    const double *weight = s->problem->weight;
    double values[CLG_MINIMIZE_DIMENSIONS], sum = 0, weights = 0, rounding = s->problem->rounding;
    values_at(s, x, values);
    for (int i = 0; i < s->samples; i++) {
        double e = error_of(s->problem, values, s->sample[i]);
        double counts = weight ? weight[s->sample[i]] : 1;
        sum += counts * (sqrt(e * e + rounding * rounding) - rounding);
        weights += counts;
    }
    return sum / weights + pull_of(s, x);
}

/* Every so-many-th sample, at most `most`; of those, the ones in or out of the held-out fifth. */
static void choose(search *s, clg_arena *arena, int most, int fold) {
    int all = s->problem->samples, stride = (all + most - 1) / most;
    s->sample = clg_take(arena, (size_t)all + 1, int);
    s->samples = 0;
    for (int i = 0; i < all; i += stride)
        if (fold < 0 || i % 5 != fold) s->sample[s->samples++] = i;
}

/* d ln(time) / d ln(term) at the start for each probed sample. */
static double probe(const search *s, int term, double *effect) {
    double values[CLG_MINIMIZE_DIMENSIONS], most = 0;
    for (int i = 0; i < s->count; i++) values[i] = s->start[i];
    for (int i = 0; i < s->samples; i++) {
        const clg_problem *p = s->problem;
        values[term] = s->start[term] * 1.05;
        double up = p->predict(p->context, values, s->sample[i]);
        values[term] = s->start[term] / 1.05;
        double down = p->predict(p->context, values, s->sample[i]);
        effect[i] = up > 0 && down > 0 ? log(up / down) / (2 * log(1.05)) : 0;
        most = fmax(most, fabs(effect[i]));
    }
    return most;
}

/* Mean error of the probed samples with every term at its start. */
static double error_at_start(const search *s) {
    double values[CLG_MINIMIZE_DIMENSIONS], sum = 0;
    for (int i = 0; i < s->count; i++) values[i] = s->start[i];
    for (int i = 0; i < s->samples; i++) sum += fabs(error_of(s->problem, values, s->sample[i]));
    return sum;
}

/* Where nothing depends on a term because something else is slower, as links between nodes that
 * carry more than those inside, it may be so slow that everything does: the start moves to where
 * that explains the samples better. Returns the effect there. */
static double past_the_kink(search *s, const clg_fit_term *terms, int term, double *effect) {
    static const double factors[] = {0.8, 0.6, 0.4, 0.2, 1.25, 2};
    double from = s->start[term], best = from, least = 0.98 * error_at_start(s);
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        s->start[term] = clamp(&terms[term], from * factors[i]);
        double error = error_at_start(s);
        if (error < least) least = error, best = s->start[term];
    }
    s->start[term] = best;
    double most = best == from ? 0 : probe(s, term, effect);
    if (most < SENSITIVE || most < terms[term].needs) s->start[term] = from;
    return most;
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Takes from an effect what earlier ones explain; returns the share that is left. */
static double make_distinct(double *effect, double **basis, int bases, int count) {
    double before = sqrt(dot(effect, effect, count));
    for (int b = 0; b < bases; b++) {
        double along = dot(effect, basis[b], count);
        for (int i = 0; i < count; i++) effect[i] -= along * basis[b][i];
    }
    double left = sqrt(dot(effect, effect, count));
    for (int i = 0; i < count && left > 0; i++) effect[i] /= left;
    return before > 0 ? left / before : 0;
}

static int find(const clg_fit_term *terms, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (name && strcmp(terms[i].name, name) == 0) return i;
    return -1;
}

/* A term that looks like one before it moves with it when it may, else stays. */
static void join(search *s, clg_fit_term *terms, int i) {
    int with = find(terms, i, terms[i].tie);
    if (with >= 0 && s->coordinate[with] >= 0) {
        s->coordinate[i] = s->coordinate[with];
        terms[i].tied = terms[with].name;
    } else
        terms[i].held = "these samples cannot tell it from the terms above";
}

/* Decides which terms move: in their order, those with an effect of their own. */
static void select(search *s, clg_arena *arena, clg_fit_term *terms, int most_free) {
    double *basis[CLG_MINIMIZE_DIMENSIONS];
    choose(s, arena, MOST_PROBED, -1);
    for (int i = 0; i < s->count; i++) {
        s->coordinate[i] = -1;
        if (terms[i].held) continue;
        double *effect = clg_take(arena, (size_t)s->samples + 1, double);
        double most = probe(s, i, effect);
        if (most < SENSITIVE) most = past_the_kink(s, terms, i, effect);
        if (most < SENSITIVE) {
            terms[i].held = "no sample depends on it";
        } else if (most < terms[i].needs) {
            terms[i].held = "too little of any sample's time depends on it: measure other sizes";
        } else if (make_distinct(effect, basis, s->dimensions, s->samples) < DISTINCT) {
            join(s, terms, i);
        } else if (s->dimensions >= most_free) {
            terms[i].held = "too few samples";
        } else {
            basis[s->dimensions] = effect;
            s->coordinate[i] = s->dimensions++;
        }
    }
}

static void solve_fold(const search *s, clg_arena *arena, int fold, double *values) {
    search own = *s;
    double x[CLG_MINIMIZE_DIMENSIONS] = {0};
    choose(&own, arena, s->problem->most_fitted, fold);
    clg_minimize(objective, &own, x, own.dimensions, s->problem->most_calls);
    values_at(&own, x, values);
}

/* fold < 0: over all samples; else over those of the fold. */
static clg_residual residual(clg_arena *arena, const clg_problem *p, const double *values,
                             int fold) {
    clg_residual r = {0};
    double *errors = clg_take(arena, (size_t)p->samples + 1, double);
    for (int i = 0; i < p->samples; i++)
        if (fold < 0 || i % 5 == fold) errors[r.samples++] = fabs(error_of(p, values, i));
    r.median = clg_terms_quantile(errors, r.samples, 0.5);
    r.p90 = clg_terms_quantile(errors, r.samples, 0.9);
    return r;
}

/* Quantile of |ln(predicted/measured)| over samples with the terms at their `to`. */
static clg_residual residual_of(clg_arena *arena, const clg_problem *problem,
                                const clg_fit_term *terms, int count) {
    double values[CLG_MINIMIZE_DIMENSIONS];
    for (int i = 0; i < count; i++) values[i] = terms[i].to;
    return residual(arena, problem, values, -1);
}

void clg_terms_solve(clg_arena *arena, const clg_problem *problem, clg_fit_term *terms, int count,
                     clg_terms_fit *fit) {
    assert(count <= CLG_MINIMIZE_DIMENSIONS);
    search s = {.problem = problem, .terms = terms, .count = count};
    double values[CLG_MINIMIZE_DIMENSIONS];
    int most_free = problem->samples / problem->samples_per_term;
    for (int i = 0; i < count; i++) {
        terms[i].to = terms[i].from;
        s.start[i] = clamp(&terms[i], terms[i].start > 0 ? terms[i].start : terms[i].from);
    }
    *fit = (clg_terms_fit){.before = residual_of(arena, problem, terms, count)};
    fit->held_out.median = fit->held_out.p90 = (double)NAN;
    select(&s, arena, terms, most_free < 1 ? 1 : most_free);
    if (problem->samples >= 10 && !problem->all_at_once) {
        solve_fold(&s, arena, 4, values);
        fit->held_out = residual(arena, problem, values, 4);
    }
    solve_fold(&s, arena, -1, values);
    for (int i = 0; i < count; i++)
        if (s.coordinate[i] >= 0) terms[i].to = values[i];
    fit->after = residual_of(arena, problem, terms, count);
}
