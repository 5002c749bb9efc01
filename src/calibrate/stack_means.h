/* stack_means.h -- internal to calibrate/: what stacks say of each other. */
#ifndef CLG_CALIBRATE_STACK_MEANS_H
#define CLG_CALIBRATE_STACK_MEANS_H

#include "calibrate/stacks.h"

/* Log-spread of single runs about their source's mean. */
#define CLG_RUN_SPREAD 0.06

/* Where the slowdown of a stack may lie before its own runs are looked at. */
typedef struct clg_stack_prior {
    double mean, spread; /* of the logarithm; spread 0: anywhere */
} clg_stack_prior;

/* Mean of all families; `standard` where there are none. */
double clg_stacks_mean(const clg_stacks *stacks, double standard);

/* From the other years of its family, and from all families. */
clg_stack_prior clg_stacks_prior(const clg_stacks *stacks, const char *name, const char *family);

#endif
