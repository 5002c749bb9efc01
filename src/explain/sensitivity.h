/* sensitivity.h -- what would move a plan: d ln(speed) / d ln(resource), layout held. */
#ifndef CLG_EXPLAIN_SENSITIVITY_H
#define CLG_EXPLAIN_SENSITIVITY_H

#include "evaluate/evaluate.h"

enum { CLG_RESOURCES = 7 };

typedef struct clg_sensitivity {
    const char *resource;
    double elasticity; /* 1: a tenth more of it makes the step a tenth faster; 0: nothing */
} clg_sensitivity;

clg_status clg_sensitivities(clg_arena *arena, const clg_scenario *scenario,
                             const clg_layout *layout, clg_sensitivity into[CLG_RESOURCES],
                             clg_error *error);

#endif
