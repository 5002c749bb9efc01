/* fits_with.h -- what fits on the same GPUs where the job as it is does not. */
#ifndef CLG_SEARCH_FITS_WITH_H
#define CLG_SEARCH_FITS_WITH_H

#include "search/search.h"

enum { CLG_FITS_WITH = 6 };

typedef struct clg_fits_with {
    const char *flags;   /* to be added: "--adapter qlora" */
    const char *remark;  /* what they give up, a few words */
    bool gamble;         /* within twice the risk asked for, or more */
    clg_evaluation plan; /* the fastest within the risk, or of a gamble within that */
} clg_fits_with;

/* What a person with one box changes where nothing fits, nearest to the job first: optimizer states
 * of fewer bytes, on the host, adapters on the frozen model. Those that fit, each the outcome of a
 * complete search over the axes that `space` leaves open; returns how many. None on more GPUs than
 * a box has: such jobs split further instead. What trains as well is not asked. `narrow` is the
 * scenario of layers of 4 bits, where that takes other software; NULL: the same. */
int clg_fit_with(clg_arena *arena, const clg_scenario *scenario, const clg_scenario *narrow,
                 const clg_space *space, clg_fits_with into[CLG_FITS_WITH]);

#endif
