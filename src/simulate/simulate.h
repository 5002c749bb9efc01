/* simulate.h -- places the passes of a pipeline in time, event by event.
 *
 * Gets seconds as arrays and never sees where they came from: it is tested with invented times. */
#ifndef CLG_SIMULATE_SIMULATE_H
#define CLG_SIMULATE_SIMULATE_H

#include "schedule/schedule.h"
#include "timeline/timeline.h"

/* Seconds of each pass by depth (0 .. stages*chunks-1). A send between neighbouring depths on
 * different stages takes send_s, or inside_s, after its producer ends. It delays only the consumer,
 * unless send_blocks: then it occupies the sender as well (stacks without overlapped
 * point-to-point). */
typedef struct clg_pipeline_times {
    const double *forward_s, *backward_input_s, *backward_weight_s;
    double send_s;   /* forward and backward alike */
    double inside_s; /* of stages that share a domain: i and j where i / together == j / together */
    int together;    /* 0, 1: none do */
    bool send_blocks;
    bool split_sends; /* also place everything with free sends, to tell sends from bubbles */
} clg_pipeline_times;

typedef struct clg_pipeline_result {
    double makespan_s;       /* first start to last end over all stages */
    int critical_stage;      /* the stage with most busy time; ties to the lower */
    double *busy_s;          /* [stages] time in passes */
    double *start_s, *end_s; /* [stages] first start, last end */
    double send_exposed_s;   /* what the step loses to sends; 0 unless split_sends */
} clg_pipeline_result;

/* Result arrays live in `arena`. `timeline` may be NULL; else one track per stage is written, pass
 * by pass. O(stages * chunks * micro_batches). A shape the schedule refuses is CLG_BAD_INPUT. */
clg_status clg_simulate_pipeline(clg_arena *arena, clg_pipeline pipeline,
                                 const clg_pipeline_times *times, clg_timeline *timeline,
                                 clg_pipeline_result *result, clg_error *error);

#endif
