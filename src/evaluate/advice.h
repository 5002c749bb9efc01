/* advice.h -- what a person should know of an evaluated plan: what it takes for granted, and what
 * would make it fit. */
#ifndef CLG_EVALUATE_ADVICE_H
#define CLG_EVALUATE_ADVICE_H

#include "evaluate/evaluation.h"
#include "evaluate/scenario.h"

/* What a person should know before acting on the numbers, "; "-joined in `arena`; NULL when nothing
 * is special. */
const char *clg_evaluate_caveats(clg_arena *arena, const clg_scenario *scenario,
                                 const clg_layout *layout);

/* Where nobody named the network between nodes: that of the reference box is taken, the interval is
 * as much wider as the networks of systems in use (machine/seen.h) lie apart, and a caveat says
 * what the narrowest of them would make of the step. Else nothing. */
void clg_evaluate_networks(clg_arena *arena, const clg_scenario *scenario,
                           clg_evaluation *evaluation);

/* The smallest change that makes a layout fit, as a sentence in `arena`; NULL if it fits or no
 * single change does. */
const char *clg_evaluate_mend(clg_arena *arena, const clg_scenario *scenario,
                              const clg_layout *layout);

/* Built-in software that has what the layout asks for and under which it fits, at most three:
 * "name (70.8 GB), ..."; NULL: none. */
const char *clg_evaluate_elsewhere(clg_arena *arena, const clg_scenario *scenario,
                                   const clg_layout *layout);

#endif
