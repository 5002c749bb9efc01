/* plan.h -- a recording beside the plan it was to follow, term by term. */
#ifndef CLG_TRACE_PLAN_H
#define CLG_TRACE_PLAN_H

#include "evaluate/evaluation.h"
#include "trace/means.h"

/* What `ceiling explain --json` or `plan --json` printed, as far as it is compared. */
typedef struct clg_trace_plan {
    const char *file, *model, *gpu;
    double step_s, mfu;
    clg_time_ledger time;
    clg_degrees degrees;
    int64_t gpus;
    clg_memory_ledger memory; /* parts 0: only the total is known; total 0: not even that */
} clg_trace_plan;

clg_status clg_trace_plan_read(clg_arena *arena, const char *file, const char *text, size_t size,
                               clg_trace_plan *plan, clg_error *error);

enum { CLG_PLAN_TERMS = 10 };
typedef struct clg_plan_term {
    const char *name;
    double predicted_s, measured_s;
} clg_plan_term;

/* The measured terms add up to the measured step, the predicted ones to the predicted. */
typedef struct clg_plan_comparison {
    clg_trace_plan plan;
    clg_trace_means means;
    clg_plan_term term[CLG_PLAN_TERMS];
    int terms, worst;         /* worst: the term that loses most; -1: none loses */
    const clg_train_log *log; /* what is compared is a log, whose terms are not known; else NULL */
    double measured_mfu;      /* of the plan's model FLOPs; -1: unknown */
} clg_plan_comparison;

clg_plan_comparison clg_trace_plan_compare(const clg_trace_plan *plan, const clg_recorded_job *job);

#endif
