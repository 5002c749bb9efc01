/* curve.h -- how far adding GPUs gets a job: re-planned at every size.
 *
 * strong: model, batch and tokens stay, GPUs grow. weak: the batch grows with the GPUs, so that
 * work per GPU stays. Efficiency is tokens/s per GPU relative to the first size that runs. */
#ifndef CLG_SCALING_CURVE_H
#define CLG_SCALING_CURVE_H

#include "scaling/laws.h"
#include "search/search.h"

enum { CLG_SCALE_POINTS = 64 };

typedef enum clg_scale_mode { CLG_STRONG, CLG_WEAK } clg_scale_mode;
extern const clg_name clg_scale_mode_names[];

typedef struct clg_scale_request {
    int64_t gpus[CLG_SCALE_POINTS];
    int count;
    clg_scale_mode mode;
    double train_tokens;    /* target, at the first size's batch */
    double critical_tokens; /* measured critical batch; 0: from the laws; INFINITY: no wall */
    double knee_share;      /* the knee: a doubling that buys less than this share, 0..1 */
} clg_scale_request;

typedef struct clg_scale_point {
    int64_t gpus;
    bool runs; /* false: nothing is legal or fits; `why` says which */
    const char *why;
    clg_evaluation plan;
    double efficiency;             /* tokens/s per GPU over that of the first point that runs */
    double communication_fraction; /* exposed traffic over the rest of the step */
    double bound_efficiency;       /* E = 1 / (1 + communication fraction) */
    double samples_ratio;          /* 1 + B / B_crit */
    double seconds_to_target;      /* tokens to the target at this batch / tokens per second */
    double usd_to_target;          /* 0 without a price */
    double marginal_share;         /* of added GPUs, what became progress; first point 1 */
    bool past_dp_cap;
} clg_scale_point;

typedef struct clg_curve {
    clg_scale_request request;
    clg_critical_batch critical;
    clg_scale_point point[CLG_SCALE_POINTS];
    int count;
    double dp_cap_gpus; /* data-parallel ranks B_crit allows x model-parallel degree; INFINITY */
    int knee;           /* index of the last point before doublings stop paying; -1: none */
} clg_curve;

clg_status clg_scale(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                     const clg_scale_request *request, clg_progress progress, clg_curve *curve,
                     clg_error *error);

#endif
