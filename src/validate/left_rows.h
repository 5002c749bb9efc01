/* left_rows.h -- internal to validate/: rows that are predicted with terms not fitted on them. */
#ifndef CLG_VALIDATE_LEFT_ROWS_H
#define CLG_VALIDATE_LEFT_ROWS_H

#include "validate/leave_out.h"
#include "validate/score.h"

struct clg_leave_out_rows {
    const clg_csv **table; /* [runs] */
    int *row;              /* [runs] of its table */
    const clg_validation *validation;
    clg_plan **plan;      /* [runs] read once; NULL: not predicted */
    clg_stack_run *known; /* [runs] scenario NULL: in no fit */
    const char **key[CLG_FOLD_KINDS];
    clg_stack standard;
    clg_stack_fitting *fitting;
    clg_stacks whole;
};

/* The change of a prediction: whose terms, and whose curves. */
typedef struct clg_unseen {
    const clg_stacks *stacks; /* NULL: none fitted */
    const clg_stack *standard;
    bool generic;
    bool *new_stack; /* out; may be NULL */
} clg_unseen;

/* Why it cannot be, or NULL. */
const char *clg_unseen_predict(clg_arena *arena, const clg_plan *plan, const clg_unseen *how,
                               clg_scenario *scenario, clg_evaluation *evaluation);

#endif
