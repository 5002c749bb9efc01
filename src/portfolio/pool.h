/* pool.h -- internal to portfolio/: the GPUs of a cluster, node by node.
 *
 * A job larger than a node takes whole nodes and of the last as much as is left over; a smaller one
 * the fullest node with room for it, so that whole nodes stay whole. Free GPUs on many nodes do
 * not make a free node: that is the fill that scattering costs. */
#ifndef CLG_PORTFOLIO_POOL_H
#define CLG_PORTFOLIO_POOL_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct clg_pool clg_pool;

/* Of `gpus`, the last node short where it does not divide. */
clg_pool *clg_pool_make(clg_arena *arena, int64_t gpus, int node_gpus);

int64_t clg_pool_free(const clg_pool *pool);

/* Whether so many can be had at once. */
bool clg_pool_fits(const clg_pool *pool, int64_t gpus);

/* Takes them; what fits only. The hold names them until they are given back; that of 0 GPUs is one
 * too, of any pool. */
int32_t clg_pool_take(clg_pool *pool, int64_t gpus);
void clg_pool_give(clg_pool *pool, int32_t hold);

#endif
