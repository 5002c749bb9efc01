/* fewest.h -- how many GPUs a job that does not fit would fit on. */
#ifndef CLG_SCALING_FEWEST_H
#define CLG_SCALING_FEWEST_H

#include "search/search.h"

/* The fastest layout on the first of 2, 4, .. 64 times the GPUs of `space` on which one fits, in
 * `arena`; NULL when none of them does. Sizes between are not tried; an axis fixed by hand stays.
 */
const clg_evaluation *clg_fewest_gpus(clg_arena *arena, const clg_scenario *scenario,
                                      const clg_space *space);

#endif
