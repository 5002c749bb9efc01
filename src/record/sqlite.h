/* sqlite.h -- reads tables of an SQLite 3 file in memory (sqlite.org/fileformat2.html).
 *
 * Only what recordings need: whole tables, row by row, in UTF-8. Every page and
 * record is checked against the file, so a damaged one gives fewer rows, never a fault. */
#ifndef CLG_RECORD_SQLITE_H
#define CLG_RECORD_SQLITE_H

#include "base/arena.h"
#include "record/scan.h"

typedef struct clg_sqlite {
    clg_arena *arena; /* for schemas; lives as long as tables are read */
    clg_arena rows;   /* for records in pieces: given back after every row */
    const unsigned char *data;
    size_t size, page_bytes, usable_bytes;
    size_t walked;     /* pages, of all tables read so far */
    size_t pages_left; /* to follow for this table: no more than the file has, which ends cycles */
    bool damaged;      /* something could not be followed */
} clg_sqlite;

enum { CLG_SQLITE_COLUMNS = 96 };

/* A cell of a row. */
typedef struct clg_sqlite_value {
    bool null, text; /* otherwise an integer: nothing here needs doubles or blobs */
    int64_t integer;
    clg_slice string;
} clg_sqlite_value;

typedef struct clg_sqlite_row {
    int64_t id; /* which stands for a NULL in an INTEGER PRIMARY KEY column */
    int columns;
    clg_sqlite_value value[CLG_SQLITE_COLUMNS];
} clg_sqlite_row;

/* Whether the row has an integer in that column (-1: none), which `value` then is. */
static inline bool clg_sqlite_integer(const clg_sqlite_row *row, int column, int64_t *value) {
    bool whole = column >= 0 && column < row->columns && !row->value[column].text &&
                 !row->value[column].null;
    if (whole) *value = row->value[column].integer;
    return whole;
}

/* A table: where it begins and what its columns are called. */
typedef struct clg_sqlite_table {
    uint32_t root;
    clg_slice schema; /* CREATE TABLE ... */
} clg_sqlite_table;

/* Called for every row, in order of id. The row is only valid during the call. */
typedef void clg_sqlite_visit(void *context, const clg_sqlite_row *row);

bool clg_sqlite_open(clg_sqlite *file, clg_arena *arena, const char *data, size_t size);
void clg_sqlite_close(clg_sqlite *file);
bool clg_sqlite_find(clg_sqlite *file, const char *name, clg_sqlite_table *table);
/* The table whose name begins with `prefix`, after `skipped` others. */
bool clg_sqlite_find_nth(clg_sqlite *file, const char *prefix, int skipped,
                         clg_sqlite_table *table);
int clg_sqlite_column(const clg_sqlite_table *table, const char *name); /* -1: none */
void clg_sqlite_each(clg_sqlite *file, const clg_sqlite_table *table, clg_sqlite_visit *visit,
                     void *context);

#endif
