/* real.h -- functions of real numbers that give the same bits everywhere.
 *
 * C libraries round exp, pow, cos and their like each in its own way. These are made of + - * /,
 * sqrt and log alone, which agree, and are within a few units of the last place; tests compare them
 * with libm. Left out: subnormal results, and signs of zero. */
#ifndef CLG_BASE_REAL_H
#define CLG_BASE_REAL_H

static inline double clg_square(double x) { return x * x; }

double clg_exp(double x);
double clg_expm1(double x); /* exp(x) - 1, without its loss near 0 */
double clg_exp2(double x);
double clg_log1p(double x); /* log(1 + x), likewise */
double clg_log2(double x);  /* whole for powers of two */

/* Of x >= 0. A whole exponent up to 1,024 multiplies: 10^22 is exact. */
double clg_pow(double x, double y);

/* Cosine of so many turns: 0.25 is a right angle. */
double clg_cos_of_turns(double turns);

/* The same of up to so many numbers at once, each in its place: same bits, sooner. */
enum { CLG_EACH = 64 };
void clg_exp_each(double *x, int count);
void clg_cos_of_turns_each(double *turns, int count);

#endif
