/* cores.h -- work that may be done in any order, on as many cores as the caller lends.
 *
 * The core starts no threads: who has some (cli/threads.c) lends them. Every piece of work writes
 * its own place only and takes memory from an arena of its own, so the answer is the same to the
 * byte for any number of cores, one included. */
#ifndef CLG_BASE_CORES_H
#define CLG_BASE_CORES_H

#include "base/arena.h"

#include <stdbool.h>

/* One of `count` pieces of work. `arena` is this piece's alone while it works; what it takes there
 * lives as long as the arena that was given to clg_cores_each. */
typedef void clg_piece(void *context, int index, clg_arena *arena);

/* Told now and then how much of some work is done, 0 to 1; false stops it. */
typedef bool clg_tell(void *context, double share);

typedef struct clg_cores {
    /* Calls run(work, i) once for every i of 0..count-1, several at a time where it can; between
     * pieces of its own the calling thread calls `tell` (NULL: nobody). False: it was stopped, not
     * all were run. */
    bool (*each)(void *host, int count, void (*run)(void *work, int index), void *work,
                 clg_tell *tell, void *told);
    void *host;
} clg_cores;

/* What a caller lends to long work. */
typedef struct clg_progress {
    clg_tell *tell; /* NULL: nobody is told, nothing stops */
    void *context;
    const clg_cores *cores; /* NULL: one */
} clg_progress;

/* Does all pieces, unless it is stopped. */
bool clg_cores_each(clg_progress progress, clg_arena *arena, int count, clg_piece *piece,
                    void *context);

#endif
