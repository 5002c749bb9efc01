/* seen.h -- networks that clusters of a GPU generation really have.
 *
 * Of a job whose network nobody names, the maker's reference box is a guess, and a kind one: half
 * of the systems of data/fabric-seen.csv are narrower. Each of them counts once, whatever its size;
 * systems that nobody describes in public, narrower as a rule, are left out. */
#ifndef CLG_MACHINE_SEEN_H
#define CLG_MACHINE_SEEN_H

#include "base/arena.h"
#include "base/error.h"

enum { CLG_SEEN = 8 };

/* Rates in bytes/s, one direction, per GPU, least first, and the share of systems that have them.
 * count 0: no systems of this generation are known. */
typedef struct clg_seen {
    int count;
    double bytes_per_s[CLG_SEEN], share[CLG_SEEN];
} clg_seen;

clg_seen clg_seen_find(clg_arena *arena, const char *generation);

#endif
