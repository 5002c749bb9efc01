/* row.h -- internal to validate/: a table row becomes a scenario and a space of layouts. */
#ifndef CLG_VALIDATE_ROW_H
#define CLG_VALIDATE_ROW_H

#include "base/csv.h"
#include "search/search.h"

/* Fills both from the plan columns. What the row leaves blank stays open in the space. Returns why
 * the row cannot be expressed, or NULL. */
const char *clg_row_read(clg_arena *arena, const clg_csv *csv, int row, clg_scenario *scenario,
                         clg_space *space, clg_layout *layout);

/* Whether the job spans nodes over a network that neither the row, nor its notes, nor its stack
 * names. */
bool clg_row_network_open(clg_arena *arena, const clg_csv *csv, int row,
                          const clg_scenario *scenario);

/* A number of a column; `otherwise` when the column is absent or blank, NaN when it holds
 * something else. */
double clg_row_number(const clg_csv *csv, int row, const char *column, double otherwise);

/* The same as a whole number. */
int clg_row_integer(const clg_csv *csv, int row, const char *column, int otherwise);

/* An axis of this one value, -1 where it is no degree; NaN leaves it as it is. */
void clg_row_fix(clg_axis_values *axis, double value);

/* A word of a column; "" when absent. */
const char *clg_row_word(const clg_csv *csv, int row, const char *column);

#endif
