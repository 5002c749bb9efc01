/* recorded_job.h -- the recordings of one job's ranks, seen together: who waited for whom. */
#ifndef CLG_TRACE_RECORDED_JOB_H
#define CLG_TRACE_RECORDED_JOB_H

#include "record/execution.h"
#include "record/nccl_log.h"
#include "record/split.h"
#include "record/stages.h"
#include "record/trace.h"
#include "record/train_log.h"

/* One collective over all ranks that recorded it. Unknown is -1: an instance with ranks missing
 * has no last arriver and no transfer time. */
typedef struct clg_trace_collective {
    const char *group, *name;
    uint32_t group_key, sequence; /* the n-th of its group, from 0 */
    clg_operation operation;
    int64_t bytes, group_size;
    int ranks;        /* that recorded it */
    int64_t start_ns; /* of the first to arrive, on the job's clock */
    int64_t transfer_ns, skew_ns, bus_bytes_per_s;
    int last; /* trace that arrived last */
} clg_trace_collective;

typedef struct clg_straggler {
    int trace;
    int64_t last_arrivals;
    int64_t caused_wait_ns; /* summed over those who waited */
    int64_t caused_skew_ns; /* of the first to arrive alone */
} clg_straggler;

/* Exposed communication of one rank on one axis of the layout; over the axes it adds up to that of
 * the ledger. */
typedef struct clg_axis_time {
    int64_t exposed_ns, calls;
    int64_t transfer_ns, waiting_ns; /* its parts; -1: not told apart */
} clg_axis_time;

typedef struct clg_recorded_job {
    clg_trace *traces; /* by rank */
    int count;
    clg_trace_collective *collectives;
    int collective_count;
    int mismatched;            /* instances whose ranks disagree about the operation */
    clg_straggler *stragglers; /* worst first */
    int straggler_count;
    int64_t *offset_ns;  /* [count] clock of a trace over that of the first */
    int64_t *waiting_ns; /* [count] part of exposed communication spent waiting; -1: unknown */
    clg_axis_time (*axis)[CLG_SPLITS]; /* [count] exposed communication by what it splits */
    clg_nccl_rows benchmarks;          /* of logs given beside or instead of traces */
    clg_train_logs logs;               /* likewise, of training programs */
    clg_executions executions;         /* likewise, graphs of operators */
    clg_stages_list stages;            /* likewise, operation timelines */
    clg_memory_uses memory;            /* likewise, memory timelines */
    const char *unmatched;             /* why nothing was matched over ranks; NULL: it was */
} clg_recorded_job;

/* Sorts the traces by rank and matches their collectives. */
void clg_job_match(clg_arena *arena, clg_trace *traces, int count, clg_recorded_job *job);

/* Tells exposed communication by axis once the degrees of the layout are known, which say more of
 * groups than their descriptions do. NULL: as clg_job_match left it. */
void clg_job_split(clg_recorded_job *job, const clg_degrees *degrees);

#endif
