/* words.h -- internal to validate/: what a row's notes say that its columns cannot.
 *
 * data/row-words.csv: a statement of the notes begins with `within` and ends at a semicolon; where
 * it has `says` in it, the column is `value`, or for "*" what the statement goes on with. `terms`
 * are those of --term; a `term_of` is a stack and the number of it that this one has, too. */
#ifndef CLG_VALIDATE_WORDS_H
#define CLG_VALIDATE_WORDS_H

#include "base/csv.h"

/* The next value that these notes give a column, from line *at of the file on, which moves; NULL:
 * no more. Begin with *at = 0. */
const char *clg_words_say(clg_arena *arena, const char *notes, const char *column, int *at);

#endif
