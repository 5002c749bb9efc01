/* block.h -- internal to step/: writing ops into a block. */
#ifndef CLG_STEP_BLOCK_H
#define CLG_STEP_BLOCK_H

#include "step/step.h"

/* What the writers of a layer need to know, computed once. */
typedef struct clg_shard {
    const clg_model *model;
    const clg_stack *stack;
    const clg_layout *layout;
    double tokens;     /* of one micro-batch on one context rank */
    double own_tokens; /* the same, split over tp where sequence parallel applies */
    clg_group tp, cp, ep, etp;
    clg_precision wide; /* 16-bit precision of activations (fp32 when the plan is fp32) */
    double wide_bytes;
    bool autocast;       /* products cast fp32 weights and inputs to 16 bit */
    bool casts_apart;    /* inputs by kernels of their own; fused, by what writes them */
    double stream_bytes; /* of an element that layers add to: fp32 where casts are apart */
    bool attention_dropout, hidden_dropout;
} clg_shard;

/* An empty block; ops are cleared as they are added. */
void clg_block_begin(clg_block *block, const char *name);

clg_op *clg_block_add(clg_block *block, clg_op_kind kind, clg_pass pass, const char *name);

/* A matrix that rows are multiplied by: forward rows x in, backward rows x out, and for its own
 * gradient in x rows. */
typedef struct clg_matrix {
    const char *name;
    double rows, in, out;
    bool wide;      /* in the shard's wide precision, whatever the plan's is */
    int modules;    /* that read one input, `out` of all, and make one product; 0 and 1 alike */
    double experts; /* that have one each and share the rows; 0: one for all rows */
} clg_matrix;

static inline clg_matrix clg_matrix_of(const char *name, double rows, double in, double out) {
    return (clg_matrix){.name = name, .rows = rows, .in = in, .out = out};
}

/* A linear layer: forward, input-gradient and weight-gradient products, with the casts of narrow
 * precisions and the fp32 accumulation of the weight gradient. A frozen base is unpacked, and the
 * input brought into its form, for each module. */
void clg_block_linear(clg_block *block, const clg_shard *shard, clg_matrix matrix);

/* Bytes of an activation kept as the operand of a weight-gradient product: narrow formats keep the
 * cast they multiply with (Transformer Engine), the others the activation itself. */
double clg_block_operand_bytes(const clg_shard *shard);

/* Latent heads out of the part that is turned and the rest, where no kernel does both. */
void clg_block_turn_latent(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                           double heads);

/* Blockwise attention: tokens of a block, at most the keys; bytes of its passes, of one score. */
double clg_blockwise_edge(const clg_shard *shard);
double clg_blockwise_bytes(const clg_shard *shard, const clg_op *op);

/* Tokens to the places of experts of a fixed capacity and back, of a width. */
void clg_block_mask_in(clg_block *block, const clg_shard *shard, double places, double width);
void clg_block_mask_out(clg_block *block, const clg_shard *shard, double places, double width);

/* Whether casts and activation happen inside the experts' products: kernels for block-scaled
 * formats only. They need no counts on the host, so that whole steps are recorded and replayed. */
bool clg_block_fused_experts(const clg_shard *shard);

/* The adapters beside a matrix, one for each of its modules and experts (stack:
 * shared_expert_adapters: one for all of these), where the plan has adapters. */
void clg_block_adapt(clg_block *block, const clg_shard *shard, clg_matrix matrix);

/* Those of an MLP's widening matrices, gate and up, `out` of both: each its own, or one beside both
 * (stack: joined_adapters); and of the one back. */
void clg_block_adapt_wide(clg_block *block, const clg_shard *shard, clg_matrix matrix, bool gated);
void clg_block_adapt_down(clg_block *block, const clg_shard *shard, clg_matrix matrix);

/* Whether activations of layers are fp32 beside a frozen base of 16-bit products (stack:
 * single_beside_frozen). Sharding trainers bring the norms back to 16 bit: FSDP's mixed precision,
 * DeepSpeed's engine. */
bool clg_block_single(const clg_shard *shard);

/* What a frozen matrix that is stored narrow costs beside its product. */
void clg_block_frozen(clg_block *block, const clg_shard *shard, const clg_matrix *matrix);

/* Of the product that gives the gradient to a frozen weight's input. */
clg_precision clg_block_frozen_backward(const clg_shard *shard, clg_precision forward);

/* A linear layer of a part that is trained apart: nothing flows back through its input. In the wide
 * precision. */
void clg_block_detached(clg_block *block, const clg_shard *shard, clg_matrix matrix);

/* A linear layer of local experts. Casts that the kernel before does on its way (stack:
 * fused_experts) are left out. */
enum { CLG_CAST_INPUT = 1, CLG_CAST_GRADIENT = 2 };
void clg_block_experts(clg_block *block, const clg_shard *shard, clg_matrix matrix, unsigned casts);

/* A memory-bound kernel: `forward` and `backward` bytes in all, in so many kernels. */
void clg_block_memory(clg_block *block, const char *name, double forward, int forward_kernels,
                      double backward, int backward_kernels);

/* Forward ops written since `from` are done again in the backward. */
void clg_block_redo(clg_block *block, int from);

/* Whether a layer that is not done again as a whole lets go what norms and activations give. */
bool clg_block_lets_go(const clg_shard *shard);

/* A collective in one pass; bytes of the full buffer of one rank. No op when the group is one. */
void clg_block_collective(clg_block *block, clg_pass pass, const char *name, clg_axis axis,
                          clg_collective collective, clg_group group, double bytes, double overlap);

/* The collectives that surround a tensor-parallel region: before it (gather or identity) and after
 * it (reduce), with their backward counterparts. `narrow`: its products are in the plan's
 * precision rather than the wide one. */
void clg_block_enter_tensor(clg_block *block, const clg_shard *shard, const char *name,
                            bool narrow);
void clg_block_leave_tensor(clg_block *block, const clg_shard *shard, const char *name);

/* Under autocast what a norm gives is cast for every product that reads it, and the gradient of
 * each copy back. */
void clg_block_cast_input(clg_block *block, const clg_shard *shard, double elements, int readers);

void clg_block_norm(clg_block *block, const clg_shard *shard, const char *name, double elements,
                    bool layer_norm);
void clg_block_residual(clg_block *block, const clg_shard *shard);

typedef struct clg_activation {
    double elements; /* of its output */
    bool gated, clamped;
    bool inside; /* done by the products beside it */
} clg_activation;

/* Limits and activation; done again in the backward, only their input is kept. */
void clg_block_activate(clg_block *block, const clg_shard *shard, clg_activation activation);

/* What a part gives is added to what it read, or mixed into the streams. */
void clg_block_join(clg_block *block, const clg_shard *shard);

void clg_block_attention(clg_block *block, const clg_shard *shard, const clg_attention *attention);

/* Queries, keys and values; those of attention over pooled keys; the products of groups of heads
 * before its output projection, whose width it returns. */
struct clg_widths;
void clg_block_projections(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                           const struct clg_widths *widths);
void clg_block_pooled(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                      const struct clg_widths *widths);
double clg_block_pooled_output(clg_block *block, const clg_shard *shard,
                               const clg_attention *attention, const struct clg_widths *widths);

/* Whether a query attends to pooled entries, and a kernel skips what it does not see. */
bool clg_attention_pools(const clg_shard *shard, const clg_attention *attention);

/* Bytes that recomputation keeps of attention where the stack does: its result and statistic, else
 * 0. */
double clg_attention_kept_core(const clg_shard *shard, const clg_attention *attention);

/* Of a written layer, whose MLP begins at op `mlp`, what the plan does again and keeps. */
void clg_block_recompute(clg_block *block, const clg_shard *shard, const clg_layer_kind *kind,
                         int mlp);

/* Whether selective recomputation keeps what has a name, and does all else again. */
bool clg_block_keeps_by_name(const clg_shard *shard);

/* Whether a query attends to chosen keys only: sparse attention, a sequence longer than what is
 * chosen, and a kernel that skips the rest. Chosen latents are attended to as they are, one for all
 * heads (DeepSeek-V3.2, arXiv:2512.02556, section 2.1 and appendix: the MQA mode of MLA). */
bool clg_attention_skips(const clg_shard *shard, const clg_attention *attention);
bool clg_attention_absorbs(const clg_shard *shard, const clg_attention *attention);

/* Pairs of query and key that are attended to, of one sequence and context rank. */
double clg_attention_chosen_pairs(const clg_shard *shard, const clg_attention *attention);

/* The indexer of sparse attention: its products, scores of all keys, the choice, and its loss.
 * Every tensor rank does it for itself. `heads`: of attention, on this rank. */
void clg_block_indexer(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                       double heads);

/* A layer that keeps a state, in the place of attention (kind LINEAR). */
void clg_block_state(clg_block *block, const clg_shard *shard, const clg_attention *attention);

/* Parameters a tensor rank holds beyond its share: what is repeated on ranks rather than split. */
double clg_attention_repeated(const clg_shard *shard, const clg_attention *attention);

void clg_block_mlp(clg_block *block, const clg_shard *shard, const clg_mlp *mlp);

void clg_block_embedding(clg_block *block, const clg_shard *shard);
void clg_block_head(clg_block *block, const clg_shard *shard);

#endif
