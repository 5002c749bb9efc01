/* links.h -- groups that move the same bytes more slowly than other groups of the job do.
 *
 * Compared are transfers (waiting left out) of one operation, size and number of ranks, between
 * groups of the same job: a slow link shows where some groups cross it and others do not. A link
 * that all groups share looks usual here; its bus rate says more. */
#ifndef CLG_TRACE_LINKS_H
#define CLG_TRACE_LINKS_H

#include "trace/recorded_job.h"

typedef struct clg_slow_group {
    const clg_trace_collective *example;
    int count;                     /* of its transfers of that kind */
    int64_t transfer_ns, usual_ns; /* its median; that of the median group */
    const int32_t *rank;           /* [ranks] of those who took part, ascending */
    int ranks;
} clg_slow_group;

typedef struct clg_slow_groups {
    clg_slow_group *group; /* that lose most in all first */
    int count;
} clg_slow_groups;

/* Those that take a fifth longer than the median of the groups, or more. */
clg_slow_groups clg_job_slow_groups(clg_arena *arena, const clg_recorded_job *job);

#endif
