/* lengths.h -- how long the prompts and answers of a published set of texts are, from data/lengths.
 *
 * A histogram: between two of its ends lengths are taken as even in their logarithm. Left out: that
 * long prompts may have longer or shorter answers; the two are drawn apart. */
#ifndef CLG_MEASURED_LENGTHS_H
#define CLG_MEASURED_LENGTHS_H

#include "base/arena.h"
#include "base/error.h"

enum { CLG_LENGTH_ENDS = 24 };

/* `count[i]` of the texts have `tokens[i]` or fewer; both rise, the first count is 0. */
typedef struct clg_length_ends {
    double tokens[CLG_LENGTH_ENDS], count[CLG_LENGTH_ENDS];
    int ends;
} clg_length_ends;

typedef struct clg_lengths {
    clg_length_ends prompt, output;
} clg_lengths;

clg_status clg_lengths_find(clg_arena *arena, const char *name, clg_lengths *lengths,
                            clg_error *error);

/* The length that so large a share of the texts, from 0 to 1, does not exceed. */
double clg_length_at(const clg_length_ends *ends, double share);

#endif
