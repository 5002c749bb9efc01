/* job_samples.h -- a recorded job as measurements of single operations, for calibrate/. */
#ifndef CLG_TRACE_JOB_SAMPLES_H
#define CLG_TRACE_JOB_SAMPLES_H

#include "calibrate/samples.h"
#include "trace/recorded_job.h"

/* Appends one sample for every kind of collective that was matched over all of its ranks (its
 * transfer, without waiting: median over instances) and for every shape of matrix product whose
 * kernel is known (median over launches). What cannot be used is counted as left out. A profiler
 * slows hosts, hardly kernels. How many nodes took part is not recorded: full ones are assumed. */
void clg_job_samples(clg_arena *arena, const clg_recorded_job *job, clg_samples *samples);

#endif
