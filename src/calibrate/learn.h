/* learn.h -- what one measured job says of its own prediction.
 *
 * A step is a reading of all terms of its interval at once (doubts.h): each takes of the difference
 * what it may be off by, and becomes better known by as much. A step cannot tell terms apart that
 * are equally doubtful; then both move, and both stay wide. A step beyond what the terms may do
 * together is no reading of them: the job has something else. Left out: that a term cannot be below
 * what is physically possible. */
#ifndef CLG_CALIBRATE_LEARN_H
#define CLG_CALIBRATE_LEARN_H

#include "calibrate/calibrate.h"
#include "calibrate/doubts.h"

/* What a term does to this step, as shares of it: 0.03 makes it 3 % longer. */
typedef struct clg_learned_term {
    double before; /* deviation of what it may be off by */
    double moved;  /* expected, now that the step is known */
    double after;  /* deviation that is left */
} clg_learned_term;

typedef struct clg_learned {
    double measured_s;
    double planned_s, planned_p10_s, planned_p90_s;
    double fitted_s;             /* with the stack that was fitted */
    double step_s, p10_s, p90_s; /* of the same job again, with all that was learned */
    clg_learned_term term[CLG_DOUBT_TERMS];
    clg_learned_term own; /* of this plan, beyond all terms */
    double stack_sigma;   /* of another plan under this stack */
    bool beyond; /* so far off that terms alone do not explain it: nothing is better known then */
} clg_learned;

/* From a step that `planned`, of this scenario, was to take. Errors: as evaluating. */
clg_status clg_learn_step(clg_arena *arena, const clg_scenario *scenario,
                          const clg_evaluation *planned, double measured_s, clg_learned *learned,
                          clg_error *error);

/* The same, and the stack's terms fitted to it, with the interval that is left. */
clg_status clg_learn_stack(clg_arena *arena, const clg_scenario *scenario,
                           const clg_evaluation *planned, double measured_s, clg_learned *learned,
                           clg_calibration *calibration, clg_error *error);

#endif
