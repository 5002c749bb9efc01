/* table.h -- internal to portfolio/: tables with commas, bars or tabs, and columns by name. */
#ifndef CLG_PORTFOLIO_TABLE_H
#define CLG_PORTFOLIO_TABLE_H

#include "base/csv.h"

/* A table of CSV, or of `sacct -P` (bars), tabs or semicolons where its header has those and no
 * comma. */
clg_status clg_table_read(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_csv *csv, clg_error *error);

/* Whether a file is an object, as `sacct --json` writes one; its jobs, with columns of
 * `sacct -P`. */
bool clg_sacct_json_is(const char *text, size_t size);
clg_status clg_sacct_json_read(clg_arena *arena, const char *name, const char *text, size_t size,
                               clg_csv *csv, clg_error *error);

/* Refuses a column, with the nearest of those that are known. */
clg_status clg_table_unknown(const clg_csv *csv, int column, const char *const *known, int count,
                             clg_error *error);

#endif
