/* random.c -- SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), and what is drawn from it. */
#include "demand/random.h"

#include "base/real.h"

#include <math.h>

static const uint64_t step = 0x9E3779B97F4A7C15u;

static uint64_t next(clg_random *random) {
    uint64_t z = (random->state += step);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

clg_random clg_random_after(clg_random random, uint64_t units) {
    return (clg_random){random.state + units * step};
}

double clg_random_unit(clg_random *random) {
    return ((double)(next(random) >> 11) + 0.5) / 9007199254740992.0;
}

double clg_random_normal(clg_random *random) {
    double radius = sqrt(-2 * log(clg_random_unit(random)));
    return radius * clg_cos_of_turns(clg_random_unit(random));
}

void clg_random_normals(clg_random *random, double *normal, int count) {
    double turns[CLG_EACH];
    for (int k = 0; k < count; k++) {
        normal[k] = sqrt(-2 * log(clg_random_unit(random)));
        turns[k] = clg_random_unit(random);
    }
    clg_cos_of_turns_each(turns, count);
    for (int k = 0; k < count; k++) normal[k] *= turns[k];
}

/* Marsaglia and Tsang, ACM TOMS 26 (2000); shapes below 1 by their boost. */
static double gamma_above_one(clg_random *random, double shape) {
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = clg_random_normal(random), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (log(clg_random_unit(random)) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
    }
}

double clg_random_gamma(clg_random *random, double shape) {
    if (shape == 1) return -log(clg_random_unit(random));
    if (shape >= 1) return gamma_above_one(random, shape) / shape;
    double boost = clg_pow(clg_random_unit(random), 1 / shape);
    return gamma_above_one(random, shape + 1) * boost / shape;
}
