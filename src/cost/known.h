/* known.h -- seconds of products and collectives that were priced before.
 *
 * A search prices the same shapes thousands of times: attention does not change with the experts'
 * ranks, nor a message with the micro-batch. Kept are the very numbers, so an answer is the same
 * with them and without. */
#ifndef CLG_COST_KNOWN_H
#define CLG_COST_KNOWN_H

#include "op/op.h"

/* What decides the seconds of a product or a collective on one machine with one software. */
typedef struct clg_known_op {
    unsigned what; /* 0: nothing is kept here */
    double size[5], seconds;
} clg_known_op;

enum { CLG_KNOWN_OPS = 1 << 11 };

/* Zeroed at first; of one scenario. A later op may take the place of an earlier one. */
typedef struct clg_known_ops {
    clg_known_op op[CLG_KNOWN_OPS];
} clg_known_ops;

/* Where this op is kept, and whether it is (`found`): else its seconds go there. `imbalance`: the
 * fullest rank's share of experts' rows over the mean, which layouts differ in. NULL: ops of this
 * kind are not. */
clg_known_op *clg_known_place(clg_known_ops *known, const clg_op *op, double imbalance,
                              bool *found);

#endif
