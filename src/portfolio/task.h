/* task.h -- internal: jobs planned at every size they may take. */
#ifndef CLG_PORTFOLIO_TASK_H
#define CLG_PORTFOLIO_TASK_H

#include "economics/goodput.h"
#include "portfolio/life.h"
#include "search/search.h"

/* What several jobs train alike: one model, sequence length and batch; plans are kept by size. */
typedef struct clg_trained {
    const char *model, *seq, *global_batch; /* as the list says */
    clg_scenario scenario;
    clg_space space;
    struct clg_sized *sized; /* plans so far */
} clg_trained;

typedef struct clg_planning {
    clg_arena *arena;
    const clg_operations *operations;
    int64_t most_gpus; /* the largest cluster */
    int plans;         /* made so far */
    double share;      /* of the jobs that are planned, for the progress */
    clg_progress progress;
} clg_planning;

/* The sizes of a job: from its fewest GPUs (or 1) by doubling, and its most. `trained` is NULL for
 * a job of GPU hours that names no model. Sizes that fit in no memory are left out. */
clg_task clg_task_make(clg_planning *planning, const clg_listed_job *job, clg_trained *trained);

#endif
