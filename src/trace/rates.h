/* rates.h -- what a job's kernels reach of what its GPUs can. */
#ifndef CLG_TRACE_RATES_H
#define CLG_TRACE_RATES_H

#include "trace/job.h"

/* Dense peak of the GPU that a trace names, from data/gpu; 0: no such GPU or precision. */
double clg_trace_peak_flop_per_s(const char *gpu, clg_precision precision);

/* FLOPs of shapes over the span of a rank, and the share of peak that it took: sum over precisions
 * of flop / peak, over the span. -1: nothing was recorded with shapes, or no peak is known. */
typedef struct clg_trace_rate {
    double flop, flop_per_s, utilization;
} clg_trace_rate;
clg_trace_rate clg_trace_rate_of(const clg_trace *trace);

/* Share of peak that a kernel reaches while its products run; -1: not known. */
double clg_trace_efficiency(const char *gpu, const clg_trace_kernel *kernel);

#endif
