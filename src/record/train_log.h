/* train_log.h -- logs of training programs: time, tokens and operations of a step.
 *
 * Knows Megatron-LM and its descendants (Megatron-DeepSpeed, GPT-NeoX), torchtitan, DeepSpeed,
 * nanotron and NeMo by what their lines say. Launchers' prefixes, colours and progress bars do no
 * harm. Unknown is -1. */
#ifndef CLG_RECORD_TRAIN_LOG_H
#define CLG_RECORD_TRAIN_LOG_H

#include "record/intern.h"

typedef struct clg_train_log {
    const char *file, *trainer;
    int64_t first_step, last_step; /* numbers as printed */
    int steps, discarded;          /* reports read; of them left out as warm-up */
    bool by_clock;                 /* step time from the time stamps of the lines */
    double step_p10_s, step_median_s, step_p90_s;
    double tokens_per_s, tokens_per_s_per_gpu, flop_per_s_per_gpu; /* medians */
    int64_t gpus, batch, seq;
} clg_train_log;

typedef struct clg_train_logs {
    clg_arena *arena;
    clg_train_log *log;
    size_t count, capacity;
} clg_train_logs;

/* Appends what a log tells; false when it is no log of a training program. */
bool clg_train_log_read(clg_train_logs *logs, const char *file, clg_slice text);

#endif
