/* packing.c -- see the header. */
#include "serve/packing.h"

#include <string.h>

static int64_t at_least(int64_t sum, int64_t node) { return (sum + node - 1) / node; }

/* With `least` the smallest that counts: those that nothing of it fits beside have a node each;
 * others of more than half a node too, and what these leave takes as much as it has GPUs. */
static int64_t bound_from(const clg_pack_kind *kind, int kinds, int node, int least) {
    int64_t alone = 0, large = 0, left = 0, small = 0;
    for (int i = 0; i < kinds; i++) {
        int64_t gpus = kind[i].gpus, count = kind[i].count;
        if (gpus > node - least) {
            alone += count;
        } else if (2 * gpus > node) {
            large += count;
            left += count * (node - gpus);
        } else if (gpus >= least) {
            small += count * gpus;
        }
    }
    return alone + large + (small > left ? at_least(small - left, node) : 0);
}

int64_t clg_pack_bound(const clg_pack_kind *kind, int kinds, int node_gpus) {
    int64_t most = 0;
    for (int least = 0; 2 * least <= node_gpus; least++) {
        int64_t bound = bound_from(kind, kinds, node_gpus, least);
        if (bound > most) most = bound;
    }
    return most;
}

/* Nodes as they fill. */
typedef struct shelf {
    int64_t nodes, next; /* where spreading goes on */
    int *room;           /* [nodes] */
    int64_t *placed;     /* [nodes][kinds] */
    int kinds;
} shelf;

static void put(shelf *s, int64_t node, int kind, int gpus, int64_t count) {
    s->room[node] -= (int)(gpus * count);
    s->placed[node * s->kinds + kind] += count;
}

/* One to each node that has room, round and round. */
static bool spread(shelf *s, int kind, int gpus, int64_t count) {
    while (count > 0) {
        int64_t before = count, from = s->next;
        for (int64_t i = 0; i < s->nodes && count > 0; i++) {
            int64_t node = (from + i) % s->nodes;
            if (s->room[node] < gpus) continue;
            put(s, node, kind, gpus, 1);
            s->next = (node + 1) % s->nodes;
            count--;
        }
        if (count == before) return false;
    }
    return true;
}

/* As many as the first node holds, then the next. */
static bool first_fit(shelf *s, int kind, int gpus, int64_t count) {
    for (int64_t node = 0; node < s->nodes && count > 0; node++) {
        int64_t some = s->room[node] / gpus;
        if (some > count) some = count;
        put(s, node, kind, gpus, some);
        count -= some;
    }
    return count == 0;
}

typedef bool way(shelf *s, int kind, int gpus, int64_t count);

static bool fill(shelf *s, const clg_pack_kind *kind, int node_gpus, way *place) {
    memset(s->placed, 0, (size_t)(s->nodes * s->kinds) * sizeof *s->placed);
    s->next = 0;
    for (int64_t i = 0; i < s->nodes; i++) s->room[i] = node_gpus;
    for (int gpus = node_gpus; gpus > 0; gpus--)
        for (int k = 0; k < s->kinds; k++)
            if (kind[k].gpus == gpus && !place(s, k, gpus, kind[k].count)) return false;
    return true;
}

bool clg_pack_on(clg_arena *arena, const clg_pack_kind *kind, int kinds, int node_gpus,
                 int64_t nodes, clg_packing *p) {
    clg_arena_mark mark = clg_arena_here(arena);
    shelf s = {.kinds = kinds, .nodes = nodes};
    s.room = clg_take(arena, (size_t)nodes + 1, int);
    s.placed = clg_take(arena, (size_t)(nodes * kinds) + 1, int64_t);
    bool held = fill(&s, kind, node_gpus, spread) || fill(&s, kind, node_gpus, first_fit);
    if (!held) clg_arena_back_to(arena, mark);
    p->nodes = held ? nodes : 0;
    p->placed = held ? s.placed : NULL;
    return held;
}

bool clg_pack(clg_arena *arena, const clg_pack_kind *kind, int kinds, int node_gpus,
              clg_packing *p) {
    *p = (clg_packing){.bound = clg_pack_bound(kind, kinds, node_gpus)};
    for (int64_t nodes = p->bound; nodes <= CLG_PACK_NODES; nodes++)
        if (clg_pack_on(arena, kind, kinds, node_gpus, nodes, p)) return true;
    return false;
}
