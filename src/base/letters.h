/* letters.h -- how words are written, in ASCII, whatever the locale. */
#ifndef CLG_BASE_LETTERS_H
#define CLG_BASE_LETTERS_H

#include <stdbool.h>
#include <string.h>

static inline char clg_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static inline bool clg_is_digit(char c) { return c >= '0' && c <= '9'; }

/* "train.yaml" ends in ".yaml". */
static inline bool clg_ends(const char *word, const char *ending) {
    size_t size = strlen(word), end = strlen(ending);
    return size >= end && strcmp(word + size - end, ending) == 0;
}

#endif
