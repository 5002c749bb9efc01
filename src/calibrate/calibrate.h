/* calibrate.h -- own measurements into values that lie over the built-in ones.
 *
 * Each function fits one set of terms and says what moved, from where, on how many samples, with
 * what residual and over what range. Pure: samples in, calibrations out; overlay.h writes them in
 * the form of the data files. */
#ifndef CLG_CALIBRATE_CALIBRATE_H
#define CLG_CALIBRATE_CALIBRATE_H

#include "calibrate/fit_terms.h"
#include "calibrate/samples.h"
#include "evaluate/evaluate.h"

enum { CLG_CALIBRATION_TERMS = 8 };

typedef struct clg_calibration {
    const char *knob;          /* whose file it goes to: "network", "kernels" or "stack" */
    const char *part;          /* "fast", "slow", a precision, "memory", or "" */
    const char *title;         /* for people */
    const char *base;          /* name of the GPU, fabric or stack it starts from */
    const clg_json *base_data; /* of a stack that is not built in; NULL: it is */
    clg_fit_term term[CLG_CALIBRATION_TERMS];
    int terms;
    clg_terms_fit fit;
    double sigma_from, sigma_to; /* log-residual the interval is made of */
    const char *range;           /* of what was measured */
    const char *notes;           /* what to know of the fit; NULL: nothing */
} clg_calibration;

/* Who took part in a collective: ranks, and how many of them share a fast link. */
clg_group clg_calibrate_group(const clg_machine *machine, const clg_sample *sample);

/* Links inside a domain ("fast") and between domains ("slow"), as many of the two as there are
 * samples for: appends to list, at most two, and counts. `network` is moved as fitted. */
void clg_calibrate_network(clg_arena *arena, const clg_machine *machine, clg_network *network,
                           const clg_samples *samples, clg_calibration *list, int *count);

/* Matrix products, one calibration per precision with samples. */
void clg_calibrate_gemm(clg_arena *arena, const clg_gpu *gpu, const clg_kernels *kernels,
                        const clg_samples *samples, clg_calibration *list, int *count);

/* Kernels that stream, from timed copies: at most one calibration, part "memory". */
void clg_calibrate_copies(clg_arena *arena, const clg_gpu *gpu, const clg_kernels *kernels,
                          const clg_samples *samples, clg_calibration *list, int *count);

/* A measured step of the user's own. */
typedef struct clg_measured_step {
    const clg_scenario *scenario; /* prepared, with the base stack */
    clg_layout layout;            /* complete */
    double step_s;
} clg_measured_step;

/* At most two terms of the stack; with one or two steps, or steps that disagree, fewer: the notes
 * say so. */
void clg_calibrate_steps(clg_arena *arena, const clg_measured_step *steps, int steps_count,
                         clg_calibration *calibration);

/* Seconds of a step with the terms as they were fitted; NaN when it cannot be evaluated. */
double clg_calibrate_step_s(const clg_calibration *calibration, const clg_measured_step *step);

/* Log-residual for intervals from what was left out of the fit, or else from the samples the fit
 * did not use up; shrunk to sigma_from, which counts as three samples. */
double clg_calibrate_sigma(const clg_calibration *calibration);

#endif
