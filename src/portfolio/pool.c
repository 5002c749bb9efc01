/* pool.c -- nodes in lists by how many of their GPUs are free. */
#include "portfolio/pool.h"

enum { NONE = -1 };

/* A piece of a hold: some GPUs of one node. */
typedef struct piece {
    int32_t node, gpus, next;
} piece;

struct clg_pool {
    int node_gpus;
    int64_t free;
    int32_t *free_of;       /* [nodes] */
    int32_t *next, *before; /* [nodes] in the list of those with as many free */
    int32_t *first;         /* [node_gpus + 1] of each list */
    int64_t *count;         /* [node_gpus + 1] */
    piece *pieces;          /* [gpus] */
    int32_t spare;          /* first piece that is not in use */
};

static void list_in(clg_pool *p, int32_t node) {
    int32_t at = p->free_of[node];
    p->before[node] = NONE;
    p->next[node] = p->first[at];
    if (p->first[at] != NONE) p->before[p->first[at]] = node;
    p->first[at] = node;
    p->count[at]++;
}

static void list_out(clg_pool *p, int32_t node) {
    int32_t at = p->free_of[node];
    if (p->before[node] != NONE)
        p->next[p->before[node]] = p->next[node];
    else
        p->first[at] = p->next[node];
    if (p->next[node] != NONE) p->before[p->next[node]] = p->before[node];
    p->count[at]--;
}

/* Moves `gpus` of a node from free to taken, or back where it is negative. */
static void change(clg_pool *p, int32_t node, int32_t gpus) {
    list_out(p, node);
    p->free_of[node] -= gpus;
    p->free -= gpus;
    list_in(p, node);
}

clg_pool *clg_pool_make(clg_arena *arena, int64_t gpus, int node_gpus) {
    size_t nodes = (size_t)((gpus + node_gpus - 1) / node_gpus);
    clg_pool *p = clg_take(arena, 1, clg_pool);
    *p = (clg_pool){.node_gpus = node_gpus,
                    .free = gpus,
                    .free_of = clg_take(arena, nodes, int32_t),
                    .next = clg_take(arena, nodes, int32_t),
                    .before = clg_take(arena, nodes, int32_t),
                    .first = clg_take(arena, (size_t)node_gpus + 1, int32_t),
                    .count = clg_take(arena, (size_t)node_gpus + 1, int64_t),
                    .pieces = clg_take(arena, (size_t)gpus, piece)};
    for (int i = 0; i <= node_gpus; i++) p->first[i] = NONE;
    for (size_t i = nodes; i-- > 0;) {
        int64_t left = gpus - (int64_t)i * node_gpus;
        p->free_of[i] = (int32_t)(left < node_gpus ? left : node_gpus);
        list_in(p, (int32_t)i);
    }
    for (int64_t i = 0; i < gpus; i++) p->pieces[i].next = i + 1 < gpus ? (int32_t)(i + 1) : NONE;
    return p;
}

int64_t clg_pool_free(const clg_pool *p) { return p->free; }

/* The list of the fullest nodes with room for `gpus` of one node; NONE: there is none. */
static int fullest_with(const clg_pool *p, int32_t gpus, int64_t besides_whole) {
    for (int at = gpus; at <= p->node_gpus; at++)
        if (p->count[at] > (at == p->node_gpus ? besides_whole : 0)) return at;
    return NONE;
}

bool clg_pool_fits(const clg_pool *p, int64_t gpus) {
    int64_t whole = gpus / p->node_gpus, rest = gpus % p->node_gpus;
    if (gpus > p->free || p->count[p->node_gpus] < whole) return false;
    return rest == 0 || fullest_with(p, (int32_t)rest, whole) != NONE;
}

static int32_t take_from(clg_pool *p, int32_t node, int32_t gpus, int32_t hold) {
    int32_t made = p->spare;
    p->spare = p->pieces[made].next;
    p->pieces[made] = (piece){node, gpus, hold};
    change(p, node, gpus);
    return made;
}

int32_t clg_pool_take(clg_pool *p, int64_t gpus) {
    if (gpus == 0) return NONE;
    int32_t hold = NONE, rest = (int32_t)(gpus % p->node_gpus);
    for (int64_t whole = gpus / p->node_gpus; whole > 0; whole--)
        hold = take_from(p, p->first[p->node_gpus], p->node_gpus, hold);
    if (rest > 0) hold = take_from(p, p->first[fullest_with(p, rest, 0)], rest, hold);
    return hold;
}

void clg_pool_give(clg_pool *p, int32_t hold) {
    while (hold != NONE) {
        piece *given = &p->pieces[hold];
        int32_t next = given->next;
        change(p, given->node, -given->gpus);
        given->next = p->spare;
        p->spare = hold;
        hold = next;
    }
}
