/* name.h -- tables that pair an enum with the word users write.
 *
 * One table per enum serves parsing, printing, help, completion and the nearest-name hint. */
#ifndef CLG_BASE_NAME_H
#define CLG_BASE_NAME_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Rows end with a NULL name. */
typedef struct clg_name {
    const char *name;
    int value;
    const char *help; /* a short phrase, or NULL */
} clg_name;

/* The value of `word`; otherwise CLG_BAD_INPUT saying what `what` (say "schedule") may be and which
 * name is nearest. */
clg_status clg_name_value(const clg_name *table, const char *what, const char *word, int *value,
                          clg_error *error);

/* The first name of `value`; never NULL ("?" for a value without a row, which is a bug). */
const char *clg_name_of(const clg_name *table, int value);

/* Nearest of `count` candidates to `word`, or NULL when none is near: the same but for case and
 * marks, then a letter off, initials, one contained in the other, few edits, a shared part. Ties
 * go to the shorter, then to the earlier. */
const char *clg_name_nearest(const char *const *candidates, int count, const char *word);

/* The candidate that is `word` but for case and marks; of several the one with as many points
 * between figures ("opt-13b" is not "opt-1.3b"). NULL: none. */
const char *clg_name_same(const char *const *candidates, int count, const char *word);

/* The only candidate that begins with the whole segments of `word`: "a" is "a-b" where no
 * other begins so. NULL: none or several. */
const char *clg_name_begun(const char *const *candidates, int count, const char *word);

/* Whether `word`, case and marks aside, is the words of `title` in their order with some left out,
 * but not the first that has a digit: "rtx3090" of "NVIDIA GeForce RTX 3090 24 GB", not "24gb". */
bool clg_name_of_title(const char *word, const char *title);

enum { CLG_NAMES_NEAR = 8 };

/* Up to `most` (at most CLG_NAMES_NEAR) near ones, nearest first; those much farther than the
 * nearest are left out. Returns how many. */
int clg_name_near(const char *const *candidates, int count, const char *word, const char **near,
                  int most);

/* "did you mean a, b or c?" of these names, each with `before` in front; empty for none. */
void clg_name_ask(const char *const *near, int count, const char *before, char *out, size_t size);

#endif
