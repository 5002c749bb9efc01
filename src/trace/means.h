/* means.h -- one step of one rank, on average over a job: what plans and other runs compare with.
 */
#ifndef CLG_TRACE_MEANS_H
#define CLG_TRACE_MEANS_H

#include "record/split.h"
#include "trace/job.h"

/* The parts add up to step_s. */
typedef struct clg_trace_means {
    int ranks;          /* with GPU work */
    int64_t steps;      /* over all ranks */
    bool by_step;       /* profiler steps were annotated; else a recording counts as one step */
    bool waiting_known; /* else transfer includes waiting for others */
    double step_s;      /* of the annotation; of the GPU work where there is none */
    double compute_s, transfer_s[CLG_SPLITS], waiting_s, copy_s, idle_s;
    double
        outside_s; /* step before and after its GPU work; below zero where work trails the step */
} clg_trace_means;

/* `degrees` may be NULL: groups that do not say what they serve are then CLG_SPLIT_UNKNOWN. */
clg_trace_means clg_job_means(const clg_job *job, const clg_degrees *degrees);

#endif
