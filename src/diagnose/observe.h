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

typedef struct clg_observations {
    double step_s;       /* 0: no step was measured */
    bool counted;        /* it was converted from operations, which are counted in several ways */
    const char *written; /* of the step, as given */
    double count_s; /* the step that operations counted beside a timed one would make; 0: none */
    const char *count_written;
    const clg_evaluation *other; /* the same job on other GPUs, as planned; NULL: not measured */
    double other_s;              /* its step */
    const char *other_written;
    clg_observed_bus bus[CLG_OBSERVATIONS];
    int buses;
} clg_observations;

/* "12.5s", "200tok/s/GPU", "6400tok/s", "24samples/s", "230Tflop/s/GPU", "13%MFU" of a step of
 * `plan`, or "40GB/s:all-reduce:6" (bus bandwidth, collective, nodes). One step by the clock and
 * one by operations stand beside each other; a second of either is refused. */
clg_status clg_observe(const clg_evaluation *plan, const clg_machine *machine, const char *written,
                       clg_observations *observations, clg_error *error);

#endif
