/* normal.c -- algorithm AS 241 (Wichura 1988, Applied Statistics 37:477); shares by series. */
#include "base/normal.h"

#include <math.h>

static const double centre[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
static const double centre_below[] = {1,
                                      4.2313330701600911252e+1,
                                      6.8718700749205790830e+2,
                                      5.3941960214247511077e+3,
                                      2.1213794301586595867e+4,
                                      3.9307895800092710610e+4,
                                      2.8729085735721942674e+4,
                                      5.2264952788528545610e+3};
static const double tail[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                              5.76949722146069140550e0,  3.64784832476320460504e0,
                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
static const double tail_below[] = {1,
                                    2.05319162663775882187e0,
                                    1.67638483018380384940e0,
                                    6.89767334985100004550e-1,
                                    1.48103976427480074590e-1,
                                    1.51986665636164571966e-2,
                                    5.47593808499534494600e-4,
                                    1.05075007164441684324e-9};
static const double far_tail[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
static const double far_tail_below[] = {1,
                                        5.99832206555887937690e-1,
                                        1.36929880922735805310e-1,
                                        1.48753612908506148525e-2,
                                        7.86869131145613259100e-4,
                                        1.84631831751005468180e-5,
                                        1.42151175831644588870e-7,
                                        2.04426310338993978564e-15};

#define FAR 8.5 /* nothing lies beyond: 1e-17 */

static double polynomial(const double coefficient[8], double x) {
    double sum = coefficient[7];
    for (int i = 6; i >= 0; i--) sum = sum * x + coefficient[i];
    return sum;
}

static double ratio(const double above[8], const double below[8], double x) {
    return polynomial(above, x) / polynomial(below, x);
}

double clg_normal_quantile(double share) {
    double q = share - 0.5;
    if (fabs(q) <= 0.425) return q * ratio(centre, centre_below, 0.180625 - q * q);
    double r = sqrt(-log(q < 0 ? share : 1 - share));
    double far = r <= 5 ? ratio(tail, tail_below, r - 1.6) : ratio(far_tail, far_tail_below, r - 5);
    return q < 0 ? -far : far;
}

/* e^x for x in -40..0, from sums and products alone: Taylor's series of what is left of x after
 * whole halvings, ln 2 in two parts. */
static double exponential(double x) {
    static const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    double halvings = floor(x / ln2_high + 0.5);
    double rest = x - halvings * ln2_high - halvings * ln2_low, term = 1, sum = 1;
    for (int i = 1; i < 16; i++) sum += term *= rest / i;
    return ldexp(sum, (int)halvings);
}

double clg_normal_density(double x) {
    static const double root_of_two_pi = 2.50662827463100050242;
    return fabs(x) > FAR ? 0 : exponential(-x * x / 2) / root_of_two_pi;
}

double clg_normal_middle(int i, int count) { return clg_normal_quantile((i + 0.5) / count); }

/* Marsaglia 2004, Journal of Statistical Software 11:4: 1/2 + density (x + x^3/3 + x^5/15 ..), all
 * terms of one sign; to 1e-15 absolutely. */
double clg_normal_below(double x) {
    if (fabs(x) > FAR) return x < 0 ? 0 : 1;
    double term = x, sum = x, last = 0;
    for (int i = 3; sum != last; i += 2) {
        last = sum;
        sum += term *= x * x / i;
    }
    return fmin(fmax(0.5 + sum * clg_normal_density(x), 0), 1); /* far out: rounding alone */
}

double clg_factor_at(clg_sides sides, double z) {
    return z < 0 ? 1 / (1 - sides.early * z) : 1 + sides.late * z;
}

double clg_factor_below(clg_sides sides, double x) {
    double sigma = x < 1 ? sides.early : sides.late;
    if (!(x > 0)) return 0;
    if (!(sigma > 0)) return x >= 1 ? 1 : 0;
    return clg_normal_below(x < 1 ? (1 - 1 / x) / sigma : (x - 1) / sigma);
}
