/* validate.h -- predicted against measured, run by run.
 *
 * Reads tables of training runs (docs/formats.md), predicts each row from its plan columns alone,
 * and scores what was measured. */
#ifndef CLG_VALIDATE_VALIDATE_H
#define CLG_VALIDATE_VALIDATE_H

#include "base/cores.h"
#include "base/csv.h"
#include "evaluate/evaluate.h"

#include <string.h>

typedef struct clg_run {
    const char *id, *source, *reason; /* reason: why it was skipped; NULL when scored */
    const char *group;                /* one-constant model: GPU, precision, dense or MoE */
    const char *stack;                /* that it is predicted with; NULL when skipped */
    const char *date;                 /* of the software, as the row has it; "": not said */
    const char *unknown_stack; /* the row's name for it, "" where it states none, when nobody knows
                                  that; else NULL */
    clg_evaluation predicted;  /* valid unless skipped */
    double model_flop;         /* of the whole step, contract's definition */
    int64_t gpus;
    bool held_out;                 /* by its column: nothing was fitted on it */
    double measured_step_s;        /* 0: not measured */
    double measured_memory_bytes;  /* 0: not measured */
    clg_memory_kind memory_kind;   /* what was measured: by the row's notes, else by its stack */
    bool memory_of_first;          /* on the first stage, not on the fullest */
    bool plan_open;                /* micro-batch or recomputation are not printed, so that those
                                      were taken that fit */
    bool memory_open;              /* no measure of need: so is the plan, the longest sequence is
                                      not printed, or the allocator has filled the card */
    double predicted_memory_bytes; /* of that kind */
    double published_flop_per_s;   /* per GPU, by the source's own count of flop; 0: not printed */
    int measured_fits;             /* 1 ran, 0 out of memory, -1 not known */
    double error;                  /* predicted/measured - 1 */
    double baseline_step_s;        /* of the one-constant model */
    double
        elsewhere_step_s; /* held out: of the constant that fits the other rows; 0: no such group */
} clg_run;

/* Predicted, and measured in seconds. */
static inline bool clg_run_timed(const clg_run *run) {
    return !run->reason && run->measured_step_s > 0;
}

/* Predicted, and measured in bytes that were needed. */
static inline bool clg_run_weighed(const clg_run *run) {
    return !run->reason && run->measured_memory_bytes > 0 && !run->memory_open;
}

typedef struct clg_score {
    const char *source;
    bool held_out; /* all of its rows are */
    int rows, scored;
    double mape, median_ape, p90_ape, bias; /* of step time, as shares */
    double baseline_mape;
    double coverage;        /* share of measured steps inside P10..P90 */
    double memory_mape;     /* NaN: nothing measured */
    double memory_coverage; /* share of measured memory inside its P10..P90; NaN: none */
    double fits_accuracy;   /* share of rows whose fits/does-not-fit is right; NaN: none known */
} clg_score;

/* Whether it is of all runs, not of one source. */
static inline bool clg_score_is_all(const clg_score *score) {
    return strcmp(score->source, "all") == 0;
}

/* Rows that nothing was fitted on against the rows that something may have been fitted on. */
typedef struct clg_held_out {
    clg_score held, others; /* held.rows is 0: there are none */
    /* On the held-out rows of a group that the others have as well: our error, and that of the
     * constant which fits the others best and, as the prediction, has not seen these rows. */
    int known;
    double mape, elsewhere_mape;
} clg_held_out;

typedef struct clg_validation {
    clg_run *run;
    int runs;
    clg_score *score; /* per source, then one row "all" */
    int scores;
    clg_held_out held_out;
} clg_validation;

/* Fills the scenario of a row from its plan columns, and *evaluation with what is predicted for it;
 * its layout is complete. Returns why the row cannot be expressed, or NULL. */
const char *clg_validate_row(clg_arena *arena, const clg_csv *csv, int row, clg_scenario *scenario,
                             clg_evaluation *evaluation);

/* `progress` is not to stop it. */
clg_status clg_validate(clg_arena *arena, const clg_csv *tables, int count, clg_progress progress,
                        clg_validation *validation, clg_error *error);

#endif
