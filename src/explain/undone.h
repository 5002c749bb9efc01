/* undone.h -- why a layout is what it is: the same one with one thing undone. */
#ifndef CLG_EXPLAIN_UNDONE_H
#define CLG_EXPLAIN_UNDONE_H

#include "evaluate/evaluate.h"

enum { CLG_UNDONE = 8 };

typedef struct clg_undone {
    const char *what;    /* a few words */
    const char *illegal; /* the rule it breaks; NULL: none */
    clg_evaluation plan; /* when legal */
} clg_undone;

/* What can be undone about a layout, at most CLG_UNDONE; ranks that become free are data-parallel,
 * with less accumulation. Returns how many rows were filled. */
int clg_undo(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
             clg_undone into[CLG_UNDONE]);

#endif
