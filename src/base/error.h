/* error.h -- what went wrong, where, and what would be right.
 *
 * Whatever can fail because of the world returns a clg_status and fills a clg_error given by the
 * caller. The first to detect a fault names it; everyone above passes it on untouched. A plan that
 * does not fit is a result, not an error; a bug is an assert. */
#ifndef CLG_BASE_ERROR_H
#define CLG_BASE_ERROR_H

#include "base/arena.h"

typedef enum clg_status {
    CLG_OK = 0,
    CLG_BAD_INPUT = 1, /* a file or value is wrong: exit status 1 */
    CLG_BAD_USAGE = 2, /* the command line is wrong: exit status 2 */
} clg_status;

typedef struct clg_error {
    clg_status status;
    char file[256];    /* path or preset or flag; empty if none */
    int line, column;  /* from 1; 0 if not applicable */
    char field[128];   /* JSON path or knob name; empty if none */
    char message[512]; /* the fault, in one clause */
    char mend[512];    /* what would be right; empty if obvious */
    bool example;      /* it says no more than how such a value is written */
} clg_error;

/* Sets status, message and mend (either text may be NULL for none); keeps file, line, column and
 * field as the caller set them. Returns `status`, so that a detector can `return clg_fail(...)`. */
clg_status clg_fail(clg_error *error, clg_status status, const char *mend, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Where the fault is; call before or after clg_fail. NULL file or field leaves it. */
void clg_error_at(clg_error *error, const char *file, int line, int column, const char *field);

/* One sentence: "file:line:column: field: message; mend". */
void clg_error_sentence(const clg_error *error, char *out, size_t size);
const char *clg_error_words(clg_arena *arena, const clg_error *error);

#endif
