/* prefix.h -- prompt blocks that stay in the cache after their request, least recently used out
 * first. */
#ifndef CLG_BATCHING_PREFIX_H
#define CLG_BATCHING_PREFIX_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* A list over block identities 0 .. prefixes - 1; zero-initialised: closed, nothing is kept. */
typedef struct clg_prefix_cache {
    bool *resident;         /* NULL: closed */
    int64_t *newer, *older; /* neighbours in the list, -1: none */
    int64_t newest, oldest, count;
} clg_prefix_cache;

void clg_prefix_open(clg_arena *arena, clg_prefix_cache *cache, int64_t prefixes);

/* How many of the first blocks are there, after the cache was cut to `room` blocks; those found
 * become the newest. */
int64_t clg_prefix_find(clg_prefix_cache *cache, const uint32_t *block, int64_t blocks,
                        int64_t room);

/* Puts blocks in, or makes them the newest. */
void clg_prefix_keep(clg_prefix_cache *cache, const uint32_t *block, int64_t blocks);

#endif
