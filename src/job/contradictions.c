/* contradictions.c -- what no job can mean: said, and left as it is written. */
#include "job/reading.h"
#include "machine/machine.h"
#include "model/preset.h"

#include <math.h>
#include <string.h>

/* Bytes that a parameter keeps in mixed precision with Adam, and those of its weight alone
 * (Rajbhandari et al., ZeRO, 2020, section 3.1). Other optimizers keep less: it errs to silence
 * only where they are named. */
enum { TRAINED_BYTES = 16, WEIGHT_BYTES = 2 };

static void say(clg_reading *r, clg_job_field field, const char *why) {
    clg_job_note_down(r->arena, &r->job->doubts, clg_job_row_of(field).name,
                      r->job->field[field].from, why, -1);
}

static void degrees(clg_reading *r) {
    static const clg_job_field counts[] = {
        CLG_JOB_TP, CLG_JOB_PP,          CLG_JOB_CP,           CLG_JOB_EP,   CLG_JOB_ETP,
        CLG_JOB_DP, CLG_JOB_MICRO_BATCH, CLG_JOB_ACCUMULATION, CLG_JOB_GPUS, CLG_JOB_LAYERS};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (clg_job_has_field(r, counts[i]) && clg_job_get(r, counts[i]) < 1)
            say(r, counts[i], "none of it: this is counted from 1");
    if (clg_job_get(r, CLG_JOB_ZERO) > 3)
        say(r, CLG_JOB_ZERO,
            clg_arena_print(r->arena, "there is no stage %.0f: ZeRO has 0 to 3",
                            clg_job_get(r, CLG_JOB_ZERO)));
}

/* "heads: 30 do not divide by tp = 4" */
static void divides(clg_reading *r, clg_job_field what, double by, const char *name) {
    double all = clg_job_get(r, what);
    if (all < 1 || by <= 1 || fmod(all, by) == 0) return;
    say(r, what, clg_arena_print(r->arena, "%.0f do not divide by %s = %.0f", all, name, by));
}

static void shapes(clg_reading *r) {
    double tp = clg_job_get(r, CLG_JOB_TP), pp = clg_job_get(r, CLG_JOB_PP);
    double vpp = clg_job_value_or(r, CLG_JOB_VPP, 1);
    divides(r, CLG_JOB_HEADS, tp, "tp");
    if (!clg_job_has_field(r, CLG_JOB_HEAD_DIM))
        divides(r, CLG_JOB_HIDDEN, clg_job_get(r, CLG_JOB_HEADS), "heads");
    divides(r, CLG_JOB_EXPERTS, clg_job_get(r, CLG_JOB_EP), "ep");
    if (!clg_job_has_field(r, CLG_JOB_STAGE_LAYERS))
        divides(r, CLG_JOB_LAYERS, pp * vpp, vpp > 1 ? "pp x vpp" : "pp");
    if (clg_job_has_field(r, CLG_JOB_MICRO_BATCH) && !clg_job_has_field(r, CLG_JOB_DP))
        divides(r, CLG_JOB_GLOBAL_BATCH, clg_job_get(r, CLG_JOB_MICRO_BATCH), "micro-batch");
}

static bool model_of(const clg_reading *r, clg_model *model) {
    const clg_job *job = r->job;
    clg_error none = {0};
    if (job->preset) return clg_model_find(r->arena, job->preset, model, &none) == CLG_OK;
    return job->config && clg_model_read(r->arena, "sizes", job->config, strlen(job->config), model,
                                         &none) == CLG_OK;
}

/* Of the GPU that is named, else of the largest that many have. */
static double memory_of(const clg_reading *r) {
    const char *name = r->job->field[CLG_JOB_GPU].text;
    clg_gpu gpu;
    clg_error none = {0};
    bool known = name && clg_gpu_find(r->arena, name, &gpu, &none) == CLG_OK;
    return known ? gpu.memory_bytes : 288e9;
}

/* Training that cannot fit however it is spread. */
static void memory(clg_reading *r) {
    clg_model model;
    const char *adapter = r->job->field[CLG_JOB_ADAPTER].text;
    const char *optimizer = r->job->field[CLG_JOB_OPTIMIZER].text;
    bool small = (adapter && strcmp(adapter, "none") != 0) || clg_job_get(r, CLG_JOB_OFFLOAD) > 0 ||
                 (optimizer && strcmp(optimizer, "adam") != 0);
    double gpus = clg_job_get(r, CLG_JOB_GPUS);
    if (gpus < 1 || r->job->field[CLG_JOB_ENGINE].text ||
        r->job->field[CLG_JOB_BASE_PRECISION].text || !model_of(r, &model))
        return;
    double each = (double)model.parameters * (small ? WEIGHT_BYTES : TRAINED_BYTES) / gpus;
    if (each > memory_of(r))
        say(r, CLG_JOB_GPUS,
            clg_arena_print(r->arena,
                            "%.3g B parameters at %d bytes each are %.0f GB for each of %.0f GPUs, "
                            "spread over all: more than one has",
                            (double)model.parameters / 1e9, small ? WEIGHT_BYTES : TRAINED_BYTES,
                            each / 1e9, gpus));
}

void clg_job_contradictions(clg_reading *r) {
    degrees(r);
    shapes(r);
    memory(r);
}
