/* csv.c -- reads tables. */
#include "base/csv.h"

#include <stdbool.h>
#include <string.h>

typedef struct reader {
    clg_arena *arena;
    const char *name, *at, *end;
    int line;
    clg_error *error;
} reader;

static clg_status fault(reader *r, int line, const char *mend, const char *message) {
    clg_error_at(r->error, r->name, line, 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, mend, "%s", message);
}

/* The quote that closes a field, or NULL: a doubled quote does not. */
static const char *closing_quote(const char *at, const char *end) {
    for (; at < end; at++) {
        if (*at != '"') continue;
        if (at + 1 == end || at[1] != '"') return at;
        at++;
    }
    return NULL;
}

/* One quoted field, decoded; leaves `at` behind the closing quote. */
static clg_status read_quoted(reader *r, const char **field) {
    const char *close = closing_quote(r->at + 1, r->end);
    if (!close) return fault(r, r->line, "close it", "a quote without an end");
    char *out = clg_arena_take(r->arena, (size_t)(close - r->at) + 1, 1);
    *field = out;
    for (const char *c = r->at + 1; c < close; c++) {
        if (*c == '\n') r->line++;
        if (*c == '"') c++;
        *out++ = *c;
    }
    r->at = close + 1;
    return CLG_OK;
}

static clg_status read_field(reader *r, const char **field) {
    if (r->at < r->end && *r->at == '"') return read_quoted(r, field);
    const char *from = r->at;
    while (r->at < r->end && *r->at != ',' && *r->at != '\n' && *r->at != '\r') r->at++;
    *field = clg_arena_copy(r->arena, from, (size_t)(r->at - from));
    return CLG_OK;
}

enum { MOST_COLUMNS = 512 };

/* Reads one line into fields; *count 0 at an empty line. */
static clg_status read_row(reader *r, const char *fields[MOST_COLUMNS], int *count) {
    *count = 0;
    for (;;) {
        if (*count == MOST_COLUMNS) return fault(r, r->line, NULL, "more than 512 columns");
        if (read_field(r, &fields[(*count)++]) != CLG_OK) return CLG_BAD_INPUT;
        if (r->at < r->end && *r->at == ',') {
            r->at++;
            continue;
        }
        break;
    }
    if (r->at < r->end && *r->at == '\r') r->at++;
    if (r->at < r->end && *r->at != '\n')
        return fault(r, r->line, "put a comma", "text after a closing quote");
    if (r->at < r->end) r->at++;
    if (*count == 1 && fields[0][0] == '\0') *count = 0;
    return CLG_OK;
}

static const char **copied(clg_arena *arena, const char *const *fields, int count) {
    const char **copy = clg_take(arena, (size_t)count, const char *);
    memcpy(copy, fields, (size_t)count * sizeof *copy);
    return copy;
}

static int lines_in(const char *text, size_t size) {
    int lines = 1;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    return lines;
}

clg_status clg_csv_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                         clg_csv *csv, clg_error *error) {
    reader r = {arena, name, text, text + size, 1, error};
    const char *fields[MOST_COLUMNS];
    clg_csv read = {.name = name};
    if (size > 0 && memchr(text, '\0', size))
        return fault(&r, 1, "give values with commas between them, in UTF-8", "it is no text");
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.at += 3;
    read.row = clg_take(arena, (size_t)lines_in(text, size), clg_csv_row);
    while (r.at < r.end) {
        int line = r.line, count;
        if (read_row(&r, fields, &count) != CLG_OK) return CLG_BAD_INPUT;
        r.line++;
        if (count == 0) continue;
        if (read.columns == 0) {
            read.columns = count;
            read.column = copied(arena, fields, count);
            continue;
        }
        if (count != read.columns)
            return fault(&r, line,
                         "give every row the columns of the header; quote fields that hold commas",
                         "a row of another width");
        read.row[read.rows++] = (clg_csv_row){line, copied(arena, fields, count)};
    }
    if (read.columns == 0) return fault(&r, 1, "start with a header line", "an empty table");
    *csv = read;
    return CLG_OK;
}

bool clg_csv_has(const clg_csv *csv, const char *column) {
    for (int i = 0; i < csv->columns; i++)
        if (strcmp(csv->column[i], column) == 0) return true;
    return false;
}

const char *clg_csv_field(const clg_csv *csv, int row, const char *column) {
    for (int i = 0; i < csv->columns; i++)
        if (strcmp(csv->column[i], column) == 0) return csv->row[row].field[i];
    return NULL;
}

void clg_csv_add(clg_text *text, const char *field) {
    if (!strpbrk(field, ",\"\r\n")) {
        clg_text_print(text, "%s", field);
        return;
    }
    clg_text_add(text, "\"", 1);
    for (; *field; field++) {
        if (*field == '"') clg_text_add(text, field, 1);
        clg_text_add(text, field, 1);
    }
    clg_text_add(text, "\"", 1);
}
