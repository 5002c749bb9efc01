/* blanks.h -- internal to validate/: what a row leaves open.
 *
 * A blank cell is ignorance, not a default. Where the micro-batch or the network is blank, the plan
 * is predicted with each of those that people of such machines have; the answer is the one in the
 * middle, and its interval is as much wider as the others lie apart. */
#ifndef CLG_VALIDATE_BLANKS_H
#define CLG_VALIDATE_BLANKS_H

#include "search/search.h"

/* Completes the layout and predicts it. The scenario's network becomes the one in the middle. Says
 * why the row cannot be predicted, or NULL. */
const char *clg_open_predict(clg_arena *arena, clg_scenario *scenario, const clg_space *space,
                             const clg_layout *layout, bool network_open,
                             clg_evaluation *evaluation);

#endif
