/* minimize.h -- the least of a function of a few numbers, without derivatives. */
#ifndef CLG_CALIBRATE_MINIMIZE_H
#define CLG_CALIBRATE_MINIMIZE_H

enum { CLG_MINIMIZE_DIMENSIONS = 12 };

typedef double (*clg_objective)(void *context, const double *x);

/* Nelder-Mead (The Computer Journal 7(4):308-313, 1965), started anew from its best point with
 * smaller simplices until one brings nothing. Deterministic: the same start gives the same end on
 * every machine. `x` holds the start, then the best point; the first simplex's edge is 0.5. Returns
 * the objective at `x`, which never exceeds that of the start. */
double clg_minimize(clg_objective objective, void *context, double *x, int dimensions,
                    int most_calls);

#endif
