/* mixed.h -- one job on two kinds of GPU: data-parallel halves that share its batch by speed.
 *
 * Each half trains a copy of the model with the best layout for its share, priced as any plan; all
 * wait for the slower one, then gradients that each half has reduced for itself are exchanged
 * between the two and waited for. Left out: pipelines and shards that reach over both kinds, the
 * exchange hidden behind the backward pass, numerics that differ between kinds. */
#ifndef CLG_SCALING_MIXED_H
#define CLG_SCALING_MIXED_H

#include "scaling/local.h"
#include "search/search.h"

enum { CLG_HALVES = 2 };

typedef struct clg_half {
    const clg_scenario *scenario;
    clg_space space;     /* with its GPUs, and in `plan` its share of the batch */
    clg_evaluation plan; /* of its share */
    double waits_s;      /* a step, for the other half */
    bool alone_runs;
    clg_evaluation alone; /* of the whole batch, without the other half */
} clg_half;

typedef struct clg_mixed {
    clg_half half[CLG_HALVES];
    clg_sites link;    /* between the halves */
    int64_t parts;     /* of equal size that the batch was cut into to be shared */
    bool runs;         /* false: no share of the batch runs on both */
    double exchange_s; /* of every step */
    double step_s, step_p10_s, step_p90_s; /* halves that are off are so alike */
    double tokens_per_s;
    double apart_tokens_per_s; /* of two jobs, one on each half, with the whole batch each */
    double cluster_w;          /* a half that waits draws as if it trained: a little too much */
    double usd_per_h, usd_per_million_tokens; /* 0 without both prices */
} clg_mixed;

/* How many of `parts` the first of two gets so that the longer of both takes least:
 * `seconds(context, which, parts)` grows with the parts, or is INFINITY where they do not run; 0:
 * nothing runs. Ties: fewer. */
int64_t clg_mixed_share(int64_t parts, double (*seconds)(void *context, int which, int64_t parts),
                        void *context);

/* `mixed->half` with scenario and space, and `link` are given. A batch that cannot be shared is
 * CLG_BAD_INPUT. */
clg_status clg_mixed_plan(clg_arena *arena, int64_t global_batch, clg_mixed *mixed,
                          clg_error *error);

#endif
