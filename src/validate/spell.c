/* spell.c -- see the header. */
#include "validate/spell.h"

#include "base/letters.h"
#include "base/name.h"
#include "dataset/kept.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

/* Whether `word` is one of `words`, which are parted by spaces. */
static bool among(const char *words, const char *word) {
    size_t size = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (size > 0 && strcspn(at, " ") == size && strncmp(at, word, size) == 0) return true;
    return false;
}

/* "1,536.5 s" without its comma; anything else, "1,2" too, as it is. */
static const char *number(clg_arena *arena, const char *cell) {
    size_t size = strspn(cell, digits), used = size;
    char *out = clg_take(arena, strlen(cell) + 1, char);
    memcpy(out, cell, size);
    for (; size > 0 && cell[size] == ','; size += 4, used += 3) {
        if (strspn(cell + size + 1, digits) != 3) return cell;
        memcpy(out + used, cell + size + 1, 3);
    }
    memcpy(out + used, cell + size, strlen(cell + size) + 1);
    return out;
}

/* A count as it is spoken of, "4k", "2^22" or "1.5M", with what it counts. */
typedef struct spoken {
    double decimal, binary; /* with thousands of 1000 and of 1024 */
    const char *unit;       /* NULL: it is no count */
} spoken;

static spoken speak(const char *cell) {
    char *end, *last;
    spoken s = {.decimal = strtod(cell, &end)};
    if (end == cell || !(s.decimal > 0 && s.decimal < 1e15)) return s;
    long power = s.decimal == 2 && *end == '^' ? strtol(end + 1, &last, 10) : 0;
    if (power > 0 && power < 50) {
        s.decimal = ldexp(1, (int)power);
        end = last;
    }
    s.binary = s.decimal;
    int thousands = tolower((unsigned char)*end) == 'k' ? 1 : *end == 'M' ? 2 : 0;
    for (int i = 0; i < thousands; i++) s.decimal *= 1000, s.binary *= 1024;
    s.unit = end + (thousands > 0);
    s.unit += strspn(s.unit, " ");
    return s;
}

/* Tokens: "4k", "4096 tokens". */
static const char *length(clg_arena *arena, const char *cell) {
    spoken s = speak(cell);
    bool said = s.unit && (!*s.unit || among("tokens tok", s.unit));
    return said ? clg_arena_print(arena, "%.0f", s.binary) : cell;
}

/* Sequences: "1k", "512 sequences"; of tokens whole ones, "4M" as 2^22 where those go whole. */
static const char *batch(clg_arena *arena, const char *cell, const char *seq) {
    spoken s = speak(cell);
    double tokens = strtod(seq, NULL), sequences;
    if (s.unit && (!*s.unit || among("sequences seqs samples", s.unit)))
        return clg_arena_print(arena, "%.0f", s.binary);
    if (!s.unit || !among("tokens tok", s.unit) || !(tokens >= 1)) return cell;
    int power;
    bool doubled = frexp(s.binary, &power) == 0.5 || fmod(s.decimal, tokens) > 0;
    bool binary = doubled && fmod(s.binary, tokens) == 0;
    sequences = floor((binary ? s.binary : s.decimal) / tokens + 0.5);
    return clg_arena_print(arena, "%.0f", fmax(sequences, 1));
}

/* Gbit/s with their unit; bytes are eight. */
static const char *rate(clg_arena *arena, const char *cell) {
    char *end;
    double value = strtod(cell, &end);
    const char *unit = end + strspn(end, " ");
    double bits = among("Gbps gbps Gb/s Gbit/s gbit/s Gbits/s", unit) ? 1
                  : among("GB/s GBps", unit)                          ? 8
                                                                      : 0;
    return end > cell && bits > 0 ? clg_arena_print(arena, "%.10g", value * bits) : cell;
}

/* "2024/06", "June 2024": 2024-06; of a year alone its middle. */
static const char *month(clg_arena *arena, const char *cell) {
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    if (strlen(cell) >= 7 && cell[4] == '-' && clg_is_digit(cell[6])) return cell;
    long year = strtol(cell, NULL, 10), number = 6;
    const char *rest = cell + strspn(cell, digits);
    if (rest - cell == 4 && *rest) number = strtol(rest + 1, NULL, 10);
    for (int i = 0; i < 12 && rest == cell; i++) {
        bool same = true;
        for (int k = 0; k < 3 && same; k++)
            same = tolower((unsigned char)cell[k]) == names[3 * i + k];
        if (same) number = i + 1, year = strtol(cell + strcspn(cell, digits), NULL, 10);
    }
    bool dated = year > 1999 && year < 2100 && number >= 1 && number <= 12;
    return dated ? clg_arena_print(arena, "%ld-%02ld", year, number) : cell;
}

/* "8xH100" and "8 x H100" are the GPU; how many there are has a column. */
static const char *board(const char *cell) {
    const char *at = cell + strspn(cell, digits);
    if (at == cell) return cell;
    at += strspn(at, " ");
    return tolower((unsigned char)*at) == 'x' ? at + 1 + strspn(at + 1, " ") : cell;
}

/* What a word of a column is by the table; NULL: it is not there. */
static const char *listed(const clg_csv *words, const char *column, const char *word) {
    for (int i = 0; i < words->rows; i++) {
        const char *columns = clg_csv_field(words, i, "columns");
        const char *written = clg_csv_field(words, i, "written");
        if ((*columns == '*' || among(columns, column)) && clg_name_same(&written, 1, word))
            return clg_csv_field(words, i, "value");
    }
    return NULL;
}

/* Columns of names of the program's own, which are in small letters. */
static bool is_named(const char *column) {
    return among("precision recompute schedule attention cp_kind adapter base_precision", column);
}

/* A word as listed, then without a remark in parentheses, then in small letters. */
static const char *word(clg_arena *arena, const clg_csv *words, const char *column,
                        const char *cell) {
    const char *found = listed(words, column, cell);
    if (found || !is_named(column)) return found ? found : cell;
    size_t size = strcspn(cell, "(");
    while (size > 0 && cell[size - 1] == ' ') size--;
    char *bare = clg_arena_copy(arena, cell, size);
    if (cell[size]) found = listed(words, column, bare);
    for (size_t i = 0; i < size; i++) bare[i] = (char)tolower((unsigned char)bare[i]);
    return found ? found : bare;
}

static const char *spell(clg_arena *arena, const clg_csv *words, const char *column,
                         const char *cell) {
    bool says = false;
    if (strcmp(column, "date") != 0 && cell[strspn(cell, "0123456789.")] == '\0') return cell;
    for (const char *c = cell; *c; c++) says = says || isalnum((unsigned char)*c);
    if (!says) return ""; /* "-", "?" */
    cell = word(arena, words, column, cell);
    if (strcmp(column, "date") == 0) return month(arena, cell);
    if (strcmp(column, "gpu") == 0) return board(cell);
    if (strcmp(column, "inter_gbit_per_s_per_gpu") == 0) return rate(arena, cell);
    cell = number(arena, cell);
    return strcmp(column, "seq") == 0 ? length(arena, cell) : cell;
}

/* Batches come last: those in tokens need the length. */
static void spell_batches(clg_arena *arena, clg_csv *csv) {
    for (int c = 0; c < csv->columns; c++)
        for (int i = 0; i < csv->rows && strcmp(csv->column[c], "global_batch") == 0; i++) {
            const char **cell = &csv->row[i].field[c], *seq = clg_csv_field(csv, i, "seq");
            *cell = batch(arena, *cell, seq ? seq : "");
        }
}

/* "FSDP2" in `zero` is 3, and says whose: its words stay in a column of their own. */
static void keep_written(clg_arena *arena, clg_csv *csv, const char *from, const char *to) {
    if (!clg_csv_has(csv, from) || clg_csv_has(csv, to)) return;
    const char **column = clg_take(arena, (size_t)csv->columns + 1, const char *);
    memcpy(column, csv->column, sizeof *column * (size_t)csv->columns);
    column[csv->columns] = to;
    for (int i = 0; i < csv->rows; i++) {
        const char **field = clg_take(arena, (size_t)csv->columns + 1, const char *);
        memcpy(field, csv->row[i].field, sizeof *field * (size_t)csv->columns);
        field[csv->columns] = clg_csv_field(csv, i, from);
        csv->row[i].field = field;
    }
    csv->column = column;
    csv->columns++;
}

void clg_cells_spell(clg_arena *arena, clg_csv *csv) {
    static const char texts[] = "id source cite model stack status kind notes derived zero_written";
    clg_csv words = clg_dataset_csv(arena, "run-cells.csv");
    keep_written(arena, csv, "zero", "zero_written");
    for (int c = 0; c < csv->columns; c++)
        for (int i = 0; i < csv->rows && !among(texts, csv->column[c]); i++) {
            const char **cell = &csv->row[i].field[c];
            if (**cell) *cell = spell(arena, &words, csv->column[c], *cell);
        }
    spell_batches(arena, csv);
}
