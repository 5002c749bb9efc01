/* csv.h -- tables with a header line (RFC 4180: quotes, doubled quotes, commas, CRLF). */
#ifndef CLG_BASE_CSV_H
#define CLG_BASE_CSV_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

typedef struct clg_csv_row {
    int line;           /* in the file, from 1 */
    const char **field; /* [columns] */
} clg_csv_row;

typedef struct clg_csv {
    const char *name; /* of the file, for errors */
    int columns, rows;
    const char **column; /* [columns] names from the header */
    clg_csv_row *row;
} clg_csv;

/* Reads a table into `arena`. Rows of another width than the header, and open quotes, are errors
 * with file and line; empty lines are skipped. */
clg_status clg_csv_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                         clg_csv *csv, clg_error *error);

/* The field of a column by name; NULL when there is no such column. "" when it is blank. */
const char *clg_csv_field(const clg_csv *csv, int row, const char *column);

bool clg_csv_has(const clg_csv *csv, const char *column);

/* Writes a field as such tables have it: in quotes, those inside doubled, only where it must be. */
void clg_csv_add(clg_text *text, const char *field);

#endif
