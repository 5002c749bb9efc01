/* request_word.c -- values by name as people and trainers write them: data/value-words.csv. */
#include "api/request_parts.h"

#include "base/name.h"
#include "dataset/kept.h"

#include <string.h>

/* The name of a table that differs from a word by case and marks alone ("FP8", "Adam-8bit"). */
static const char *same_name(const clg_name *names, const char *word) {
    for (const clg_name *row = names; row->name; row++)
        if (clg_name_same(&row->name, 1, word)) return row->name;
    return NULL;
}

/* The row of the file for a word of a flag; -1: none. */
static int row_of(const clg_csv *csv, const char *flag, const char *word) {
    for (int i = 0; i < csv->rows; i++) {
        const char *known = csv->row[i].field[1];
        if (strcmp(csv->row[i].field[0], flag) == 0 && clg_name_same(&known, 1, word)) return i;
    }
    return -1;
}

clg_status clg_request_meant(clg_arena *arena, clg_param param, const char **word,
                             clg_error *error) {
    clg_csv csv = clg_dataset_csv(arena, "value-words.csv");
    clg_param_row knob = clg_param_row_of(param);
    int row = *word ? row_of(&csv, knob.flag, *word) : -1;
    if (row < 0) return CLG_OK;
    const char *mend = csv.row[row].field[3];
    if (*mend) return clg_fail(error, CLG_BAD_INPUT, mend, "unknown %s '%.64s'", knob.flag, *word);
    *word = csv.row[row].field[2];
    return CLG_OK;
}

clg_status clg_request_named(clg_param param, const clg_name *names, const char *what,
                             const char *word, int *value, clg_error *error) {
    clg_arena arena = {0};
    const char *same = same_name(names, word), *meant = same ? same : word;
    clg_status status = same ? CLG_OK : clg_request_meant(&arena, param, &meant, error);
    if (status == CLG_OK) status = clg_name_value(names, what, meant, value, error);
    clg_arena_clear(&arena);
    return status;
}
