/* observe.h -- what a person measured, as they write it. */
#ifndef CLG_DIAGNOSE_OBSERVE_H
#define CLG_DIAGNOSE_OBSERVE_H

#include "evaluate/evaluate.h"

enum { CLG_OBSERVATIONS = 16 };

/* A bus bandwidth that a collective showed over so many nodes, large messages. */
typedef struct clg_observed_bus {
    clg_collective collective;
    int nodes;
    double bytes; /* of the buffer; 0: not said, a large one */
    double bus_bytes_per_s;
} clg_observed_bus;

/* What is read off a running job beside its speed. */
typedef enum clg_sign {
    CLG_SIGN_BUSY,
    CLG_SIGN_DATA,
    CLG_SIGN_OPTIMIZER,
    CLG_SIGN_COMMUNICATION,
    CLG_SIGN_MEMORY,
    CLG_SIGNS
} clg_sign;

typedef struct clg_observed_sign {
    bool seen;
    double value; /* share of the step with a kernel running; seconds a step of waiting for data, of
                     the optimizer; share of the step in collectives; bytes of a GPU in use */
    const char *written;
} clg_observed_sign;

/* A text that the job wrote. */
typedef struct clg_observed_log {
    const char *text;
    size_t size;
} clg_observed_log;

/* How directly a number says what a step takes: by the clock, by counted tokens, by counted
 * operations, by their share of a peak. */
typedef enum clg_count { CLG_BY_CLOCK, CLG_BY_TOKENS, CLG_BY_FLOP, CLG_BY_MFU } clg_count;

typedef struct clg_observations {
    double step_s; /* 0: no step was measured */
    clg_count count;
    bool counted;        /* it was converted from operations, which are counted in several ways */
    const char *written; /* of the step, as given */
    double count_s;      /* the step that what was counted beside it would make; 0: none */
    const char *count_written;
    double before_s; /* the step the same job once took, its settings as now; 0: not said */
    const char *before_written;
    const clg_evaluation *other; /* the same job on other GPUs, as planned; NULL: not measured */
    double other_s;              /* its step */
    const char *other_written;
    clg_observed_bus bus[CLG_OBSERVATIONS];
    int buses;
    clg_observed_sign sign[CLG_SIGNS];
    clg_observed_log log; /* none: no text */
} clg_observations;

/* "12.5s", "200tok/s/GPU", "6400tok/s", "24samples/s", "230Tflop/s/GPU", "13%MFU" of a step of
 * `plan`, "40GB/s:all-reduce:6" (bus bandwidth, collective, nodes), "15%:util", "3s:data",
 * "2s:optimizer", "60%:communication", "79GB:memory", or any of the first with ":before", as the
 * same job once ran. Two numbers of different kinds stand beside each other: the more direct one is
 * the step. A second of one kind, and a third, are refused. */
clg_status clg_observe(const clg_evaluation *plan, const clg_machine *machine, const char *written,
                       clg_observations *observations, clg_error *error);

#endif
