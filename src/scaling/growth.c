/* growth.c -- the rungs of a ladder. */
#include "scaling/growth.h"

#include "base/real.h"
#include "scaling/ladder.h"

#include <math.h>

const clg_name clg_growth_names[] = {
    {"constant-work", CLG_BATCH_WORK,
     "parameters and tokens go with the root of the GPUs, the batch keeps work per GPU and step"},
    {"chinchilla", CLG_BATCH_CRITICAL,
     "parameters and tokens go with the root of the GPUs, the batch keeps its share of the "
     "critical batch"},
    {"constant-batch", CLG_BATCH_PER_GPU,
     "parameters and tokens go with the root of the GPUs, the batch with the GPUs"},
    {NULL, 0, NULL}};

static double power_of(double ratio, double exponent) {
    return exponent > 0 ? clg_pow(ratio, exponent) : sqrt(ratio);
}

static clg_status rung(clg_arena *arena, const clg_growth *growth, const clg_model *first, int i,
                       double ratio, const clg_model **model, clg_error *error) {
    if (growth->models) {
        *model = growth->models[i];
        return CLG_OK;
    }
    clg_model *relative = clg_take(arena, 1, clg_model);
    *model = relative;
    return clg_ladder_model(arena, first,
                            (double)first->active_parameters * power_of(ratio, growth->exponent),
                            relative, error);
}

clg_status clg_grow(clg_arena *arena, const clg_growth *growth, const clg_model *first, int i,
                    double ratio, double train_tokens, double critical_tokens, clg_grown *g,
                    clg_error *error) {
    clg_critical_batch begun, here;
    *g = (clg_grown){0};
    if (rung(arena, growth, first, i, ratio, &g->model, error) != CLG_OK) return error->status;
    double larger = (double)g->model->active_parameters / (double)first->active_parameters;
    g->train_tokens = train_tokens * larger;
    if (clg_critical_batch_find(arena, first, train_tokens, 0, &begun, error) != CLG_OK ||
        clg_critical_batch_find(arena, g->model, g->train_tokens, 0, &here, error) != CLG_OK)
        return error->status;
    double critical = here.tokens / begun.tokens;
    g->critical_tokens = critical_tokens * critical;
    const double batch_growth[CLG_GROWTH_BATCHES] = {critical, ratio / larger, ratio};
    g->batch_growth = batch_growth[growth->batch];
    g->batch = growth->batches ? growth->batches[i] : 0;
    return CLG_OK;
}
