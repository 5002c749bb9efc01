/* rates.h -- what a job's kernels reach of what its GPUs can. */
#ifndef CLG_TRACE_RATES_H
#define CLG_TRACE_RATES_H

#include "trace/recorded_job.h"

/* Below this share of the time of products, theirs say nothing of the whole. */
#define CLG_TRACE_PRICED_LEAST 0.8

/* How long a rank took: the span of its GPU, or its steps, where the host took longer. */
int64_t clg_trace_wall_ns(const clg_trace *trace);

/* FLOPs of shapes over the time of a rank, and the share of peak that it took: sum over precisions
 * of flop / peak, over that time. -1: nothing was recorded with shapes, or no peak is known; the
 * share of peak also where less than CLG_TRACE_PRICED_LEAST of the time of products is priced. What
 * is not priced counts as no work: the share of peak is a lower bound, by at most a fifth. */
typedef struct clg_trace_rate {
    double flop, flop_per_s, utilization;
    double
        priced; /* share of the time of products, convolutions and attention; -1: there is none */
} clg_trace_rate;
clg_trace_rate clg_trace_rate_of(const clg_trace *trace);

/* Products whose FLOPs nobody recorded. */
typedef struct clg_trace_unpriced {
    int64_t graph_ns;    /* of products that a launch had in common with others: of a graph, which
                            records no shapes */
    const char *longest; /* the kernel with most time that is not priced; NULL: none */
} clg_trace_unpriced;
clg_trace_unpriced clg_trace_unpriced_of(const clg_trace *trace);

/* Share of peak that a kernel reaches while its products run; -1: not known. */
double clg_trace_efficiency(const char *gpu, const clg_trace_kernel *kernel);

#endif
