/* leave_out.h -- how good the terms of stacks are on runs that they were not fitted on.
 *
 * Fold by fold (a source, a model, a GPU generation) the terms of all stacks are fitted to the
 * other runs (calibrate/stacks.h), and the runs of the fold predicted with them: of a stack that
 * has no other runs as of a new one. Their intervals are as wide as the errors of the other folds
 * ask for (calibrate/interval_widths.h), each predicted without itself. What is not fitted to runs
 * of steps stays: the habits of stacks, and the curves of kernels and collectives (of a generation,
 * also scored with those of another). Runs whose column `held_out` is set are in no fit; the terms
 * fitted to all others are scored on them. */
#ifndef CLG_VALIDATE_LEAVE_OUT_H
#define CLG_VALIDATE_LEAVE_OUT_H

#include "calibrate/interval_widths.h"
#include "calibrate/stacks.h"
#include "validate/validate.h"

typedef enum clg_fold_kind {
    CLG_FOLD_SOURCE,
    CLG_FOLD_MODEL,
    CLG_FOLD_GENERATION,
    CLG_FOLD_KINDS
} clg_fold_kind;
extern const clg_name clg_fold_names[];

typedef struct clg_fold {
    const char *name;
    int new_stack;      /* runs of a stack that has no others */
    clg_score in_sight; /* with the built-in terms */
    /* with the terms of the others; its one constant is fitted to the others as well, and NaN where
     * they have none for the GPU and precision */
    clg_score unseen;
    double beside_constant; /* mean error on the runs for which there is one */
    clg_score generic;      /* of a generation: with the curves of another; rows 0: not scored */
} clg_fold;

typedef struct clg_leave_out {
    clg_fold_kind kind;
    clg_fold *fold;
    int folds;
    clg_fold all;                        /* each run once */
    double folds_in_sight, folds_unseen; /* mean error, each fold once */
    clg_fold held_out;                   /* in no fold; rows 0: none */
    clg_interval_widths widths;          /* from all runs, each predicted without its fold */
    clg_run *run;                        /* [of the validation] as predicted without its fold */
    clg_stacks stacks;                   /* fitted to all */
} clg_leave_out;

/* What all kinds of folds share. `tables` and `validation` (of the same tables) must live as long.
 */
typedef struct clg_leave_out_rows clg_leave_out_rows;
clg_status clg_leave_out_begin(clg_arena *arena, const clg_csv *tables, int count,
                               const clg_validation *validation, clg_progress progress,
                               clg_leave_out_rows **rows, clg_error *error);

/* `progress` is not to stop it. */
void clg_leave_out_score(clg_arena *arena, clg_leave_out_rows *rows, clg_fold_kind kind,
                         clg_progress progress, clg_leave_out *scores);

#endif
