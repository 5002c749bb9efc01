/* state.c -- layers that keep a state instead of keys and values: projections, convolution, the
 * chunked kernels, gated norm.
 *
 * Kernels of whole sequences cut them in chunks of C tokens: products inside a chunk, and a state
 * per head carried from chunk to chunk (Yang et al. 2024, arXiv:2406.06484, section 3.2; Dao & Gu
 * 2024, arXiv:2405.21060, section 6). Flop are those of whole C x C tiles, which kernels do not
 * halve. Bytes are those of the kernels one by one, which hand products and states on in memory.
 * Left out: reads of a key that heads share found in L2, initial states, packed sequences. */
#include "step/block.h"
#include "step/sizes.h"

#include <math.h>

/* One token of one head, forward or backward: flop; elements of 16 bits and bytes of the rest that
 * kernels read and write; flop of what goes chunk by chunk. */
typedef struct state_work {
    double flop, serial_flop, elements, bytes;
} state_work;

/* The gated delta rule, k and v the widths (flash-linear-attention, fla/ops/gated_delta_rule:
 * chunk.py, chunk_fwd.py, wy_fast.py; fla/ops/common: chunk_delta_h.py, chunk_o.py,
 * chunk_scaled_dot_kkt.py):
 *   scores of keys    2Ck          reads k, writes C x 4 bytes      inverse  C^2, C x 6 bytes
 *   w and u           2C(k + v)    reads k, v, C, writes k + v
 *   states            4kv          reads 2k + v, writes v and a state of kv a chunk
 *   output            2kv + 2C(k + v)  reads 2k + v, a state, writes v
 * The inverse is counted as in arXiv:2510.26692, section 6.2. */
static state_work delta_forward(double k, double v, double c) {
    return (state_work){.flop = 6 * k * v + 2 * c * (3 * k + 2 * v) + c * c,
                        .serial_flop = 4 * k * v,
                        .elements = 7 * k + 6 * v + 2 * c + 2 * k * v / c,
                        .bytes = 8 * c};
}

/* w, u and states again; then of values inside a chunk 2C(k + v), states backwards 6kv, queries,
 * keys and w 6kv + 2C(2k + v), and of the inverse 2C(5k + 2v) + 4C^2. */
static state_work delta_backward(double k, double v, double c) {
    return (state_work){.flop = 16 * k * v + 2 * c * (9 * k + 5 * v) + 4 * c * c,
                        .serial_flop = 10 * k * v,
                        .elements = 17 * k + 15 * v + 2 * c + 4 * k * v / c};
}

/* A decay for every row (fla/ops/kda): as fp32 written by one kernel and read by three, and, for
 * keys and queries times decays, and for scores of queries, as much again. */
static state_work channel_decays(state_work work, double k, double c, double times) {
    work.elements += times * (4 * k + 2 * c);
    work.bytes += times * 16 * k;
    return work;
}

/* The state space rule (state-spaces/mamba, ssd_combined.py): k the state's rows, v the head's
 * width, `shared` the groups per head. Scores of B and C 2Ck for each group, states 2kv, output 2kv
 * + 2Cv; states stay in fp32 between kernels: written, read and written when passed on, read. */
static state_work space_forward(double k, double v, double c, double shared) {
    return (state_work){.flop = 4 * k * v + 2 * c * v + 2 * c * k * shared,
                        .serial_flop = 0,
                        .elements = 3 * v + 2 * k * shared,
                        .bytes = 16 * k * v / c + 8 * c * shared};
}

/* States again 2kv, then 2kv each for states, inputs, B and C, and the products inside a chunk
 * twice, for both of their operands. */
static state_work space_backward(double k, double v, double c, double shared) {
    return (state_work){.flop = 10 * k * v + 4 * c * v + 6 * c * k * shared,
                        .serial_flop = 0,
                        .elements = 11 * v + 6 * k * shared,
                        .bytes = 44 * k * v / c + 24 * c * shared};
}

/* Lightning attention (Qin et al. 2024, arXiv:2401.04658, algorithms 1 and 2): scores and values
 * inside a block, output from and update of the state; queries, keys and values read for both. */
static state_work lightning(double k, double v, double c, bool backward) {
    if (backward)
        return (state_work){.flop = 10 * k * v + 2 * c * (3 * k + 2 * v),
                            .serial_flop = 4 * k * v,
                            .elements = 9 * k + 7 * v,
                            .bytes = 16 * k * v / c};
    return (state_work){.flop = 4 * k * v + 2 * c * (k + v),
                        .serial_flop = 4 * k * v,
                        .elements = 4 * k + 4 * v,
                        .bytes = 8 * k * v / c};
}

static state_work work_of(const clg_attention *a, bool backward) {
    double k = a->head_dim, v = a->value_head_dim, c = a->chunk;
    double shared = (double)a->kv_heads / a->heads;
    state_work delta = backward ? delta_backward(k, v, c) : delta_forward(k, v, c);
    switch (a->state) {
    case CLG_STATE_GATED_DELTA:
        return delta;
    case CLG_STATE_CHANNEL_DELTA:
        return channel_decays(delta, k, c, backward ? 2 : 1);
    case CLG_STATE_SPACE:
        return backward ? space_backward(k, v, c, shared) : space_forward(k, v, c, shared);
    default:
        return lightning(k, v, c, backward);
    }
}

void clg_state_core(const clg_attention *a, double heads, double tokens, double longest,
                    bool backward, clg_op *op) {
    state_work work = work_of(a, backward);
    double units = heads * tokens, wide = op->precision == CLG_FP32 ? 4 : 2;
    op->attention.heads = heads;
    op->attention.head_dim = a->head_dim;
    op->attention.value_head_dim = a->value_head_dim;
    op->attention.query_tokens = op->attention.key_tokens = longest;
    op->attention.fused = true;
    op->attention.backward = backward;
    op->attention.chunks = longest / a->chunk;
    op->attention.serial_share = work.serial_flop / work.flop;
    op->flop = units * work.flop;
    op->hbm_bytes = units * (wide * work.elements + work.bytes);
}

/* The core of one rank. With context parallelism heads are exchanged for tokens, so that a rank has
 * whole sequences of fewer heads: as many tokens times heads. */
static void core(clg_block *block, const clg_shard *shard, const clg_attention *a, clg_pass pass,
                 double heads) {
    clg_op *op = clg_block_add(block, CLG_OP_ATTENTION, pass, "state of chunks");
    op->precision = shard->wide;
    clg_state_core(a, heads, shard->tokens, (double)shard->layout->seq,
                   pass == CLG_PASS_BACKWARD_INPUT, op);
    op->attention.batch = shard->layout->micro_batch;
}

/* What is multiplied out of the input changes places before the convolution and the result after
 * the state (Megatron-Core, ssm/mamba_context_parallel.py); the backward likewise. */
static void exchange(clg_block *block, const clg_shard *shard, const char *name, double width) {
    double bytes = shard->tokens * width * shard->wide_bytes;
    clg_block_collective(block, CLG_PASS_FORWARD, name, CLG_AXIS_CP, CLG_ALL_TO_ALL, shard->cp,
                         bytes, 0);
    clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, name, CLG_AXIS_CP, CLG_ALL_TO_ALL,
                         shard->cp, bytes, 0);
}

/* Decay and gate through a low rank, whose first products are on every tensor rank. */
static void low_rank_gates(clg_block *block, const clg_shard *shard, const clg_attention *a,
                           clg_widths w) {
    double tokens = shard->tokens, hidden = (double)shard->model->hidden;
    if (w.rank <= 0) return;
    clg_block_linear(block, shard,
                     clg_matrix_of("gate down projections", tokens, hidden, w.low_gates * w.rank));
    clg_block_linear(block, shard,
                     clg_matrix_of("decay up projection", tokens, w.rank, w.heads * a->head_dim));
    if (w.low_gates > 1)
        clg_block_linear(block, shard,
                         clg_matrix_of("gate up projection", tokens, w.rank, w.results));
    block->saved_bytes +=
        tokens * (w.low_gates * w.rank + w.heads * a->head_dim) * shard->wide_bytes;
}

/* Convolution with its activation: one pass forward; backward reads input and gradient and writes
 * one. The delta rule wants keys and queries of length one. */
static void convolve(clg_block *block, const clg_shard *shard, const clg_attention *a,
                     clg_widths w) {
    double bytes = shard->tokens * shard->wide_bytes;
    bool delta = a->state == CLG_STATE_GATED_DELTA || a->state == CLG_STATE_CHANNEL_DELTA;
    if (a->convolution > 0)
        clg_block_memory(block, "causal convolution", 2 * bytes * w.channels, 1,
                         3 * bytes * w.channels, 1);
    if (delta)
        clg_block_memory(block, "key and query lengths", 2 * bytes * w.keys, 2, 3 * bytes * w.keys,
                         2);
}

/* What stays for the backward: what went into the convolution and what came out (the state
 * space rule convolves again), gate, the state's answer before its norm, and after it for the next
 * product; per head decays and steps in fp32; of delta rules the C x C inverse, of the one by
 * channels also scores. */
static double kept_bytes(const clg_shard *shard, const clg_attention *a, clg_widths w) {
    double size = shard->wide_bytes, channels = a->convolution > 0 ? 2 * w.channels : w.channels;
    double tiles = a->state == CLG_STATE_GATED_DELTA     ? 1
                   : a->state == CLG_STATE_CHANNEL_DELTA ? 2
                                                         : 0;
    if (a->state == CLG_STATE_SPACE) channels = w.channels;
    return shard->tokens * (size * (channels + 2 * w.results + w.heads * a->chunk * tiles) +
                            8 * w.heads + clg_block_operand_bytes(shard) * w.results);
}

void clg_block_state(clg_block *block, const clg_shard *shard, const clg_attention *a) {
    clg_widths w = clg_widths_of(a, shard->layout->tp);
    double tokens = shard->tokens, hidden = (double)shard->model->hidden, size = shard->wide_bytes;
    clg_block_enter_tensor(block, shard, "state input", true);
    clg_block_linear(block, shard,
                     clg_matrix_of("state input projection", tokens, hidden, w.columns));
    low_rank_gates(block, shard, a, w);
    if (shard->layout->cp > 1) exchange(block, shard, "state heads for tokens", w.columns);
    convolve(block, shard, a, w);
    if (a->state != CLG_STATE_CONVOLUTION) {
        core(block, shard, a, CLG_PASS_FORWARD, w.heads);
        core(block, shard, a, CLG_PASS_BACKWARD_INPUT, w.heads);
    }
    if (shard->layout->cp > 1) exchange(block, shard, "state tokens for heads", w.results);
    clg_block_memory(block, "gated norm", 3 * tokens * w.results * size, 1,
                     5 * tokens * w.results * size, 1);
    block->saved_bytes += kept_bytes(shard, a, w);
    /* The backward's states and their gradients, and gradients of what went in. */
    double states = 2 * w.heads * a->head_dim * a->value_head_dim / a->chunk;
    block->transient_bytes =
        fmax(block->transient_bytes, tokens * size * (states + 2 * w.channels + w.results));
    clg_block_linear(block, shard,
                     clg_matrix_of("state output projection", tokens, w.results, hidden));
    clg_block_leave_tensor(block, shard, "state output");
}
