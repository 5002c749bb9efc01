/* words.c -- reads data/row-words.csv against notes. */
#include "validate/words.h"

#include "base/letters.h"
#include "dataset/kept.h"

#include <string.h>

/* Where it stands next in the notes, not in the middle of a word: "imbalanced routing" is not
 * balanced. "fused AdamW; fused RMSNorm" says two things. */
static const char *find(const char *notes, const char *from, const char *within) {
    const char *at = strstr(from, within);
    while (at && at > notes && clg_is_letter(*at) && clg_is_letter(at[-1]))
        at = strstr(at + 1, within);
    return at;
}

static const char *value_of(clg_arena *arena, const clg_csv *csv, int row, const char *notes) {
    const char *within = clg_csv_field(csv, row, "within");
    const char *says = clg_csv_field(csv, row, "says");
    const char *value = clg_csv_field(csv, row, "value");
    for (const char *at = notes; (at = find(notes, at, within)) != NULL;) {
        at += strlen(within);
        const char *rest = clg_arena_copy(arena, at, strcspn(at, ";"));
        if (strstr(rest, says)) return strcmp(value, "*") == 0 ? rest : value;
    }
    return NULL;
}

const char *clg_words_say(clg_arena *arena, const char *notes, const char *column, int *at) {
    if (!*notes) return NULL;
    clg_csv csv = clg_dataset_csv(arena, "row-words.csv");
    while (*at < csv.rows) {
        int row = (*at)++;
        if (strcmp(clg_csv_field(&csv, row, "column"), column) != 0) continue;
        const char *value = value_of(arena, &csv, row, notes);
        if (value) return clg_arena_copy(arena, value, strlen(value));
    }
    return NULL;
}
