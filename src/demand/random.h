/* random.h -- a deterministic generator: the same seed gives the same demand everywhere. */
#ifndef CLG_DEMAND_RANDOM_H
#define CLG_DEMAND_RANDOM_H

#include <stdint.h>

typedef struct clg_random {
    uint64_t state;
} clg_random;

double clg_random_unit(clg_random *random);   /* in (0, 1) */
double clg_random_normal(clg_random *random); /* mean 0, deviation 1: two units */

/* The generator once so many units were drawn. */
clg_random clg_random_after(clg_random random, uint64_t units);

/* As many as CLG_EACH (base/real.h) of them, the ones that would come one by one. */
void clg_random_normals(clg_random *random, double *normal, int count);

/* Gamma of a shape, mean 1: gaps of an arrival process whose coefficient of variation is
 * 1 / sqrt(shape). */
double clg_random_gamma(clg_random *random, double shape);

#endif
