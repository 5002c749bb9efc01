/* blockwise.c -- attention written as loops over products: of a block of queries and a block of
 * keys the scores lie in memory, and are made again in the backward. */
#include "step/block.h"

#include <math.h>

double clg_blockwise_edge(const clg_shard *shard) {
    return fmin(shard->stack->kernels.attention_block, (double)shard->layout->seq);
}

/* In 16 bit, levanter models/flash_attention.py under XLA, which makes one kernel of what is
 * elementary. Forward: the maxima read a score (2), exponentials and their sum read and write it
 * (4). Backward: one kernel reads scores and gradients of probabilities and writes probabilities
 * and gradients of scores (8). And what a block carries: keys and values cut out (4 of each width),
 * the result scaled and added to (6 of values); queries and gradients of results cut out (4 of
 * each), gradients of queries, keys and values added to (6 of each). What products read and write
 * is theirs. */
double clg_blockwise_bytes(const clg_shard *shard, const clg_op *op) {
    double d = op->attention.head_dim, v = op->attention.value_head_dim;
    double carried = op->attention.backward ? 16 * d + 10 * v : 4 * d + 10 * v;
    double pass = op->attention.backward ? 8 : 6;
    return shard->wide_bytes / 2.0 * (pass + carried / op->attention.block);
}
