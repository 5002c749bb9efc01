/* step.c -- puts a step's blocks and groups together for one layout. */
#include "step/step.h"

#include "step/block.h"

#include <math.h>
#include <string.h>

/* `ranks` ranks of the axes whose initials are in `of`, fastest first, after the first `skip` of
 * them; how many share a fast domain follows from the axes that lie between (rank order). Experts
 * take etp x ep ranks of the order of tp, cp and dp (Liu et al. 2025, arXiv:2504.14960, section
 * 3). Axes that follow one another are one axis: their ranks are equally far apart. */
static clg_group group_of(const clg_machine *machine, const clg_layout *layout, const char *of,
                          int skip, int ranks) {
    clg_rank_axis axes[4];
    clg_group group = {ranks, 1};
    int stride = 1, left = ranks;
    clg_layout_axes(layout, axes);
    int last = 3;
    while (last > 0 && !strchr(of, axes[last].name[0])) last--;
    for (int i = 0; i <= last && left > 1;) {
        int before = stride, run = 1;
        bool member = strchr(of, axes[i].name[0]) != NULL;
        for (; i < 4 && (strchr(of, axes[i].name[0]) != NULL) == member; i++) run *= axes[i].degree;
        stride *= run;
        if (!member) continue;
        int skipped = skip < run ? skip : run, taken = run / skipped;
        if (i > last || taken > left) taken = left;
        skip /= skipped;
        left = (left + taken - 1) / taken;
        group.per_domain *= clg_machine_group(machine, taken, before * skipped).per_domain;
    }
    return group;
}

static clg_shard shard_of(const clg_model *model, const clg_machine *machine,
                          const clg_stack *stack, const clg_layout *layout) {
    clg_shard shard = {.model = model, .stack = stack, .layout = layout};
    shard.tokens = (double)layout->micro_batch * (double)layout->seq / layout->cp;
    shard.own_tokens = layout->sp ? shard.tokens / layout->tp : shard.tokens;
    shard.tp = group_of(machine, layout, "t", 1, layout->tp);
    shard.cp = group_of(machine, layout, "c", 1, layout->cp);
    shard.etp = group_of(machine, layout, "tcd", 1, layout->etp);
    shard.ep = group_of(machine, layout, "tcd", layout->etp, layout->ep);
    bool single = clg_precision_is_single(layout->precision);
    bool wide = single || layout->precision == CLG_FP16;
    shard.wide = wide ? layout->precision : CLG_BF16;
    shard.wide_bytes = single ? 4 : 2;
    bool half = layout->precision == CLG_FP16 || layout->precision == CLG_BF16;
    shard.autocast = stack->precision.autocast && stack->precision.master_weights && half &&
                     layout->zero == 0 && layout->adapter.kind == CLG_ADAPTER_NONE;
    shard.casts_apart = shard.autocast && !stack->fused.elementwise;
    shard.stream_bytes = shard.casts_apart ? 4 : shard.wide_bytes;
    shard.attention_dropout =
        stack->kernels.dropout || (stack->kernels.model_dropout && model->attention_dropout);
    shard.hidden_dropout =
        stack->kernels.dropout || (stack->kernels.model_dropout && model->hidden_dropout);
    return shard;
}

/* Inputs are kept, and outputs unless they are made again. */
static void write_norms(clg_block *block, const clg_shard *shard, const clg_layer_kind *kind,
                        double elements) {
    int from = block->ops;
    bool again = clg_block_lets_go(shard);
    double output = kind->norms * elements * clg_block_operand_bytes(shard);
    for (int i = 0; i < kind->norms; i++)
        clg_block_norm(block, shard, "norm", elements, kind->layer_norm);
    block->saved_bytes += kind->norms * elements * shard->stream_bytes;
    *(again ? &block->rebuilt_bytes : &block->saved_bytes) += output;
    if (again) clg_block_redo(block, from);
}

/* Products that read what norms gave: q, k, v and gate, up of gated models are modules of their
 * own, of the older others one product each. */
static int readers(const clg_layer_kind *kind) {
    int of_attention = kind->attention.kind == CLG_ATTENTION_NONE ? 0 : kind->mlp.gated ? 3 : 1;
    int of_mlp = kind->mlp.kind == CLG_MLP_NONE ? 0 : kind->mlp.gated ? 2 : 1;
    return of_attention + of_mlp;
}

/* What a table gives this layer of a token, added to a product of the token's embedding; gated by
 * the residual, and back. On every tensor rank. */
static void write_layer_input(clg_block *block, const clg_shard *shard,
                              const clg_layer_kind *kind) {
    double width = (double)shard->model->layer_input, hidden = (double)shard->model->hidden;
    double tokens = shard->own_tokens, bytes = tokens * width * shard->wide_bytes;
    if (width <= 0 || kind->idle) return;
    clg_block_linear(block, shard, clg_matrix_of("layer input projection", tokens, hidden, width));
    clg_block_linear(block, shard, clg_matrix_of("layer input gate", tokens, hidden, width));
    clg_block_memory(block, "layer input", 6 * bytes, 2, 10 * bytes, 3);
    clg_block_linear(block, shard, clg_matrix_of("layer input to hidden", tokens, width, hidden));
    block->saved_bytes += tokens * (hidden + 4 * width) * shard->wide_bytes;
}

static void write_layer(clg_block *block, const clg_shard *shard, const clg_layer_kind *kind) {
    const clg_layout *layout = shard->layout;
    double elements = shard->own_tokens * (double)shard->model->hidden, w = shard->wide_bytes;
    clg_block_begin(block, kind->mlp.kind == CLG_MLP_MOE ? "MoE layer" : "layer");
    write_norms(block, shard, kind, elements);
    clg_block_cast_input(block, shard, elements, readers(kind));
    int parts = (kind->attention.kind != CLG_ATTENTION_NONE) + (kind->mlp.kind != CLG_MLP_NONE);
    if (kind->parallel && parts > 1) parts = 1; /* one sum for both */
    clg_block_attention(block, shard, &kind->attention);
    if (parts > 1) clg_block_join(block, shard);
    int mlp = block->ops;
    clg_block_mlp(block, shard, &kind->mlp);
    if (parts > 0) clg_block_join(block, shard);
    write_layer_input(block, shard, kind);
    /* Inputs of the two regions (one where they are side by side), whole instead of a share. */
    block->saved_bytes += shard->stack->memory.kept_gathers * parts *
                          (shard->tokens - shard->own_tokens) * (double)shard->model->hidden * w;
    /* With sp the backward of a region holds its gathered input, the gathered gradient of its
     * output and the gradient of its input before that is scattered. */
    if (layout->sp && layout->tp > 1)
        block->transient_bytes += 3 * shard->tokens * (double)shard->model->hidden * w;
    block->transient_bytes += block->widened_bytes;
    const clg_layer_parameters *p = &kind->parameters;
    block->dense_parameters = (double)(p->attention + p->mlp) / layout->tp + (double)p->replicated +
                              clg_attention_repeated(shard, &kind->attention);
    block->expert_parameters = (double)p->experts / (layout->ep * layout->etp);
    clg_block_recompute(block, shard, kind, mlp);
}

/* A frozen model's forward pass of the same tokens: no gradients, nothing kept, no adapters. Left
 * out: that it runs before the trained one's, and that teachers may be of other sizes. */
static void refer(clg_block *block, const clg_shard *shard) {
    int until = shard->layout->reference == CLG_REFERENCE_MODEL ? block->ops : 0;
    for (int i = 0; i < until; i++) {
        const clg_op *op = &block->op[i];
        if (op->pass != CLG_PASS_FORWARD || op->adapts) continue;
        clg_op *again = clg_block_add(block, op->kind, CLG_PASS_FORWARD, "");
        *again = block->op[i];
        again->name = "reference model";
    }
}

void clg_step_groups(const clg_machine *machine, const clg_layout *layout, clg_step *step) {
    int copies = clg_layout_copies(layout), ranks = layout->dp * layout->cp * copies;
    step->dense_group = group_of(machine, layout, "cd", 1, ranks);
    bool parts = clg_layout_shards(layout) < layout->dp * layout->cp;
    int span = parts ? clg_layout_shards(layout) : ranks;
    step->shard_group = group_of(machine, layout, "cd", 1, span);
    step->replica_group = group_of(machine, layout, "cd", span, ranks / span);
    int home = layout->ep * layout->etp;
    step->expert_group = group_of(machine, layout, "tcd", home, ranks * layout->tp / home);
    step->stages_together = group_of(machine, layout, "p", 1, layout->pp).per_domain;
    bool apart = step->stages_together < layout->pp;
    step->send_group = layout->pp > 1 ? (clg_group){2, apart ? 1 : 2} : (clg_group){1, 1};
    bool boxed = clg_layout_gpus(layout) > machine->node.gpus;
    step->host_ranks = boxed ? machine->node.gpus : (int)clg_layout_gpus(layout);
}

/* Of what ranks hold; stages with tables train a smaller share than this mean, others a larger one,
 * of what is little beside the frozen weights. */
static double frozen_share(const clg_model *model, const clg_layout *layout, const clg_step *step) {
    double adapters = 0, all = step->embedding.dense_parameters + step->head.dense_parameters;
    if (layout->adapter.kind == CLG_ADAPTER_NONE) return 0;
    for (int i = 0; i < model->layers; i++) {
        const clg_block *block = &step->kind[model->layer_kind[i]];
        adapters += block->adapter_parameters;
        all += block->dense_parameters + block->expert_parameters;
    }
    return 1 - adapters / all;
}

void clg_step_build(const clg_model *model, const clg_machine *machine, const clg_stack *stack,
                    const clg_layout *layout, clg_step *step) {
    clg_shard shard = shard_of(model, machine, stack, layout), inner = shard;
    if (clg_block_single(&shard))
        inner.wide_bytes = inner.stream_bytes = clg_precision_bytes(CLG_FP32);
    step->kinds = model->kinds;
    for (int i = 0; i < model->kinds; i++) {
        write_layer(&step->kind[i], &inner, &model->kind[i]);
        refer(&step->kind[i], &inner);
    }
    /* The same for all layouts of a search: its GPUs are given. */
    bool over = step->over_nodes = clg_layout_gpus(layout) > machine->node.domain;
    for (int i = 0; i < model->kinds; i++)
        for (int j = 0; j < step->kind[i].ops; j++)
            step->kind[i].op[j].over_nodes = over && step->kind[i].op[j].axis == CLG_AXIS_TP;
    clg_block_embedding(&step->embedding, &shard);
    clg_block_head(&step->head, &shard);
    refer(&step->embedding, &shard);
    refer(&step->head, &shard);
    step->frozen_share = frozen_share(model, layout, step);
    step->boundary_bytes = shard.own_tokens * (double)model->hidden *
                           (fmax(1, model->streams) + clg_mixed_blocks(model)) * shard.wide_bytes;
    clg_step_groups(machine, layout, step);
}

void clg_step_fill_rank(clg_step *step, const clg_layout *layout, double fullest) {
    bool again = layout->recompute == CLG_RECOMPUTE_FULL;
    for (int i = 0; i < step->kinds; i++) {
        clg_block *block = &step->kind[i];
        double rows = block->row_beside_bytes + (again ? block->row_kept_bytes : 0);
        block->transient_bytes += (fullest - 1) * rows;
    }
}
