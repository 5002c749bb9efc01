/* doubt.h -- how far off what is said of serving may be. */
#ifndef CLG_SERVE_DOUBT_H
#define CLG_SERVE_DOUBT_H

#include "model/model.h"

/* Deviations of the logarithm of predicted over measured: of time to the first token, of time per
 * token and whole answers, of tokens/s. */
typedef struct clg_serve_sigma {
    double first, token, rate;
} clg_serve_sigma;

/* From data/operations/serving-doubts.json: what is unlike dense models on GPUs whose kernels were
 * timed is less sure. `borrowed` is the deviation of kernels that are another GPU's, 0: its own. */
clg_status clg_serve_sigma_of(clg_arena *arena, const clg_model *model, double borrowed,
                              clg_serve_sigma *sigma, clg_error *error);

/* P90 over the middle, and the middle over P10. */
typedef struct clg_serve_doubt {
    double first, token, rate;
} clg_serve_doubt;
clg_serve_doubt clg_serve_doubt_of(const clg_serve_sigma *sigma);

#endif
