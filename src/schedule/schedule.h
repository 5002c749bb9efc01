/* schedule.h -- the order in which a pipeline stage does its passes.
 *
 * One file per schedule, named in list.h, layout.h and schedule.c. A schedule is data to the
 * simulator: an ordered list of passes per stage; it knows no seconds. */
#ifndef CLG_SCHEDULE_SCHEDULE_H
#define CLG_SCHEDULE_SCHEDULE_H

#include "base/arena.h"
#include "base/error.h"
#include "layout/layout.h"

#include <stdbool.h>

typedef enum clg_slot_kind {
    CLG_SLOT_FORWARD,
    CLG_SLOT_BACKWARD,       /* input and weight gradients in one */
    CLG_SLOT_BACKWARD_INPUT, /* where a schedule splits them */
    CLG_SLOT_BACKWARD_WEIGHT
} clg_slot_kind;

typedef struct clg_slot {
    unsigned char kind; /* clg_slot_kind */
    short chunk;        /* model chunk on this stage, from 0 */
    int micro_batch;    /* from 0 */
} clg_slot;

/* Slots of one stage in order of execution. */
typedef struct clg_slots {
    clg_slot *slot;
    int count;
} clg_slots;

typedef struct clg_pipeline {
    clg_schedule_kind kind;
    int stages;        /* p >= 1: GPUs in the pipeline direction */
    int chunks;        /* v >= 1 model chunks per stage */
    int micro_batches; /* m >= 1 per step */
    /* Mean lengths of a chunk's passes, for schedules that are ordered by them; 0: all equal. */
    double forward_s, backward_input_s, backward_weight_s;
} clg_pipeline;

clg_pipeline clg_pipeline_of(const clg_layout *layout);

/* All that search and simulator know of a schedule. A micro-batch visits depths
 * 0 .. stages*chunks-1; a stage works on the depths of its chunks. DualPipe sends every other
 * micro-batch the opposite way: its stages hold two depths with one chunk each, numbered 0, 1. */
typedef struct clg_schedule {
    bool splits_backward; /* has separate weight passes */
    bool crosses_steps;   /* stages do not wait for one another between steps */
    int weight_copies;    /* 2 for DualPipe (two directions), else 1 */
    /* NULL if the shape is legal, else what is required (says a sentence). */
    const char *(*refuses)(clg_pipeline pipeline);
    /* Depth of chunk `chunk` of stage `stage`. */
    int (*depth)(clg_pipeline pipeline, int stage, int chunk);
    /* The slots of a stage; NULL: all stages are ordered side by side, greedy.c. */
    clg_slots (*slots)(clg_arena *arena, clg_pipeline pipeline, int stage);
    /* Most activations of one chunk and micro-batch alive at once on a stage. A count over the
     * slots gives the same; tests compare. */
    double (*alive)(clg_pipeline pipeline, int stage);
} clg_schedule;

const clg_schedule *clg_schedule_of(clg_schedule_kind kind);

/* Writes the slots of every stage into stages[0 .. p-1]. */
void clg_schedule_slots(clg_arena *arena, clg_pipeline pipeline, clg_slots *stages);

#endif
