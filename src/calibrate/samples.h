/* samples.h -- measurements of single operations, from the texts programs print.
 *
 * Four forms, told apart by their content: JSON Lines ({"what", "ranks", "nodes", "bytes", "m",
 * "n", "k", "dtype", "seconds": [...], "where": {...}}), logs and JSON of nccl-tests, and tables of
 * collectives or matrix products (columns in docs/fit.md). A sample's time is the median of its
 * readings. */
#ifndef CLG_CALIBRATE_SAMPLES_H
#define CLG_CALIBRATE_SAMPLES_H

#include "base/csv.h"
#include "base/json.h"
#include "op/op.h"

typedef enum clg_sample_kind {
    CLG_SAMPLE_COLLECTIVE,
    CLG_SAMPLE_GEMM,
    CLG_SAMPLE_COPY,
    CLG_SAMPLE_STEP /* its operations, one after the other; only where asked for */
} clg_sample_kind;

typedef struct clg_sample {
    clg_sample_kind kind;
    clg_collective collective;
    int ranks, nodes; /* nodes 0: not stated */
    double bytes;     /* as nccl-tests counts size; of a copy, read and written together */
    clg_precision precision;
    double m, n, k;
    double seconds;
    double expected_s; /* of a step: what its list of operations said */
    double watts;      /* of a GPU meanwhile; 0: not stated */
    bool hot;          /* it was slowed down by heat, or by a power brake */
    const char *gpu;   /* the built-in name, or as it was printed; "" when not stated */
    bool known_gpu;    /* built in */
    const char *hosts; /* nodes that took part, with commas; "" when not stated */
} clg_sample;

typedef struct clg_left_out {
    const char *why;
    int count;
} clg_left_out;

enum { CLG_LEFT_OUT = 16, CLG_SAMPLE_GPUS = 16 };

typedef struct clg_samples {
    clg_sample *sample;
    int count;
    size_t capacity;
    clg_left_out left_out[CLG_LEFT_OUT];
    int reasons;
    struct {
        const char *printed, *name; /* NULL: none that is built in */
    } gpu[CLG_SAMPLE_GPUS];         /* names looked up so far */
    int gpus;
    int wrong;        /* left out because the results were */
    bool replays;     /* steps are wanted, too; given before reading */
    int ranks, nodes; /* of logs that do not say who took part; given before reading, 0: not */
} clg_samples;

/* What a text holds. */
typedef enum clg_samples_form {
    CLG_FORM_JSON_LINES,
    CLG_FORM_NCCL_LOG,
    CLG_FORM_TABLE,
    CLG_FORM_RUNS /* a table of training runs: validate/ reads it */
} clg_samples_form;

/* Appends the samples of a NUL-terminated text. A table of runs is parsed into *runs and appends
 * nothing. */
clg_status clg_samples_read(clg_arena *arena, const char *file, const char *text, size_t size,
                            clg_samples *samples, clg_samples_form *form, clg_csv *runs,
                            clg_error *error);

/* Internal to samples*.c. */
void clg_samples_add(clg_arena *arena, clg_samples *samples, const clg_sample *sample);
void clg_samples_leave_out(clg_samples *samples, const char *why);
/* By the names of NCCL, nccl-tests and tables: "all_reduce", "allreduce", ...; -1: none. */
int clg_samples_collective(const char *word);
int clg_samples_precision(const char *word);
clg_status clg_samples_read_nccl(clg_arena *arena, const char *file, const char *text, size_t size,
                                 clg_samples *samples, clg_error *error);
/* What nccl-tests writes with -J: `root` of the whole file. */
clg_status clg_samples_read_nccl_json(clg_arena *arena, const char *file, const clg_json *root,
                                      clg_samples *samples, clg_error *error);
extern const char clg_samples_wrong[];
/* The operation as a program or a file spells it; -1: none. */
int clg_samples_operation(const char *text);
clg_status clg_samples_read_table(clg_arena *arena, const clg_csv *csv, clg_samples *samples,
                                  clg_error *error);

#endif
