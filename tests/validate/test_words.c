/* Phrases of notes that stand for a number say where it is from. */
#include "dataset/kept.h"
#include "test.h"

#include <stdlib.h>

/* A number above 0 in "term=number" or alone, which the phrase does not print; 0 switches off. */
static const char *unprinted(clg_arena *arena, const char *value, const char *phrase) {
    char *all = clg_arena_copy(arena, value, strlen(value)), *rest = NULL;
    for (char *one = strtok_r(all, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *sign = strchr(one, '='), *number = sign ? sign + 1 : one, *end;
        if (strtod(number, &end) <= 0 || end == number) continue;
        *end = '\0';
        if (!strstr(phrase, number)) return number;
    }
    return NULL;
}

int main(void) {
    clg_arena arena = {0};
    clg_csv csv = clg_dataset_csv(&arena, "row-words.csv");
    int numbers = 0;
    CASE("a number that stands for words has a source, or is said to be assumed");
    CHECK(unprinted(&arena, "a=true,b=2.5B", "x 3") && !unprinted(&arena, "a=8,b=0", "8 x"));
    for (int i = 0; i < csv.rows; i++) {
        const char *column = clg_csv_field(&csv, i, "column");
        if (strcmp(column, "terms") != 0 && strcmp(column, "document_tokens") != 0) continue;
        const char *phrase = clg_csv_field(&csv, i, "within");
        const char *number = unprinted(&arena, clg_csv_field(&csv, i, "value"), phrase);
        if (!number) continue;
        numbers++;
        if (!*clg_csv_field(&csv, i, "source")) printf("  %s: %s\n", phrase, number);
        CHECK(*clg_csv_field(&csv, i, "source"));
    }
    CHECK(numbers > 5);
    clg_arena_clear(&arena);
    return DONE;
}
