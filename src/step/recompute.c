/* recompute.c -- what of a layer is done again in the backward, and what is kept instead.
 *
 * Left out: what a compiler joins with kernels of the backward. */
#include "step/block.h"

#include <math.h>

static void redo(clg_block *block, int i) {
    clg_op *again = clg_block_add(block, block->op[i].kind, CLG_PASS_RECOMPUTE, "");
    *again = block->op[i];
    again->pass = CLG_PASS_RECOMPUTE;
}

/* First op of the last product of the forward pass: its result, and what is made of it, is kept by
 * nobody in the layer. */
static int last_forward_product(const clg_block *block, int until) {
    int last = until;
    for (int i = 0; i < until; i++)
        if (block->op[i].pass == CLG_PASS_FORWARD && clg_op_is_product(&block->op[i])) last = i;
    return last;
}

/* Recomputing does the forward ops again in the backward, traffic included; checkpoints without
 * reentrance stop once every kept tensor is there (PyTorch 2.1, torch.utils.checkpoint, early
 * stop). A checkpoint at what attention gave (Li et al. 2024, DISTFLASHATTN, arXiv:2310.03294,
 * section 3.3) leaves out its core and the core's traffic. */
static void recompute_all(clg_block *block, const clg_stack *stack, bool kept_core) {
    int forward =
        stack->recompute.stops_early ? last_forward_product(block, block->ops) : block->ops;
    for (int i = 0; i < forward; i++) {
        bool core = block->op[i].kind == CLG_OP_ATTENTION || block->op[i].axis == CLG_AXIS_CP;
        if (block->op[i].pass != CLG_PASS_FORWARD || (core && kept_core)) continue;
        redo(block, i);
    }
}

/* DeepEP's calls put themselves on the list (torchtitan models/deepseek_v3/infra/parallelize.py);
 * all-to-all is on those of some models. */
static bool keeps_exchanges(const clg_stack *stack) {
    return stack->recompute.kept_exchanges || stack->experts.dedup;
}

/* What came and went between expert ranks, of a token, in words. */
static double kept_of_traffic(const clg_shard *shard, const clg_mlp *mlp) {
    const clg_stack *stack = shard->stack;
    double hidden = (double)clg_expert_input(shard->model, mlp);
    if (mlp->kind != CLG_MLP_MOE || shard->ep.ranks <= 1 || stack->fused.experts) return 0;
    if (!keeps_exchanges(stack)) return 0;
    if (stack->experts.dedup) return hidden * (clg_mlp_places_met(mlp, shard->ep.ranks) + 1);
    return 2.0 * mlp->experts_per_token * hidden;
}

/* What torchtitan's "op" policy keeps of a layer (distributed/activation_checkpoint.py): its input,
 * the result of attention, and every other of the products, which are q, k, v, out and gate, up,
 * down: queries, values, gate, and what down gives before it is summed over tensor ranks; compiled,
 * that is let go, for no backward reads it (torch/_functorch/partitioners.py). On its list
 * (_op_sac_save_list) are reduce-scatter, most often all-to-all, and DeepEP's calls; grouped
 * products and one kernel of dispatch, experts and combine are not. */
static double kept_by_operation(const clg_shard *shard, const clg_layer_kind *kind) {
    const clg_attention *a = &kind->attention;
    const clg_mlp *mlp = &kind->mlp;
    double tp = shard->layout->tp, w = shard->wide_bytes, hidden = (double)shard->model->hidden;
    double heads = a->heads / tp, kv_heads = fmax(1, a->kv_heads / tp);
    bool moe = mlp->kind == CLG_MLP_MOE, down = mlp->gated && !shard->stack->recompute.inside;
    double ffn = (double)(moe ? mlp->shared_ffn : mlp->ffn);
    double widths = heads * a->head_dim + kv_heads * a->value_head_dim + heads * a->value_head_dim +
                    ffn / tp + (down && ffn > 0 ? hidden : 0);
    double rows = shard->tokens * heads * 4; /* attention's statistic */
    double moved = kept_of_traffic(shard, mlp);
    if (shard->layout->sp && shard->tp.ranks > 1) moved += (down ? 2 : 1) * hidden;
    return shard->own_tokens * (hidden + moved) * w + shard->tokens * widths * w + rows;
}

/* The rest is done again; of layers with other attention than that of grouped heads half goes. */
static void recompute_by_operation(clg_block *block, const clg_shard *shard,
                                   const clg_layer_kind *kind) {
    int forward = block->ops, products = 0;
    for (int i = 0; i < forward; i++) {
        clg_op_kind op = block->op[i].kind;
        bool moved = op == CLG_OP_COLLECTIVE && block->op[i].axis == CLG_AXIS_EP &&
                     !keeps_exchanges(shard->stack);
        bool again = clg_op_is_product(&block->op[i]) || op == CLG_OP_MEMORY || moved;
        if (block->op[i].pass != CLG_PASS_FORWARD || !again) continue;
        if (op == CLG_OP_GEMM && products++ % 2 == 0) continue;
        redo(block, i);
    }
    bool grouped = kind->mlp.kind != CLG_MLP_NONE && kind->attention.kind == CLG_ATTENTION_GROUPED;
    double kept = grouped ? kept_by_operation(shard, kind) : block->saved_bytes / 2;
    if (kept > block->saved_bytes) kept = block->saved_bytes;
    block->rebuilt_bytes += block->saved_bytes - kept;
    block->saved_bytes = kept;
}

bool clg_block_keeps_by_name(const clg_shard *shard) {
    return shard->layout->recompute == CLG_RECOMPUTE_SELECTIVE &&
           shard->stack->recompute.selective >= CLG_SELECTIVE_BETWEEN;
}

/* What goes into a layer: fp32 where it lies between layers as such. */
static double input_bytes(const clg_shard *shard) {
    bool wide = shard->casts_apart || clg_rest_is_wide(shard->layout, shard->stack);
    return shard->own_tokens * (double)shard->model->hidden * (wide ? 4 : shard->wide_bytes);
}

/* XLA's policies keep products by name or kind (jax.checkpoint_policies, save_only_these_names and
 * dots_with_no_batch_dims_saveable): all of them (MaxText remat_policy minimal, Pax
 * SAVE_DOT_WITH_NO_BATCH_DIM), those of attention (save_dot_except_mlp, SAVE_QKV_OUT_PROJ,
 * AXLearn's build_remat_spec), or queries, keys and values (save_qkv_proj). `output`: of attention.
 */
static bool keeps(const clg_shard *shard, int i, int mlp, int output) {
    switch (shard->stack->recompute.selective) {
    case CLG_SELECTIVE_BETWEEN:
        return true;
    case CLG_SELECTIVE_MLP:
        return i < mlp;
    default:
        return i < mlp && i != output;
    }
}

/* The next product from `i` on is kept. */
static bool before_kept(const clg_block *block, const clg_shard *shard, int i, int mlp,
                        int output) {
    int last = block->ops;
    while (i < last && !(block->op[i].pass == CLG_PASS_FORWARD && clg_op_is_product(&block->op[i])))
        i++;
    return i < last && keeps(shard, i, mlp, output);
}

/* The rest is done again, up to the last product, whose result no backward reads; the core of
 * attention by whoever writes it, unless what it gave is kept. Sums behind a product go with it,
 * other traffic with the product it is for. */
static void recompute_by_name(clg_block *block, const clg_shard *shard, const clg_layer_kind *kind,
                              int mlp) {
    int last = last_forward_product(block, block->ops), output = last_forward_product(block, mlp);
    double kept = input_bytes(shard) + clg_attention_kept_core(shard, &kind->attention);
    bool behind = false, held = false;
    for (int i = 0; i < last; i++) {
        const clg_op *op = &block->op[i];
        if (op->pass != CLG_PASS_FORWARD || op->kind == CLG_OP_ATTENTION) continue;
        bool traffic = op->kind == CLG_OP_COLLECTIVE;
        if (!traffic) {
            behind = clg_op_is_product(op);
            held = behind && keeps(shard, i, mlp, output);
            if (held) kept += op->m * op->n * shard->wide_bytes;
        }
        bool keep = traffic && !behind ? before_kept(block, shard, i, mlp, output) : held;
        if (!keep) redo(block, i);
    }
    if (kept > block->saved_bytes) kept = block->saved_bytes;
    block->rebuilt_bytes += block->saved_bytes - kept;
    block->saved_bytes = kept;
}

static void recompute_whole(clg_block *block, const clg_shard *shard, const clg_layer_kind *kind) {
    double kept = clg_attention_kept_core(shard, &kind->attention);
    recompute_all(block, shard->stack, kept > 0);
    block->rebuilt_bytes = block->saved_bytes - kept;
    block->saved_bytes = input_bytes(shard) + kept;
}

void clg_block_recompute(clg_block *block, const clg_shard *shard, const clg_layer_kind *kind,
                         int mlp) {
    bool some = shard->layout->recompute == CLG_RECOMPUTE_SELECTIVE;
    if (shard->layout->recompute == CLG_RECOMPUTE_FULL)
        recompute_whole(block, shard, kind);
    else if (clg_block_keeps_by_name(shard))
        recompute_by_name(block, shard, kind, mlp);
    else if (some && shard->stack->recompute.selective == CLG_SELECTIVE_OPERATIONS)
        recompute_by_operation(block, shard, kind);
}
