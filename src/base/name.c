/* name.c -- looking words up, and the nearest one when they are not there. */
#include "base/name.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

/* Levenshtein distance, cut at LONGEST characters. */
static int distance(const char *a, const char *b) {
    int row[LONGEST + 1];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST) return LONGEST;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; i <= m; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = replace < least ? replace : least;
        }
    }
    return row[n];
}

const char *clg_name_nearest(const char *const *candidates, int count, const char *word) {
    const char *nearest = NULL;
    int least = (int)strlen(word) / 2 + 2;
    for (int i = 0; i < count; i++) {
        int d = distance(candidates[i], word);
        if (d < least) {
            least = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}

clg_status clg_name_value(const clg_name *table, const char *what, const char *word, int *value,
                          clg_error *error) {
    const char *names[64];
    int count = 0;
    for (const clg_name *row = table; row->name; row++) {
        if (strcmp(row->name, word) == 0) {
            *value = row->value;
            return CLG_OK;
        }
        if (count < 64) names[count++] = row->name;
    }
    char all[400] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = clg_name_nearest(names, count, word);
    char mend[480];
    snprintf(mend, sizeof mend, "%s%s%sit may be %s", nearest ? "did you mean " : "",
             nearest ? nearest : "", nearest ? "? " : "", all);
    return clg_fail(error, CLG_BAD_INPUT, mend, "unknown %s '%.64s'", what, word);
}

const char *clg_name_of(const clg_name *table, int value) {
    for (const clg_name *row = table; row->name; row++)
        if (row->value == value) return row->name;
    return "?";
}
