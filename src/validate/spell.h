/* spell.h -- what people write in a cell, as docs/formats.md has it.
 *
 * data/run-cells.csv says which word is which, and which say nothing and leave a cell blank. */
#ifndef CLG_VALIDATE_SPELL_H
#define CLG_VALIDATE_SPELL_H

#include "base/csv.h"

/* Rewrites the cells of plan and measured columns in place; names, texts and sources stay. */
void clg_cells_spell(clg_arena *arena, clg_csv *csv);

#endif
