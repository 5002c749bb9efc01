/* train_log.h -- logs of training programs: time, tokens, operations and memory of a step.
 *
 * Known by what their lines say (train_words.c, one row each), or as tables that W&B and
 * TensorBoard export. Launchers' prefixes, colours and progress bars do no harm; ranks that repeat
 * each other, the first report and the first after a restart are not counted. Unknown is -1. */
#ifndef CLG_RECORD_TRAIN_LOG_H
#define CLG_RECORD_TRAIN_LOG_H

#include "record/intern.h"

typedef struct clg_train_log {
    const char *file, *trainer;
    const char *format;            /* "megatron", as of the trainer's own files */
    int64_t first_step, last_step; /* numbers as printed */
    int steps, discarded;          /* reports read; of them left out as warm-up */
    bool by_clock;                 /* step time from the time stamps of the lines */
    double step_p10_s, step_median_s, step_p90_s;
    double tokens_per_s, tokens_per_s_per_gpu, flop_per_s_per_gpu; /* medians */
    double memory_bytes;  /* peak of a GPU: reserved where the log says it */
    bool memory_reserved; /* else allocated */
    int restarts;         /* the step's number went back */
    double drift;         /* of the step over the whole log, a share of it; 0 beside a change */
    int64_t change_step;  /* from here on another level; before_s < 0: none */
    double before_s, after_s;
    int64_t gpus, batch, seq;
    const char *ended; /* how, where that is no end; NULL: not said */
} clg_train_log;

typedef struct clg_train_logs {
    clg_arena *arena;
    clg_train_log *log;
    size_t count, capacity;
} clg_train_logs;

/* Appends what a log tells; false when it is no log of a training program. */
bool clg_train_log_read(clg_train_logs *logs, const char *file, clg_slice text);

/* What trainers time inside a step, the slowest rank's; below 0: not said. */
typedef struct clg_train_timers {
    double optimizer_s, data_s;
} clg_train_timers;

clg_train_timers clg_train_timers_read(clg_slice text);

/* How a log ends, where that is no end ("it ran out of GPU memory"); NULL: not said. */
const char *clg_train_log_end(clg_slice text);

#endif
