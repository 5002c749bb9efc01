/* merge.h -- the ranks of a job on one clock, to be drawn. */
#ifndef CLG_TRACE_MERGE_H
#define CLG_TRACE_MERGE_H

#include "trace/recorded_job.h"

/* GPU work of all ranks, from time 0 on, clock offsets taken out. Work that overlaps other work of
 * its stream gets a lane of its own, for viewers want slices of a track to nest. */
void clg_job_timeline(clg_arena *arena, const clg_recorded_job *job, clg_timeline *merged);

/* The same of one trace, on the same clock. */
void clg_job_timeline_of(clg_arena *arena, const clg_recorded_job *job, int trace,
                         clg_timeline *out);

#endif
