/* kernel.h -- seconds a kernel takes on a GPU.
 *
 * Pure functions of shape and curves. The curves (data/kernel/<gpu>.json) are fitted to published
 * measurements of single kernels; `ceiling fit` fits products of one's own. Each file carries the
 * fit's range and residuals. A GPU without its own file borrows the nearest generation's shape
 * (fractions of its own peak and bandwidth): `borrowed` says so and the interval widens. */
#ifndef CLG_COST_KERNEL_H
#define CLG_COST_KERNEL_H

#include "dataset/dataset.h"
#include "layout/layout.h"
#include "machine/machine.h"

/* A product is cut in tiles; waves of tiles fill the multiprocessors; each tile costs k +
 * k_overhead steps. The tile that gives the least time is taken, as libraries' heuristics try to.
 */
typedef struct clg_gemm_curve {
    double efficiency;     /* share of dense peak of a long, full wave of the largest tile */
    double k_overhead;     /* prologue and epilogue of a tile, in units of k */
    double tail_share;     /* 1: a partial last wave costs a full one; 0: a proportional one */
    double launch_s;       /* per kernel on the GPU, behind other kernels */
    double medium_tile;    /* efficiency of 128 x 128 tiles against 256 x 128 */
    double small_tile;     /* of 128 x 64 tiles; 64 x 64 have its square */
    double hbm_efficiency; /* share of HBM bandwidth of operand traffic */
    double sustained; /* share of that rate a GPU keeps for hours, at its power limit; 1: all */
    double sigma;     /* log-residual of the fit on shapes left out */
    bool known;       /* false: not fitted for this precision; another one's shares stand in */
} clg_gemm_curve;

typedef enum clg_attention_kernel {
    CLG_UNFUSED = CLG_ATTENTION_UNFUSED,
    CLG_BLOCKWISE = CLG_ATTENTION_BLOCKWISE,
    CLG_MASKED = CLG_ATTENTION_MASKED,
    CLG_FLASH1,
    CLG_FLASH2,
    CLG_FLASH3,
    CLG_CUDNN,
    CLG_ATTENTION_KERNELS
} clg_attention_kernel;
extern const clg_name clg_attention_kernel_names[];

/* What a plan runs that names no kernel: the stack's (a name, or NULL), unless the GPU is younger
 * and needs another, or too old for it: then `older`, the stack's too. */
clg_attention_kernel clg_attention_default(const clg_gpu *gpu, const char *stack_kernel,
                                           const char *older);

typedef struct clg_attention_curve {
    double forward_efficiency,
        backward_efficiency; /* of dense peak, long sequences, head_dim 128 */
    double tokens_half;      /* key tokens at which efficiency is half of that */
    double head_dim_half;    /* same in head_dim (narrow heads feed the tensor cores worse) */
    double single_times;     /* an fp32 call over a 16-bit one; 0: never timed */
    double head_step;        /* a head costs as much as one of the next multiple; 0: of its width */
    double wide_forward, wide_backward; /* share at twice that width over the one at it; 0: as it */
    double gathered_forward, gathered_backward; /* of peak, to many keys taken by their places */
    double gathered_half; /* such keys at which it is half of that; 0: never timed, as dense */
    double launch_s;
    double sigma;
    bool known;
} clg_attention_curve;

/* Chunked kernels of layers that keep a state (flash-linear-attention,
 * fla/ops/common/chunk_delta_h.py): arithmetic and traffic one after the other, as those of several
 * kernels, of which a part goes chunk by chunk. */
typedef struct clg_state_curve {
    double flop_share, hbm_share, backward_hbm_share; /* of dense 16-bit peak, of bandwidth */
    double chunk_s, backward_chunk_s;                 /* least of one chunk after another */
    double launch_s;                                  /* of all of a forward's kernels */
    double sigma;
} clg_state_curve;

typedef struct clg_kernels {
    const char *file; /* data file, or "borrowed from ..." */
    bool borrowed;
    clg_gemm_curve gemm[CLG_PRECISIONS];
    clg_gemm_curve grouped[CLG_PRECISIONS];
    clg_attention_curve attention[CLG_ATTENTION_KERNELS];
    struct {
        double efficiency;     /* of many small products in one call, beside that of one product */
        double hbm_efficiency; /* share of HBM bandwidth of their operand traffic; 0: as of one */
    } batched;
    struct {
        double efficiency; /* share of HBM bandwidth of a large streaming kernel */
        double bytes_half; /* bytes at which half of it is reached (launch and ramp) */
        double launch_s;
        double sigma;
    } memory;
    clg_state_curve state;
    double optimizer_efficiency; /* share of HBM bandwidth of a fused multi-tensor update */
    double slowdown_felt;        /* share of what a stack loses in products */
} clg_kernels;

/* The file of a GPU, or of the one that lends to it; NULL: none. */
const clg_file *clg_kernels_file(clg_arena *arena, const clg_gpu *gpu, bool *borrowed);

/* How many times less a clock the matrix units of a GPU do than those of its lender: a chip of the
 * same generation with a half or less, as export rules and market segments have it, the rest of it
 * as it was. Nearer than half, what boards call their boost clock differs as much: 1. */
clg_status clg_units_cut(clg_arena *arena, const clg_gpu *gpu, double *cut, clg_error *error);

/* The share of a slower matrix unit's peak: what a tile takes beside it (loads, first and last
 * steps, the exponentials of attention) goes on as before. */
double clg_slowed_share(double share, double cut);

/* Reads the curves for a GPU from the built-in data, or borrows. */
clg_status clg_kernels_find(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                            clg_error *error);

/* Those a GPU would have if nothing of its generation had been timed: of the next one to it, as
 * shares of its own peak and bandwidth. */
clg_status clg_kernels_generic(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                               clg_error *error);

/* Whether a file of data/kernel can be read whole. */
clg_status clg_kernels_check(clg_arena *arena, const clg_file *file, clg_error *error);

/* Lays the user's own file over the curves: of the same form, with only the values that differ
 * (`ceiling fit` writes one). A file that names another GPU is refused; NULL takes any. On failure
 * *kernels is untouched. */
clg_status clg_kernels_overlay(clg_arena *arena, const clg_file *file, const clg_gpu *gpu,
                               clg_kernels *kernels, clg_error *error);

/* GPU time of `batch` products [m,k] x [k,n]; operands of `precision`, output 16 bit or wider. */
double clg_gemm_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_precision precision, double m,
                  double n, double k, double batch);

/* One of 16 bit whose rows are no multiple of 16 bytes: a kernel that does so much work a clock and
 * multiprocessor. */
double clg_gemm_odd_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_precision precision,
                      double flop_per_clock, double m, double n, double k);

/* Whether rows so wide are multiples of 16 bytes. */
bool clg_gemm_is_aligned(clg_precision precision, double width);

/* One without its operands' traffic and its launch. */
double clg_gemm_arithmetic_s(const clg_gpu *gpu, const clg_kernels *kernels,
                             clg_precision precision, double m, double n, double k);

/* The same for the products of unfused attention, on the curve under `batched`. Heads are `width`
 * wide and side by side in memory: rows that do not start at 16 bytes miss the tensor cores. */
double clg_batched_gemm_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_precision precision,
                          double width, double m, double n, double k, double batch);

/* Grouped product: `groups` products that share n and k, `rows` rows of m in all, the fullest group
 * `imbalance` (>= 1) times the mean. */
double clg_grouped_gemm_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_precision precision,
                          double rows, double n, double k, double groups, double imbalance);

/* Its weight gradient: `groups` products [m,k] x [k,n] that share m and n, `rows` of k in all. */
double clg_grouped_weight_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_precision precision,
                            double m, double n, double rows, double groups, double imbalance);

/* One attention op (op->attention), forward or backward, fused, as materialized scores, or through
 * a state (chunks > 0), whatever the kernel. */
double clg_attention_s(const clg_gpu *gpu, const clg_kernels *kernels, clg_attention_kernel kernel,
                       clg_precision precision, const clg_op *op);

/* A kernel that streams `bytes` through HBM. */
double clg_memory_bound_s(const clg_gpu *gpu, const clg_kernels *kernels, double bytes);

/* An optimizer update that streams `bytes`. */
double clg_optimizer_s(const clg_gpu *gpu, const clg_kernels *kernels, double bytes);

#endif
