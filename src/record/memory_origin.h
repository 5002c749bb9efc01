/* memory_origin.h -- whose allocation it is: the kind that the frames of its stack tell, and the
 * innermost line of Python that is not torch's own. */
#ifndef CLG_RECORD_MEMORY_ORIGIN_H
#define CLG_RECORD_MEMORY_ORIGIN_H

#include "record/intern.h"
#include "record/memory_use.h"
#include "record/pickle.h"

typedef struct clg_memory_origin {
    uint8_t kind;  /* clg_held_kind */
    uint32_t site; /* 0: not told */
} clg_memory_origin;

typedef struct clg_memory_origins {
    clg_intern site; /* names of the places met so far: "model.py:41 forward" */
} clg_memory_origins;

void clg_memory_origins_begin(clg_memory_origins *origins, clg_arena *arena);

/* Frames and stacks are shared by many allocations: each is looked at once, and noted in its items.
 * `frames`: NULL where nothing is said. */
clg_memory_origin clg_memory_origin_of(clg_memory_origins *origins, clg_pickle_items *frames);

#endif
