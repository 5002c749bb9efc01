/* name.h -- tables that pair an enum with the word users write.
 *
 * One table per enum serves parsing, printing, help, completion and the nearest-name hint. */
#ifndef CLG_BASE_NAME_H
#define CLG_BASE_NAME_H

#include "base/error.h"

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

/* Nearest of `count` candidates to `word` by edit distance, or NULL when none is near. */
const char *clg_name_nearest(const char *const *candidates, int count, const char *word);

#endif
