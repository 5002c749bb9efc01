/* scores.c -- see the header. */
#include "measured/scores.h"

#include "base/quantile.h"

#include <math.h>
#include <string.h>

static double ratio(double sum, int count) { return count > 0 ? sum / count : (double)NAN; }

clg_measured_score clg_measured_score_rows(const clg_measured_table *t, clg_measured_keep keep,
                                           const void *context, clg_measure m) {
    clg_arena scratch = {0};
    clg_measured_score s = {.measure = m};
    double *errors = clg_take(&scratch, (size_t)t->rows + 1, double);
    double *absolute = clg_take(&scratch, (size_t)t->rows + 1, double);
    double sum = 0, roofline = 0, constant = 0, beside = 0;
    int inside = 0, roofs = 0;
    for (int i = 0; i < t->rows; i++) {
        const clg_measured *row = &t->row[i];
        double measured = row->measured[m];
        if (!isfinite(measured) || !keep(row, context)) continue;
        s.rows++;
        if (row->reason) continue;
        double error = row->predicted[m] / measured - 1;
        errors[s.scored] = error;
        absolute[s.scored++] = fabs(error);
        sum += fabs(error);
        inside += measured >= row->low[m] && measured <= row->high[m];
        if (!(row->roofline[m] > 0)) continue;
        roofs++;
        roofline += fabs(row->roofline[m] / measured - 1);
        constant += fabs(row->constant[m] / measured - 1);
        beside += fabs(error);
    }
    clg_sort(errors, (size_t)s.scored);
    clg_sort(absolute, (size_t)s.scored);
    s.mape = ratio(sum, s.scored);
    s.coverage = ratio(inside, s.scored);
    s.median_ape = clg_quantile(absolute, s.scored, 0.5);
    s.p90_ape = clg_quantile(absolute, s.scored, 0.9);
    s.bias = clg_quantile(errors, s.scored, 0.5);
    s.roofline_mape = ratio(roofline, roofs);
    s.constant_mape = ratio(constant, roofs);
    s.beside_mape = ratio(beside, roofs);
    clg_arena_clear(&scratch);
    return s;
}

/* ---- one constant per source, measure and GPU */

static bool same_kind(const clg_measured *a, const clg_measured *b) {
    return strcmp(a->source, b->source) == 0 && a->plan.gpu && b->plan.gpu &&
           strcmp(a->plan.gpu, b->plan.gpu) == 0;
}

static bool has_roofline(const clg_measured *row, clg_measure m) {
    return !row->reason && isfinite(row->measured[m]) && row->roofline[m] > 0;
}

/* Of sum |c x - 1| over x = roofline / measured the least is at 1/x of some row: the median of
 * them, each counted x times. `ratios` are sorted, the largest factor last. */
static double best_factor(const double *ratios, int count) {
    double whole = 0, before = 0;
    for (int i = 0; i < count; i++) whole += ratios[i];
    for (int i = count - 1; i > 0; i--) {
        before += ratios[i];
        if (before >= whole / 2) return 1 / ratios[i];
    }
    return 1 / ratios[0];
}

static void fit_constant(clg_measured_table *t, int first, clg_measure m, double *ratios) {
    int count = 0;
    for (int i = first; i < t->rows; i++)
        if (same_kind(&t->row[first], &t->row[i]) && has_roofline(&t->row[i], m))
            ratios[count++] = t->row[i].roofline[m] / t->row[i].measured[m];
    if (count == 0) return;
    clg_sort(ratios, (size_t)count);
    double factor = best_factor(ratios, count);
    for (int i = first; i < t->rows; i++)
        if (same_kind(&t->row[first], &t->row[i]))
            t->row[i].constant[m] = factor * t->row[i].roofline[m];
}

static void fit_constants(clg_measured_table *t) {
    clg_arena scratch = {0};
    double *ratios = clg_take(&scratch, (size_t)t->rows + 1, double);
    for (int i = 0; i < t->rows; i++) {
        bool first = true;
        for (int j = 0; j < i && first; j++) first = !same_kind(&t->row[j], &t->row[i]);
        for (int m = 0; m < CLG_MEASURES && first; m++) fit_constant(t, i, (clg_measure)m, ratios);
    }
    clg_arena_clear(&scratch);
}

/* ---- per source and group */

typedef struct part {
    const char *source, *group;
} part;

static bool belongs(const clg_measured *row, const void *context) {
    const part *p = context;
    if (strcmp(p->source, "all") != 0 && strcmp(row->source, p->source) != 0) return false;
    return strcmp(p->group, "all") == 0 || strcmp(row->group, p->group) == 0;
}

static bool all_held_out(const clg_measured_table *t, const part *p) {
    for (int i = 0; i < t->rows; i++)
        if (belongs(&t->row[i], p) && !t->row[i].held_out) return false;
    return true;
}

/* A score per measure that was scored; where none was, one of a measure that most rows have. */
static void add_scores(clg_measured_table *t, const char *source, const char *group) {
    part p = {source, group};
    bool any = false, held = all_held_out(t, &p);
    clg_measured_score none = {.rows = -1};
    for (int m = 0; m < CLG_MEASURES; m++) {
        clg_measured_score s = clg_measured_score_rows(t, belongs, &p, (clg_measure)m);
        s.source = source;
        s.group = group;
        s.held_out = held;
        any = any || s.scored > 0;
        if (s.scored > 0) t->score[t->scores++] = s;
        if (s.rows > none.rows) none = s;
    }
    if (!any) t->score[t->scores++] = none;
}

/* Whether an earlier row is of the same source, and group where asked. */
static bool seen(const clg_measured_table *t, int row, bool group) {
    part p = {t->row[row].source, group ? t->row[row].group : "all"};
    for (int i = 0; i < row; i++)
        if (belongs(&t->row[i], &p)) return true;
    return false;
}

void clg_measured_score_table(clg_arena *arena, clg_measured_table *t) {
    int rows = 0;
    fit_constants(t);
    t->scores = 0;
    for (int i = 0; i < t->rows; i++) rows += seen(t, i, true) ? 0 : 2;
    t->score = clg_take(arena, (size_t)(rows + 1) * CLG_MEASURES, clg_measured_score);
    for (int i = 0; i < t->rows; i++) {
        part whole = {t->row[i].source, "all"};
        if (seen(t, i, false)) continue;
        for (int j = i; j < t->rows; j++)
            if (belongs(&t->row[j], &whole) && !seen(t, j, true))
                add_scores(t, t->row[i].source, t->row[j].group);
        add_scores(t, t->row[i].source, "all");
    }
    add_scores(t, "all", "all");
}
