/* normal.h -- the normal distribution, and the one that intervals of this house have.
 *
 * Both from log and sqrt alone, so that every C library gives the same bytes. */
#ifndef CLG_BASE_NORMAL_H
#define CLG_BASE_NORMAL_H

/* The value that a share of a standard normal lies below, to 1e-15; share in (0, 1). */
double clg_normal_quantile(double share);

/* The middle of the i-th of `count` equal shares of a standard normal. */
double clg_normal_middle(int i, int count);

/* The share of a standard normal that lies below x. */
double clg_normal_below(double x);

/* The density of a standard normal at x, |x| at most 8.5; 0 beyond. */
double clg_normal_density(double x);

/* Log-sigmas of what may be off more to one side: of a time, below it and above. */
typedef struct clg_sides {
    double early, late;
} clg_sides;

/* A quantity known as 1 within a factor: (1 + late z) above its median, 1 / (1 - early z) below
 * it, z standard normal. That is what P10 and P90 of a step are made from (evaluate/interval.c). */
double clg_factor_at(clg_sides sides, double z);

/* The chance that such a factor is at most x. */
double clg_factor_below(clg_sides sides, double x);

/* Deviations from the middle to the tenth, and the ninetieth, of a hundred. */
#define CLG_SIGMAS_TO_TENTH 1.2816

#endif
