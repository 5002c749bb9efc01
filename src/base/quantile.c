/* quantile.c -- what a share of some values lies below. */
#include "base/quantile.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void clg_sort(double *values, size_t count) {
    if (count > 1) qsort(values, count, sizeof *values, by_value);
}

static int by_integer(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void clg_sort_integers(int64_t *values, size_t count) {
    if (count > 1) qsort(values, count, sizeof *values, by_integer);
}

double clg_quantile(const double *sorted, int count, double share) {
    if (count == 0) return (double)NAN;
    double at = share * (count - 1);
    int below = (int)at;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

static double median(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

static void swap(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Values below the pivot first, then those equal to it, [*equal, *above), then those above it. */
static void part_by(double pivot, double *values, int64_t count, int64_t *equal, int64_t *above) {
    int64_t below = 0, at = 0, end = count;
    while (at < end) {
        if (values[at] < pivot)
            swap(&values[at++], &values[below++]);
        else if (values[at] > pivot)
            swap(&values[at], &values[--end]);
        else
            at++;
    }
    *equal = below;
    *above = end;
}

/* Quickselect (Hoare 1961, algorithm 65) with the median of three as pivot. Each round leaves half
 * on average; lists on which it does not are sorted after `ROUNDS`, so that none takes long. */
double clg_select(double *values, int64_t count, int64_t place) {
    enum { ROUNDS = 96 };
    for (int round = 0; round < ROUNDS && count > 1; round++) {
        int64_t equal, above;
        part_by(median(values[0], values[count / 2], values[count - 1]), values, count, &equal,
                &above);
        if (place >= equal && place < above) return values[place];
        int64_t skip = place < equal ? 0 : above;
        count = place < equal ? equal : count - above;
        values += skip;
        place -= skip;
    }
    clg_sort(values, (size_t)count);
    return values[place];
}
