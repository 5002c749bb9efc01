/* workload.h -- demands that are defined somewhere: lengths and latency rule, data/workload. */
#ifndef CLG_MEASURED_WORKLOAD_H
#define CLG_MEASURED_WORKLOAD_H

#include "serve/habits.h"
#include "serve/serve_answer.h"

typedef struct clg_workload {
    const char *name, *model;            /* model: a built-in one */
    double prompt_tokens, output_tokens; /* means */
    double most_prompt, most_output;     /* none is longer; 0: not known */
    double spread;                       /* deviation over mean of both before, log-normal */
    clg_serve_target target;             /* when requests come one by one */
    const clg_json *layouts;             /* published ones, by GPU; NULL: none */
    const clg_json *runtimes;            /* what submitters run of an engine; NULL: its own */
    clg_serving_habits habits;
} clg_workload;

clg_status clg_workload_find(clg_arena *arena, const char *name, clg_workload *workload,
                             clg_error *error);

/* The engine that stands for what submitters run of this one, whose server is another program:
 * built engines, a sampler in C++. */
const char *clg_workload_runtime(const clg_workload *workload, const char *engine);

typedef struct clg_workload_best {
    int tp, dp, ep;
    clg_serve_sigma sigma;       /* how far off that may be */
    double tokens_per_s_per_gpu; /* 0: nothing fits, or nothing meets the target */
} clg_workload_best;

/* The most output tokens a second and GPU that replicas of `engine` give a workload on boxes of
 * `gpus`. Layout and limit of sequences are those published for the GPU; where none are, or nothing
 * fits so, clg_replica_degrees inside a box and the engine's limit or those of the habits, as who
 * submits a benchmark would choose.
 * `timed`: at a steady rate within the target; else all requests at once. */
clg_workload_best clg_workload_serve(clg_arena *arena, const clg_workload *workload,
                                     const clg_scenario *scenario, const clg_engine *engine,
                                     clg_precision weights, int gpus, bool timed);

/* The narrowest format of weights whose products the GPU has peaks for. */
clg_precision clg_narrowest(const clg_gpu *gpu);

#endif
