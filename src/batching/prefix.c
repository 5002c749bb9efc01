/* prefix.c -- a doubly linked list through the identities of blocks, in order of use: the first of
 * them are on the GPU, all of them on the host as far as it has room. */
#include "batching/prefix.h"

enum { NONE = -1 };

void clg_prefix_open(clg_arena *arena, clg_prefix_cache *c, int64_t prefixes, int64_t host) {
    size_t n = (size_t)prefixes + 1;
    *c = (clg_prefix_cache){.tier = clg_take(arena, n, unsigned char),
                            .newer = clg_take(arena, n, int64_t),
                            .older = clg_take(arena, n, int64_t),
                            .newest = NONE,
                            .oldest = NONE,
                            .oldest_here = NONE,
                            .host = host};
}

/* The oldest on the GPU is on the host alone. */
static void leave_gpu(clg_prefix_cache *c) {
    c->tier[c->oldest_here] = CLG_PREFIX_HOST;
    c->oldest_here = c->newer[c->oldest_here];
    c->count--;
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
    if (c->oldest_here == id) c->oldest_here = c->newer[id];
    c->count -= c->tier[id] == CLG_PREFIX_GPU;
    c->tier[id] = CLG_PREFIX_GONE;
    c->kept--;
}

static void put_in(clg_prefix_cache *c, int64_t id) {
    c->newer[id] = NONE;
    c->older[id] = c->newest;
    if (c->newest != NONE) c->newer[c->newest] = id;
    c->newest = id;
    if (c->oldest == NONE) c->oldest = id;
    if (c->oldest_here == NONE) c->oldest_here = id;
    c->tier[id] = CLG_PREFIX_GPU;
    c->count++;
    c->kept++;
}

/* The first block ends as the newest: a chain is dropped from its end. */
void clg_prefix_keep(clg_prefix_cache *c, const uint32_t *block, int64_t blocks) {
    for (int64_t i = blocks - 1; i >= 0; i--) {
        if (c->tier[block[i]] != CLG_PREFIX_GONE) take_out(c, block[i]);
        put_in(c, block[i]);
    }
}

int64_t clg_prefix_find(clg_prefix_cache *c, const uint32_t *block, int64_t blocks, int64_t room,
                        int64_t *read) {
    int64_t hits = 0;
    *read = 0;
    while (c->count > 0 && c->count > room) leave_gpu(c);
    while (c->kept > c->count && c->kept > c->host) take_out(c, c->oldest);
    for (; hits < blocks && c->tier[block[hits]] != CLG_PREFIX_GONE; hits++)
        *read += c->tier[block[hits]] == CLG_PREFIX_HOST;
    clg_prefix_keep(c, block, hits);
    return hits;
}
