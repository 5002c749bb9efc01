/* letters.h -- how words are written, in ASCII, whatever the locale. */
#ifndef CLG_BASE_LETTERS_H
#define CLG_BASE_LETTERS_H

#include <stdbool.h>
#include <string.h>

static inline char clg_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static inline char clg_upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

static inline bool clg_is_digit(char c) { return c >= '0' && c <= '9'; }

static inline bool clg_is_letter(char c) { return clg_lower(c) >= 'a' && clg_lower(c) <= 'z'; }

/* Of a name as programming languages have them. */
static inline bool clg_in_name(char c) { return clg_is_letter(c) || clg_is_digit(c) || c == '_'; }

/* "train.yaml" ends in ".yaml". */
static inline bool clg_ends(const char *word, const char *ending) {
    size_t size = strlen(word), end = strlen(ending);
    return size >= end && strcmp(word + size - end, ending) == 0;
}

/* Whether a word is among those of a list that ends with NULL. */
static inline bool clg_is_one_of(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words) != 0) words++;
    return *words != NULL;
}

#endif
