/* op.h -- the words a training step is written in: kinds of work, streams, groups, precisions.
 *
 * Dumb on purpose: an op says what is done (shape, bytes, flop, group, stream), never how long it
 * takes. step/ writes ops; cost/ prices them; memory/, power/ and report/ read them. */
#ifndef CLG_OP_OP_H
#define CLG_OP_OP_H

#include "base/name.h"

#include <stdbool.h>

typedef enum clg_precision {
    CLG_FP32,
    CLG_TF32, /* fp32 values, rounded on their way into tensor cores */
    CLG_FP16,
    CLG_BF16,
    CLG_FP8,
    CLG_MXFP8,
    CLG_NVFP4,
    CLG_MXFP4, /* of stored weights; some GPUs multiply it as it is, others wider */
    CLG_INT4,  /* the same: GPTQ and AWQ, groups of 128 with a scale and a zero */
    CLG_PRECISIONS
} clg_precision;
extern const clg_name clg_precision_names[];

/* fp32 and tf32: everything is stored in 32 bits. */
bool clg_precision_is_single(clg_precision precision);

/* Bytes of one stored element (nvfp4 0.5, without its block scales). */
double clg_precision_bytes(clg_precision precision);

typedef enum clg_op_kind {
    CLG_OP_GEMM,       /* batch x [m,k] x [k,n] */
    CLG_OP_GROUPED,    /* `batch` groups of m rows in all (weight gradients: k rows): experts */
    CLG_OP_ATTENTION,  /* scores, softmax and values in one kernel */
    CLG_OP_MEMORY,     /* a kernel bound by HBM: norm, activation, residual, permute, cast */
    CLG_OP_COLLECTIVE, /* over a group */
    CLG_OP_SEND,       /* to the next pipeline stage or ring neighbour */
    CLG_OP_OPTIMIZER,  /* parameter update, bound by HBM */
    CLG_OP_COPY,       /* host to device or back */
    CLG_OP_HOST        /* passes over the host's memory, `bytes` of all its ranks */
} clg_op_kind;

/* A pass is the part of the step an op belongs to. */
typedef enum clg_pass {
    CLG_PASS_FORWARD,
    CLG_PASS_RECOMPUTE,       /* forward work done again in the backward pass */
    CLG_PASS_BACKWARD_INPUT,  /* gradients to inputs; the next stage waits for them */
    CLG_PASS_BACKWARD_WEIGHT, /* gradients to weights; nobody waits within the micro-batch */
    CLG_PASSES
} clg_pass;

/* Which parallel dimension a collective or send serves. */
typedef enum clg_axis {
    CLG_AXIS_NONE,
    CLG_AXIS_TP,
    CLG_AXIS_CP,
    CLG_AXIS_EP,
    CLG_AXIS_DP,
    CLG_AXIS_PP,
    CLG_AXES
} clg_axis;
extern const clg_name clg_axis_names[];

typedef enum clg_collective {
    CLG_ALL_REDUCE,
    CLG_ALL_GATHER,
    CLG_REDUCE_SCATTER,
    CLG_ALL_TO_ALL,
    CLG_SEND_RECEIVE,
    CLG_BROADCAST,
    CLG_COLLECTIVES
} clg_collective;
extern const clg_name clg_collective_names[];

/* Who takes part: `ranks` GPUs, of which `per_domain` share one fast (NVLink) domain. All GPUs of
 * a domain talk at the same time, each group over its own ranks' links. ranks 1 = no traffic. */
typedef struct clg_group {
    int ranks;
    int per_domain;
} clg_group;

static inline int clg_group_domains(clg_group group) {
    return (group.ranks + group.per_domain - 1) / group.per_domain;
}

typedef struct clg_op {
    clg_op_kind kind;
    clg_pass pass;
    const char *name;        /* what people call it: "qkv projection" */
    clg_precision precision; /* of the arithmetic (GEMM) or the data (others) */
    int count;               /* times in a row; never 0 */
    double expert_calls;     /* of one count: calls of the host beside the launch, where experts go
                                one by one */
    bool casts; /* for a product in 8 bit or less: scales and copies to keep, the host's work too */
    bool adapts;  /* of an adapter: a frozen model beside does not have it */
    bool awaited; /* the host reads what it leaves before it goes on, so that nothing is queued */
    bool routes;  /* an expert layer's routing: the host has work of its own in this pass */
    bool arrived; /* on rows that ranks were sent: the fullest has more of them */
    /* GEMM, GROUPED: sizes of one product. */
    double m, n, k, batch;
    /* ATTENTION: per rank. */
    struct {
        double batch, heads, head_dim, value_head_dim;
        double query_tokens, key_tokens; /* of one sequence */
        double window;                   /* 0: none */
        bool fused;                      /* scores are never kept whole */
        bool masked;                     /* by the kernel that takes a mask */
        bool gathered;                   /* keys by their places: sparse attention */
        double block, blocks; /* > 0: so many blocks of block x block scores, each in memory */
        bool backward;
        double chunks;       /* > 0: no scores but a state, carried through so many chunks of one
                                sequence one after the other; flop and hbm_bytes say the work */
        double serial_share; /* and the share of the work that is done so */
    } attention;
    double flop;      /* executed, all of one count (causal kernels: the half they do) */
    double hbm_bytes; /* read and written at least once */
    /* COLLECTIVE, SEND: bytes as nccl-tests defines "size" (the full buffer of one rank). */
    clg_collective collective;
    clg_axis axis;
    clg_group group;
    double bytes;
    bool over_nodes;   /* of a job of more than one domain */
    double slow_share; /* all-to-all: share of the bytes between domains that really crosses (a
                          token sent once per domain instead of once per expert); 0: all of them */
    double overlap;    /* share of its time that may hide behind compute of the same pass, 0..1 */
} clg_op;

static inline bool clg_op_is_product(const clg_op *op) {
    return op->kind == CLG_OP_GEMM || op->kind == CLG_OP_GROUPED;
}

static inline bool clg_op_is_traffic(const clg_op *op) {
    return op->kind == CLG_OP_COLLECTIVE || op->kind == CLG_OP_SEND;
}

#endif
