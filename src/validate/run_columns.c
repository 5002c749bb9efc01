/* run_columns.c -- see the header. */
#include "validate/run_columns.h"

#include "dataset/kept.h"
#include "validate/spell.h"

#include <ctype.h>
#include <string.h>

static const char *plain(clg_arena *arena, const char *heading) {
    size_t size = strlen(heading), used = 0;
    char *out = clg_take(arena, size + 1, char);
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)heading[i];
        bool word = isalnum(c);
        if (word)
            out[used++] = (char)tolower(c);
        else if (used > 0 && out[used - 1] != '_')
            out[used++] = '_';
    }
    while (used > 0 && out[used - 1] == '_') used--;
    out[used] = '\0';
    return out;
}

/* A bare number gets the unit of its heading. */
static const char *with_unit(clg_arena *arena, const char *cell, const char *unit) {
    bool bare = *cell && strspn(cell, "0123456789.,eE+-") == strlen(cell);
    return bare && *unit ? clg_arena_print(arena, "%s%s", cell, unit) : cell;
}

static void set_units(clg_arena *arena, clg_csv *csv, int column, const char *unit) {
    for (int i = 0; i < csv->rows; i++)
        csv->row[i].field[column] = with_unit(arena, csv->row[i].field[column], unit);
}

/* The column meant by a heading, and its unit; NULL: none is known. */
static const char *meant(const clg_csv *names, const char *heading, const char **unit) {
    for (int i = 0; i < names->rows; i++) {
        const char *column = clg_csv_field(names, i, "column");
        bool written = strcmp(clg_csv_field(names, i, "written"), heading) == 0;
        if (!written && strcmp(column, heading) != 0) continue;
        *unit = written ? clg_csv_field(names, i, "unit") : "";
        return column;
    }
    return NULL;
}

const char *clg_columns_rename(clg_arena *arena, clg_csv *csv) {
    clg_csv names = clg_dataset_csv(arena, "run-columns.csv");
    const char *said = NULL;
    for (int i = 0; i < csv->columns; i++) {
        const char *unit = "", *was = csv->column[i], *heading = plain(arena, was);
        const char *known = meant(&names, heading, &unit), *column = known ? known : heading;
        bool same = strcmp(column, was) == 0;
        if (!same && clg_csv_has(csv, column)) continue;
        csv->column[i] = column;
        if (known) set_units(arena, csv, i, unit);
        if (same || strcmp(column, heading) == 0) continue;
        said = said ? clg_arena_print(arena, "%s, %.40s as %s", said, was, column)
                    : clg_arena_print(arena, "%.40s as %s", was, column);
    }
    clg_cells_spell(arena, csv);
    return said;
}
