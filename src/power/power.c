/* power.c -- a weighted mean over the step's activities.
 *
 * Left out: clocks that fall under a cap (the kernel curves were measured under the same caps), and
 * the drift of idle draw with temperature. */
#include "power/power.h"

#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/value.h"

static const char *const FILE_NAME = "power/phases.json";

clg_status clg_power_find(clg_arena *arena, clg_power *power, clg_error *error) {
    const clg_file *file = clg_dataset_find(FILE_NAME);
    const clg_json *root;
    clg_power read = {0};
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s is not built in", FILE_NAME);
    if (clg_dataset_parse(arena, FILE_NAME, file->text, file->size, &root, error) != CLG_OK)
        return CLG_BAD_INPUT;
    const clg_value_field fields[] = {{"matrix", CLG_FRACTION, &read.matrix},
                                      {"attention", CLG_FRACTION, &read.attention},
                                      {"memory", CLG_FRACTION, &read.memory},
                                      {"waiting", CLG_FRACTION, &read.waiting},
                                      {"idle", CLG_FRACTION, &read.idle}};
    if (clg_value_fields(root, FILE_NAME, fields, sizeof fields / sizeof fields[0], error) !=
            CLG_OK ||
        clg_value_done(root, FILE_NAME, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *power = read;
    return CLG_OK;
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
