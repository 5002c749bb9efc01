/* families.h -- "FSDP or 3D?": the best layout of each family people name.
 *
 * A family is what may be above one, on top of the axes that were asked for; each is the outcome of
 * a complete search of its own. */
#ifndef CLG_SCALING_FAMILIES_H
#define CLG_SCALING_FAMILIES_H

#include "search/search.h"

enum { CLG_LAYOUT_FAMILIES = 5 };

typedef struct clg_layout_family {
    const char *name; /* "FSDP", "TP + FSDP" ("DP", "TP + DP" without), "TP + PP", "+ CP", "+ EP" */
    bool runs;        /* false: `why` says why not */
    const char *why;
    clg_evaluation plan;
} clg_layout_family;

/* Those that the axes leave open, at most CLG_LAYOUT_FAMILIES; returns how many. */
int clg_layout_families(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                        clg_progress progress, clg_layout_family families[CLG_LAYOUT_FAMILIES]);

#endif
