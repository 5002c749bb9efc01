/* intern.h -- names once each, and numbers by key: what keeps a trace of millions of events small.
 */
#ifndef CLG_RECORD_INTERN_H
#define CLG_RECORD_INTERN_H

#include "base/arena.h"
#include "record/scan.h"

uint64_t clg_trace_hash(clg_slice text, uint64_t seed);

/* Numbers by 64-bit key; open addressing, at most half full. */
typedef struct clg_map {
    clg_arena *arena;
    uint64_t *keys; /* 0: free */
    uint32_t *values;
    size_t count, capacity;
} clg_map;

/* The value of a key, or `absent`. */
uint32_t clg_map_get(const clg_map *map, uint64_t key, uint32_t absent);
void clg_map_put(clg_map *map, uint64_t key, uint32_t value);
/* The value that a key has, or this one, which it then has. */
uint32_t clg_map_add(clg_map *map, uint64_t key, uint32_t value);

typedef struct clg_intern {
    clg_arena *arena;
    clg_map map;
    const char **texts; /* NUL-terminated; escapes decoded, control bytes blanked */
    size_t count, capacity;
} clg_intern;

/* The index of a text, the same for the same text. */
uint32_t clg_intern_add(clg_intern *intern, clg_slice text);
/* The same for a text that is kept as it is, such as one that another table kept. */
uint32_t clg_intern_keep(clg_intern *intern, clg_slice text);
/* The text as it is kept. */
const char *clg_intern_text(clg_intern *intern, clg_slice text);

#endif
