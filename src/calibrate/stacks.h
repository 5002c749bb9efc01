/* stacks.h -- the terms of many software stacks from rows of runs of many sources.
 *
 * What is fitted: `kernel_slowdown` of every stack with runs, and whatever other terms of the table
 * in stacks.c a stack's own file states as `fitted`. The values those files hold take no part: a
 * term starts from that of the default stack, and `kernel_slowdown` is drawn to the mean of all
 * stacks, so that a stack of few runs stays near the others. A stack without runs has that mean,
 * and the default's terms where its own are fitted: what a new stack gets.
 *
 * The error is that of terms.h. A run counts by what its interval says of everything but the stack
 * (mixtures and runs of much exposed traffic less), and runs of one source share an error: a
 * thousand of them count little more than ten. */
#ifndef CLG_CALIBRATE_STACKS_H
#define CLG_CALIBRATE_STACKS_H

#include "base/cores.h"
#include "calibrate/fit_terms.h"
#include "evaluate/evaluate.h"

enum { CLG_STACK_TERMS = 8 };

/* A measured run. `layout` is complete. */
typedef struct clg_stack_run {
    const clg_scenario *scenario; /* prepared; of its stack what was fitted is not used.
                                     NULL: takes no part */
    clg_layout layout;
    double step_s;
    const char *source;
} clg_stack_run;

typedef struct clg_stack_term {
    clg_fit_term term; /* from: where it starts; to: fitted */
    double built_in;   /* SI; what the stack's file says */
    int line;          /* of the file where it is stated; 0: of the stack whatever its release */
} clg_stack_term;

typedef struct clg_stack_terms {
    const char *stack, *family;
    clg_stack_term term[CLG_STACK_TERMS]; /* the first is kernel_slowdown */
    int terms, runs, sources;
    double readings; /* independent ones that the runs are worth */
    double alone;    /* kernel_slowdown before it was drawn to the mean */
} clg_stack_terms;

/* count stacks, and what one without runs has. */
typedef struct clg_stacks {
    clg_stack_terms *stack;
    int count;
    double kernel_slowdown;
    const bool *left_out; /* [runs]; NULL: none */
} clg_stacks;

/* Runs, grouped, with what was evaluated of them so far. */
typedef struct clg_stack_fitting clg_stack_fitting;

/* `runs` must live as long. Rows of stacks that are not known take no part. */
clg_status clg_stacks_begin(clg_arena *arena, const clg_stack_run *runs, int count,
                            const clg_cores *cores, clg_stack_fitting **fitting, clg_error *error);

enum { CLG_STACKS_KNOWN = 3 };

/* A fit to the runs that are not left out (NULL: to all); `left_out` must live as long as it. What
 * spares work: `known`, other fits (NULL: none), the fit to all runs first: stacks of which the
 * same is left out need not be fitted again. `wanted` (NULL: all): runs whose stacks will be asked
 * for; the terms of others are not made. */
typedef struct clg_stacks_without {
    const bool *left_out, *wanted;
    const clg_stacks *known[CLG_STACKS_KNOWN];
} clg_stacks_without;

/* Several may go on at a time. */
void clg_stacks_fit(clg_arena *arena, const clg_stack_fitting *fitting,
                    const clg_stacks_without *without, clg_stacks *stacks);

/* Puts the terms in the place of those that were fitted: of a stack without runs, what a new one
 * gets. Says whether it had runs. `stacks` NULL: all as the default has them. */
bool clg_stacks_apply(const clg_stacks *stacks, const clg_stack *standard, clg_stack *stack);

#endif
