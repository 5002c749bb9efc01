/* interval_widths.h -- how wide intervals have to be, from runs that the terms were not fitted on.
 *
 * For all stacks: a common residual `sigma`, `sigma_traffic`, `sigma_step_s` and `sigma_experts`,
 * those with the least pinball loss at 80 % of the errors (Koenker & Bassett, Econometrica
 * 46(1):33-50, 1978): where P10 to P90 holds 80 % of them; with n sources at (n + 1) / n of that,
 * so that it holds for the next. A width that no run depends on stays at 0.1 (experts), 0.3
 * (traffic), 10 ms. Each source counts the same, however many runs it has.
 *
 * Few sources have mixtures, and the rest would settle for them: with the other three set,
 * `sigma_experts` is what holds 80 % of those that are late, at (n + 1) / n with the n that have
 * some.
 *
 * Then a `sigma` per stack: of each of its sources the one that holds 80 % of its runs, and three
 * more of the common one, as mean squares; widened for so few: the next source is a draw of
 * Student's t with a degree less than n + 3, about a mean known to a root of 1 / (n + 3).
 */
#ifndef CLG_CALIBRATE_INTERVAL_WIDTHS_H
#define CLG_CALIBRATE_INTERVAL_WIDTHS_H

#include "evaluate/evaluate.h"

/* A run predicted by terms that were not fitted on it. */
typedef struct clg_miss {
    double log_error; /* ln(predicted/measured) */
    clg_doubt doubt;
    const char *stack, *source;
} clg_miss;

typedef struct clg_stack_width {
    const char *stack;
    double sigma;
    int sources;
} clg_stack_width;

typedef struct clg_interval_widths {
    double sigma; /* the common one */
    double sigma_experts, sigma_traffic, sigma_step_s;
    clg_stack_width *stack;
    int stacks;
} clg_interval_widths;

/* From the misses that count; `standard` gives what is not fitted (sigma_borrowed). */
void clg_widths_fit(clg_arena *arena, const clg_miss *misses, const bool *counts, int count,
                    const clg_stack *standard, clg_interval_widths *widths);

/* The widths of a stack, by its name, in the place of its own. */
void clg_interval_widths_apply(const clg_interval_widths *widths, const char *name,
                               clg_stack *stack);

#endif
