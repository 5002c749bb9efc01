/* expectation.h -- internal to cli/: what a value of an answer shall be, in words. */
#ifndef CLG_CLI_EXPECTATION_H
#define CLG_CLI_EXPECTATION_H

#include "base/json.h"

typedef enum clg_comparison {
    CLG_SAME, /* as text, or as numbers where both are */
    CLG_OTHER,
    CLG_LESS,
    CLG_AT_MOST,
    CLG_MORE,
    CLG_AT_LEAST,
    CLG_BETWEEN
} clg_comparison;

/* Numbers are SI: units of the words are taken off, members of answers are in SI already. */
typedef struct clg_expectation {
    clg_comparison comparison;
    double low, high; /* low alone but for CLG_BETWEEN; NaN: text is compared */
    const char *text; /* what follows the sign */
} clg_expectation;

/* Reads "4", "ring", "!= ring", "< 8s", "<= 80GB", "> 40%", ">= 40%", "7s .. 8s", "7.5s +- 5%". */
clg_status clg_expectation_read(clg_arena *arena, const char *words, clg_expectation *e,
                                clg_error *error);

/* Whether it holds of a value; NULL is a value that is not there, of which nothing holds. */
bool clg_expectation_holds(const clg_expectation *e, const clg_json *value);

/* The value at "best.memory.chance_out" or "plans.0.step_s"; NULL: there is none. Where it ends is
 * in *known: how many characters of the path are there. */
const clg_json *clg_expectation_find(const clg_json *root, const char *path, size_t *known);

#endif
