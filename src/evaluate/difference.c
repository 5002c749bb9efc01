/* difference.c -- the part of two errors that is not common. */
#include "evaluate/difference.h"

#include "base/normal.h"
#include "dataset/open.h"

#include <math.h>

static const double SURE = 0.8;

clg_status clg_difference_find(clg_arena *arena, clg_difference *d, clg_error *error) {
    const clg_value_field fields[] = {{"sigma", CLG_COUNT, &d->sigma},
                                      {"sigma_share", CLG_COUNT, &d->sigma_share}};
    return CLG_DATASET_NUMBERS(arena, "accuracy", "differences", fields, error);
}

double clg_difference_share(const clg_evaluation *a, const clg_evaluation *b) {
    double apart = 0;
    for (int i = 0; i < CLG_LEDGER_TERMS; i++)
        apart += fabs(a->time.term_s[i] / a->step_s - b->time.term_s[i] / b->step_s);
    return apart / 2;
}

double clg_difference_sigma(const clg_difference *d, const clg_evaluation *a,
                            const clg_evaluation *b) {
    double elsewhere = d->sigma_share * clg_difference_share(a, b);
    return sqrt(d->sigma * d->sigma + elsewhere * elsewhere);
}

double clg_difference_faster(const clg_difference *d, const clg_evaluation *a,
                             const clg_evaluation *b) {
    double sigma = clg_difference_sigma(d, a, b);
    double ahead = log(a->tokens_per_s / b->tokens_per_s);
    if (!(sigma > 0)) return ahead > 0 ? 1 : ahead < 0 ? 0 : 0.5;
    return clg_normal_below(ahead / sigma);
}

bool clg_difference_tie(const clg_difference *d, const clg_evaluation *a, const clg_evaluation *b) {
    double chance = clg_difference_faster(d, a, b);
    return chance < SURE && chance > 1 - SURE;
}
