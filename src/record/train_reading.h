/* train_reading.h -- internal to record/: a training log on its way from lines to a step. */
#ifndef CLG_RECORD_TRAIN_READING_H
#define CLG_RECORD_TRAIN_READING_H

#include "record/train_log.h"

typedef enum clg_said {
    CLG_SAID_STEP,
    CLG_SAID_TIME,           /* seconds of a step */
    CLG_SAID_RATE,           /* steps per second */
    CLG_SAID_MEAN_TIME,      /* seconds of a step, mean since the start */
    CLG_SAID_MEAN_RATE,      /* steps per second, mean since the start */
    CLG_SAID_TOKENS,         /* per second, whole job */
    CLG_SAID_TOKENS_PER_GPU, /* per second */
    CLG_SAID_FLOP_PER_GPU,   /* flop/s */
    CLG_SAID_SAMPLES,        /* per second */
    CLG_SAID_BATCH,          /* sequences of a step */
    CLG_SAID_SEQ,
    CLG_SAID_GPUS,
    CLG_SAID_RESERVED,  /* bytes that the allocator holds at most */
    CLG_SAID_ALLOCATED, /* bytes in use at most */
    CLG_SAID_TOTAL,     /* steps of the whole run */
    CLG_SAID_ELAPSED,   /* seconds since the bar began, whole ones */
    CLG_SAIDS
} clg_said;

/* Which program writes lines with this word; the first that has any in a log is taken, for several
 * may report: DeepSpeed's timer under Megatron. */
typedef struct clg_dialect {
    const char *format, *trainer, *marker;
    const char *also; /* another word of such lines, or NULL */
    bool opens;       /* the record goes on in the lines behind */
} clg_dialect;

enum { CLG_DIALECTS = 25, CLG_DIALECT_EXPORT = CLG_DIALECTS - 2, CLG_DIALECT_BAR = 9 };
extern const clg_dialect clg_dialects[CLG_DIALECTS];

typedef struct clg_step_sample {
    double value[CLG_SAIDS]; /* -1: not said */
    int64_t clock_ms;        /* -1: no time stamp */
    int dialect;
    bool restart; /* the first one after the program began again */
} clg_step_sample;

typedef struct clg_log_reading {
    clg_arena scratch;
    clg_step_sample *samples;
    size_t count, capacity;
    double setting[CLG_SAIDS];         /* -1: not said */
    int64_t newest[CLG_DIALECTS];      /* last step seen: ranks repeat each other */
    int speaker;                       /* the rank whose reports are taken; -1: none yet */
    size_t open;                       /* 1 + the sample whose record goes on; 0: none */
    bool hf, axolotl, nemo, lightning; /* their own words were seen */
} clg_log_reading;

/* Whether the line has the marks of a dialect; -1: of none. */
int clg_dialect_of(const char *line);
/* Fills what the line says and the sample does not hold yet. */
void clg_words_take(clg_step_sample *sample, const char *line);
/* What programs print about themselves, and peaks of memory, from any line. */
void clg_settings_take(clg_log_reading *reading, const char *line);
/* Where the second record of a line begins; NULL: it holds one. */
const char *clg_record_next(const char *line, int dialect);
/* "7,254", "2.45K", "1.6E+05"; -1 when no number follows. */
double clg_number_at(const char *text);
/* The same behind blanks and an opening quote. */
double clg_value_behind(const char *text);
/* "2024-08-01 11:00:00,123" anywhere in the line; -1: none. */
int64_t clg_clock_of(const char *line);
/* tqdm's "12/100 [01:02<07:30, 5.1s/it]" of the training itself. */
bool clg_bar_take(const clg_log_reading *reading, const char *line, clg_step_sample *sample);
/* Of the first `count` samples, all of bars, leaves those of the run itself, each step once, with
 * the time it took; returns how many. Samples that no bar printed stay as they are. */
size_t clg_bars_settle(clg_log_reading *reading, size_t count);

/* Of the first `count` samples, drops what a rank says again; returns how many are left. */
size_t clg_repeats_drop(clg_log_reading *reading, size_t count);

clg_step_sample clg_sample_empty(int dialect);
void clg_sample_add(clg_log_reading *reading, clg_step_sample sample);

/* Tables that W&B and TensorBoard export (CSV, JSON, JSON Lines); false: it is none. */
bool clg_train_export_read(clg_log_reading *reading, const char *file, clg_slice text);

/* Samples to a step; false when there are none. */
bool clg_train_summarize(clg_log_reading *reading, clg_train_log *log);

#endif
