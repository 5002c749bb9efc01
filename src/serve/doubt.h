/* doubt.h -- how far off what is said of serving may be. */
#ifndef CLG_SERVE_DOUBT_H
#define CLG_SERVE_DOUBT_H

#include "stack/engine.h"

/* How far off predictions are: P90 over the middle, and the middle over P10, of time to the first
 * token, time per token (and whole answers), and tokens/s. 1.28 deviations of the engine's errors
 * on tables that its constants were not fitted on, and of kernels that are another GPU's. */
typedef struct clg_serve_doubt {
    double first, token, rate;
} clg_serve_doubt;
clg_serve_doubt clg_serve_doubt_of(const clg_engine *engine, double borrowed_sigma);

#endif
