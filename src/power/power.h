/* power.h -- watts of a GPU from what it does during a step. */
#ifndef CLG_POWER_POWER_H
#define CLG_POWER_POWER_H

#include "machine/machine.h"

/* Draw of each activity as a share of the board's power limit (data/power/phases.json). */
typedef struct clg_power {
    double matrix, attention, memory, waiting, idle; /* share of the limit */
} clg_power;

clg_status clg_power_find(clg_arena *arena, clg_power *power, clg_error *error);

/* Seconds of a step by activity; they sum to the step. */
typedef struct clg_activity {
    double matrix_s, attention_s, memory_s; /* kernels */
    double waiting_s;                       /* exposed communication: polling kernels */
    double idle_s;                          /* bubbles and host: nothing runs */
} clg_activity;

/* Mean watts of one GPU. */
double clg_power_gpu_w(const clg_power *power, const clg_gpu *gpu, const clg_activity *activity);

/* Watts of all GPUs and their hosts; no cooling, no network. */
double clg_power_cluster_w(const clg_machine *machine, double gpu_w);

#endif
