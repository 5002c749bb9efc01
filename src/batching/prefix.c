/* prefix.c -- a doubly linked list through the identities of blocks. */
#include "batching/prefix.h"

enum { NONE = -1 };

void clg_prefix_open(clg_arena *arena, clg_prefix_cache *c, int64_t prefixes) {
    size_t n = (size_t)prefixes + 1;
    *c = (clg_prefix_cache){.resident = clg_take(arena, n, bool),
                            .newer = clg_take(arena, n, int64_t),
                            .older = clg_take(arena, n, int64_t),
                            .newest = NONE,
                            .oldest = NONE};
}

static void take_out(clg_prefix_cache *c, int64_t id) {
    if (c->newer[id] == NONE)
        c->newest = c->older[id];
    else
        c->older[c->newer[id]] = c->older[id];
    if (c->older[id] == NONE)
        c->oldest = c->newer[id];
    else
        c->newer[c->older[id]] = c->newer[id];
    c->resident[id] = false;
    c->count--;
}

static void put_in(clg_prefix_cache *c, int64_t id) {
    c->newer[id] = NONE;
    c->older[id] = c->newest;
    if (c->newest != NONE) c->newer[c->newest] = id;
    c->newest = id;
    if (c->oldest == NONE) c->oldest = id;
    c->resident[id] = true;
    c->count++;
}

/* The first block ends as the newest: a chain is dropped from its end. */
void clg_prefix_keep(clg_prefix_cache *c, const uint32_t *block, int64_t blocks) {
    for (int64_t i = blocks - 1; i >= 0; i--) {
        if (c->resident[block[i]]) take_out(c, block[i]);
        put_in(c, block[i]);
    }
}

int64_t clg_prefix_find(clg_prefix_cache *c, const uint32_t *block, int64_t blocks, int64_t room) {
    int64_t hits = 0;
    while (c->count > 0 && c->count > room) take_out(c, c->oldest);
    while (hits < blocks && c->resident[block[hits]]) hits++;
    clg_prefix_keep(c, block, hits);
    return hits;
}
