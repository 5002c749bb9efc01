/* attention.c -- the attention half of a layer: projections, rotation, core, context exchange.
 *
 * Saved activations follow Korthikanti et al. 2022 (arXiv:2205.05198), section 4.1, with the 16-bit
 * terms edited for grouped and latent heads and for kernels that keep no scores. */
#include "step/block.h"
#include "step/sizes.h"

#include <math.h>

/* FlashAttention 2 and 3 (README: all head dimensions up to 256; PyTorch sdp_utils.cpp,
 * check_head_dim_size_flash). */
enum { WIDEST_FLASH_HEAD = 256 };

/* Bytes of one score: products give 16 bit where activations alone are fp32. */
static double score_width(const clg_shard *shard) {
    return clg_precision_is_single(shard->layout->precision) ? 4 : 2;
}

/* Bytes of the passes over one score. A softmax kernel that scales and masks reads and writes 16
 * bit once, its gradient reads two and writes one. Elementary operations: 15 forward, 45 backward,
 * of which the mask's are more than half (operator times, github DebarghaG/estimate-train-time
 * 1ac4d5e: softmax 7.1 and 12.5, fill of the mask 8.2 and 32.8 bytes at the rate of a large copy).
 * Dropout reads, writes and keeps a mask. Autocast does the softmax in fp32 (aten/src/ATen/
 * autocast_mode.h): casts of 6 before and after, 4 more for it forward, 6 backward. Where scores
 * are fp32 all but that mask is twice as wide. */
static double score_bytes(const clg_shard *shard, bool backward) {
    bool fused = shard->stack->fused.softmax;
    double softmax = fused ? (backward ? 6 : 4) : (backward ? 45 : 15);
    double wide = score_width(shard) / 2;
    if (shard->autocast && !fused) softmax += 2 * 6 + (backward ? 6 : 4);
    return softmax * wide + (shard->attention_dropout ? 4 * wide + 1 : 0);
}

static bool is_blockwise(const clg_layout *layout) {
    return layout->attention == CLG_ATTENTION_BLOCKWISE;
}

/* How often a rank of a ring takes in keys of others: cp - 1 times; dealt out evenly cp / 2 times
 * (Li et al. 2024, DISTFLASHATTN, arXiv:2310.03294, section 3.2). */
static int context_rounds(const clg_shard *shard) {
    int cp = shard->layout->cp;
    return shard->stack->traffic.context_dealt ? cp / 2 : cp - 1;
}

static bool is_fused(const clg_layout *layout) {
    return layout->attention != CLG_ATTENTION_UNFUSED;
}

/* A ring attends to one part of the keys after the other, each by a kernel of its own. */
static int context_steps(const clg_shard *shard) {
    const clg_layout *layout = shard->layout;
    bool ring = layout->cp_kind == CLG_CONTEXT_RING && is_fused(layout);
    return ring ? 1 + context_rounds(shard) : 1;
}

/* Work of the busiest rank over the mean, cp / 2 blocks of a part's queries and a part's keys.
 * Dealt out among an even number of ranks, half of them have none in the last round: cp / 2 blocks
 * and its own half block, for the others. */
static double context_excess(const clg_shard *shard) {
    int cp = shard->layout->cp;
    bool dealt = shard->stack->traffic.context_dealt && context_steps(shard) > 1;
    return dealt && cp % 2 == 0 ? 1 + 1.0 / cp : 1;
}

/* PyTorch's memory-efficient kernel under a mask, or for heads that flash kernels do not have. What
 * chooses keys by itself has kernels of its own. */
static bool is_masked(const clg_shard *shard, const clg_attention *attention) {
    const clg_layout *layout = shard->layout;
    bool narrow = attention->window > 0 && attention->window < layout->seq;
    bool wide = attention->kind == CLG_ATTENTION_GROUPED && attention->head_dim > WIDEST_FLASH_HEAD;
    if (layout->attention == CLG_ATTENTION_MASKED) return true;
    return shard->stack->kernels.masked_windows && is_fused(layout) && !is_blockwise(layout) &&
           (narrow || wide);
}

/* Keys a query may see. PyTorch's flash kernels take no mask; the memory-efficient one that does
 * works through the whole square, window or not (transformers pull request 30070, issue 30461).
 * Loops over blocks know no window either. */
static double keys_seen(const clg_shard *shard, const clg_attention *attention) {
    double keys = (double)shard->layout->seq, window = (double)attention->window;
    bool whole = is_masked(shard, attention) || is_blockwise(shard->layout);
    return !whole && window > 0 && window < keys ? window : keys;
}

/* Causal kernels skip the masked half; a window keeps window x query scores, half of them where it
 * does not slide. Unfused scores are computed in full, and so are those under a mask, and blocks on
 * the diagonal. */
static double scores_of(const clg_shard *shard, const clg_attention *attention, double queries,
                        double seen) {
    const clg_layout *layout = shard->layout;
    double keys = (double)layout->seq;
    bool slides = seen < keys && !attention->chunked;
    if (!is_fused(layout)) return queries * keys;
    if (is_masked(shard, attention)) return queries * keys;
    if (is_blockwise(layout)) return queries * (keys + clg_blockwise_edge(shard)) / 2;
    return queries * seen * (slides ? 1.0 - 0.5 * seen / keys : 0.5);
}

/* One core kernel: forward or backward. Reading a mask is left out. */
static clg_op *core(clg_block *block, const clg_shard *shard, const clg_attention *attention,
                    clg_pass pass, double heads) {
    const clg_layout *layout = shard->layout;
    bool fused = is_fused(layout);
    int steps = context_steps(shard);
    double keys = (double)layout->seq, queries = keys / layout->cp;
    double seen = keys_seen(shard, attention);
    double scores = scores_of(shard, attention, queries, seen);
    double d = attention->head_dim, v = attention->value_head_dim;
    if (clg_attention_absorbs(shard, attention))
        d = attention->kv_rank + attention->rope_dim, v = attention->kv_rank;
    if (clg_attention_pools(shard, attention)) {
        scores = clg_pooled_pairs(attention, keys) / layout->cp;
        seen = clg_pooled_seen(attention, keys);
    } else if (clg_attention_skips(shard, attention)) {
        seen = (double)attention->indexer.top_k;
        scores = clg_attention_chosen_pairs(shard, attention);
    }
    clg_op *op = clg_block_add(block, CLG_OP_ATTENTION, pass, "attention core");
    op->precision = shard->wide;
    op->attention.batch = layout->micro_batch;
    op->attention.heads = heads;
    op->attention.head_dim = d;
    op->attention.value_head_dim = v;
    op->attention.query_tokens = queries;
    op->attention.key_tokens = steps > 1 ? queries : keys;
    op->attention.window = seen < keys ? seen : 0;
    op->attention.fused = fused;
    op->attention.masked = is_masked(shard, attention);
    op->attention.gathered =
        clg_attention_pools(shard, attention) || clg_attention_skips(shard, attention);
    op->attention.backward = pass == CLG_PASS_BACKWARD_INPUT;
    /* Backward: two products each for both operands; fused kernels redo the scores (Dao 2023,
     * arXiv:2307.08691: five products against two), which are as wide as queries. */
    double width = d + v;
    if (op->attention.backward) width = fused ? 3 * d + 2 * v : 2 * (d + v);
    op->flop = layout->micro_batch * heads * scores * 2 * width * context_excess(shard) / steps;
    op->count = steps;
    double all = layout->micro_batch * heads * scores;
    if (is_blockwise(layout)) {
        op->attention.block = clg_blockwise_edge(shard);
        op->attention.blocks = scores / (op->attention.block * op->attention.block) / steps;
        op->hbm_bytes = all * clg_blockwise_bytes(shard, op) / steps;
    } else if (!fused) {
        op->hbm_bytes = all * score_bytes(shard, op->attention.backward);
    }
    return op;
}

/* PyTorch's context_parallel (torch.distributed.tensor.experimental, _templated_ring_attention and
 * its backward, _SDPAMerger): each step is a kernel call of its own; all but the first are merged
 * by elementary operations in fp32. Bytes per element of the output and step: convert 6, subtract
 * 12, scale 8, subtract 12 forward; backward, of queries convert 6 and add 12, of keys and of
 * values convert 6, add 12 and join 8. Of the rank whose steps are all whole; half ones of the
 * others, which are joined again, cost as much. */
static void merge_steps(clg_block *block, const clg_shard *shard, double width) {
    double steps = context_rounds(shard), elements = shard->tokens * width * steps;
    clg_block_memory(block, "merge context steps", 38 * elements, (int)(4 * steps), 70 * elements,
                     (int)(8 * steps));
}

/* Transformer Engine (attention.py, AttnFuncWithCPAndKVP2P) corrects and adds what a step gave in
 * one kernel each: output forward; gradients of queries, and of keys and values, backward. */
static void add_steps(clg_block *block, const clg_shard *shard, double width, double kv_width) {
    double steps = context_rounds(shard), bytes = 3 * shard->wide_bytes * shard->tokens * steps;
    clg_block_memory(block, "add context steps", bytes * width, (int)steps,
                     bytes * (width + kv_width), (int)(2 * steps));
}

/* Every rank hands its part on to the next, cp - 1 times (Liu et al. 2023, arXiv:2310.01889). A
 * ring that leaves a node does so over one card, that of the rank at the border, and the others
 * wait for it: a gather, cut into rings of its own, has all of the node's. Dealt out, ranks send
 * over their own cards, in half of the rounds; where a rank works for another, its queries and
 * results are as many bytes as keys and values where heads are as many (fewer keys: left out). */
static void pass_round(clg_block *block, const clg_shard *shard, clg_pass pass, const char *name,
                       double all, double share) {
    const clg_layout *layout = shard->layout;
    if (layout->cp_kind != CLG_CONTEXT_RING) {
        clg_block_collective(block, pass, name, CLG_AXIS_CP, CLG_ALL_GATHER, shard->cp, all, share);
        return;
    }
    clg_block_collective(block, pass, name, CLG_AXIS_CP, CLG_SEND_RECEIVE, shard->cp,
                         all / layout->cp, share);
    block->op[block->ops - 1].count = context_rounds(shard);
}

/* Keys and values of the other context ranks. Ring: the same bytes in cp - 1 exchanges under the
 * core; the backward passes gradients too. Ulysses: queries, keys, values and outputs change
 * places by all-to-all (arXiv:2309.14509). */
static void exchange_context(clg_block *block, const clg_shard *shard, double kv_width,
                             double query_width, double value_width) {
    const clg_layout *layout = shard->layout;
    if (layout->cp == 1) return;
    double w = shard->wide_bytes, all = layout->cp * shard->tokens * kv_width * w;
    if (layout->cp_kind == CLG_CONTEXT_ULYSSES) {
        double bytes = shard->tokens * (kv_width + query_width + value_width) * w;
        clg_block_collective(block, CLG_PASS_FORWARD, "exchange heads for tokens", CLG_AXIS_CP,
                             CLG_ALL_TO_ALL, shard->cp, bytes, 0);
        clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, "exchange tokens for heads",
                             CLG_AXIS_CP, CLG_ALL_TO_ALL, shard->cp, bytes, 0);
        return;
    }
    bool merged = shard->stack->traffic.context_merged;
    bool ring = layout->cp_kind == CLG_CONTEXT_RING;
    double share = ring ? shard->stack->overlap.context : 0;
    double gradients = merged ? 2 * all : all; /* fp32 */
    if (merged)
        merge_steps(block, shard, value_width);
    else if (ring)
        add_steps(block, shard, value_width, kv_width);
    /* Beside the rank's own: a ring holds the pair at work and the one on its way, a gather all;
     * the backward as much again in gradients. */
    block->transient_bytes = fmax(block->transient_bytes, 2 * (ring ? 2 * all / layout->cp : all));
    pass_round(block, shard, CLG_PASS_FORWARD, "keys and values of other ranks", all, share);
    pass_round(block, shard, CLG_PASS_BACKWARD_INPUT, "keys and values of other ranks", all, share);
    if (ring)
        pass_round(block, shard, CLG_PASS_BACKWARD_INPUT, "key and value gradients", gradients,
                   share);
    else
        clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, "key and value gradients", CLG_AXIS_CP,
                             CLG_REDUCE_SCATTER, shard->cp, gradients, share);
}

/* Rotation reads and writes queries and keys; unfused PyTorch code makes about five passes
 * (split, negate, two products, sum). */
static void rotate(clg_block *block, const clg_shard *shard, double width) {
    double bytes = shard->tokens * width * 2 * shard->wide_bytes;
    bool fused = shard->stack->fused.rotary;
    clg_block_memory(block, "rotary embedding", fused ? bytes : 5 * bytes, fused ? 1 : 8,
                     fused ? bytes : 5 * bytes, fused ? 1 : 8);
}

/* Of the softmax of one score. Elementary operations do it in fp32 (Megatron-LM fused_softmax.py,
 * forward_torch_softmax; transformers, eager_attention_forward), but where the model leaves scores
 * as they are (modeling_gpt2.py, modeling_gpt_neox.py; modeling_opt.py and modeling_bloom.py do
 * not: left out). */
static double softmax_width(const clg_shard *shard) {
    const clg_model *m = shard->model;
    bool gated = m->kinds > 0 && m->kind[0].mlp.gated;
    bool stays = shard->stack->kernels.softmax_by_model && !gated && !shard->autocast;
    return shard->stack->fused.softmax || stays ? score_width(shard) : 4;
}

/* What the core leaves for the backward: fused kernels keep one statistic per row; unfused ones
 * the softmax (2 bytes), its dropout output (2) and mask (1) for every score. Of an fp32 softmax
 * what it is turned to or its dropout output has 2. */
static double core_saved(const clg_shard *shard, double heads) {
    const clg_layout *layout = shard->layout;
    double rows = layout->micro_batch * heads * (double)layout->seq / layout->cp;
    if (is_fused(layout)) return rows * 4;
    double turned = score_width(shard), softmax = softmax_width(shard);
    double beside = shard->attention_dropout ? 1 : 0;
    if (shard->attention_dropout || (softmax > turned)) beside += turned;
    return rows * (double)layout->seq * (softmax + beside);
}

double clg_attention_kept_core(const clg_shard *shard, const clg_attention *attention) {
    bool fused = is_fused(shard->layout) && attention->kind != CLG_ATTENTION_NONE &&
                 attention->kind != CLG_ATTENTION_LINEAR;
    if (!shard->stack->recompute.kept_core || !fused) return 0;
    clg_widths w = clg_widths_of(attention, shard->layout->tp);
    return shard->tokens * w.results * shard->wide_bytes + core_saved(shard, w.heads);
}

/* Beside it in the backward of an unfused core: the gradient of the probabilities, turned into that
 * of the scores in place by a softmax kernel; by elementary operations scores and gradient as wide
 * as the softmax. Of a block both, and what is made of them. */
static double core_transient(const clg_shard *shard, double heads) {
    const clg_layout *layout = shard->layout;
    double block = is_blockwise(layout) ? clg_blockwise_edge(shard) : 0;
    if (is_fused(layout))
        return layout->micro_batch * heads * block * block * 4 * shard->wide_bytes;
    double scores =
        layout->micro_batch * heads * (double)layout->seq / layout->cp * (double)layout->seq;
    return scores * (shard->stack->fused.softmax ? 2 : 2 * softmax_width(shard));
}

/* The output times the logistic function of the gate; fused, or two kernels forward and four
 * backward. The product is kept for the next one. */
static void gate_output(clg_block *block, const clg_shard *shard, double width) {
    bool fused = shard->stack->fused.elementwise;
    double bytes = shard->tokens * width * shard->wide_bytes;
    clg_block_memory(block, "output gate", (fused ? 3 : 5) * bytes, fused ? 1 : 2,
                     (fused ? 5 : 11) * bytes, fused ? 1 : 4);
    block->saved_bytes += shard->tokens * width * clg_block_operand_bytes(shard);
}

/* Of what the core gives, which its own backward and the next product read. Where activations
 * are kept narrow it has 12 bits, E5M6 (arXiv:2412.19437, section 3.3.3). */
static double result_bytes(const clg_shard *shard) {
    bool narrow = clg_block_operand_bytes(shard) < shard->wide_bytes;
    return shard->stack->precision.narrow_activations && narrow ? 1.5 : shard->wide_bytes;
}

void clg_block_attention(clg_block *block, const clg_shard *shard, const clg_attention *attention) {
    if (attention->kind == CLG_ATTENTION_NONE) return;
    if (attention->kind == CLG_ATTENTION_LINEAR) {
        clg_block_state(block, shard, attention);
        return;
    }
    const clg_layout *layout = shard->layout;
    bool latent = attention->kind == CLG_ATTENTION_LATENT;
    clg_widths w = clg_widths_of(attention, layout->tp);
    double heads = w.heads, value_width = w.results;
    double kv_width = w.keys + w.values;
    clg_block_enter_tensor(block, shard, "attention input", true);
    clg_block_projections(block, shard, attention, &w);
    double turned = w.queries + (attention->borrows ? 0 : w.keys);
    if (attention->query_key_norm)
        clg_block_norm(block, shard, "query and key norms", shard->tokens * turned, false);
    if (attention->rotary && latent && !shard->stack->fused.latent_rotary)
        clg_block_turn_latent(block, shard, attention, heads);
    else if (attention->rotary)
        rotate(block, shard, turned);
    /* Heads that share keys are repeated before (torchtitan, repeat_kv). */
    if (shard->stack->traffic.context_merged) kv_width = w.queries + value_width;
    if (clg_attention_absorbs(shard, attention)) kv_width = w.latent;
    exchange_context(block, shard, kv_width, w.queries, value_width);
    clg_block_indexer(block, shard, attention, heads);
    /* Selectively: the core, or for latent heads what comes before it. */
    bool named = clg_block_keeps_by_name(shard) && clg_attention_kept_core(shard, attention) > 0;
    bool again = layout->recompute == CLG_RECOMPUTE_SELECTIVE && !named &&
                 shard->stack->recompute.selective != CLG_SELECTIVE_OPERATIONS &&
                 (!latent || !is_fused(layout));
    core(block, shard, attention, CLG_PASS_FORWARD, heads);
    if (again) core(block, shard, attention, CLG_PASS_RECOMPUTE, heads);
    core(block, shard, attention, CLG_PASS_BACKWARD_INPUT, heads);
    double kept = core_saved(shard, heads);
    if (again)
        block->rebuilt_bytes += kept;
    else
        block->saved_bytes += kept;
    block->transient_bytes = fmax(block->transient_bytes, core_transient(shard, heads));
    block->saved_bytes += shard->tokens * value_width * result_bytes(shard);
    if (attention->gate_dim > 0) gate_output(block, shard, value_width);
    if (attention->output_rank > 0)
        value_width = clg_block_pooled_output(block, shard, attention, &w);
    clg_matrix output = clg_matrix_of("attention output projection", shard->tokens, value_width,
                                      (double)shard->model->hidden);
    clg_block_linear(block, shard, output);
    if (shard->layout->adapter.targets & CLG_TARGET_OUTPUT) clg_block_adapt(block, shard, output);
    clg_block_leave_tensor(block, shard, "attention output");
}
