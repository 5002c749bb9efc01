/* quantile.c -- what a share of some values lies below. */
#include "base/quantile.h"

#include <math.h>

double clg_quantile(const double *sorted, int count, double share) {
    if (count == 0) return (double)NAN;
    double at = share * (count - 1);
    int below = (int)at;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}
