/* evaluation.c -- names of walls, and sums over an answer. */
#include "evaluate/evaluation.h"

#include <stddef.h>

const clg_name clg_wall_names[] = {
    {"compute", CLG_WALL_COMPUTE, "matrix products and attention"},
    {"memory bandwidth", CLG_WALL_MEMORY_BANDWIDTH, "kernels that stream HBM, optimizer"},
    {"tensor-parallel communication", CLG_WALL_TP, NULL},
    {"context-parallel communication", CLG_WALL_CP, NULL},
    {"expert-parallel communication", CLG_WALL_EP, NULL},
    {"data-parallel communication", CLG_WALL_DP, NULL},
    {"pipeline sends", CLG_WALL_SENDS, NULL},
    {"pipeline bubble", CLG_WALL_BUBBLE, NULL},
    {"host", CLG_WALL_HOST, "kernel launches, per-step work on the CPU, data loading"},
    {"stragglers", CLG_WALL_STRAGGLER, "waiting for the slowest part"},
    {"memory", CLG_WALL_MEMORY, "the plan does not fit"},
    {NULL, 0, NULL}};

double clg_ledger_traffic_s(const clg_time_ledger *t) {
    return t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->dp_exposed_s + t->pp_exposed_s;
}

double clg_executed_flop_per_s_per_gpu(const clg_evaluation *e) {
    return e->executed_flop / e->step_s / (double)clg_layout_gpus(&e->layout);
}
