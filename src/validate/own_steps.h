/* own_steps.h -- what a few measured steps of one's own are worth on the rest of them.
 *
 * Of each source, one stack, GPU kind and precision at a time: the terms that `ceiling fit` moves
 * are fitted to the one, two and three runs on the fewest GPUs (of as many the earlier row), and
 * all runs but those three are predicted with them. Nothing of these fits is kept. */
#ifndef CLG_VALIDATE_OWN_STEPS_H
#define CLG_VALIDATE_OWN_STEPS_H

#include "validate/validate.h"

enum { CLG_OWN_STEPS = 3 };

typedef struct clg_own_source {
    const char *source;
    bool held_out; /* all of its rows are */
    int runs;      /* scored: those beyond the three, where there are three of them or more */
    /* Mean absolute errors of step time on the same runs, as shares: as built in; fitted to one,
     * two and three; and of the one-constant model fitted to the three. */
    double before, after[CLG_OWN_STEPS], constant;
} clg_own_source;

typedef struct clg_own_steps {
    clg_own_source *source;
    int sources; /* those with runs to score */
} clg_own_steps;

/* `tables` and `validation` are of the same rows; `one_model`: one model and sequence length at a
 * time, too; `progress` is not to stop it. */
void clg_own_steps_score(clg_arena *arena, const clg_csv *tables, int count,
                         const clg_validation *validation, bool one_model, clg_progress progress,
                         clg_own_steps *scores);

#endif
