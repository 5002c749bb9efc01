/* degrees.h -- which degrees of a row are open: what it does not print of how GPUs are split. */
#ifndef CLG_VALIDATE_DEGREES_H
#define CLG_VALIDATE_DEGREES_H

#include "base/csv.h"
#include "search/search.h"
#include "stack/stack.h"

/* Whether how the GPUs are split is printed, or follows from what is; one GPU is not split. */
bool clg_row_prints_layout(const clg_csv *csv, int row, const clg_stack *stack);

/* tp, cp, pp, and dp where it is printed. GPUs that those do not account for fall to what is blank:
 * to pp where the software has pipelines, else to tp, else to cp. Where tp and pp are, both stay
 * open, and where the schedule asks for stages pp does. */
void clg_degrees_read(const clg_csv *csv, int row, const clg_stack *stack, clg_space *space);

/* Why degrees that a row prints cannot be those of its GPUs: a table that counts something else by
 * them, or a slip of who wrote it down. NULL where they can. */
const char *clg_degrees_other_gpus(clg_arena *arena, const clg_space *space);

/* Lets go of those in `space`; a mixture's expert ranks too where they alone are blank. */
void clg_degrees_open(const clg_csv *csv, int row, const clg_stack *stack, bool mixture,
                      clg_space *space);

#endif
