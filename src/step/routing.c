/* routing.c -- a negative binomial for who is reached, a normal for the fullest rank.
 *
 * Left out: tokens of one prompt that choose alike, placement by load (EPLB), copies of popular
 * experts. */
#include "step/routing.h"

#include "base/real.h"
#include "dataset/open.h"

#include <math.h>

clg_status clg_routing_spread(clg_arena *arena, double *spread, clg_error *error) {
    const clg_value_field fields[] = {{"spread", CLG_COUNT, spread}};
    return CLG_DATASET_NUMBERS(arena, "operations", "routing", fields, error);
}

/* Hits of an expert are Poisson with a gamma mean, so negative binomial: none with a chance of
 * (1 + v h)^(-1/v), v the variance of popularity, h the mean hits (Greenwood and Yule 1920); e^-h
 * for experts all alike. h is taken so that the even case is exact: (1 - chance)^tokens. */
double clg_experts_reached(double spread, double chance, double tokens) {
    double hits = -tokens * clg_log1p(-chance), variance = spread * spread;
    return variance > 0 ? 1 - clg_pow(1 + variance * hits, -1 / variance) : 1 - clg_exp(-hits);
}

/* Means of the largest of 1, 2, 4 .. 256 standard normals (Harter 1961, Biometrika 48, table 1;
 * beyond 64 by Blom's approximation, 1958). */
static double largest_normal(int count) {
    static const double means[] = {0,      0.5642, 1.0294, 1.4236, 1.7660,
                                   2.0697, 2.3437, 2.5942, 2.8259};
    double at = clg_log2((double)count);
    int below = (int)at, last = sizeof means / sizeof means[0] - 1;
    if (below >= last) return means[last];
    return means[below] + (at - below) * (means[below + 1] - means[below]);
}

/* A rank's rows vary with the popularity of its experts / ranks experts, and by chance (Poisson).
 */
double clg_fullest_rank(double spread, int ranks, double experts, double rows) {
    if (ranks <= 1) return 1;
    double variance = spread * spread * ranks / experts + 1 / fmax(rows, 1);
    return fmin(1 + largest_normal(ranks) * sqrt(variance), ranks);
}
