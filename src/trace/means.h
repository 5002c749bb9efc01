/* means.h -- one step of one rank, on average over a job: what plans and other runs compare with.
 */
#ifndef CLG_TRACE_MEANS_H
#define CLG_TRACE_MEANS_H

#include "trace/spans.h"

/* The parts add up to step_s. */
typedef struct clg_trace_means {
    int ranks;          /* with GPU work */
    int64_t steps;      /* over all ranks */
    clg_span_kind kind; /* what a step is */
    bool waiting_known; /* else transfer includes waiting for others */
    double step_s;
    double compute_s, transfer_s[CLG_SPLITS], waiting_s, copy_s, idle_s;
    double trailing_s; /* how far GPU work outlasts the annotation of its step; no part */

    /* Steps as the mean of the ranks, one after another. */
    double median_s, deviation_s; /* deviation of one step from another; -1: there is one */
    int64_t samples;
} clg_trace_means;

/* `degrees` may be NULL: groups that do not say what they serve are then CLG_SPLIT_UNKNOWN. */
clg_trace_means clg_job_means(const clg_recorded_job *job, const clg_span_rule *rule,
                              const clg_degrees *degrees);

#endif
