/* stages.h -- operation timelines of pipeline jobs, and what their stragglers cost.
 *
 * An operation timeline holds passes, sends, receives and collectives of every worker (replica x
 * stage), step by step, as ByteDance published them (github.com/ByteDance-Seed/StragglerAnalysis;
 * Lin et al. 2025, arXiv 2505.05713). What-if: the step is replayed on the graph of what waits for
 * what, with some durations replaced by those of a job without stragglers: every pass takes the
 * mean of its kind over workers and steps, every transfer the median.
 *
 * Not modelled: several chunks a stage (interleaving), and delays of launches, which the replay
 * leaves out, as theirs does. */
#ifndef CLG_RECORD_STAGES_H
#define CLG_RECORD_STAGES_H

#include "base/name.h"
#include "record/intern.h"
#include "record/window.h"

typedef enum clg_stage_kind {
    CLG_STAGE_FORWARD,
    CLG_STAGE_BACKWARD,
    CLG_STAGE_FORWARD_SEND,
    CLG_STAGE_FORWARD_RECEIVE,
    CLG_STAGE_BACKWARD_SEND,
    CLG_STAGE_BACKWARD_RECEIVE,
    CLG_STAGE_GATHER_PARAMETERS,
    CLG_STAGE_REDUCE_GRADIENTS,
    CLG_STAGE_REDUCE_SEPARATE, /* there where reductions of gradients overlap the passes */
    CLG_STAGE_REDUCE_NORMS,
    CLG_STAGE_REDUCE_EMBEDDINGS,
    CLG_STAGE_CLIP,
    CLG_STAGE_OPTIMIZER,
    CLG_STAGE_COLLECT, /* garbage, of Python */
    CLG_STAGE_KINDS
} clg_stage_kind;
extern const clg_name clg_stage_kind_names[]; /* as in the files */

/* Bounds, so that no sum of durations overflows: 18 minutes an operation, 4 million of them. */
#define CLG_STAGES_LONGEST_NS (INT64_MAX >> 23)
enum { CLG_STAGES_MOST = 1 << 22 };

typedef struct clg_stage_op {
    int64_t start_ns, duration_ns; /* of transfers without waiting for the peer */
    int64_t step;
    int32_t replica, stage, sequence;
    uint8_t kind;
} clg_stage_op;

/* One file. Operations in order of step, replica, stage, kind and sequence. */
typedef struct clg_stages {
    const char *file;
    clg_stage_op *op;
    size_t count, capacity;
    int64_t others; /* operations of kinds that are not modelled */
    int steps, replicas, stages;
    const char *unknown; /* why nothing can be replayed; NULL: below holds */

    /* Means over steps. */
    double recorded_s, prompt_s;    /* as recorded; with no launch late */
    double even_s;                  /* and nobody a straggler */
    double *replica_s;              /* [replicas] only these keep their durations; NULL: too many */
    double *stage_s;                /* [stages] likewise */
    double kind_s[CLG_STAGE_KINDS]; /* likewise; 0: no such operation */
    double *without_stage_s;        /* [stages] all but these keep them */
    int worst_replica, worst_stage; /* the worker most like the cause; replica -1: any */
    double without_worst_s;         /* all but that worker keep their durations */
} clg_stages;

typedef struct clg_stages_list {
    clg_arena *arena;
    clg_stages *file;
    size_t count, capacity;
} clg_stages_list;

/* Reads and replays a file; false when it is no operation timeline. */
bool clg_stages_read(clg_stages_list *list, const char *file, clg_trace_source source);

/* Replays; what `stages` holds of operations must be in order. */
void clg_stages_replay(clg_arena *arena, clg_stages *stages);

#endif
