/* layout.h -- how one training step is split over GPUs.
 *
 * A layout is complete: nothing in it is "to be chosen" (search/ makes complete ones). Degrees
 * multiply to the GPUs: dp * tp * cp * pp. Experts live inside dp * cp * tp: an expert is split
 * over etp ranks, ep groups hold all experts. Rank order: `order`. */
#ifndef CLG_LAYOUT_LAYOUT_H
#define CLG_LAYOUT_LAYOUT_H

#include "layout/adapter.h"
#include "model/model.h"
#include "op/op.h"

#include <stdbool.h>
#include <stdint.h>

/* Kernels of attention, oldest first (cost/kernel.h has all): scores in memory; in memory too, but
 * a block of them after the other; fused, but handed a mask and so over the whole square, hidden
 * half and windows too. */
enum { CLG_ATTENTION_UNFUSED, CLG_ATTENTION_BLOCKWISE, CLG_ATTENTION_MASKED };

typedef enum clg_recompute {
    CLG_RECOMPUTE_NONE,
    CLG_RECOMPUTE_SELECTIVE, /* the attention core is done again; of latent attention, the
                                expansion of its heads */
    CLG_RECOMPUTE_FULL       /* every layer is done again from its input */
} clg_recompute;
extern const clg_name clg_recompute_names[];

typedef enum clg_schedule_kind {
    CLG_GPIPE,
    CLG_1F1B,
    CLG_INTERLEAVED,
    CLG_ZB_H1,
    CLG_ZB_H2,
    CLG_ZB_V,
    CLG_DUALPIPE,
    CLG_SCHEDULES
} clg_schedule_kind;
extern const clg_name clg_schedule_names[];

typedef enum clg_context_kind {
    CLG_CONTEXT_RING,
    CLG_CONTEXT_GATHER,
    CLG_CONTEXT_ULYSSES
} clg_context_kind;
extern const clg_name clg_context_names[];

/* Rank orders: which axis changes fastest from rank to rank, so which groups sit on fast links. The
 * value of a name is its place in the table; 0 is what trainers take that nobody tells. */
extern const clg_name clg_order_names[];

typedef enum clg_optimizer {
    CLG_ADAM,
    CLG_ADAM_8BIT,
    CLG_MUON,
    CLG_SGD,
    CLG_LION, /* one moment, the sign of it (Chen et al. 2023, arXiv:2302.06675) */
    CLG_LION_8BIT,
    CLG_ADAFACTOR, /* sums of rows and columns for moments (Shazeer & Stern 2018, arXiv:1804.04235)
                    */
    CLG_OPTIMIZERS
} clg_optimizer;
extern const clg_name clg_optimizer_names[];

/* A frozen model of the same sizes that runs forward beside the trained one: DPO's reference
 * (Rafailov et al. 2023, arXiv:2305.18290), a teacher. What it says may have been computed before.
 */
typedef enum clg_reference { CLG_REFERENCE_NONE, CLG_REFERENCE_MODEL } clg_reference;
extern const clg_name clg_reference_names[];

typedef struct clg_layout {
    int64_t seq;          /* tokens */
    int64_t global_batch; /* sequences per step */
    int dp;               /* data-parallel ranks, FSDP ranks included */
    int zero;             /* 0..3; FSDP with reshard after forward 3, without 2 */
    int hsdp;             /* ranks of dp x cp one shard set spans; 0: all of them */
    int tp;
    bool sp; /* sequence parallel: norms and residuals split over tp */
    int cp;
    clg_context_kind cp_kind;
    int ep, etp; /* expert parallel; tensor degree of one expert */
    int pp, vpp; /* stages; chunks per stage */
    clg_schedule_kind schedule;
    int micro_batch;      /* sequences */
    int64_t accumulation; /* micro-batches per step and pipeline: global_batch/(dp*micro_batch) */
    clg_recompute recompute;
    int recompute_layers; /* full: only the first n layers of each chunk; 0: all */
    clg_precision precision;
    int attention; /* clg_attention_kernel, of which the first two do other work */
    clg_optimizer optimizer;
    clg_adapter adapter;
    clg_reference reference; /* beside adapters: their own frozen model, without them */
    bool offload;            /* optimizer states and update on the host */
    int order;               /* of ranks: clg_order_names */
    const int
        *split; /* layers of each chunk by depth, split_count of them; NULL: as even as can be */
    int split_count;
} clg_layout;

/* GPUs a layout uses. */
int64_t clg_layout_gpus(const clg_layout *layout);

/* Tokens of a step. */
double clg_layout_tokens(const clg_layout *layout);

/* Ranks of dp x cp that one shard set spans. Trainers with Ulysses or rings shard over context
 * ranks as over data ranks (torchtitan docs: dp_shard x cp). */
int clg_layout_shards(const clg_layout *layout);

/* How often a pipeline holds the model: 2 where micro-batches enter from both ends (DualPipe). */
int clg_layout_copies(const clg_layout *layout);

/* NULL if legal for this model, else one clause saying which rule is broken and what would be
 * right; the text lives in `arena`. Rules in layout.c, one function each. */
const char *clg_layout_refuses(clg_arena *arena, const clg_model *model, const clg_layout *layout);

/* Its two halves, for a search: the rules that read neither vpp, schedule, zero, hsdp nor layers
 * recomputed, and the others. */
bool clg_layout_degrees_legal(const clg_model *model, const clg_layout *layout);
bool clg_layout_stages_legal(const clg_model *model, const clg_layout *layout);

/* Most chunks a stage can have (vpp); below 1: the model has fewer layers than stages. */
int clg_layout_most_chunks(const clg_model *model, int pp);

/* Layers of each chunk by depth: layers_of[0 .. pp*vpp-1] in the order a micro-batch visits them
 * (the schedule says which stage holds which depth). As even as possible; what does not divide goes
 * to the chunks that hold neither embedding nor head, from the middle out, then to the first. Where
 * it does not divide, multi-token-prediction modules take the place of layers beside the head. */
void clg_layout_layers(const clg_model *model, const clg_layout *layout, int *layers_of);

/* The same cut by cost instead of count: a layer costs its matrices' parameters, the head its
 * table, the embedding nothing; a stage is full once the sum passes its share of the whole. Last
 * stages may be left with the head alone, or with nothing. Chunks of one stage (vpp) are not known
 * here. */
void clg_layout_layers_by_cost(const clg_model *model, const clg_layout *layout, int *layers_of);

/* Layers of the emptiest and of the fullest chunk. */
int clg_layout_fewest(const clg_model *model, const clg_layout *layout);
int clg_layout_most(const clg_model *model, const clg_layout *layout);

/* One axis of the rank order: its degree, and whether it is tp, cp, dp or pp. */
typedef struct clg_rank_axis {
    char name[3];
    int degree;
} clg_rank_axis;

/* The four axes, fastest first. */
void clg_layout_axes(const clg_layout *layout, clg_rank_axis axes[4]);

/* "tp8 pp16 dp128 zero1 mb1 1f1b" for people and for messages; out holds at least 160 bytes. */
void clg_layout_print(const clg_layout *layout, char *out, size_t size);

#endif
