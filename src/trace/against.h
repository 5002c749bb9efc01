/* against.h -- two recorded runs of the same thing, step beside step. */
#ifndef CLG_TRACE_AGAINST_H
#define CLG_TRACE_AGAINST_H

#include "trace/means.h"

/* GPU work of one name in the steps of a run, a rank and step on average. */
typedef struct clg_kernel_side {
    double calls, s_per_call; /* 0 and 0 where it does not run */
} clg_kernel_side;

typedef struct clg_kernel_change {
    const char *name;
    clg_kernel_side before, after;
    double delta_s; /* of calls x time per call */
} clg_kernel_change;

typedef struct clg_against {
    clg_span_rule rule; /* what a step is, in both */
    clg_trace_means before, after;
    clg_kernel_change *kernel; /* most changed first */
    int kernels;
    int recounted;     /* of them, called more or less often than before */
    double more_s;     /* what their additional calls take, at the time per call of before */
    double noise_s;    /* two standard errors of the difference of the mean steps; -1: not known */
    double slower;     /* change of the step, as a share of before: the mean's or the median's,
                          whichever is less, so that one slow step makes no run slow */
    double fail_above; /* share that --fail-above allows; -1: none was asked for */
} clg_against;

/* Names in the result live as long as those of the jobs. */
clg_against clg_job_against(clg_arena *arena, const clg_recorded_job *before,
                            const clg_recorded_job *after);

bool clg_against_fails(const clg_against *against);

#endif
