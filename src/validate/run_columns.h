/* run_columns.h -- a table of somebody's own runs, its columns named their way.
 *
 * data/run-columns.csv says which column is meant, and the unit a heading gives its cells. A
 * heading is compared in small letters, with "_" for all that is neither letter nor digit. */
#ifndef CLG_VALIDATE_RUN_COLUMNS_H
#define CLG_VALIDATE_RUN_COLUMNS_H

#include "base/csv.h"

/* Renames in place what is not named as docs/formats.md has it; a column that is there already
 * stays the only one. Cells are then spelled (spell.h).
 * Returns what was taken for what, "MBS as micro_batch, ...", or NULL where nothing was. */
const char *clg_columns_rename(clg_arena *arena, clg_csv *csv);

#endif
