/* mlp.c -- the MLP half of a layer: dense, or router, dispatch, experts, combine. */
#include "step/block.h"

#include <math.h>

/* The MLP takes its tokens in parts and keeps its input alone, which the norm before it gave: in
 * the backward each part is done again, once more than the layer itself (DeepSpeed
 * runtime/sequence_parallel/ulysses_sp.py, TiledMLP). `saved`: before it. */
static void in_parts(clg_block *block, const clg_shard *shard, double saved, double transient,
                     int from) {
    double parts = shard->stack->memory.mlp_chunks, inside = block->transient_bytes;
    if (parts > 1) {
        inside = (block->saved_bytes - saved + inside) / parts;
        block->saved_bytes = saved;
        clg_block_redo(block, from);
    }
    block->transient_bytes = fmax(transient, inside);
}

static void dense(clg_block *block, const clg_shard *shard, double width, bool gated,
                  const char *up, const char *down) {
    double hidden = (double)shard->model->hidden, local = width / shard->layout->tp;
    int parts = gated ? 2 : 1, from = block->ops;
    double saved = block->saved_bytes, transient = block->transient_bytes;
    block->transient_bytes = 0;
    clg_matrix widen = {
        .name = up, .rows = shard->tokens, .in = hidden, .out = parts * local, .modules = parts};
    clg_matrix narrow = clg_matrix_of(down, shard->tokens, local, hidden);
    clg_block_linear(block, shard, widen);
    clg_block_adapt_wide(block, shard, widen, gated);
    clg_block_activate(block, shard,
                       (clg_activation){.elements = shard->tokens * local, .gated = gated});
    clg_block_linear(block, shard, narrow);
    clg_block_adapt_down(block, shard, narrow);
    in_parts(block, shard, saved, transient, from);
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
    if (shard->stack->experts.in_rows) return met_in_rows(mlp, (int)(all_places + 0.5)) / k;
    return clg_mlp_places_met(mlp, all_places) / k;
}

/* Share of a token's k copies that leave for other ranks' queues: all, or one per rank. */
static double sent_share(const clg_shard *shard, const clg_mlp *mlp) {
    return shard->stack->experts.dedup ? met_share(shard, mlp, shard->ep.ranks) : 1;
}

static void all_to_all(clg_block *block, const clg_shard *shard, const clg_mlp *mlp,
                       const char *name, double bytes) {
    static const clg_pass passes[] = {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT};
    /* DualPipe pairs a forward with a backward so that the traffic of one runs under the other
     * (DeepSeek-V3, arXiv:2412.19437, section 3.2.1). One micro-batch has no other beside it. */
    double overlap = shard->layout->schedule == CLG_DUALPIPE ? 1 : shard->stack->overlap.expert;
    if (shard->layout->accumulation <= 1) overlap = 0;
    bool once = shard->stack->experts.dedup && shard->ep.ranks > shard->ep.per_domain;
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
    double share = shard->stack->overlap.tensor;
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
    clg_block_linear(block, shard,
                     (clg_matrix){.name = "router",
                                  .rows = shard->own_tokens,
                                  .in = (double)shard->model->hidden,
                                  .out = mlp->experts,
                                  .wide = true});
    clg_block_memory(block, "choose experts", shard->own_tokens * mlp->experts * 4 * 6, 10,
                     shard->own_tokens * mlp->experts * 4 * 4, 6);
    bool counts = !clg_block_fused_experts(shard);
    block->op[block->ops - 1].routes = block->op[block->ops - 2].routes = counts;
}

/* Rows are read from one order and written, or summed, into another. */
static void permute(clg_block *block, const clg_shard *shard, const clg_mlp *mlp, const char *name,
                    double rows) {
    double bytes = rows * (double)clg_expert_input(shard->model, mlp) * shard->wide_bytes;
    clg_block_memory(block, name, bytes, 2, bytes, 2);
}

/* Rows moved by PyTorch's operations, one after another, in passes over all copies; the fused
 * permutations beside it count 4 and 4 of them. Transformers 5 (integrations/moe.py,
 * grouped_mm_experts_forward): picked 2, sorted 2, weighed 2, put back 2, added up 3. Backward:
 * rows of the sum 2; both orders and the pick by index; of the weighing 2 and a product and its sum
 * for the weights, 4. Compiled torchtitan (models/moe): picked 2, weighed 2, an empty row added 2,
 * sorted 2, put back 2, added up 3; backward 2, 2, by index, weighing in one kernel 3, and 3. Since
 * 2026-04 (models/common/token_dispatcher.py): picked 2, weighed 2, added up 3; backward 2, the
 * weighing, by index; sent to other ranks, what sorts them on arrival by index too, for the 2 that
 * are counted there. That its sum runs in a fixed order is left out. The weighing keeps its input.
 * Padded (KempnerForge): as these, of PyTorch's own operations.
 * Megatron-Core, not fused (moe/moe_utils.py, permute and unpermute): summed by scatter_add, the
 * pick undone by index_add, both as long as what follows, for the 2 that are counted there. Zeros,
 * and how slow the sum's backward is (a gather by element), are left out. Backward by index, zeros
 * added to in the order of a sort (PyTorch Indexing.cu, indexing_backward_kernel):
 * `index_backward_passes`; compiled alike, for Inductor leaves sums in bf16 to that kernel. */
static void move_rows(clg_block *block, const clg_shard *shard, const clg_mlp *mlp, double rows) {
    double once = rows * (double)clg_expert_input(shard->model, mlp) * shard->wide_bytes;
    bool compiled = shard->stack->fused.elementwise;
    bool arrive = shard->layout->ep > 1 && mlp->experts > shard->layout->ep;
    double by_index = shard->stack->kernels.index_backward_passes;
    double forward = compiled ? 9 : 7, backward = compiled ? 6 + by_index : 4 + 3 * by_index;
    clg_expert_rows kind = shard->stack->experts.rows;
    bool added = kind == CLG_ROWS_ADDED;
    if (kind == CLG_ROWS_PICKED || kind == CLG_ROWS_PADDED) {
        forward = 3;
        backward = (compiled ? 1 : 4) + by_index + (arrive ? by_index - 2 : 0);
    } else if (added) {
        forward = backward = by_index - 2;
    } else if (kind != CLG_ROWS_INDEXED) {
        return;
    }
    if (clg_block_fused_experts(shard)) return;
    clg_block_memory(block, "move rows by index", forward * once, added ? 2 : 12, backward * once,
                     added ? 2 : 24);
    if (!added) block->saved_bytes += once;
}

/* Ops from here on pass over rows that the rank was sent. Casts beside products are left out. */
static void mark_arrived(clg_block *block, int from) {
    for (int i = from; i < block->ops; i++) block->op[i].arrived = true;
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
 * each batch as experts. A read of a part is undone by zeros of the whole, which are added up
 * (ATen/native/TensorShape.cpp, slice_backward, select_backward): written, read twice, written. */
static void pad_experts(clg_block *block, const clg_shard *shard, double elements, double experts,
                        double parameters) {
    double w = shard->wide_bytes, batch = 2 * elements * w, weights = 2 * parameters * w;
    int local = (int)(experts + 0.5);
    if (shard->stack->experts.rows != CLG_ROWS_PADDED || local < 2) return;
    clg_block_memory(block, "stack experts' weights", weights, 1, weights, 1);
    clg_block_memory(block, "pad experts' rows", 2 * batch, 2 * local, 6 * local * batch,
                     8 * local);
    block->op[block->ops - 1].expert_calls = block->op[block->ops - 2].expert_calls = 1;
    mark_arrived(block, block->ops - 2);
}

/* A loop over experts (transformers before 5, modeling_mixtral.py and its kin). Kernels of one
 * beside its products: forward, its rows found in a mask of 8 bytes a token and choice (nonzero:
 * five that read it twice, and a copy to the host), picked, gate and up apart, two of the
 * activation, weights picked, multiplied, added to the sum. Backward: rows of the sum picked, three
 * of the weighing, three of the activation, gate and up apart and summed, and of both picks zeros,
 * a sort of eight and an addition; that of rows is as large as all tokens: written, read twice and
 * written. What gathering each of their modules costs the host is another term (host_gather_s). */
static void loop_experts(clg_block *block, const clg_shard *shard, const clg_mlp *mlp,
                         double experts) {
    double tokens = shard->own_tokens, all = tokens * (double)clg_expert_input(shard->model, mlp);
    int local = experts > 1 ? (int)(experts + 0.5) : 1;
    if (shard->stack->experts.rows != CLG_ROWS_LOOPED) return;
    clg_block_memory(block, "loop over experts", local * tokens * mlp->experts_per_token * 16,
                     13 * local, local * all * 4 * shard->wide_bytes, 30 * local);
    block->op[block->ops - 1].expert_calls = block->op[block->ops - 2].expert_calls = 1;
}

/* Products of the local experts; adapters stand beside the matrices of each, as Hugging Face PEFT
 * has them where experts are modules of their own, or one beside all (Megatron-Bridge peft/lora.py,
 * share_expert_adapters). Fused, casts, biases and activation between them happen inside. */
static void multiply(clg_block *block, const clg_shard *shard, const clg_mlp *mlp, double rows) {
    const clg_layout *layout = shard->layout;
    bool fused = clg_block_fused_experts(shard);
    double hidden = (double)clg_expert_input(shard->model, mlp);
    double local = (double)mlp->experts / layout->ep;
    double width = (double)mlp->expert_ffn / layout->etp;
    clg_matrix widen = {.name = "expert up projection",
                        .rows = rows,
                        .in = hidden,
                        .out = (mlp->gated ? 2 : 1) * width,
                        .experts = local};
    clg_matrix narrow = {.name = "expert down projection",
                         .rows = rows,
                         .in = width,
                         .out = hidden,
                         .experts = local};
    pad_experts(block, shard, rows * hidden, local, local * (mlp->gated ? 3 : 2) * width * hidden);
    loop_experts(block, shard, mlp, local);
    clg_block_experts(block, shard, widen, CLG_CAST_INPUT | (fused ? 0 : CLG_CAST_GRADIENT));
    clg_block_adapt_wide(block, shard, widen, mlp->gated);
    int passes = block->ops;
    clg_block_activate(block, shard,
                       (clg_activation){rows * width, mlp->gated, mlp->clamped, fused});
    mark_arrived(block, passes);
    clg_block_experts(block, shard, narrow, (fused ? 0 : CLG_CAST_INPUT) | CLG_CAST_GRADIENT);
    clg_block_adapt_down(block, shard, narrow);
    passes = block->ops;
    if (mlp->biases && !fused) add_biases(block, shard, rows * hidden, local);
    mark_arrived(block, passes);
}

/* Latent experts: a token is projected to a narrower width before it is sent and back after its
 * experts' outputs are summed, on every tensor rank alike (Megatron-Core moe_layer.py,
 * fc1_latent_proj and fc2_latent_proj; transformers modular_nemotron_h.py). */
static void narrow(clg_block *block, const clg_shard *shard, const clg_mlp *mlp, bool back) {
    double hidden = (double)shard->model->hidden, latent = (double)mlp->latent;
    if (mlp->latent == 0) return;
    clg_block_linear(block, shard,
                     clg_matrix_of(back ? "from latent width" : "to latent width",
                                   shard->own_tokens, back ? latent : hidden,
                                   back ? hidden : latent));
    if (back) block->saved_bytes += shard->own_tokens * latent * clg_block_operand_bytes(shard);
}

static void experts(clg_block *block, const clg_shard *shard, const clg_mlp *mlp) {
    const clg_layout *layout = shard->layout;
    double hidden = (double)clg_expert_input(shard->model, mlp), w = shard->wide_bytes;
    double capacity = shard->stack->experts.capacity, filled = capacity > 0 ? capacity : 1;
    double copies = shard->own_tokens * mlp->experts_per_token * filled;
    double rows = copies * layout->etp;
    bool alone = layout->ep == 1, once = shard->stack->experts.dedup && !alone;
    bool several = mlp->experts / layout->ep > 1;
    double sent = once ? copies * sent_share(shard, mlp) : copies;
    /* Tokens already on all tp ranks, each with its part of every expert: sums over tp as around a
     * dense MLP, once copies are summed back to tokens. */
    bool whole = !layout->sp && layout->etp == layout->tp;
    if (whole) rows = copies;
    double received = sent * rows / copies;
    double kept = block->saved_bytes + block->rebuilt_bytes, beside = block->transient_bytes;
    if (whole) clg_block_enter_tensor(block, shard, "expert input", true);
    route(block, shard, mlp);
    narrow(block, shard, mlp, false);
    /* Sent once: the traffic's own kernels pick rows up, and copies are made on arrival. Else a
     * copy per expert is made before, and sorted by local expert on arrival. */
    if (capacity > 0)
        clg_block_mask_in(block, shard, copies, hidden);
    else if (!once)
        permute(block, shard, mlp, "permute to experts", 2 * copies);
    all_to_all(block, shard, mlp, "dispatch", sent * hidden * w);
    if (rows > copies) expert_tensor(block, shard, received * hidden * w);
    bool sorts = once || (several && !alone);
    int from = block->ops;
    if (sorts) permute(block, shard, mlp, "sort by local expert", received + rows);
    mark_arrived(block, from);
    multiply(block, shard, mlp, rows);
    from = block->ops;
    if (sorts) permute(block, shard, mlp, "unsort local experts", rows + received);
    mark_arrived(block, from);
    all_to_all(block, shard, mlp, "combine", sent * hidden * w);
    if (capacity > 0)
        clg_block_mask_out(block, shard, copies, hidden);
    else if (!once)
        permute(block, shard, mlp, "unpermute and weigh", 2 * copies);
    if (!once) move_rows(block, shard, mlp, copies);
    narrow(block, shard, mlp, true);
    if (whole) clg_block_leave_tensor(block, shard, "expert output");
    block->saved_bytes += rows * hidden * clg_block_operand_bytes(shard); /* experts' inputs */
    block->transient_bytes += 2 * rows * hidden * w;
    block->row_kept_bytes = block->saved_bytes + block->rebuilt_bytes - kept;
    block->row_beside_bytes = block->transient_bytes - beside;
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
        clg_block_leave_tensor(block, shard, "shared expert output");
    }
    if (!shard->stack->recompute.experts || shard->layout->recompute == CLG_RECOMPUTE_FULL) return;
    block->rebuilt_bytes += block->saved_bytes - before;
    block->saved_bytes = before;
    clg_block_redo(block, from);
}

/* Into a dense MLP; a gate apart all-reduces the gradient of its input beside the other's. */
static void enter(clg_block *block, const clg_shard *shard, bool gated) {
    int before = block->ops;
    clg_block_enter_tensor(block, shard, "MLP input", true);
    bool apart = gated && shard->stack->traffic.gate_apart && !shard->layout->sp;
    if (apart && block->ops > before) block->op[before].count = 2;
}

void clg_block_mlp(clg_block *block, const clg_shard *shard, const clg_mlp *mlp) {
    if (mlp->kind == CLG_MLP_NONE) return;
    if (mlp->kind == CLG_MLP_MOE) {
        mixture(block, shard, mlp);
        return;
    }
    enter(block, shard, mlp->gated);
    dense(block, shard, (double)mlp->ffn, mlp->gated, "MLP up projection", "MLP down projection");
    clg_block_leave_tensor(block, shard, "MLP output");
}
