/* power.c -- a weighted mean over the step's activities.
 *
 * Left out: clocks that fall under a cap (the kernel curves were measured under the same caps), and
 * the drift of idle draw with temperature. */
#include "power/power.h"

#include "dataset/open.h"

clg_status clg_power_find(clg_arena *arena, clg_power *power, clg_error *error) {
    const clg_value_field fields[] = {{"matrix", CLG_FRACTION, &power->matrix},
                                      {"attention", CLG_FRACTION, &power->attention},
                                      {"memory", CLG_FRACTION, &power->memory},
                                      {"waiting", CLG_FRACTION, &power->waiting},
                                      {"idle", CLG_FRACTION, &power->idle}};
    return CLG_DATASET_NUMBERS(arena, "power", "phases", fields, error);
}

double clg_power_gpu_w(const clg_power *power, const clg_gpu *gpu, const clg_activity *a) {
    double step_s = a->matrix_s + a->attention_s + a->memory_s + a->waiting_s + a->idle_s;
    if (step_s <= 0) return gpu->idle_w;
    double joules = power->matrix * a->matrix_s + power->attention * a->attention_s +
                    power->memory * a->memory_s + power->waiting * a->waiting_s +
                    power->idle * a->idle_s;
    return gpu->tdp_w * joules / step_s;
}

double clg_power_cluster_w(const clg_machine *machine, double gpu_w) {
    double nodes = (double)machine->gpus / machine->node.gpus;
    return machine->gpus * gpu_w + nodes * machine->node.host_w;
}
