/* strips.h -- what each rank did when, coarsely: a job to look at.
 *
 * The job's time is cut into bins of one length, and each shows what had most of it. */
#ifndef CLG_TRACE_STRIPS_H
#define CLG_TRACE_STRIPS_H

#include "trace/recorded_job.h"

enum {
    CLG_STRIP_COMPUTE,
    CLG_STRIP_TRANSFER, /* exposed; with the waiting, where it is not told apart */
    CLG_STRIP_WAITING,
    CLG_STRIP_COPY,
    CLG_STRIP_IDLE,
    CLG_STRIP_KINDS
};

typedef struct clg_strips {
    int64_t bin_ns; /* 0: there is no GPU work */
    int bins;       /* of every rank, from the first start of all on */
    uint8_t *strip; /* [traces][bins] */
} clg_strips;

clg_strips clg_job_strips(clg_arena *arena, const clg_recorded_job *job);

#endif
