/* terms.h -- internal to stack/: its numbers and switches, and one object of a file read onto it.
 */
#ifndef CLG_STACK_TERMS_H
#define CLG_STACK_TERMS_H

#include "stack/stack.h"

#include "units/units.h"

#include <stddef.h>

/* A number, a switch or a behaviour by its name, and where it goes. */
typedef struct clg_term {
    const char *key;
    clg_dimension dimension;
    size_t offset;
    bool flag;
    const clg_name *words; /* of behaviours; NULL: a number or a switch */
} clg_term;

enum { CLG_TERMS_MOST = 192 };
extern const clg_term clg_terms[];
extern const int clg_term_count;

/* The least and the most a number may be: a fraction is at most 1, what only makes longer at least
 * 1. */
bool clg_term_takes(const clg_term *term, double number);
const char *clg_term_range(const clg_term *term); /* "give 0 to 1" */

/* A file states what differs from its base; the default states everything (`complete`). */
clg_status clg_stack_read_onto(const clg_json *root, const char *file, bool complete,
                               clg_stack *stack, clg_error *error);

/* "2026-04" */
bool clg_stack_is_month(const char *word);

#endif
