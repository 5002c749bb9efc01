/* table.c -- what is not separated by commas is made so, then read. */
#include "portfolio/table.h"

#include "base/name.h"

#include <stdio.h>
#include <string.h>

/* The separator of the header: a comma unless it has none but bars, tabs or semicolons. */
static char separator_of(const char *text, size_t size) {
    const char *end = memchr(text, '\n', size);
    size_t header = end ? (size_t)(end - text) : size;
    if (memchr(text, ',', header)) return ',';
    if (memchr(text, '|', header)) return '|';
    if (memchr(text, ';', header)) return ';';
    return memchr(text, '\t', header) ? '\t' : ',';
}

/* Fields of such tables have no quotes of their own: each is written as CSV has it. */
static void add_line(clg_arena *arena, clg_text *out, const char *line, size_t size, char between) {
    while (size > 0 && line[size - 1] == '\r') size--;
    for (size_t from = 0; from <= size && size > 0;) {
        const char *next = memchr(line + from, between, size - from);
        size_t to = next ? (size_t)(next - line) : size;
        if (from > 0) clg_text_add(out, ",", 1);
        clg_csv_add(out, clg_arena_copy(arena, line + from, to - from));
        if (!next) break;
        from = to + 1;
    }
    clg_text_add(out, "\n", 1);
}

clg_status clg_table_read(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_csv *csv, clg_error *error) {
    char between = size > 0 ? separator_of(text, size) : ',';
    if (between == ',') return clg_csv_parse(arena, name, text, size, csv, error);
    clg_text made = {.arena = arena};
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t to = end ? (size_t)(end - text) : size;
        add_line(arena, &made, text + at, to - at, between);
        at = to + 1;
    }
    return clg_csv_parse(arena, name, made.data, made.size, csv, error);
}

clg_status clg_table_unknown(const clg_csv *csv, int column, const char *const *known, int count,
                             clg_error *error) {
    const char *nearest = clg_name_nearest(known, count, csv->column[column]);
    char mend[160];
    snprintf(mend, sizeof mend, nearest ? "did you mean '%s'?" : "docs/portfolio.md lists them%s",
             nearest ? nearest : "");
    clg_error_at(error, csv->name, 1, column + 1, NULL);
    return clg_fail(error, CLG_BAD_INPUT, mend, "there is no column '%.64s'", csv->column[column]);
}
