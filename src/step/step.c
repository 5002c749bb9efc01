/* step.c -- puts a step's blocks and groups together for one layout. */
#include "step/step.h"

#include "step/block.h"

/* Groups by rank order: tp fastest, then cp, then dp, then pp. Experts take etp x ep ranks of the
 * same order when tp is replaced by etp (Liu et al. 2025, arXiv:2504.14960, section 3). */
static clg_shard shard_of(const clg_model *model, const clg_machine *machine,
                          const clg_stack *stack, const clg_layout *layout) {
    clg_shard shard = {.model = model, .stack = stack, .layout = layout};
    shard.tokens = (double)layout->micro_batch * (double)layout->seq / layout->cp;
    shard.own_tokens = layout->sp ? shard.tokens / layout->tp : shard.tokens;
    shard.tp = clg_machine_group(machine, layout->tp, 1);
    shard.cp = clg_machine_group(machine, layout->cp, layout->tp);
    shard.etp = clg_machine_group(machine, layout->etp, 1);
    shard.ep = clg_machine_group(machine, layout->ep, layout->etp);
    bool single = clg_precision_is_single(layout->precision);
    bool wide = single || layout->precision == CLG_FP16;
    shard.wide = wide ? layout->precision : CLG_BF16;
    shard.wide_bytes = single ? 4 : 2;
    return shard;
}

/* Recomputing does the forward ops again in the backward, traffic included. */
static void recompute_all(clg_block *block) {
    int forward = block->ops;
    for (int i = 0; i < forward; i++) {
        if (block->op[i].pass != CLG_PASS_FORWARD) continue;
        clg_op *again = clg_block_add(block, block->op[i].kind, CLG_PASS_RECOMPUTE, "");
        *again = block->op[i];
        again->pass = CLG_PASS_RECOMPUTE;
    }
}

static void write_layer(clg_block *block, const clg_shard *shard, const clg_layer_kind *kind) {
    const clg_layout *layout = shard->layout;
    double elements = shard->own_tokens * (double)shard->model->hidden, w = shard->wide_bytes;
    clg_block_begin(block, kind->mlp.kind == CLG_MLP_MOE ? "MoE layer" : "layer");
    for (int i = 0; i < kind->norms; i++) {
        clg_block_norm(block, shard, "norm", elements, kind->layer_norm);
        block->saved_bytes += elements * (w + clg_block_operand_bytes(shard)); /* in, out */
    }
    clg_block_attention(block, shard, &kind->attention);
    clg_block_residual(block, shard, "residual");
    clg_block_mlp(block, shard, &kind->mlp);
    if (!kind->parallel) clg_block_residual(block, shard, "residual");
    const clg_layer_parameters *p = &kind->parameters;
    block->dense_parameters = (double)(p->attention + p->mlp) / layout->tp + (double)p->replicated +
                              clg_attention_repeated(shard, &kind->attention);
    block->expert_parameters = (double)p->experts / (layout->ep * layout->etp);
    if (layout->recompute != CLG_RECOMPUTE_FULL) return;
    recompute_all(block);
    block->rebuilt_bytes = block->saved_bytes;
    block->saved_bytes = elements * w;
}

void clg_step_groups(const clg_machine *machine, const clg_layout *layout, clg_step *step) {
    int inner = layout->tp, across = layout->dp * layout->cp;
    int ranks = across * clg_layout_copies(layout);
    step->dense_group = clg_machine_group(machine, ranks, inner);
    int span = layout->hsdp > 0 && layout->hsdp < layout->dp ? layout->hsdp * layout->cp : ranks;
    step->shard_group = clg_machine_group(machine, span, inner);
    step->replica_group = clg_machine_group(machine, ranks / span, inner * span);
    int home = layout->ep * layout->etp;
    step->expert_group = clg_machine_group(machine, ranks * inner / home, home);
    step->send_group = clg_machine_group(machine, layout->pp > 1 ? 2 : 1, across * inner);
}

void clg_step_build(const clg_model *model, const clg_machine *machine, const clg_stack *stack,
                    const clg_layout *layout, clg_step *step) {
    clg_shard shard = shard_of(model, machine, stack, layout);
    step->kinds = model->kinds;
    for (int i = 0; i < model->kinds; i++) {
        write_layer(&step->kind[i], &shard, &model->kind[i]);
    }
    clg_block_embedding(&step->embedding, &shard);
    clg_block_head(&step->head, &shard);
    step->boundary_bytes = shard.own_tokens * (double)model->hidden * shard.wide_bytes;
    clg_step_groups(machine, layout, step);
}
