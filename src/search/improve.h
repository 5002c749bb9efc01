/* improve.h -- from a job as it is, the fastest plan that so few changes reach.
 *
 * For one change, for two, for three, ..: every set of so many axes is freed, the others stay as
 * the job has them, and the space between is searched whole. So "two changes: +18 %" is a
 * certificate, not the first path found. */
#ifndef CLG_SEARCH_IMPROVE_H
#define CLG_SEARCH_IMPROVE_H

#include "search/search.h"

enum { CLG_IMPROVE_CHANGES = 4 };

/* Axes that are changed together: a wider tp brings its sequence parallelism along. */
typedef enum clg_freed {
    CLG_FREED_RECOMPUTE,
    CLG_FREED_MICRO_BATCH,
    CLG_FREED_ZERO,
    CLG_FREED_HSDP,
    CLG_FREED_SCHEDULE, /* and chunks */
    CLG_FREED_TP,       /* and sp, etp */
    CLG_FREED_PP,       /* and its schedule, chunks */
    CLG_FREED_CP,       /* and its kind */
    CLG_FREED_EP,       /* and etp */
    CLG_FREED
} clg_freed;

typedef struct clg_improvement {
    int changes;               /* axes that really differ, 1.. */
    clg_evaluation plan;       /* the fastest with at most so many, within the risk */
    double gain;               /* tokens/s over those of the job, minus 1 */
    double gain_p10, gain_p90; /* of what is each plan's own: what both share cancels */
    double faster;             /* chance that it is faster at all */
    bool tie;                  /* not faster by more than chance */
} clg_improvement;

typedef struct clg_improvements {
    clg_improvement
        step[CLG_IMPROVE_CHANGES]; /* each at least `worth` faster than the one before */
    int count;
    int64_t layouts; /* looked at */
} clg_improvements;

/* Which of the axes differ between two layouts, as bits of clg_freed. */
unsigned clg_layout_changes(const clg_layout *from, const clg_layout *to);

/* `space` says what the software may do, the risk and the batch; `job` is the layout as it is. A
 * further change is kept where it brings at least `worth` (0.01: one per cent). */
clg_status clg_improve(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                       const clg_evaluation *job, double worth, clg_progress progress,
                       clg_improvements *improvements, clg_error *error);

#endif
