/* first_look.h -- the score of sources as a stranger's, and the ledger of all first looks.
 *
 * Each source weighs the same, whatever its rows: a table of 400 rows of one trainer says as much
 * of the next trainer as a table of four. A source is seen for the first time once; what was
 * predicted then stands in the ledger (data/first-looks.csv), which is only ever appended to. */
#ifndef CLG_VALIDATE_FIRST_LOOK_H
#define CLG_VALIDATE_FIRST_LOOK_H

#include "validate/validate.h"

/* Means and medians over sources, each once; those without a timed row that was predicted count
 * in `fits` alone. */
typedef struct clg_sources {
    int sources, set_aside;        /* of all sources; set aside: rows that were not expressed */
    double mape, median_ape, bias; /* median: of the sources' means */
    double coverage;               /* mean of the shares inside P10..P90 */
    double fits_accuracy;          /* mean of the sources; NaN: none known */
} clg_sources;

/* Of the sources for which `counts` says so; NULL: of all. */
clg_sources clg_sources_score(clg_arena *arena, const clg_validation *validation,
                              bool (*counts)(const clg_score *));

/* A line of the ledger as it stands there; fields "" where not known. */
typedef struct clg_look {
    const char *date, *commit, *source, *rows, *timed, *error, *median, *inside, *remark;
} clg_look;

typedef struct clg_looks {
    clg_look *look;
    int count;
} clg_looks;

clg_status clg_looks_read(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_looks *looks, clg_error *error);

/* The ledger that the program was built with. */
clg_status clg_looks_built_in(clg_arena *arena, clg_looks *looks, clg_error *error);

/* The first look at a source, NULL: there was none. */
const clg_look *clg_looks_find(const clg_looks *looks, const char *source);

/* Of the sources that have a line of their own with an error, each once: `sources`, `mape`,
 * `coverage`; NaN where there are none. */
clg_sources clg_looks_score(const clg_looks *looks);

/* Appends a line for each source that the ledger does not have yet; returns how many. */
int clg_looks_append(clg_text *ledger, const clg_looks *looks, const clg_validation *validation,
                     const char *date, const char *commit);

#endif
