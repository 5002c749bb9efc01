/* minimize.c -- Nelder-Mead with restarts. */
#include "calibrate/minimize.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { POINTS = CLG_MINIMIZE_DIMENSIONS + 1 };

typedef struct simplex {
    clg_objective objective;
    void *context;
    int dimensions, calls;
    double point[POINTS][CLG_MINIMIZE_DIMENSIONS], value[POINTS];
} simplex;

static double evaluate(simplex *s, const double *x) {
    double value = s->objective(s->context, x);
    s->calls++;
    return isfinite(value) ? value : 1e300;
}

static void replace(simplex *s, int at, const double *x, double value) {
    memcpy(s->point[at], x, sizeof s->point[at]);
    s->value[at] = value;
}

/* Insertion sort: stable, so that ties break the same way everywhere. */
static void sort(simplex *s) {
    for (int i = 1; i <= s->dimensions; i++) {
        double point[CLG_MINIMIZE_DIMENSIONS], value = s->value[i];
        memcpy(point, s->point[i], sizeof point);
        int j = i;
        for (; j > 0 && s->value[j - 1] > value; j--)
            replace(s, j, s->point[j - 1], s->value[j - 1]);
        replace(s, j, point, value);
    }
}

static void start(simplex *s, const double *x, double step) {
    for (int i = 0; i <= s->dimensions; i++) {
        double point[CLG_MINIMIZE_DIMENSIONS] = {0};
        memcpy(point, x, (size_t)s->dimensions * sizeof *x);
        if (i > 0) point[i - 1] += step;
        replace(s, i, point, evaluate(s, point));
    }
    sort(s);
}

/* The worst point mirrored at the middle of the others, `by` times as far away. */
static double mirror(simplex *s, double by, double *x) {
    int worst = s->dimensions;
    memset(x, 0, sizeof s->point[0]);
    for (int d = 0; d < s->dimensions; d++) {
        double middle = 0;
        for (int i = 0; i < worst; i++) middle += s->point[i][d] / worst;
        x[d] = middle + by * (middle - s->point[worst][d]);
    }
    return evaluate(s, x);
}

static void shrink(simplex *s) {
    for (int i = 1; i <= s->dimensions; i++) {
        for (int d = 0; d < s->dimensions; d++)
            s->point[i][d] = 0.5 * (s->point[0][d] + s->point[i][d]);
        s->value[i] = evaluate(s, s->point[i]);
    }
}

static void move(simplex *s) {
    double near[CLG_MINIMIZE_DIMENSIONS], far[CLG_MINIMIZE_DIMENSIONS];
    int worst = s->dimensions;
    double mirrored = mirror(s, 1, near);
    if (mirrored < s->value[0]) {
        double further = mirror(s, 2, far);
        replace(s, worst, further < mirrored ? far : near, further < mirrored ? further : mirrored);
    } else if (mirrored < s->value[worst - 1]) {
        replace(s, worst, near, mirrored);
    } else {
        double inside = mirror(s, mirrored < s->value[worst] ? 0.5 : -0.5, far);
        if (inside < s->value[worst] && inside <= mirrored)
            replace(s, worst, far, inside);
        else
            shrink(s);
    }
    sort(s);
}

static bool small(const simplex *s) {
    double width = 0;
    for (int d = 0; d < s->dimensions; d++)
        for (int i = 1; i <= s->dimensions; i++)
            width = fmax(width, fabs(s->point[i][d] - s->point[0][d]));
    return width < 1e-5;
}

double clg_minimize(clg_objective objective, void *context, double *x, int dimensions,
                    int most_calls) {
    assert(dimensions <= CLG_MINIMIZE_DIMENSIONS);
    simplex s = {.objective = objective, .context = context, .dimensions = dimensions};
    double best = evaluate(&s, x), step = 0.5;
    if (dimensions == 0) return best;
    for (int round = 0; round < 6 && s.calls < most_calls; round++) {
        double before = best;
        start(&s, x, round % 2 == 0 ? step : -step);
        while (s.calls < most_calls && !small(&s)) move(&s);
        if (s.value[0] <= best) {
            best = s.value[0];
            memcpy(x, s.point[0], (size_t)dimensions * sizeof *x);
        }
        if (round > 1 && before - best < 1e-6 * (1 + before)) break;
        step *= 0.5;
    }
    return best;
}
