/* block.c -- the vocabulary a layer is written in: products, kernels, collectives.
 *
 * Bytes of memory-bound kernels are counted as reads + writes of 16-bit elements per kernel; an
 * unfused form is counted as the passes PyTorch makes (one kernel per elementary operation). */
#include "step/block.h"

#include <assert.h>
#include <string.h>

void clg_block_begin(clg_block *block, const char *name) {
    block->name = name;
    block->ops = 0;
    block->saved_bytes = block->rebuilt_bytes = block->transient_bytes = 0;
    block->row_kept_bytes = block->row_beside_bytes = block->widened_bytes = 0;
    block->dense_parameters = block->expert_parameters = block->adapter_parameters = 0;
}

clg_op *clg_block_add(clg_block *block, clg_op_kind kind, clg_pass pass, const char *name) {
    enum { CLEARED = 8 }; /* at once: to begin takes longer than to clear one */
    static_assert(CLG_BLOCK_OPS % CLEARED == 0, "all of a stretch are the block's");
    assert(block->ops < CLG_BLOCK_OPS);
    clg_op *op = &block->op[block->ops];
    if (block->ops++ % CLEARED == 0) memset(op, 0, CLEARED * sizeof *op);
    op->kind = kind;
    op->pass = pass;
    op->name = name;
    op->count = 1;
    op->batch = 1;
    op->group = (clg_group){1, 1};
    return op;
}

void clg_block_memory(clg_block *block, const char *name, double forward, int forward_kernels,
                      double backward, int backward_kernels) {
    if (forward > 0) {
        clg_op *op = clg_block_add(block, CLG_OP_MEMORY, CLG_PASS_FORWARD, name);
        op->count = forward_kernels;
        op->hbm_bytes = forward / forward_kernels;
    }
    if (backward > 0) {
        clg_op *op = clg_block_add(block, CLG_OP_MEMORY, CLG_PASS_BACKWARD_INPUT, name);
        op->count = backward_kernels;
        op->hbm_bytes = backward / backward_kernels;
    }
}

static clg_op *product(clg_block *block, const clg_matrix *w, clg_pass pass,
                       clg_precision precision) {
    clg_op *op = clg_block_add(block, w->experts > 0 ? CLG_OP_GROUPED : CLG_OP_GEMM, pass, w->name);
    bool own = pass == CLG_PASS_BACKWARD_WEIGHT;
    double m = own ? w->in : w->rows, n = pass == CLG_PASS_BACKWARD_INPUT ? w->in : w->out;
    double k = own ? w->rows : pass == CLG_PASS_FORWARD ? w->in : w->out;
    double each = clg_precision_bytes(precision);
    op->precision = precision;
    op->m = m;
    op->n = n;
    op->k = k;
    op->flop = 2 * m * n * k;
    if (w->experts > 0) op->batch = w->experts;
    if (w->experts <= 0)
        op->hbm_bytes = each * (m * k + k * n) + 2 * m * n;
    else if (own) /* rows are summed; a result per expert */
        op->hbm_bytes = each * k * (m + n) + 2 * w->experts * m * n;
    else
        op->hbm_bytes = each * (m * k + w->experts * k * n) + 2 * m * n;
    return op;
}

static bool scales_rows(const clg_shard *shard) {
    return shard->stack->precision.scaled_rows && shard->layout->precision == CLG_FP8;
}

static bool casts_orders(const clg_shard *shard) {
    return shard->stack->precision.cast_orders && shard->layout->precision >= CLG_MXFP8;
}

static bool widens_own(const clg_shard *shard) {
    return shard->stack->precision.wide_weight_gradients && shard->layout->precision >= CLG_FP8;
}

/* Narrow products need their inputs cast and scaled: one pass that reads 16 bit and writes the
 * narrow value twice (row- and column-wise copies: forward and weight gradient need other
 * orders); current scaling reads it once more before, for the scale. Scaled by row, the other order
 * has other scales: it is turned in 16 bit, then cast (torchao testing/training/roofline_utils.py,
 * get_tensor_memory_traffic_ovhd_s). Weights are cast once per step and optimizer, not here. */
static clg_op *cast(clg_block *block, const clg_shard *shard, clg_pass pass, double elements) {
    double narrow = clg_precision_bytes(shard->layout->precision);
    if (narrow >= shard->wide_bytes) return NULL;
    clg_op *op = clg_block_add(block, CLG_OP_MEMORY, pass, "cast to narrow precision");
    op->casts = true;
    bool twice = shard->stack->precision.current_scaling && shard->layout->precision == CLG_FP8;
    int orders = widens_own(shard) ? 1 : 2; /* nobody multiplies the other one */
    int passes = scales_rows(shard) && orders == 2 ? 3 : twice || casts_orders(shard) ? 2 : 1;
    op->hbm_bytes = elements * (passes * shard->wide_bytes + orders * narrow);
    return op;
}

/* Products backward do not accumulate fast; scaled by row they would be slow then, so that torchao
 * multiplies without scales and scales what comes out in a kernel of its own (torchao's
 * float8_ops.py, addmm_float8_unwrapped; pytorch/ao issue 2184). */
static void scale_result(clg_block *block, const clg_shard *shard, clg_pass pass, double elements) {
    if (!scales_rows(shard) || widens_own(shard)) return;
    clg_block_add(block, CLG_OP_MEMORY, pass, "scale result by row")->hbm_bytes =
        2 * elements * shard->wide_bytes;
}

/* Scaled by row a weight is cast where it is multiplied: forward, and turned first, backward; by
 * torchao's blocks forward and backward, in either order (the same function). Where weight
 * gradients are wide, backward takes one scale of all rows, which needs no turn. */
static void cast_weight_late(clg_block *block, const clg_shard *shard, double parameters) {
    static const char *const name = "scale and cast weights";
    double narrow = clg_precision_bytes(shard->layout->precision), wide = shard->wide_bytes;
    bool turned = scales_rows(shard) && !widens_own(shard);
    if (!scales_rows(shard) && !casts_orders(shard)) return;
    clg_block_add(block, CLG_OP_MEMORY, CLG_PASS_FORWARD, name)->hbm_bytes =
        parameters * (wide + narrow);
    clg_block_add(block, CLG_OP_MEMORY, CLG_PASS_BACKWARD_INPUT, name)->hbm_bytes =
        parameters * ((turned ? 3 : 1) * wide + narrow);
}

/* The weight gradient is added to a buffer kept over micro-batches: one more read and write of it,
 * and a read of what the product wrote; a product that adds in place writes nothing else. Sharded
 * gradients are reduced in every micro-batch instead: the copy into the message stands for it. */
static void accumulate(clg_block *block, const clg_shard *shard, double parameters) {
    if (shard->layout->accumulation <= 1) return;
    double bytes = clg_gradient_bytes(shard->layout, shard->stack);
    double added = shard->autocast ? 4 : shard->wide_bytes; /* cast before, it is as wide */
    bool fused = shard->stack->fused.accumulation;
    clg_op *op =
        clg_block_add(block, CLG_OP_MEMORY, CLG_PASS_BACKWARD_WEIGHT, "accumulate weight gradient");
    op->hbm_bytes = parameters * (2 * bytes + (fused ? -1 : 1) * added);
}

/* torch.autocast (aten/src/ATen/autocast_mode.cpp, cached_cast) casts an fp32 weight in the forward
 * of every micro-batch, once, and again where that is done again; the backward casts its gradient
 * back (ToCopyBackward). */
static void cast_weight(clg_block *block, const clg_shard *shard, double parameters) {
    double bytes = parameters * (4 + shard->wide_bytes);
    if (!shard->autocast) return;
    clg_block_add(block, CLG_OP_MEMORY, CLG_PASS_FORWARD, "autocast weights")->hbm_bytes = bytes;
    clg_block_add(block, CLG_OP_MEMORY, CLG_PASS_BACKWARD_WEIGHT, "autocast weight gradients")
        ->hbm_bytes = bytes;
}

void clg_block_cast_input(clg_block *block, const clg_shard *shard, double elements, int readers) {
    double bytes = elements * readers * (4 + shard->wide_bytes);
    if (!shard->casts_apart || readers <= 0) return;
    clg_block_memory(block, "autocast inputs", bytes, readers, bytes, readers);
}

static bool is_frozen(const clg_shard *shard) {
    return shard->layout->adapter.kind != CLG_ADAPTER_NONE;
}

void clg_block_linear(clg_block *block, const clg_shard *shard, clg_matrix w) {
    bool narrow = !w.wide;
    clg_precision precision = narrow ? shard->layout->precision : shard->wide;
    if (narrow) clg_block_frozen(block, shard, &w);
    cast_weight(block, shard, w.in * w.out);
    if (narrow) cast_weight_late(block, shard, w.in * w.out);
    if (narrow) cast(block, shard, CLG_PASS_FORWARD, w.rows * w.in);
    product(block, &w, CLG_PASS_FORWARD, precision);
    if (narrow) cast(block, shard, CLG_PASS_BACKWARD_INPUT, w.rows * w.out);
    clg_precision back = narrow ? clg_block_frozen_backward(shard, precision) : precision;
    product(block, &w, CLG_PASS_BACKWARD_INPUT, back);
    if (narrow) scale_result(block, shard, CLG_PASS_BACKWARD_INPUT, w.rows * w.in);
    if (is_frozen(shard)) return; /* nobody asks for its weight's gradient */
    clg_precision own = narrow && widens_own(shard) ? shard->wide : precision;
    product(block, &w, CLG_PASS_BACKWARD_WEIGHT, own);
    if (narrow) scale_result(block, shard, CLG_PASS_BACKWARD_WEIGHT, w.in * w.out);
    accumulate(block, shard, w.in * w.out);
}

void clg_block_detached(clg_block *block, const clg_shard *shard, clg_matrix w) {
    product(block, &w, CLG_PASS_FORWARD, shard->wide);
    if (is_frozen(shard)) return;
    product(block, &w, CLG_PASS_BACKWARD_WEIGHT, shard->wide);
    accumulate(block, shard, w.in * w.out);
}

bool clg_block_fused_experts(const clg_shard *shard) {
    return shard->stack->fused.experts && shard->layout->precision >= CLG_MXFP8;
}

/* Experts launched one by one cost the host a call each (Transformer Engine up to 2.12 loops over
 * them). Products of several run side by side on streams; casts are kernels one after the other. A
 * cast to a block-scaled format is three: the cast, and the scales of both its copies brought into
 * the product's order. So is one with current scaling: the largest value, the scale, the cast. */
static void call_each(const clg_shard *shard, clg_op *op, double experts) {
    if (op && op->kind == CLG_OP_MEMORY) op->casts = false; /* host_expert_s stands for them */
    if (!op || clg_block_fused_experts(shard)) return;
    op->expert_calls = experts;
    if (op->kind != CLG_OP_MEMORY) return;
    bool scaled = shard->layout->precision >= CLG_MXFP8 || shard->stack->precision.current_scaling;
    op->count = (scaled ? 3 : 1) * (experts > 1 ? (int)(experts + 0.5) : 1);
    op->hbm_bytes /= op->count;
    op->expert_calls = 1;
}

static void each_product(clg_block *block, const clg_shard *shard, const clg_matrix *w,
                         clg_pass pass) {
    bool wide = shard->stack->experts.wide;
    clg_precision precision = wide ? shard->wide : shard->layout->precision;
    call_each(shard, product(block, w, pass, precision), w->experts);
}

void clg_block_experts(clg_block *block, const clg_shard *shard, clg_matrix w, unsigned casts) {
    clg_block_frozen(block, shard, &w);
    if (shard->stack->experts.wide) casts = 0;
    if (casts & CLG_CAST_INPUT)
        call_each(shard, cast(block, shard, CLG_PASS_FORWARD, w.rows * w.in), w.experts);
    each_product(block, shard, &w, CLG_PASS_FORWARD);
    if (casts & CLG_CAST_GRADIENT)
        call_each(shard, cast(block, shard, CLG_PASS_BACKWARD_INPUT, w.rows * w.out), w.experts);
    each_product(block, shard, &w, CLG_PASS_BACKWARD_INPUT);
    if (is_frozen(shard)) return;
    each_product(block, shard, &w, CLG_PASS_BACKWARD_WEIGHT);
    accumulate(block, shard, w.experts * w.in * w.out);
}

void clg_block_redo(clg_block *block, int from) {
    int until = block->ops;
    for (int i = from; i < until; i++) {
        if (block->op[i].pass != CLG_PASS_FORWARD) continue;
        clg_op *again = clg_block_add(block, block->op[i].kind, CLG_PASS_RECOMPUTE, "");
        *again = block->op[i];
        again->pass = CLG_PASS_RECOMPUTE;
    }
}

/* torch.compile by itself lets go of none: what a product of the backward reads has to lie in
 * memory there, and is kept (torch/_functorch/partitioners.py, is_materialized_backwards). */
bool clg_block_lets_go(const clg_shard *shard) {
    return shard->stack->recompute.activation && shard->layout->recompute != CLG_RECOMPUTE_FULL;
}

void clg_block_collective(clg_block *block, clg_pass pass, const char *name, clg_axis axis,
                          clg_collective collective, clg_group group, double bytes,
                          double overlap) {
    if (group.ranks <= 1) return;
    clg_op *op = clg_block_add(block, CLG_OP_COLLECTIVE, pass, name);
    op->axis = axis;
    op->collective = collective;
    op->group = group;
    op->bytes = bytes;
    op->overlap = overlap;
}

double clg_block_operand_bytes(const clg_shard *shard) {
    double narrow = clg_precision_bytes(shard->layout->precision);
    return narrow < shard->wide_bytes ? narrow : shard->wide_bytes;
}

/* Bytes of an element that is gathered to be multiplied. torchao casts to float8 before it gathers
 * (float8_tensor_parallel.py: inputs of the forward, gradients of the backward). */
static double gathered_bytes(const clg_shard *shard, bool narrow) {
    bool cast_first = narrow && shard->stack->traffic.narrow_gathers;
    return cast_first ? clg_block_operand_bytes(shard) : shard->wide_bytes;
}

/* PyTorch's functional collectives join along the first dimension; along tokens, the second, chunks
 * of what was gathered are copied into one, and what will be scattered is copied apart before
 * (torch/distributed/_functional_collectives.py, all_gather_tensor and reduce_scatter_tensor). Of a
 * single sequence a gather may be a view. Pipelined with the product (torch/_inductor/fx_passes/
 * micro_pipeline_tp.py) strides are such that neither is done. */
static void copy_chunks(clg_block *block, const clg_shard *shard, clg_pass pass, bool gather,
                        double bytes) {
    double from = shard->stack->traffic.copied_from;
    bool view = gather && shard->layout->micro_batch < from;
    if (from == 0 || view || shard->tp.ranks <= 1 || shard->stack->overlap.tensor > 0) return;
    clg_block_add(block, CLG_OP_MEMORY, pass, "tokens of ranks copied into order")->hbm_bytes =
        2 * bytes;
}

/* Tensor parallel traffic as Megatron does it (Shoeybi et al. 2019, arXiv:1909.08053; with sequence
 * parallel Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.2): without sp the region's
 * input gradient is all-reduced; with sp its input is gathered, gathered again for the weight
 * gradient, and its gradient reduce-scattered. The collectives of the backward run beside the
 * weight-gradient product where the stack does so. PyTorch's autograd keeps the gathered input
 * instead of gathering it again. */
void clg_block_enter_tensor(clg_block *block, const clg_shard *shard, const char *name,
                            bool narrow) {
    const clg_layout *layout = shard->layout;
    double elements = shard->tokens * (double)shard->model->hidden;
    double bytes = shard->wide_bytes * elements, gathered = gathered_bytes(shard, narrow);
    double share = shard->stack->overlap.tensor, behind = shard->stack->overlap.tensor_backward;
    if (behind < share) behind = share;
    if (!layout->sp) {
        clg_block_collective(block, CLG_PASS_BACKWARD_WEIGHT, name, CLG_AXIS_TP, CLG_ALL_REDUCE,
                             shard->tp, bytes, behind);
        return;
    }
    clg_block_collective(block, CLG_PASS_FORWARD, name, CLG_AXIS_TP, CLG_ALL_GATHER, shard->tp,
                         gathered * elements, share);
    copy_chunks(block, shard, CLG_PASS_FORWARD, true, gathered * elements);
    double again = 1 - shard->stack->memory.kept_gathers;
    if (again > 0)
        clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, name, CLG_AXIS_TP, CLG_ALL_GATHER,
                             shard->tp, gathered * elements * again, behind);
    copy_chunks(block, shard, CLG_PASS_BACKWARD_INPUT, false, bytes);
    clg_block_collective(block, CLG_PASS_BACKWARD_WEIGHT, name, CLG_AXIS_TP, CLG_REDUCE_SCATTER,
                         shard->tp, bytes, behind);
}

void clg_block_leave_tensor(clg_block *block, const clg_shard *shard, const char *name) {
    double elements = shard->tokens * (double)shard->model->hidden;
    double bytes = shard->wide_bytes * elements, share = shard->stack->overlap.tensor;
    if (!shard->layout->sp) {
        clg_block_collective(block, CLG_PASS_FORWARD, name, CLG_AXIS_TP, CLG_ALL_REDUCE, shard->tp,
                             bytes, share);
        return;
    }
    copy_chunks(block, shard, CLG_PASS_FORWARD, false, bytes);
    clg_block_collective(block, CLG_PASS_FORWARD, name, CLG_AXIS_TP, CLG_REDUCE_SCATTER, shard->tp,
                         bytes, share);
    double gathered = gathered_bytes(shard, true) * elements;
    clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, name, CLG_AXIS_TP, CLG_ALL_GATHER,
                         shard->tp, gathered, share);
    copy_chunks(block, shard, CLG_PASS_BACKWARD_INPUT, true, gathered);
}

/* A norm takes as long as so many passes over its elements (stack: kernels); one of elementary
 * operations is in the width of products, whatever layers add to. */
void clg_block_norm(clg_block *block, const clg_shard *shard, const char *name, double elements,
                    bool layer_norm) {
    double w = elements * shard->wide_bytes, s = elements * shard->stream_bytes;
    const clg_stack *stack = shard->stack;
    if (layer_norm)
        clg_block_memory(block, name, stack->kernels.layer_norm * s, 1,
                         stack->kernels.layer_norm_backward * s, 2);
    else if (stack->fused.norm)
        clg_block_memory(block, name, stack->kernels.rms_norm * s, 1,
                         stack->kernels.rms_norm_backward * s, 2);
    else {
        clg_block_memory(block, name, stack->kernels.plain_norm * w, 6,
                         stack->kernels.plain_norm_backward * w, 12);
        /* the input in fp32 and the normalized value before its weight are kept as well */
        block->saved_bytes += elements * (4 + shard->wide_bytes);
    }
}

/* Bias, dropout and residual addition; the backward adds the branches' gradients. Under autocast a
 * 16-bit branch is added to an fp32 sum, and its gradient cast. */
void clg_block_residual(clg_block *block, const clg_shard *shard) {
    double w = shard->wide_bytes;
    double elements = shard->own_tokens * (double)shard->model->hidden;
    bool fused = shard->stack->fused.elementwise, dropout = shard->hidden_dropout;
    double s = shard->stream_bytes, forward = w + 2 * s;
    double backward = 3 * s + (shard->casts_apart ? s + w : 0);
    int kernels = 1;
    if (dropout) {
        forward += fused ? 1 : 2 * w + 1;
        backward += 2 * w + 1;
        kernels += fused ? 0 : 1;
    }
    if (shard->model->biases && !fused) {
        forward += 2 * w;
        kernels += 1;
    }
    clg_block_memory(block, "residual", elements * forward, kernels, elements * backward,
                     dropout ? 2 : 1);
    if (dropout) block->saved_bytes += elements;
}
