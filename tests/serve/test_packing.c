/* test_packing.c -- replicas on nodes: by hand, and against every packing there is. */
#include "serve/packing.h"
#include "test.h"

enum { MOST = 9, NODE = 8 };

/* The fewest nodes by trying every place of every replica, the first on the first node. */
static int least_nodes(const int *size, int count, int node, int *room, int used, int at,
                       int best) {
    if (used >= best) return best;
    if (at == count) return used;
    for (int i = 0; i <= used; i++) {
        if (i == used) room[i] = node;
        if (room[i] < size[at]) continue;
        room[i] -= size[at];
        best = least_nodes(size, count, node, room, i == used ? used + 1 : used, at + 1, best);
        room[i] += size[at];
    }
    return best;
}

static void check_whole(const clg_packing *p, const clg_pack_kind *kind, int kinds, int node) {
    for (int k = 0; k < kinds; k++) {
        int64_t sum = 0;
        for (int64_t n = 0; n < p->nodes; n++) sum += p->placed[n * kinds + k];
        CHECK(sum == kind[k].count);
    }
    for (int64_t n = 0; n < p->nodes; n++) {
        int64_t used = 0;
        for (int k = 0; k < kinds; k++) used += p->placed[n * kinds + k] * kind[k].gpus;
        CHECK(used <= node);
    }
}

static void by_hand(clg_arena *arena) {
    CASE("two of 4, three of 2 and three of 1 are 17 GPUs: 3 nodes of 8, no kind twice too often");
    clg_pack_kind kind[] = {{4, 2}, {2, 3}, {1, 3}};
    clg_packing p;
    CHECK(clg_pack(arena, kind, 3, NODE, &p) && p.nodes == 3 && p.bound == 3);
    check_whole(&p, kind, 3, NODE);
    for (int64_t n = 0; n < p.nodes; n++) CHECK(p.placed[n * 3] <= 1 && p.placed[n * 3 + 1] <= 1);
    CASE("three of 5 take three nodes though 15 GPUs would fit on two");
    clg_pack_kind odd[] = {{5, 3}};
    CHECK(clg_pack(arena, odd, 1, NODE, &p) && p.nodes == 3 && p.bound == 3);
    CASE("three of 3 on nodes of 8: two on one node");
    clg_pack_kind three[] = {{3, 3}};
    CHECK(clg_pack(arena, three, 1, NODE, &p) && p.nodes == 2);
    CASE("nothing takes nothing, and too much is refused");
    clg_pack_kind none[] = {{8, 0}}, many[] = {{8, CLG_PACK_NODES + 1}};
    CHECK(clg_pack(arena, none, 1, NODE, &p) && p.nodes == 0);
    CHECK(!clg_pack(arena, many, 1, NODE, &p));
}

/* Every list of up to MOST replicas of a seed; those of sizes that divide each other are packed on
 * the fewest nodes, others on at most one more, and the bound is never above the fewest. */
static void all_packings(clg_arena *arena, int node, bool divides, int *more) {
    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t state = seed * 2654435761u;
        int size[MOST], count = 0, room[MOST + 1];
        clg_pack_kind kind[3];
        for (int k = 0; k < 3; k++) {
            state = state * 1664525u + 1013904223u;
            int gpus = divides ? 1 << (state >> 20) % 4 : 1 + (int)((state >> 20) % (uint32_t)node);
            kind[k] = (clg_pack_kind){gpus, (state >> 8) % 4};
            for (int64_t i = 0; i < kind[k].count; i++) size[count++] = gpus;
        }
        clg_arena_mark mark = clg_arena_here(arena);
        clg_packing p;
        CHECK(clg_pack(arena, kind, 3, node, &p));
        check_whole(&p, kind, 3, node);
        int least = least_nodes(size, count, node, room, 0, 0, count + 1);
        CHECK(p.bound <= least && least <= p.nodes && p.nodes <= least + 1);
        if (divides) CHECK(p.nodes == least && p.bound == least);
        *more += p.nodes > least;
        clg_arena_back_to(arena, mark);
    }
}

int main(void) {
    clg_arena arena = {0};
    int more = 0;
    by_hand(&arena);
    CASE("against every packing: sizes of 1, 2, 4 and 8");
    all_packings(&arena, NODE, true, &more);
    CASE("and of any size: the fewest nodes too, on 600 lists");
    all_packings(&arena, NODE, false, &more);
    all_packings(&arena, 12, false, &more);
    CHECK(more == 0);
    clg_arena_clear(&arena);
    return DONE;
}
