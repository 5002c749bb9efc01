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

#define TERM(member, ...)                                                                          \
    [offsetof(clg_time_ledger, member) / sizeof(double)] = {#member, __VA_ARGS__}
const clg_ledger_term clg_ledger_terms[CLG_LEDGER_TERMS] = {
    TERM(compute_s, "compute_s", "compute", "compute"),
    TERM(tp_exposed_s, "tp_s", "tp traffic", "tensor-parallel traffic, exposed"),
    TERM(cp_exposed_s, "cp_s", "cp traffic", "context-parallel traffic, exposed"),
    TERM(ep_exposed_s, "ep_s", "ep traffic", "expert-parallel traffic, exposed"),
    TERM(dp_exposed_s, "dp_s", "dp traffic", "data-parallel traffic, exposed"),
    TERM(pp_exposed_s, "pp_s", "sends", "pipeline sends, exposed"),
    TERM(bubble_s, "bubble_s", "bubble", "pipeline bubble"),
    TERM(optimizer_s, "optimizer_s", "optimizer", "optimizer"),
    TERM(host_s, "host_s", "host", "host"),
    TERM(data_loading_s, "data_loading_s", "data loading", "data loading"),
    TERM(straggler_s, "straggler_s", "stragglers", "waiting for stragglers")};

double clg_ledger_traffic_s(const clg_time_ledger *t) {
    return t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->dp_exposed_s + t->pp_exposed_s;
}

double clg_exposed_share(const clg_evaluation *e) {
    return clg_ledger_traffic_s(&e->time) / e->step_s;
}

double clg_executed_flop_per_s_per_gpu(const clg_evaluation *e) {
    return e->executed_flop / e->step_s / (double)clg_layout_gpus(&e->layout);
}
