/* mlp.c -- the MLP half of a layer: dense, or router, dispatch, experts, combine. */
#include "step/block.h"

/* Of an input that only the activation's backward reads. */
static double input_bytes(const clg_shard *shard) {
    return shard->stack->narrow_activations ? clg_block_operand_bytes(shard) : shard->wide_bytes;
}

/* Gated: silu(gate) * up reads two and writes one; unfused: two kernels. Plain: bias + GeLU reads
 * and writes; unfused: bias and GeLU apart. `inside`: done by the products beside it. */
static void activation(clg_block *block, const clg_shard *shard, double elements, bool gated,
                       bool inside) {
    double w = shard->wide_bytes;
    bool fused = shard->stack->fused_elementwise;
    double forward = gated ? (fused ? 3 : 5) : (fused || !shard->model->biases ? 2 : 4);
    double backward = gated ? (fused ? 5 : 9) : (fused ? 3 : 5);
    if (!inside)
        clg_block_memory(block, "activation", elements * forward * w, fused ? 1 : 2,
                         elements * backward * w, fused ? 1 : 3);
    /* Inputs and output; unfused, silu(gate) too, which the product's backward reads. */
    double inputs = gated ? (fused ? 2 : 3) : 1;
    block->saved_bytes += elements * (inputs * input_bytes(shard) + clg_block_operand_bytes(shard));
    double gradients = elements * (gated ? 3 : 2) * w; /* alive together in the backward */
    if (block->transient_bytes < gradients) block->transient_bytes = gradients;
}

/* Gate and up cut off before they are multiplied, where the fused activation does not do it:
 * Megatron-Core (fused_bias_geglu.py) cuts each half by a kernel and puts them together again.
 * Backward, PyTorch's where(input <= limit, gradient, 0), of one half with both limits: a byte per
 * comparison. */
static void clamp(clg_block *block, const clg_shard *shard, double elements) {
    double w = shard->wide_bytes;
    double one = 3 * w + 2, both = 4 * w + 6, halves = 4 * w;
    clg_block_memory(block, "clamp gate and up", elements * 8 * w, 3,
                     elements * (one + both + halves), 9);
    block->saved_bytes += elements * 2 * w;
}

/* Limits and activation; done again in the backward, only their input is kept. */
static void activate(clg_block *block, const clg_shard *shard, double elements, bool gated,
                     bool clamped, bool inside) {
    int from = block->ops;
    const clg_stack *stack = shard->stack;
    bool again = stack->recompute_activation && !stack->recompute_experts &&
                 shard->layout->recompute != CLG_RECOMPUTE_FULL;
    double before = block->saved_bytes;
    if (clamped && !inside && !stack->fused_clamp) clamp(block, shard, elements);
    activation(block, shard, elements, gated, inside);
    if (!again) return;
    double input = elements * (gated ? 2 : 1) * input_bytes(shard);
    block->rebuilt_bytes += block->saved_bytes - before - input;
    block->saved_bytes = before + input;
    clg_block_redo(block, from);
}

static void dense(clg_block *block, const clg_shard *shard, double width, bool gated,
                  const char *up, const char *down) {
    double hidden = (double)shard->model->hidden, local = width / shard->layout->tp;
    unsigned targets = shard->layout->adapter.targets;
    int wide = (targets & CLG_TARGET_UP ? 1 : 0) + (gated && targets & CLG_TARGET_GATE ? 1 : 0);
    clg_block_linear(block, shard, up, shard->tokens, hidden, (gated ? 2 : 1) * local, true);
    clg_block_adapt(block, shard, shard->tokens, hidden, wide * local, wide);
    activate(block, shard, shard->tokens * local, gated, false, false);
    clg_block_linear(block, shard, down, shard->tokens, local, hidden, true);
    if (targets & CLG_TARGET_DOWN) clg_block_adapt(block, shard, shard->tokens, local, hidden, 1);
}

/* Places met, on average, by k experts in a row that begin at multiples of k: one, and one more for
 * every border between places inside such a row. */
static double met_in_rows(const clg_mlp *mlp, int places) {
    int k = mlp->experts_per_token, inside = 0;
    for (int i = 1; i < places; i++) inside += (int64_t)i * mlp->experts / places % k != 0;
    return 1 + (double)inside * k / mlp->experts;
}

/* Sent once per place met, this share of the k copies travels (DeepEP and its kin). Gates that
 * balance a benchmark may take experts in a row instead. */
static double met_share(const clg_shard *shard, const clg_mlp *mlp, double all_places) {
    double k = mlp->experts_per_token;
    if (shard->stack->experts_in_rows) return met_in_rows(mlp, (int)(all_places + 0.5)) / k;
    return clg_mlp_places_met(mlp, all_places) / k;
}

/* Share of a token's k copies that leave for other ranks' queues: all, or one per rank. */
static double sent_share(const clg_shard *shard, const clg_mlp *mlp) {
    return shard->stack->expert_dedup ? met_share(shard, mlp, shard->ep.ranks) : 1;
}

static void all_to_all(clg_block *block, const clg_shard *shard, const clg_mlp *mlp,
                       const char *name, double bytes) {
    static const clg_pass passes[] = {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT};
    /* DualPipe pairs a forward with a backward so that the traffic of one runs under the other
     * (DeepSeek-V3, arXiv:2412.19437, section 3.2.1). */
    double overlap = shard->layout->schedule == CLG_DUALPIPE ? 1 : shard->stack->expert_overlap;
    bool once = shard->stack->expert_dedup && shard->ep.ranks > shard->ep.per_domain;
    if (shard->ep.ranks <= 1) return;
    for (int i = 0; i < 2; i++) {
        clg_block_collective(block, passes[i], name, CLG_AXIS_EP, CLG_ALL_TO_ALL, shard->ep, bytes,
                             overlap);
        double domains = (double)shard->ep.ranks / shard->ep.per_domain;
        if (once)
            block->op[block->ops - 1].slow_share =
                met_share(shard, mlp, domains) / sent_share(shard, mlp);
    }
}

/* Tokens reach the ranks that share an expert (etp) by gather, and leave by reduce-scatter. */
static void expert_tensor(clg_block *block, const clg_shard *shard, double bytes) {
    double share = shard->stack->tensor_overlap;
    clg_block_collective(block, CLG_PASS_FORWARD, "gather expert tokens", CLG_AXIS_TP,
                         CLG_ALL_GATHER, shard->etp, bytes, share);
    clg_block_collective(block, CLG_PASS_FORWARD, "reduce expert outputs", CLG_AXIS_TP,
                         CLG_REDUCE_SCATTER, shard->etp, bytes, share);
    clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, "gather expert gradients", CLG_AXIS_TP,
                         CLG_ALL_GATHER, shard->etp, bytes, share);
    clg_block_collective(block, CLG_PASS_BACKWARD_INPUT, "reduce expert gradients", CLG_AXIS_TP,
                         CLG_REDUCE_SCATTER, shard->etp, bytes, share);
}

/* Router in fp32 or 16 bit: small product, softmax, top-k, counting: about ten small kernels. */
static void route(clg_block *block, const clg_shard *shard, const clg_mlp *mlp) {
    clg_block_linear(block, shard, "router", shard->own_tokens, (double)shard->model->hidden,
                     mlp->experts, false);
    clg_block_memory(block, "choose experts", shard->own_tokens * mlp->experts * 4 * 6, 10,
                     shard->own_tokens * mlp->experts * 4 * 4, 6);
    bool counts = !clg_block_fused_experts(shard);
    block->op[block->ops - 1].routes = block->op[block->ops - 2].routes = counts;
}

/* Rows are read from one order and written, or summed, into another. */
static void permute(clg_block *block, const clg_shard *shard, const char *name, double read,
                    double written) {
    double bytes = (read + written) * (double)shard->model->hidden * shard->wide_bytes;
    clg_block_memory(block, name, bytes, 2, bytes, 2);
}

/* The down projection's biases, weighed by each row's probability as the rows were (Megatron-Core
 * experts.py, TEGroupedMLP._apply_bias): expert by expert a product written, then added to its
 * rows; the rows of all put together. Backward: their gradients likewise, and by expert and by row
 * a product and its sum. Those of the up projection are added by the product itself. NeMo Automodel
 * (moe/experts.py) does the same; that its up projection's are added apart too is left out. */
static void add_biases(clg_block *block, const clg_shard *shard, double elements, double experts) {
    double w = shard->wide_bytes;
    int local = experts > 1 ? (int)(experts + 0.5) : 1;
    clg_block_memory(block, "add experts' biases", elements * 4 * w, 2 * local, elements * 6 * w,
                     4 * local);
    block->op[block->ops - 1].expert_calls = block->op[block->ops - 2].expert_calls = 1;
    clg_block_memory(block, "join experts' rows", elements * 2 * w, 1, elements * 2 * w, 1);
}

/* Before one product of all local experts their weights are stacked, and rows are written expert by
 * expert into a batch as long as the busiest, and read out of it (KempnerForge model/moe.py of
 * 2026, grouped_expert_forward). A write into a part of a tensor is undone by a copy of the
 * gradient of the whole (torch/csrc/autograd/functions/tensor.cpp, CopySlices): as many copies of
 * each batch as experts. Left out: rows of the batch that no token fills, and its memory. */
static void pad_experts(clg_block *block, const clg_shard *shard, double elements, double experts,
                        double parameters) {
    double w = shard->wide_bytes, batch = 2 * elements * w, weights = 2 * parameters * w;
    int local = (int)(experts + 0.5);
    if (shard->stack->expert_rows != CLG_ROWS_PADDED || local < 2) return;
    clg_block_memory(block, "stack experts' weights", weights, 1, weights, 1);
    clg_block_memory(block, "pad experts' rows", 2 * batch, 2 * local, 2 * local * batch,
                     2 * local);
    block->op[block->ops - 1].expert_calls = block->op[block->ops - 2].expert_calls = 1;
}

/* A loop over experts (transformers before 5, modeling_mixtral.py and its kin). Kernels of one
 * beside its products: forward, its rows found in a mask of 8 bytes a token and choice (nonzero:
 * five that read it twice, and a copy to the host), picked, gate and up apart, two of the
 * activation, weights picked, multiplied, added to the sum. Backward: rows of the sum picked, three
 * of the weighing, three of the activation, gate and up apart and summed, and of both picks zeros,
 * a sort of eight and an addition; that of rows is as large as all tokens: written, read twice and
 * written. Left out: what gathering each module costs the host under ZeRO-3, several times more:
 * too fast. */
static void loop_experts(clg_block *block, const clg_shard *shard, const clg_mlp *mlp,
                         double experts) {
    double tokens = shard->own_tokens, all = tokens * (double)shard->model->hidden;
    int local = experts > 1 ? (int)(experts + 0.5) : 1;
    if (shard->stack->expert_rows != CLG_ROWS_LOOPED) return;
    clg_block_memory(block, "loop over experts", local * tokens * mlp->experts_per_token * 16,
                     13 * local, local * all * 4 * shard->wide_bytes, 30 * local);
    block->op[block->ops - 1].expert_calls = block->op[block->ops - 2].expert_calls = 1;
}

/* Products of the local experts. Fused, casts, biases and activation between them happen inside. */
static void multiply(clg_block *block, const clg_shard *shard, const clg_mlp *mlp, double rows) {
    const clg_layout *layout = shard->layout;
    bool fused = clg_block_fused_experts(shard);
    double hidden = (double)shard->model->hidden, local = (double)mlp->experts / layout->ep;
    double width = (double)mlp->expert_ffn / layout->etp;
    pad_experts(block, shard, rows * hidden, local, local * (mlp->gated ? 3 : 2) * width * hidden);
    loop_experts(block, shard, mlp, local);
    clg_block_experts(block, shard, "expert up projection", rows, hidden,
                      (mlp->gated ? 2 : 1) * width, local,
                      CLG_CAST_INPUT | (fused ? 0 : CLG_CAST_GRADIENT));
    activate(block, shard, rows * width, mlp->gated, mlp->clamped, fused);
    clg_block_experts(block, shard, "expert down projection", rows, width, hidden, local,
                      (fused ? 0 : CLG_CAST_INPUT) | CLG_CAST_GRADIENT);
    if (mlp->biases && !fused) add_biases(block, shard, rows * hidden, local);
}

static void experts(clg_block *block, const clg_shard *shard, const clg_mlp *mlp) {
    const clg_layout *layout = shard->layout;
    double hidden = (double)shard->model->hidden, w = shard->wide_bytes;
    double copies = shard->own_tokens * mlp->experts_per_token, rows = copies * layout->etp;
    bool alone = layout->ep == 1, once = shard->stack->expert_dedup && !alone;
    bool several = mlp->experts / layout->ep > 1;
    double sent = once ? copies * sent_share(shard, mlp) : copies;
    /* Tokens already on all tp ranks, each with its part of every expert: sums over tp as around a
     * dense MLP, once copies are summed back to tokens. */
    bool whole = !layout->sp && layout->etp == layout->tp;
    if (whole) rows = copies;
    double received = sent * rows / copies;
    if (whole) clg_block_enter_tensor(block, shard, "expert input", true);
    route(block, shard, mlp);
    /* Sent once: the traffic's own kernels pick rows up, and copies are made on arrival. Else a
     * copy per expert is made before, and sorted by local expert on arrival. */
    if (!once) permute(block, shard, "permute to experts", copies, copies);
    all_to_all(block, shard, mlp, "dispatch", sent * hidden * w);
    if (rows > copies) expert_tensor(block, shard, received * hidden * w);
    if (once || (several && !alone)) permute(block, shard, "sort by local expert", received, rows);
    multiply(block, shard, mlp, rows);
    if (once || (several && !alone)) permute(block, shard, "unsort local experts", rows, received);
    all_to_all(block, shard, mlp, "combine", sent * hidden * w);
    if (!once) permute(block, shard, "unpermute and weigh", copies, copies);
    if (whole) clg_block_leave_tensor(block, shard, "expert output", true);
    block->saved_bytes += rows * hidden * clg_block_operand_bytes(shard); /* experts' inputs */
    block->transient_bytes += 2 * rows * hidden * w;
}

/* A mixture and the experts all tokens share; recomputed, only its input, the norm's, is kept. */
static void mixture(clg_block *block, const clg_shard *shard, const clg_mlp *mlp) {
    int from = block->ops;
    double before = block->saved_bytes;
    experts(block, shard, mlp);
    if (mlp->shared_ffn > 0) {
        clg_block_enter_tensor(block, shard, "shared expert input", true);
        dense(block, shard, (double)mlp->shared_ffn, mlp->gated, "shared expert up projection",
              "shared expert down projection");
        clg_block_leave_tensor(block, shard, "shared expert output", true);
    }
    if (!shard->stack->recompute_experts || shard->layout->recompute == CLG_RECOMPUTE_FULL) return;
    block->rebuilt_bytes += block->saved_bytes - before;
    block->saved_bytes = before;
    clg_block_redo(block, from);
}

void clg_block_mlp(clg_block *block, const clg_shard *shard, const clg_mlp *mlp) {
    if (mlp->kind == CLG_MLP_NONE) return;
    if (mlp->kind == CLG_MLP_MOE) {
        mixture(block, shard, mlp);
        return;
    }
    clg_block_enter_tensor(block, shard, "MLP input", true);
    dense(block, shard, (double)mlp->ffn, mlp->gated, "MLP up projection", "MLP down projection");
    clg_block_leave_tensor(block, shard, "MLP output", true);
}
