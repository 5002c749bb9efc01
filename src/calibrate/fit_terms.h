/* fit_terms.h -- fits the named terms of a cost function to measured seconds.
 *
 * The error of a sample is ln(predicted/measured); the fit takes the least mean of its absolute
 * value (its corner rounded), so that a few wild samples do not pull it, plus a pull of each term
 * towards where it started. Terms are searched as logarithms. A term that no sample depends on, or
 * that the samples cannot tell from another, keeps its value, and says why. */
#ifndef CLG_CALIBRATE_FIT_TERMS_H
#define CLG_CALIBRATE_FIT_TERMS_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct clg_fit_term {
    const char *name;   /* key in the data file */
    const char *unit;   /* as data files write it */
    double unit_si;     /* SI value of one */
    double from, to;    /* SI; equal when held */
    double start;       /* where the search starts; 0: at `from` */
    double spread;      /* log-sigma of where it may lie, before any sample; 0: 1 */
    double least, most; /* SI; bounds of the search; least > 0 */
    double needs;     /* share of some sample's time that must hang on it to move; 0: hardly any */
    const char *tie;  /* a term to move in proportion with when the two cannot be told apart */
    const char *held; /* why it did not move; NULL: fitted */
    const char *tied; /* the term it moved with; NULL: fitted alone, or held */
} clg_fit_term;

/* Of |ln(predicted/measured)|. */
typedef struct clg_residual {
    double median, p90;
    int samples; /* 0: none, the others are NaN */
} clg_residual;

typedef struct clg_terms_fit {
    clg_residual before, after; /* of all samples with the terms as they were, as fitted */
    clg_residual held_out;      /* of a fifth of the samples, fitted on the others */
} clg_terms_fit;

/* Seconds of a sample with the terms at `values` (SI, in the order of the terms). */
typedef double (*clg_prediction)(const void *context, const double *values, int sample);

typedef struct clg_problem {
    clg_prediction predict;
    const void *context;
    const double *measured_s;
    const double *weight; /* of each sample in the mean; NULL: the same */
    bool all_at_once;     /* no fifth is left out first: somebody else does that better */
    int samples;
    int samples_per_term; /* fewer samples than this per fitted term: later terms are held */
    double rounding;      /* log error below which the fit counts squares */
    double pull;          /* of a term at its spread from the start, in mean log error */
    int most_calls;       /* of the objective */
    int most_fitted;      /* samples the search looks at; residuals are over all */
} clg_problem;

/* Of fits to samples of a machine's parts: errors below 1 % are noise of the clock; the pull
 * decides only what samples leave open; the last two bound the time of a fit. */
#define CLG_FIT_OF_SAMPLES .rounding = 0.01, .pull = 1e-3, .most_calls = 4000, .most_fitted = 2500

/* Moves terms[].to and fills fit. */
void clg_terms_solve(clg_arena *arena, const clg_problem *problem, clg_fit_term *terms, int count,
                     clg_terms_fit *fit);

/* Linear between the two nearest order statistics; sorts values. NaN when there are none. */
double clg_terms_quantile(double *values, int count, double share);

#endif
