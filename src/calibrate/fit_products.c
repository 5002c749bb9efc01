/* fit_products.c -- the curve of matrix products from timed products, one precision at a time.
 *
 * "sustained" stays: what a GPU keeps for hours at its power limit does not show in products timed
 * alone, so the fit compares with the curve at full rate. */
#include "calibrate/calibrate.h"

#include <math.h>
#include <stddef.h>

typedef struct products {
    const clg_gpu *gpu;
    const clg_kernels *kernels;
    clg_precision precision;
    const clg_sample **sample;
    double *measured_s;
    int count;
} products;

typedef struct row {
    size_t offset;     /* of a double in clg_gemm_curve */
    clg_fit_term term; /* without from and to */
} row;

#define AT(member) offsetof(clg_gemm_curve, member)
#define TERM(name_, unit_, si_, least_, most_)                                                     \
    { .name = name_, .unit = unit_, .unit_si = si_, .least = least_, .most = most_ }

/* In order of importance: with few samples the later ones stay. */
static const row rows[] = {{AT(efficiency), TERM("efficiency", "1", 1, 0.01, 1.1)},
                           {AT(launch_s), TERM("launch", "us", 1e-6, 1e-8, 1e-3)},
                           {AT(hbm_efficiency), TERM("hbm_efficiency", "1", 1, 0.05, 1.5)},
                           {AT(k_overhead), TERM("k_overhead", "", 1, 1, 1e4)},
                           {AT(tail_share), TERM("tail_share", "1", 1, 0.01, 1)},
                           {AT(medium_tile), TERM("medium_tile", "1", 1, 0.1, 1.3)},
                           {AT(small_tile), TERM("small_tile", "1", 1, 0.1, 1.3)}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static double *at(clg_gemm_curve *curve, int i) {
    return (double *)(void *)((char *)curve + rows[i].offset);
}

static double predict(const void *context, const double *values, int sample) {
    const products *p = context;
    const clg_sample *s = p->sample[sample];
    clg_kernels kernels;
    kernels.gemm[p->precision] = p->kernels->gemm[p->precision];
    for (int i = 0; i < ROWS; i++) *at(&kernels.gemm[p->precision], i) = values[i];
    kernels.gemm[p->precision].sustained = 1;
    return clg_gemm_s(p->gpu, &kernels, p->precision, s->m, s->n, s->k, 1);
}

static void gather(clg_arena *arena, const clg_samples *samples, products *p) {
    p->sample = clg_take(arena, (size_t)samples->count + 1, const clg_sample *);
    p->measured_s = clg_take(arena, (size_t)samples->count + 1, double);
    for (int i = 0; i < samples->count; i++) {
        const clg_sample *s = &samples->sample[i];
        if (s->kind != CLG_SAMPLE_GEMM || s->precision != p->precision) continue;
        p->measured_s[p->count] = s->seconds;
        p->sample[p->count++] = s;
    }
}

static const char *range_of(clg_arena *arena, const products *p) {
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {0};
    for (int i = 0; i < p->count; i++) {
        double size[3] = {p->sample[i]->m, p->sample[i]->n, p->sample[i]->k};
        for (int d = 0; d < 3; d++) {
            least[d] = fmin(least[d], size[d]);
            most[d] = fmax(most[d], size[d]);
        }
    }
    return clg_arena_print(arena, "m %.0f to %.0f, n %.0f to %.0f, k %.0f to %.0f", least[0],
                           most[0], least[1], most[1], least[2], most[2]);
}

static void fit_precision(clg_arena *arena, const products *p, clg_calibration *c) {
    clg_gemm_curve curve = p->kernels->gemm[p->precision];
    clg_problem problem = {.predict = predict,
                           .context = p,
                           .measured_s = p->measured_s,
                           .samples = p->count,
                           .samples_per_term = 4,
                           CLG_FIT_OF_SAMPLES};
    *c = (clg_calibration){.knob = "kernels",
                           .part = clg_name_of(clg_precision_names, (int)p->precision),
                           .title = "matrix products",
                           .base = p->gpu->name,
                           .terms = ROWS,
                           .range = range_of(arena, p),
                           .sigma_from = curve.sigma};
    for (int i = 0; i < ROWS; i++) {
        c->term[i] = rows[i].term;
        c->term[i].from = *at(&curve, i);
    }
    clg_terms_solve(arena, &problem, c->term, c->terms, &c->fit);
    c->sigma_to = clg_calibrate_sigma(c);
    if (curve.sustained < 1)
        c->notes = clg_arena_print(arena,
                                   "the curve at full rate was fitted; %.3g of it is kept for "
                                   "hours, as before",
                                   curve.sustained);
}

void clg_calibrate_gemm(clg_arena *arena, const clg_gpu *gpu, const clg_kernels *kernels,
                        const clg_samples *samples, clg_calibration *list, int *count) {
    for (int precision = 0; precision < CLG_PRECISIONS; precision++) {
        products p = {.gpu = gpu, .kernels = kernels, .precision = (clg_precision)precision};
        gather(arena, samples, &p);
        if (p.count > 0) fit_precision(arena, &p, &list[(*count)++]);
    }
}

double clg_calibrate_sigma(const clg_calibration *c) {
    const clg_residual *r = &c->fit.after;
    double weight = 3, free_samples = r->samples;
    if (c->fit.held_out.samples > 0)
        r = &c->fit.held_out;
    else
        for (int i = 0; i < c->terms; i++) free_samples -= !c->term[i].held;
    if (free_samples < 1) return c->sigma_from;
    /* of a normal distribution: median of |x| is 0.674 sigma, P90 1.645 sigma */
    double seen = fmax(r->median / 0.674, r->p90 / 1.645), before = c->sigma_from;
    return sqrt((weight * before * before + free_samples * seen * seen) / (weight + free_samples));
}
