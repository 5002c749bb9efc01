/* copies.c -- the curve of kernels that stream through memory, from timed copies.
 *
 * A copy says how fast bytes come and go, not what norms and activations do beside: their
 * arithmetic hides behind the bytes. The optimizer's share stays: its kernel reads and writes
 * several tensors. */
#include "calibrate/calibrate.h"

#include "units/units.h"

#include <math.h>

typedef struct copies {
    const clg_gpu *gpu;
    const clg_kernels *kernels;
    double *bytes, *measured_s;
    int count;
} copies;

/* In order of importance: with few samples the later ones stay. */
enum { EFFICIENCY, LAUNCH, BYTES_HALF, TERMS };

static double predict(const void *context, const double *values, int sample) {
    const copies *c = context;
    clg_kernels kernels;
    kernels.memory = c->kernels->memory;
    kernels.memory.efficiency = values[EFFICIENCY];
    kernels.memory.launch_s = values[LAUNCH];
    kernels.memory.bytes_half = values[BYTES_HALF];
    return clg_memory_bound_s(c->gpu, &kernels, c->bytes[sample]);
}

static void gather(clg_arena *arena, const clg_samples *samples, copies *c) {
    c->bytes = clg_take(arena, (size_t)samples->count + 1, double);
    c->measured_s = clg_take(arena, (size_t)samples->count + 1, double);
    for (int i = 0; i < samples->count; i++) {
        if (samples->sample[i].kind != CLG_SAMPLE_COPY) continue;
        c->bytes[c->count] = samples->sample[i].bytes;
        c->measured_s[c->count++] = samples->sample[i].seconds;
    }
}

static const char *range_of(clg_arena *arena, const copies *c) {
    double least = INFINITY, most = 0;
    char from[32], to[32];
    for (int i = 0; i < c->count; i++) {
        least = fmin(least, c->bytes[i]);
        most = fmax(most, c->bytes[i]);
    }
    return clg_arena_print(arena, "%s to %s",
                           clg_quantity_print(least, CLG_BYTES, 3, from, sizeof from),
                           clg_quantity_print(most, CLG_BYTES, 3, to, sizeof to));
}

/* Bounds: as of products; a launch and the bytes that hide it say the same where sizes are few. */
static void fill_terms(const copies *c, clg_fit_term *terms) {
    terms[EFFICIENCY] = (clg_fit_term){.name = "efficiency",
                                       .unit = "1",
                                       .unit_si = 1,
                                       .least = 0.01,
                                       .most = 1.1,
                                       .from = c->kernels->memory.efficiency};
    terms[LAUNCH] = (clg_fit_term){.name = "launch",
                                   .unit = "us",
                                   .unit_si = 1e-6,
                                   .least = 1e-8,
                                   .most = 1e-3,
                                   .from = c->kernels->memory.launch_s};
    terms[BYTES_HALF] = (clg_fit_term){.name = "bytes_half",
                                       .unit = "MB",
                                       .unit_si = 1e6,
                                       .least = 1e2,
                                       .most = 1e9,
                                       .from = c->kernels->memory.bytes_half,
                                       .tie = "launch"};
}

void clg_calibrate_copies(clg_arena *arena, const clg_gpu *gpu, const clg_kernels *kernels,
                          const clg_samples *samples, clg_calibration *list, int *count) {
    copies own = {.gpu = gpu, .kernels = kernels};
    gather(arena, samples, &own);
    if (own.count == 0) return;
    clg_problem problem = {.predict = predict,
                           .context = &own,
                           .measured_s = own.measured_s,
                           .samples = own.count,
                           .samples_per_term = 3,
                           CLG_FIT_OF_SAMPLES};
    clg_calibration *c = &list[(*count)++];
    *c = (clg_calibration){.knob = "kernels",
                           .part = "memory",
                           .title = "copies",
                           .base = gpu->name,
                           .terms = TERMS,
                           .range = range_of(arena, &own),
                           .sigma_from = kernels->memory.sigma};
    fill_terms(&own, c->term);
    clg_terms_solve(arena, &problem, c->term, c->terms, &c->fit);
    c->sigma_to = clg_calibrate_sigma(c);
}
