/* curve.h -- how far adding GPUs gets a job: re-planned at every size.
 *
 * strong: model, batch and tokens stay, GPUs grow. weak: the batch grows with the GPUs, so that
 * work per GPU stays. grow: model, tokens and cluster grow together, by a ladder (growth.h).
 * Efficiency is useful flop/s per GPU relative to the first size that runs
 * (tokens/s per GPU where the model stays). */
#ifndef CLG_SCALING_CURVE_H
#define CLG_SCALING_CURVE_H

#include "scaling/growth.h"
#include "scaling/laws.h"
#include "scaling/local.h"
#include "search/search.h"

enum { CLG_SCALE_POINTS = 64 };

typedef enum clg_scale_mode { CLG_STRONG, CLG_WEAK, CLG_GROW } clg_scale_mode;
extern const clg_name clg_scale_mode_names[];

typedef struct clg_scale_request {
    int64_t gpus[CLG_SCALE_POINTS];
    int count;
    clg_scale_mode mode;
    clg_growth growth;      /* of CLG_GROW */
    clg_sites sites;        /* where the GPUs are */
    bool useful;            /* also tokens discounted by the critical batch */
    double train_tokens;    /* target: what so many teach at a batch up to the critical */
    double critical_tokens; /* measured critical batch; 0: from the laws; INFINITY: no wall */
    double knee_share;      /* the knees: where less than this share is bought, 0..1 */
} clg_scale_request;

typedef struct clg_scale_point {
    int64_t gpus;
    bool runs; /* false: nothing is legal or fits; `why` says which */
    const char *why;
    const clg_model *model; /* that of the scenario, or its relative at this size */
    double train_tokens, critical_tokens;
    double batch_growth; /* batch over that of the first size asked for */
    int64_t batch;       /* sequences that a ladder says; 0: by batch_growth */
    clg_evaluation plan;
    double efficiency;             /* useful flop/s per GPU over that of the first that runs */
    double communication_fraction; /* exposed traffic over the rest of the step */
    double bound_efficiency;       /* E = 1 / (1 + communication fraction) */
    double samples_ratio;          /* 1 + B / B_crit */
    double useful_tokens_per_s; /* over that: what tiny batches would learn from as many tokens */
    double outer_exposed_s;     /* of a step, waiting for other sites */
    clg_loss_penalty penalty;   /* of meeting seldom */
    double tokens_needed;       /* to the target at this batch */
    double seconds_to_target;   /* those over tokens per second */
    double usd_to_target;       /* 0 without a price */
    double joules_to_target;    /* machines, no cooling */
    double marginal_share;      /* of added GPUs, what became progress; first point 1 */
    /* Tokens/s that the step up from the size before bought, per unit added; first point: mean.
     * Those of a larger model count as more of the first's: by parameters. */
    double marginal_per_gpu, marginal_per_w, marginal_per_usd_per_h;
    bool past_critical_batch; /* needs more tokens than a smaller batch would */
    bool past_dp_cap;         /* that, or more GPUs than the cap */
} clg_scale_point;

typedef struct clg_curve {
    clg_scale_request request;
    clg_critical_batch critical;
    clg_scale_point point[CLG_SCALE_POINTS];
    int count;
    double dp_cap_gpus; /* GPUs at which their batch is the critical one; INFINITY: none */
    double dp_cap_low_gpus, dp_cap_high_gpus; /* the same at the ends of the laws' band */
    /* Indices; -1: none. knee: the last size before added GPUs stop becoming progress. The others:
     * the last size at which the job takes at most 1/share of its least dollars or joules. */
    int knee, knee_usd, knee_j;
    bool knee_of_batch; /* at the knee steps stay fast: the larger batch needs more tokens */
} clg_curve;

clg_status clg_scale(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                     const clg_scale_request *request, clg_progress progress, clg_curve *curve,
                     clg_error *error);

#endif
