/* cells.h -- internal to measured/: a row's cells, and what no plan is. */
#ifndef CLG_MEASURED_CELLS_H
#define CLG_MEASURED_CELLS_H

#include "measured/measured.h"

typedef struct clg_cell_reader {
    clg_arena *arena;
    const clg_csv *table;
    int row;
    clg_measured *into;
} clg_cell_reader;

/* A cell; "" where it is blank or there is no such column. */
const char *clg_cell_word(const clg_cell_reader *r, const char *column);

/* A number; `otherwise` where there is none, or one beyond 1e12. */
double clg_cell_number(const clg_cell_reader *r, const char *column, double otherwise);

/* A degree: 1 when blank or 0; -1 when absurd. */
int clg_cell_degree(const clg_cell_reader *r, const char *column);

/* Takes a measured value; none of 0 and below. */
void clg_cell_measure(clg_cell_reader *r, clg_measure what, double value);

/* NULL, or why no plan is so. */
const char *clg_check_lengths(const clg_serve_plan *plan);
const char *clg_check_part(const clg_part *part);

/* Our own form, docs/formats.md. */
const char *clg_measured_plain(clg_cell_reader *r);

#endif
