/* pairs.h -- rows of one source that differ in one thing: a workbench for differences.
 *
 * What is the same in both rows cancels in the ratio of their times. A predicted ratio that is off
 * says which part of the step grows too fast or too slowly, where a single error does not. */
#ifndef CLG_VALIDATE_PAIRS_H
#define CLG_VALIDATE_PAIRS_H

#include "validate/validate.h"

typedef struct clg_pair {
    int from, to;               /* runs of the validation, in order of the column */
    const char *column;         /* what differs; columns that follow from it differ, too */
    const char *before, *after; /* its values */
    double measured, predicted; /* time per token of `to` over that of `from` */
    const char *term; /* of the ledger: the one that closes the gap with the fewest seconds; NULL:
                         none does */
    double factor;    /* by which it would have to be larger, in both rows */
} clg_pair;

typedef struct clg_pairs {
    clg_pair *pair;
    int count;
} clg_pairs;

/* `tables` and `validation` are of the same rows. Each row is paired with the next value of a
 * column, all else the same. */
void clg_pairs_find(clg_arena *arena, const clg_csv *tables, int count,
                    const clg_validation *validation, clg_pairs *pairs);

/* The pairs of one source and column. */
typedef struct clg_pair_sum {
    const char *source, *column;
    int pairs;
    double absolute, mean; /* log(predicted ratio / measured ratio) */
    const char *term;      /* that closes most of them, and its median factor; NULL: none */
    double factor;
    int closed;
} clg_pair_sum;

/* In order of their first pair; returns how many. */
int clg_pairs_sum(clg_arena *arena, const clg_validation *validation, const clg_pairs *pairs,
                  clg_pair_sum **sums);

#endif
