/* difference.h -- whether one plan is really faster than another.
 *
 * What makes a prediction wrong makes that of the next plan on the same machine and software wrong
 * by about as much: between two plans it cancels, the more the more alike the plans are. How much
 * is left was measured on published runs that differ in one thing (data/accuracy/differences.json),
 * by the share of a step's seconds that goes to other terms of the ledger. It is much narrower than
 * the two intervals together. */
#ifndef CLG_EVALUATE_DIFFERENCE_H
#define CLG_EVALUATE_DIFFERENCE_H

#include "evaluate/evaluation.h"

typedef struct clg_difference {
    double sigma;       /* of plans whose seconds go to the same places, in logarithms */
    double sigma_share; /* more, times the share that goes elsewhere */
} clg_difference;

clg_status clg_difference_find(clg_arena *arena, clg_difference *difference, clg_error *error);

/* Share of a step's seconds that are in other terms of the ledger, 0 to 1. */
double clg_difference_share(const clg_evaluation *a, const clg_evaluation *b);

/* Log-sigma of how much more one is off than the other. */
double clg_difference_sigma(const clg_difference *difference, const clg_evaluation *a,
                            const clg_evaluation *b);

/* Chance that `a` makes more tokens a second than `b`, of one job on one machine and software; 0.5
 * where they are predicted the same. */
double clg_difference_faster(const clg_difference *difference, const clg_evaluation *a,
                             const clg_evaluation *b);

/* Neither is faster by more than chance: the better one's chance is below 0.8, which is what P10 to
 * P90 hold. */
bool clg_difference_tie(const clg_difference *difference, const clg_evaluation *a,
                        const clg_evaluation *b);

#endif
