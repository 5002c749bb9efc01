/* prefix.h -- prompt blocks that stay in the cache after their request, least recently used out
 * first: from the GPU to the host's memory, where there is room for them, and from there for good.
 * What is computed is written to the host at once (vLLM's offloading, SGLang's write_through), so
 * the host's room counts blocks that are on the GPU too. */
#ifndef CLG_BATCHING_PREFIX_H
#define CLG_BATCHING_PREFIX_H

#include "base/arena.h"

#include <stdint.h>

/* A list over block identities 0 .. prefixes - 1; zero-initialised: closed, nothing is kept. */
typedef struct clg_prefix_cache {
    unsigned char *tier;                 /* of each block; NULL: closed */
    int64_t *newer, *older;              /* neighbours in the list, -1: none */
    int64_t newest, oldest, oldest_here; /* of all, and of those on the GPU; -1: none */
    int64_t count, kept;                 /* blocks on the GPU; in all */
    int64_t host;                        /* blocks that the host has room for */
} clg_prefix_cache;

enum { CLG_PREFIX_GONE, CLG_PREFIX_HOST, CLG_PREFIX_GPU };

/* `host`: blocks of the host's memory, 0: none. */
void clg_prefix_open(clg_arena *arena, clg_prefix_cache *cache, int64_t prefixes, int64_t host);

/* How many of the first blocks are there, after the GPU's part was cut to `room` blocks, and how
 * many of them have to be read from the host; those found become the newest, on the GPU. */
int64_t clg_prefix_find(clg_prefix_cache *cache, const uint32_t *block, int64_t blocks,
                        int64_t room, int64_t *read);

/* Puts blocks in, or makes them the newest. */
void clg_prefix_keep(clg_prefix_cache *cache, const uint32_t *block, int64_t blocks);

#endif
