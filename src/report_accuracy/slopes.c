/* slopes.c -- what a run keeps of its speed per GPU on more GPUs, measured and predicted. Errors
 * that are the same at every size cancel in it: it tests what grows with the cluster alone. */
#include "base/quantile.h"
#include "report_accuracy/accuracy.h"

#include <math.h>
#include <string.h>

typedef enum slope_kind { STRONG, WEAK } slope_kind;

typedef struct slope {
    const clg_run *small, *large;
    double measured, predicted; /* speed per GPU of the large one over that of the small one */
} slope;

typedef struct slope_sum {
    double *off; /* of each series, without sign */
    int count, close;
    double absolute, signed_difference;
} slope_sum;

static const double CLOSE = 0.03;

static bool near(double a, double b) { return fabs(a / b - 1) < 1e-9; }

/* The same work on more GPUs, or the same work per GPU, by the same software, split the same way
 * apart from dp; what a table leaves open was completed the same way. */
static bool same_series(slope_kind kind, const clg_run *a, const clg_run *b) {
    const clg_layout *l = &a->predicted.layout, *m = &b->predicted.layout;
    double work_a = a->model_flop, work_b = b->model_flop;
    if (kind == WEAK) work_a /= (double)a->gpus, work_b /= (double)b->gpus;
    return strcmp(a->source, b->source) == 0 && strcmp(a->group, b->group) == 0 &&
           strcmp(a->stack, b->stack) == 0 && strcmp(a->date, b->date) == 0 &&
           near(work_a, work_b) && l->seq == m->seq && l->tp == m->tp && l->cp == m->cp &&
           l->ep == m->ep && l->etp == m->etp && l->pp == m->pp && l->vpp == m->vpp &&
           l->zero == m->zero && l->micro_batch == m->micro_batch && l->recompute == m->recompute &&
           l->recompute_layers == m->recompute_layers;
}

/* The series that begins at row `first`, or false: it began earlier, or has one size only. */
static bool find(const clg_validation *v, slope_kind kind, int first, slope *found) {
    const clg_run *r = &v->run[first];
    slope s = {.small = r, .large = r};
    if (!clg_run_timed(r)) return false;
    for (int i = 0; i < v->runs; i++) {
        const clg_run *other = &v->run[i];
        if (!clg_run_timed(other) || !same_series(kind, r, other)) continue;
        if (i < first) return false;
        if (other->gpus < s.small->gpus) s.small = other;
        if (other->gpus > s.large->gpus) s.large = other;
    }
    if (s.small->gpus == s.large->gpus) return false;
    double more = kind == STRONG ? (double)s.large->gpus / (double)s.small->gpus : 1;
    s.measured = s.small->measured_step_s / s.large->measured_step_s / more;
    s.predicted = s.small->predicted.step_s / s.large->predicted.step_s / more;
    *found = s;
    return true;
}

static void print_kind(clg_text *t, const clg_validation *v, slope_kind kind, const char *title,
                       slope_sum sums[2]) {
    clg_text_print(t,
                   "\n%s\n\n| from | GPUs | measured | predicted | difference |\n"
                   "|---|---|---|---|---|\n",
                   title);
    for (int i = 0; i < v->runs; i++) {
        slope s;
        if (!find(v, kind, i, &s)) continue;
        double difference = s.predicted - s.measured;
        slope_sum *sum = &sums[s.small->held_out];
        sum->off[sum->count++] = fabs(difference);
        sum->close += fabs(difference) <= CLOSE;
        sum->absolute += fabs(difference);
        sum->signed_difference += difference;
        clg_text_print(t, "| %s%s | %lld to %lld | %.3f | %.3f | %+.3f |\n", s.small->id,
                       s.small->held_out ? " (never fitted on)" : "", (long long)s.small->gpus,
                       (long long)s.large->gpus, s.measured, s.predicted, difference);
    }
}

static void print_sum(clg_text *t, const char *words, const slope_sum *s) {
    if (s->count == 0) return;
    clg_sort(s->off, (size_t)s->count);
    clg_text_print(t,
                   "- %s: %d series, off by %.3f on average (%+.3f), half of them by at most %.3f, "
                   "%d within %.2f\n",
                   words, s->count, s->absolute / s->count, s->signed_difference / s->count,
                   clg_quantile(s->off, s->count, 0.5), s->close, CLOSE);
}

static slope_sum no_series(clg_text *t, const clg_validation *v) {
    return (slope_sum){.off = clg_take(t->arena, (size_t)v->runs, double)};
}

void clg_report_slopes(clg_text *t, const clg_validation *v) {
    slope_sum strong[2] = {no_series(t, v), no_series(t, v)};
    slope_sum weak[2] = {no_series(t, v), no_series(t, v)};
    clg_text_print(t, "\n## Slopes\n\nSpeed per GPU on the most GPUs of a series over that on the "
                      "fewest, split the same way.\n");
    print_kind(t, v, STRONG, "Strong scaling, the same batch:", strong);
    print_kind(t, v, WEAK, "Weak scaling, the same batch per GPU:", weak);
    clg_text_print(t, "\n");
    print_sum(t, "strong scaling, never fitted on", &strong[1]);
    print_sum(t, "strong scaling, the others", &strong[0]);
    print_sum(t, "weak scaling, never fitted on", &weak[1]);
    print_sum(t, "weak scaling, the others", &weak[0]);
}
