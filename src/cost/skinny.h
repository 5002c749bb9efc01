/* skinny.h -- kernels of an engine's iteration on a GPU: skinny products, fused experts, attention
 * over a cache, small all-reduces. Under "serving" in data/kernel. */
#ifndef CLG_COST_SKINNY_H
#define CLG_COST_SKINNY_H

#include "base/arena.h"
#include "machine/machine.h"

/* Seconds of an all-reduce inside a domain at sizes that rise. */
enum { CLG_REDUCE_CURVES = 8, CLG_REDUCE_POINTS = 24 };
typedef struct clg_reduce_curve {
    int ranks, points;
    double bytes[CLG_REDUCE_POINTS], seconds[CLG_REDUCE_POINTS];
} clg_reduce_curve;

/* Fused experts: routing, both products and the sum. */
typedef struct clg_expert_curve {
    double launch_s, hbm_share;  /* fixed; reading weights */
    double flop_share, pad;      /* of peak; rows that each expert with tokens is padded by */
    double activation_hbm_share; /* writing and reading rows between the products */
    double hidden_multiple, width_multiple; /* stored sizes are rounded up to; 0: as they are */
    bool known;
} clg_expert_curve;

/* Dense products. */
typedef struct clg_product_curve {
    double time_share;         /* of large products over data/kernel */
    double quantize_hbm_share; /* writing activations in the narrow format */
    double power_w;            /* board limit of the GPU that it holds for, and above; 0: any */
    bool known;
} clg_product_curve;

/* Dense products in tiles that each walk the whole depth of a product, whatever its rows. */
enum { CLG_TUNED_SHAPES = 32 };
typedef struct clg_walked_curve {
    double tile, step_s; /* rows, columns and depth of a tile; seconds of one */
    int tuned;           /* shapes [n,k] that have kernels of their own */
    double columns[CLG_TUNED_SHAPES], depth[CLG_TUNED_SHAPES];
    bool known;
} clg_walked_curve;

/* Kernels that only read: skinny products their weights, decode attention the cache. */
typedef struct clg_read_curve {
    double hbm_share, launch_s;
    bool known;
} clg_read_curve;

/* Decode attention over a latent that many heads share. */
typedef struct clg_latent_curve {
    double flop_share; /* of peak */
    double pad;        /* tokens that a sequence costs beside its own */
    bool known;
} clg_latent_curve;

/* Kernels of decoding on a GPU: skinny products are reads of weights, attention reads the cache. */
typedef struct clg_serve_curves {
    clg_read_curve weights[CLG_PRECISIONS];
    clg_expert_curve experts[CLG_PRECISIONS];
    clg_expert_curve shared[CLG_PRECISIONS]; /* when ranks share the experts out */
    clg_expert_curve tiled[CLG_PRECISIONS], tiled_shared[CLG_PRECISIONS]; /* in tiles of one size */
    clg_expert_curve tuned[CLG_PRECISIONS], tuned_shared[CLG_PRECISIONS]; /* autotuned */
    clg_expert_curve whole[CLG_PRECISIONS];                               /* of all experts' rows */
    clg_product_curve product[CLG_PRECISIONS];
    clg_product_curve blocks[CLG_PRECISIONS];  /* of weights with a scale a block, if told apart */
    clg_product_curve library[CLG_PRECISIONS]; /* where they are told apart */
    clg_walked_curve walked[CLG_PRECISIONS];   /* of engines with walked_blocks */
    clg_read_curve cache[CLG_PRECISIONS];      /* decode attention, by the format of the cache */
    clg_latent_curve latent[CLG_PRECISIONS];
    struct {
        double hbm_share, convolution_hbm_share; /* of states read and written while decoding */
        double block_token_s; /* the delta rule: a token of one head; 0: never timed */
    } state;
    clg_reduce_curve reduce[CLG_REDUCE_CURVES]; /* of the engine's own all-reduce, by ranks */
    int reduces;
    double reduce_link_bytes_per_s; /* links they were timed over; 0: whatever the box has */
    const char *file;
    bool borrowed, own_generation; /* of another GPU; of one of its generation */
} clg_serve_curves;

/* Of a GPU, or borrowed from the nearest generation. */
clg_status clg_serve_curves_find(clg_arena *arena, const clg_gpu *gpu, clg_serve_curves *curves,
                                 clg_error *error);

/* Straight lines between the points of the curve of the nearest number of ranks that is not
 * smaller, or of the largest; infinite when there is no curve. */
double clg_reduce_curve_s(const clg_serve_curves *curves, int ranks, double bytes);

#endif
