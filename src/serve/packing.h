/* packing.h -- replicas of several sizes onto as few nodes as hold them, none across two.
 *
 * Kinds come as counts, so that a fleet of thousands is packed as fast as one of ten. A replica of
 * more than a node is given as whole nodes and what is left of it. */
#ifndef CLG_SERVE_PACKING_H
#define CLG_SERVE_PACKING_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct clg_pack_kind {
    int gpus; /* of each, 1 to those of a node */
    int64_t count;
} clg_pack_kind;

enum { CLG_PACK_NODES = 1 << 14 };

typedef struct clg_packing {
    int64_t nodes;
    int64_t bound;   /* no packing has fewer: `nodes` is the least where both are the same */
    int64_t *placed; /* [nodes][kinds] how many of each */
} clg_packing;

/* Fewer nodes cannot hold them: those of more than half a node do not share one, and what is left
 * beside the large ones holds none of more than that. */
int64_t clg_pack_bound(const clg_pack_kind *kind, int kinds, int node_gpus);

/* Largest first. Among packings of as many nodes those of a kind are spread over nodes, so that a
 * lost one takes few of them. Sizes that divide each other and the node (1, 2, 4, 8) fit on as
 * many nodes as their sum fills; others may take more than the least. False: more than
 * CLG_PACK_NODES nodes. */
bool clg_pack(clg_arena *arena, const clg_pack_kind *kind, int kinds, int node_gpus,
              clg_packing *packing);

/* The same on so many nodes. False: they are not held so. */
bool clg_pack_on(clg_arena *arena, const clg_pack_kind *kind, int kinds, int node_gpus,
                 int64_t nodes, clg_packing *packing);

#endif
