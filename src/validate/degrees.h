/* degrees.h -- which degrees of a row are open: what it does not print of how GPUs are split. */
#ifndef CLG_VALIDATE_DEGREES_H
#define CLG_VALIDATE_DEGREES_H

#include "base/csv.h"
#include "search/search.h"
#include "stack/stack.h"

/* Lets go of those in `space`; a mixture's expert ranks too where they alone are blank. */
void clg_degrees_open(const clg_csv *csv, int row, const clg_stack *stack, bool mixture,
                      clg_space *space);

#endif
