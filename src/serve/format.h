/* format.h -- the formats a model's weights can be served in on a GPU, from data/format: what each
 * loses in quality, and who has kernels for it. */
#ifndef CLG_SERVE_FORMAT_H
#define CLG_SERVE_FORMAT_H

#include "machine/machine.h"
#include "model/model.h"

typedef struct clg_format {
    clg_precision weights;
    double loss; /* share of its scores a model loses, mean of published tests; 0: none was found */
} clg_format;

enum { CLG_FORMATS = 8 };

/* The model's own format first, then narrower ones that the GPU multiplies, or whose kernels widen
 * them on the way. Returns how many. */
clg_status clg_formats_of(clg_arena *arena, const clg_model *model, const clg_gpu *gpu,
                          clg_format list[CLG_FORMATS], int *count, clg_error *error);

/* What the model loses in `weights`: 0 in its own format and wider ones, NaN: not known. */
double clg_format_loss(clg_arena *arena, const clg_model *model, const clg_gpu *gpu,
                       clg_precision weights);

#endif
