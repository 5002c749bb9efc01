/* against.h -- two recorded runs of the same thing. */
#ifndef CLG_TRACE_AGAINST_H
#define CLG_TRACE_AGAINST_H

#include "trace/means.h"

/* GPU work of one name, a rank and step on average. */
typedef struct clg_kernel_change {
    const char *name;
    double before_s, after_s, before_count, after_count;
} clg_kernel_change;

typedef struct clg_against {
    clg_trace_means before, after;
    clg_kernel_change *kernel; /* most changed first */
    int kernels;
} clg_against;

/* Names in the result live as long as those of the jobs. */
clg_against clg_job_against(clg_arena *arena, const clg_job *before, const clg_job *after);

#endif
