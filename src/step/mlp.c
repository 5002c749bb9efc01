/* mlp.c -- the MLP half of a layer: dense, or router, dispatch, experts, combine. */
#include "step/block.h"

/* Gated: silu(gate) * up reads two and writes one; unfused: two kernels. Plain: bias + GeLU reads
 * and writes; unfused: bias and GeLU apart. */
static void activation(clg_block *block, const clg_shard *shard, double elements, bool gated) {
    double w = shard->wide_bytes;
    bool fused = shard->stack->fused_activation;
    double forward = gated ? (fused ? 3 : 5) : (fused || !shard->model->biases ? 2 : 4);
    double backward = gated ? (fused ? 5 : 9) : (fused ? 3 : 5);
    clg_block_memory(block, "activation", elements * forward * w, fused ? 1 : 2,
                     elements * backward * w, fused ? 1 : 3);
    /* Inputs and output; unfused, silu(gate) too, which the product's backward reads. */
    double inputs = gated ? (fused ? 2 : 3) : 1;
    block->saved_bytes += elements * (inputs * w + clg_block_operand_bytes(shard));
    double gradients = elements * (gated ? 3 : 2) * w; /* alive together in the backward */
    if (block->transient_bytes < gradients) block->transient_bytes = gradients;
}

static void dense(clg_block *block, const clg_shard *shard, double width, bool gated,
                  const char *up, const char *down) {
    double hidden = (double)shard->model->hidden, local = width / shard->layout->tp;
    clg_block_linear(block, shard, up, shard->tokens, hidden, (gated ? 2 : 1) * local, true);
    activation(block, shard, shard->tokens * local, gated);
    clg_block_linear(block, shard, down, shard->tokens, local, hidden, true);
}

/* A token's k experts lie in D domains at random; D (1 - (1 - 1/D)^k) of them are met at least
 * once. Sent once per domain met, this share of the k copies crosses (DeepEP and its kin; rank
 * order keeps a domain's share of a group together). */
static double crossing_share(const clg_group *ep, int experts_per_token) {
    double domains = (double)ep->ranks / ep->per_domain, missed = 1;
    for (int i = 0; i < experts_per_token; i++) missed *= 1 - 1 / domains;
    return domains * (1 - missed) / experts_per_token;
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
        if (once)
            block->op[block->ops - 1].slow_share =
                crossing_share(&shard->ep, mlp->experts_per_token);
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
}

/* Each token is copied to its experts' queues and summed back: reads and writes per copy. */
static void permute(clg_block *block, const clg_shard *shard, const char *name, double rows) {
    double bytes = rows * (double)shard->model->hidden * 2 * shard->wide_bytes;
    clg_block_memory(block, name, bytes, 2, bytes, 2);
}

static void experts(clg_block *block, const clg_shard *shard, const clg_mlp *mlp) {
    const clg_layout *layout = shard->layout;
    double hidden = (double)shard->model->hidden, w = shard->wide_bytes;
    double local = (double)mlp->experts / layout->ep;
    double width = (double)mlp->expert_ffn / layout->etp;
    double sent = shard->own_tokens * mlp->experts_per_token, rows = sent * layout->etp;
    /* Tokens already on all tp ranks, each with its part of every expert: sums over tp as around a
     * dense MLP, once copies are summed back to tokens. */
    bool whole = !layout->sp && layout->etp == layout->tp;
    if (whole) rows = sent;
    if (whole) clg_block_enter_tensor(block, shard, "expert input");
    route(block, shard, mlp);
    permute(block, shard, "permute to experts", sent);
    all_to_all(block, shard, mlp, "dispatch", sent * hidden * w);
    if (rows > sent) expert_tensor(block, shard, rows * hidden * w);
    if (local > 1) permute(block, shard, "sort by local expert", rows);
    clg_block_experts(block, shard, "expert up projection", rows, hidden,
                      (mlp->gated ? 2 : 1) * width, local);
    activation(block, shard, rows * width, mlp->gated);
    clg_block_experts(block, shard, "expert down projection", rows, width, hidden, local);
    if (local > 1) permute(block, shard, "unsort local experts", rows);
    all_to_all(block, shard, mlp, "combine", sent * hidden * w);
    permute(block, shard, "unpermute and weigh", sent);
    if (whole) clg_block_leave_tensor(block, shard, "expert output");
    block->saved_bytes += rows * hidden * w; /* the experts' inputs */
    block->transient_bytes += 2 * rows * hidden * w;
}

void clg_block_mlp(clg_block *block, const clg_shard *shard, const clg_mlp *mlp) {
    if (mlp->kind == CLG_MLP_NONE) return;
    if (mlp->kind == CLG_MLP_DENSE) {
        clg_block_enter_tensor(block, shard, "MLP input");
        dense(block, shard, (double)mlp->ffn, mlp->gated, "MLP up projection",
              "MLP down projection");
        clg_block_leave_tensor(block, shard, "MLP output");
        return;
    }
    experts(block, shard, mlp);
    if (mlp->shared_ffn == 0) return;
    clg_block_enter_tensor(block, shard, "shared expert input");
    dense(block, shard, (double)mlp->shared_ffn, mlp->gated, "shared expert up projection",
          "shared expert down projection");
    clg_block_leave_tensor(block, shard, "shared expert output");
}
