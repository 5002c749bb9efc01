/* roots.h -- who lost the time that others waited, and to what.
 *
 * Who comes last to a collective need not be the cause: it may have waited itself for a third rank,
 * in another group. So what a collective's ranks waited is laid beside what the last one did, and
 * they did, since their group last met: compute, copies, transfers and waiting in other groups, and
 * idle by what held the host up. Where the last rank has more of it than they, there the time was
 * lost, in proportion; what it waited more than they is passed on, to whom it waited for longest.
 *
 * Every nanosecond waited is given to one rank and one cause. Left out: chains through work that
 * overlaps (a rank that waits under compute), and which of two ranks both late was later than need
 * be. */
#ifndef CLG_TRACE_ROOTS_H
#define CLG_TRACE_ROOTS_H

#include "trace/recorded_job.h"

typedef enum clg_cause {
    CLG_CAUSE_COMPUTE,   /* its kernels took longer, or were more */
    CLG_CAUSE_COPY,      /* likewise copies */
    CLG_CAUSE_TRANSFER,  /* its transfers in other groups took longer */
    CLG_CAUSE_LOADER,    /* idle under the data loader */
    CLG_CAUSE_ALLOCATOR, /* idle in the allocator of the driver */
    CLG_CAUSE_HOST,      /* idle until a launch began */
    CLG_CAUSE_START,     /* its step, or its recording, began later than theirs */
    CLG_CAUSE_UNKNOWN,   /* idle for none of these; or nothing differs */
    CLG_CAUSES
} clg_cause;
extern const clg_name clg_cause_names[];

/* What a rank made others wait, by cause, and what its kernels say. */
typedef struct clg_root {
    int trace;
    int64_t waited_ns, cause_ns[CLG_CAUSES]; /* these add up to it */
    double kernel_ratio; /* time of its kernels over that of the median rank's calls; -1: unknown */
    double slow_share;   /* of that time, in kernels that take over half that excess; -1: unknown */
    const char *kernel;  /* that lost most; NULL: unknown */
    double worst_ratio;  /* its own */
} clg_root;

typedef struct clg_roots {
    clg_root *root; /* worst first; without those nobody waited for */
    int count;
    int64_t waited_ns; /* by all for all */
} clg_roots;

clg_roots clg_job_roots(clg_arena *arena, const clg_recorded_job *job);

/* Internal to trace/: fills what kernels say of each root. */
void clg_judge_kernels(const clg_recorded_job *job, clg_root *roots);

/* Its largest cause. */
clg_cause clg_root_cause(const clg_root *root);

#endif
