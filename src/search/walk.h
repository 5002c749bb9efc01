/* walk.h -- internal to search/: visits every legal layout of a space, in a fixed order. */
#ifndef CLG_SEARCH_WALK_H
#define CLG_SEARCH_WALK_H

#include "search/search.h"

/* What all layouts of a space have alike. */
clg_layout clg_walk_start(const clg_scenario *scenario, const clg_space *space);

/* A layout, or `layers` of them when that is more than 1: the first 1, 2, ... layers of each chunk
 * recomputed; the last of them is the layout itself, which recomputes all. `balanced`: its stages
 * are to be, which only its priced blocks can say how. False stops the walk. */
typedef bool clg_walk_visit(void *context, const clg_layout *layout, int layers, bool balanced);

/* A branch of the walk: layouts with these degrees but for pp and dp, this recomputing and this
 * micro-batch; those of `layout` are set, nothing else. False passes over all of them. */
typedef bool clg_walk_enter(void *context, const clg_layout *layout);

/* Calls `visit` for every legal layout, those that share priced blocks next to each other as far as
 * possible, and `enter` (NULL: none) before each branch. Stops early when `visit` returns false,
 * and returns false then. */
bool clg_walk(const clg_scenario *scenario, const clg_space *space, clg_walk_enter *enter,
              clg_walk_visit *visit, void *context);

/* Why the space is empty: the rule the likeliest layout breaks. In `arena`. */
const char *clg_walk_refused(clg_arena *arena, const clg_scenario *scenario,
                             const clg_space *space);

#endif
