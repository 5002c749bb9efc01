/* outcome.h -- internal to evaluate/: what follows from a step's ledger of seconds. */
#ifndef CLG_EVALUATE_OUTCOME_H
#define CLG_EVALUATE_OUTCOME_H

#include "evaluate/evaluation.h"
#include "evaluate/scenario.h"

/* Fills rates, utilizations, power, cost, interval and wall of an evaluation whose layout, ledger,
 * memory, parts of compute and executed flop are there. `frozen_share` as in clg_step. */
void clg_outcome(const clg_scenario *scenario, double frozen_share, clg_evaluation *evaluation);

#endif
