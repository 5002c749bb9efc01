/* difference.c -- the part of two errors that is not common. */
#include "evaluate/difference.h"

#include "base/normal.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/value.h"

#include <math.h>
#include <stddef.h>

static const char FILE_OF[] = "accuracy/differences.json";
static const double SURE = 0.8;

clg_status clg_difference_find(clg_arena *arena, clg_difference *difference, clg_error *error) {
    const clg_file *file = clg_dataset_find(FILE_OF);
    const clg_json *root;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s is not built in", FILE_OF);
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
        return error->status;
    clg_value_field fields[] = {{"sigma", CLG_COUNT, &difference->sigma},
                                {"sigma_share", CLG_COUNT, &difference->sigma_share}};
    if (clg_value_fields(root, file->path, fields, 2, error) != CLG_OK) return error->status;
    return clg_value_done(root, file->path, error);
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
