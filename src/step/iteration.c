/* iteration.c -- an engine's iteration without its contexts: products, kernels bound by memory,
 * sums over tensor ranks, tokens to experts and back. */
#include "step/iteration_writer.h"

#include "step/routing.h"
#include "step/served_adapters.h"
#include "step/sizes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const clg_name clg_iteration_part_names[] = {
    {"attention's products", CLG_SPENT_PROJECTIONS, "queries, keys, values, output"},
    {"MLP", CLG_SPENT_MLP, "dense layers"},
    {"experts", CLG_SPENT_EXPERTS, "router, routed and shared experts"},
    {"norms", CLG_SPENT_NORMS, "over the hidden width"},
    {"attention", CLG_SPENT_ATTENTION, "cache, states and indexes, and fixed times"},
    {"reductions", CLG_SPENT_REDUCTIONS, "sums over tensor-parallel GPUs"},
    {"exchange", CLG_SPENT_EXCHANGE, "tokens to experts on other GPUs and back"},
    {"adapters", CLG_SPENT_ADAPTERS, "of each sequence, beside the base"},
    {"logits", CLG_SPENT_HEAD, "output head and sampling"},
    {"sends", CLG_SPENT_SENDS, "between pipeline stages"},
    {"padding and launches", CLG_SPENT_PADDING, "to the next graph kept; drafts; slow launches"},
    {"host", CLG_SPENT_HOST, "what the GPU waits for"},
    {NULL, 0, NULL}};

/* Field by field: lists are written for every size of batch, and most of an operation is the
 * shape of attention, which few have. */
static void clear(clg_op *op, clg_op_kind kind) {
    op->kind = kind;
    op->pass = CLG_PASS_FORWARD;
    op->precision = CLG_BF16;
    op->count = 1;
    op->expert_calls = op->m = op->n = op->k = op->flop = op->hbm_bytes = op->bytes = 0;
    op->batch = 1;
    op->collective = CLG_ALL_REDUCE;
    op->axis = CLG_AXIS_NONE;
    op->group = (clg_group){1, 1};
    op->routes = op->over_nodes = false;
    op->slow_share = op->overlap = 0;
    if (kind == CLG_OP_ATTENTION) memset(&op->attention, 0, sizeof op->attention);
}

clg_iteration_op *clg_iteration_add(clg_iteration_ops *ops, clg_iteration_part part,
                                    clg_op_kind kind, const char *name) {
    assert(ops->count < CLG_ITERATION_OPS);
    clg_iteration_op *op = &ops->op[ops->count++];
    clear(&op->op, kind);
    op->op.name = name;
    op->part = part;
    op->kernel = CLG_KERNEL_PLAIN;
    op->stored = CLG_BF16;
    op->between_bytes = op->context = op->top_k = op->per = 0;
    op->share = 1;
    op->latent = false;
    return op;
}

clg_iteration_op *clg_write_op(const clg_writer *w, clg_op_kind kind, const char *name) {
    return clg_iteration_add(w->ops, w->part, kind, name);
}

/* [m,k] x [k,n]: weights in the plan's format are multiplied in its arithmetic, others in 16 bit.
 */
clg_iteration_op *clg_write_product(const clg_writer *w, const char *name, clg_precision stored,
                                    double m, double n, double k) {
    const clg_serving_layout *l = w->s->layout;
    clg_iteration_op *p = clg_write_op(w, CLG_OP_GEMM, name);
    p->stored = stored;
    p->op.precision = stored == l->weights ? l->compute : CLG_BF16;
    p->op.m = m;
    p->op.n = n;
    p->op.k = k;
    p->op.flop = 2 * m * n * k;
    p->op.hbm_bytes = n * k * clg_precision_bytes(stored) + 2 * (m * k + m * n);
    return p;
}

clg_iteration_op *clg_write_projection(const clg_writer *w, const char *name, double n, double k) {
    return clg_write_product(w, name, w->s->layout->attention_weights, w->tokens, n, k);
}

void clg_write_stream(const clg_writer *w, const char *name, double bytes) {
    clg_write_op(w, CLG_OP_MEMORY, name)->op.hbm_bytes = bytes;
}

/* ---- who talks to whom */

/* A replica has whole nodes to itself, as many as it needs. */
static clg_group group_of(const clg_serving *s, int ranks, int stride) {
    clg_machine machine = *s->machine;
    int box = machine.node.gpus > 0 ? machine.node.gpus : 1;
    int nodes = (clg_serving_gpus(s->layout) + box - 1) / box;
    if (machine.gpus < nodes * box) machine.gpus = nodes * box;
    return clg_machine_group(&machine, ranks, stride);
}

static clg_iteration_op *collective(const clg_writer *w, const char *name,
                                    clg_collective collective, clg_axis axis, clg_group group,
                                    double bytes) {
    clg_iteration_op *c = clg_write_op(w, CLG_OP_COLLECTIVE, name);
    c->op.collective = collective;
    c->op.axis = axis;
    c->op.group = group;
    c->op.bytes = bytes;
    return c;
}

void clg_write_sums(const clg_writer *w, const char *name, double bytes, int times) {
    int tp = w->s->layout->tp;
    if (tp == 1 || times == 0) return;
    collective(w, name, CLG_ALL_REDUCE, CLG_AXIS_TP, group_of(w->s, tp, 1), bytes)->op.count =
        times;
}

/* ---- MLP and experts */

static void dense_mlp(const clg_writer *w, const clg_mlp *mlp, double width) {
    double up = clg_up_matrices(mlp) * width;
    clg_precision weights = w->s->layout->weights;
    if (width <= 0) return;
    clg_write_product(w, "up projection", weights, w->tokens, up, w->hidden);
    clg_write_product(w, "down projection", weights, w->tokens, w->hidden, width);
    clg_write_stream(w, "activation", 2 * w->tokens * (up + width));
}

double clg_serving_expert_width(const clg_serving_layout *l, const clg_mlp *mlp) {
    return (double)mlp->expert_ffn * l->ep / (l->tp * l->dp);
}

/* Rows of the fullest GPU, for the tokens of all ranks. */
static double fullest_rows(const clg_serving *s, const clg_mlp *mlp, double tokens) {
    int ep = s->layout->ep;
    double even = tokens * mlp->experts_per_token / ep;
    double uneven = s->layout->balanced ? 0 : s->expert_spread; /* of ranks, in the long run */
    return even * fmax(s->expert_imbalance, clg_fullest_rank(uneven, ep, mlp->experts, even));
}

/* Bytes written and read between the products. Where ranks share experts out, each sees all tokens,
 * or those sent to it, and sums as many; kernels of Triton write zeros for rows of experts
 * elsewhere, and activation and sum go over them (vLLM fused_moe.py, write_zeros_to_output). */
static double between_bytes(const clg_writer *w, const clg_mlp *mlp, double tokens, double rows) {
    const clg_serving_layout *l = w->s->layout;
    double widths = 2 * w->hidden + (clg_up_matrices(mlp) + 1) * clg_serving_expert_width(l, mlp);
    if (l->expert_kernels != CLG_EXPERTS_TIMED)
        return 2 * fmax(rows, tokens * mlp->experts_per_token) * widths;
    double seen = l->dp > 1 && w->s->engine->gathers <= 0 ? fmin(tokens, rows) : tokens;
    return 2 * rows * widths + (l->ep > 1 ? 4 * seen * w->hidden : 0);
}

/* Grouped products over room for all tokens' rows and for one block of each expert, where blocks
 * that no token fills are multiplied, too. */
bool clg_experts_whole_blocks(const clg_serving_layout *l, const clg_engine *engine) {
    return l->expert_kernels == CLG_EXPERTS_GROUPED && engine->expert_block_rows > 0;
}

/* Whether the shared expert is one of the grouped ones, to which every token goes. */
static bool joins_shared(const clg_serving *s, const clg_layer_kind *kind) {
    const clg_mlp *mlp = &kind->mlp;
    bool alike = kind->attention.kind == CLG_ATTENTION_LATENT && kind->attention.query_rank > 0 &&
                 mlp->shared_ffn == mlp->expert_ffn;
    return alike && s->engine->joined_shared == (double)mlp->experts && s->layout->ep == 1 &&
           !clg_engine_is_newer(s->engine, &s->machine->gpu);
}

/* Routing, both products and the sum in one: experts that get a token are read; and those for all
 * tokens (`joined`). */
static void experts(const clg_writer *w, const clg_mlp *mlp, int joined) {
    const clg_serving_layout *l = w->s->layout;
    double tokens = w->tokens * l->dp, each = (double)mlp->experts_per_token / mlp->experts;
    double own = (double)mlp->experts / l->ep;
    double reached = clg_experts_reached(w->s->expert_spread, each, tokens);
    double rows = fullest_rows(w->s, mlp, tokens) + joined * tokens, multiplied = rows;
    if (clg_experts_whole_blocks(l, w->s->engine)) {
        reached = 1;
        multiplied = tokens * mlp->experts_per_token + own * (w->s->engine->expert_block_rows - 1);
    }
    clg_iteration_op *e = clg_write_op(w, CLG_OP_GROUPED, "experts");
    e->stored = l->weights;
    e->op.precision = l->compute;
    e->op.batch = own * reached + joined;
    e->op.m = multiplied;
    e->op.n = (clg_up_matrices(mlp) + 1) * clg_serving_expert_width(l, mlp);
    e->op.k = w->hidden;
    e->op.flop = 2 * multiplied * e->op.n * e->op.k;
    e->op.hbm_bytes = e->op.batch * e->op.n * e->op.k * clg_precision_bytes(l->weights);
    e->between_bytes = between_bytes(w, mlp, tokens, rows);
}

/* In fp32 tokens are widened first, in a kernel of its own. */
static void route(const clg_writer *w, const clg_mlp *mlp) {
    if (!mlp->wide_router) {
        clg_write_product(w, "router", CLG_BF16, w->tokens, mlp->experts, w->hidden);
        return;
    }
    clg_write_stream(w, "tokens in fp32", 6 * w->tokens * w->hidden);
    clg_iteration_op *r = clg_write_op(w, CLG_OP_GEMM, "router");
    r->kernel = CLG_KERNEL_ROUTER;
    r->stored = r->op.precision = CLG_FP32;
    r->op.m = w->tokens;
    r->op.n = mlp->experts;
    r->op.k = w->hidden;
    r->op.flop = 2 * r->op.m * r->op.n * r->op.k;
    r->op.hbm_bytes = 4 * (r->op.n * r->op.k + r->op.m * r->op.k + r->op.m * r->op.n);
}

static void write_mlp(const clg_writer *w, const clg_layer_kind *kind) {
    const clg_mlp *mlp = &kind->mlp;
    double tp = w->s->layout->tp;
    if (mlp->kind == CLG_MLP_NONE) return;
    if (mlp->kind == CLG_MLP_DENSE) {
        dense_mlp(w, mlp, (double)mlp->ffn / tp);
        return;
    }
    clg_writer inner = *w;
    inner.hidden = (double)clg_expert_input(w->s->model, mlp);
    route(w, mlp);
    if (mlp->latent > 0)
        clg_write_product(w, "to latent width", w->s->layout->weights, w->tokens, inner.hidden,
                          w->hidden);
    bool joined = joins_shared(w->s, kind);
    experts(&inner, mlp, joined);
    if (mlp->latent > 0)
        clg_write_product(w, "from latent width", w->s->layout->weights, w->tokens, w->hidden,
                          inner.hidden);
    if (!joined) dense_mlp(w, mlp, (double)mlp->shared_ffn / tp);
}

/* Kernels of their own between boxes: decoding sends a token once for each of its experts, prompts
 * once to each rank that it meets and once over the network to each box, which hands it on. */
static void send_tokens(const clg_writer *w, const clg_mlp *mlp, clg_group all, bool decoding) {
    if (decoding) {
        clg_iteration_op *e =
            collective(w, "tokens to experts and back", CLG_ALL_TO_ALL, CLG_AXIS_EP, all, 0);
        e->kernel = CLG_KERNEL_SEND_TOKENS;
        e->op.m = w->tokens;
        e->op.n = mlp->experts_per_token;
        e->op.k = w->hidden;
        return;
    }
    double met = clg_mlp_places_met(mlp, all.ranks), bytes = w->tokens * w->hidden * met;
    double crossing = clg_mlp_places_met(mlp, (double)all.ranks / all.per_domain) / met;
    for (int back = 0; back < 2; back++)
        collective(w, back ? "sums from experts" : "tokens to experts", CLG_ALL_TO_ALL, CLG_AXIS_EP,
                   all, (1 + back) * bytes)
            ->op.slow_share = crossing;
}

/* Tokens of other ranks to the experts here and back: all of them gathered and their sums
 * scattered, as with experts split in width; or, in engines that send tokens to their experts, fp8
 * there and 16 bit back. */
static void exchange(const clg_writer *w, const clg_mlp *mlp, bool decoding) {
    const clg_serving_layout *l = w->s->layout;
    const clg_engine *e = w->s->engine;
    if (mlp->kind != CLG_MLP_MOE || l->dp == 1) return;
    double values = w->tokens * w->hidden;
    clg_group all = group_of(w->s, l->tp * l->dp, 1);
    bool boxes = all.per_domain < all.ranks;
    if (e->sends_tokens > 0 && l->tp == 1 && l->ep == l->dp && boxes) {
        send_tokens(w, mlp, all, decoding);
    } else if (l->ep > 1 && e->gathers <= 0) {
        double copies = fmin(mlp->experts_per_token, l->ep) / l->tp;
        collective(w, "tokens to experts", CLG_ALL_TO_ALL, CLG_AXIS_EP, all, values * copies);
        collective(w, "sums from experts", CLG_ALL_TO_ALL, CLG_AXIS_EP, all, 2 * values * copies);
    } else {
        double bytes = 2 * values * l->dp;
        collective(w, "tokens of all ranks", CLG_ALL_GATHER, CLG_AXIS_EP, all, bytes);
        collective(w, "sums of all ranks", CLG_REDUCE_SCATTER, CLG_AXIS_EP, all, bytes);
    }
}

/* ---- all of it */

/* Streams are read twice for what a part takes in, by the product with its fp32 weights and by the
 * kernel that then mixes them (vLLM kernels/mhc/tilelang.py, mhc_pre_tilelang), and read and
 * written with what it gives. */
static void mix_streams(const clg_writer *w, const clg_layer_kind *kind) {
    int streams = w->s->model->streams;
    if (streams <= 1) return;
    int parts = (kind->attention.kind != CLG_ATTENTION_NONE) + (kind->mlp.kind != CLG_MLP_NONE);
    double weights = 4.0 * clg_stream_columns(streams) * streams * w->hidden;
    clg_write_stream(w, "weights of streams", 2 * streams * w->tokens * w->hidden + weights);
    w->ops->op[w->ops->count - 1].op.count = parts;
    clg_write_stream(w, "streams into one", (2 * streams + 2) * w->tokens * w->hidden);
    w->ops->op[w->ops->count - 1].op.count = parts;
    clg_write_stream(w, "one into streams", (4 * streams + 2) * w->tokens * w->hidden);
    w->ops->op[w->ops->count - 1].op.count = parts;
}

/* What a table gives this layer of a token, added to a product of the token's embedding; gated by
 * the residual, and back. On every tensor rank. */
static void layer_input(const clg_writer *w, const clg_layer_kind *kind) {
    double width = (double)w->s->model->layer_input;
    if (width <= 0 || kind->idle) return;
    clg_write_product(w, "layer input projection", CLG_BF16, w->tokens, width, w->hidden);
    clg_write_product(w, "layer input gate", CLG_BF16, w->tokens, width, w->hidden);
    clg_write_stream(w, "layer input", 12 * w->tokens * width);
    clg_write_product(w, "layer input to hidden", CLG_BF16, w->tokens, w->hidden, width);
}

/* Inputs of earlier blocks beside the residual, read twice: for their weights, and mixed. */
static void mix_blocks(const clg_writer *w, const clg_layer_kind *kind) {
    double sources = clg_mixed_blocks(w->s->model) + 1;
    int parts = (kind->attention.kind != CLG_ATTENTION_NONE) + (kind->mlp.kind != CLG_MLP_NONE);
    if (w->s->model->mixed_layers == 0) return;
    clg_write_stream(w, "earlier blocks", 2 * (2 * sources + 1) * w->tokens * w->hidden);
    w->ops->op[w->ops->count - 1].op.count = parts;
}

void clg_iteration_layer(const clg_serving *s, const clg_layer_kind *kind, double tokens,
                         bool decoding, clg_iteration_ops *ops) {
    clg_writer w = {s, ops, CLG_SPENT_PROJECTIONS, tokens, (double)s->model->hidden};
    int sums = (kind->attention.kind != CLG_ATTENTION_NONE) +
               (kind->mlp.kind != CLG_MLP_NONE && !kind->parallel);
    clg_write_attention(&w, &kind->attention);
    w.part = kind->mlp.kind == CLG_MLP_MOE ? CLG_SPENT_EXPERTS : CLG_SPENT_MLP;
    write_mlp(&w, kind);
    w.part = CLG_SPENT_MLP;
    layer_input(&w, kind);
    w.part = CLG_SPENT_NORMS;
    double norm = s->model->streams > 1 ? 4 : 8; /* streams keep the residual */
    clg_write_stream(&w, "norm and residual", norm * tokens * w.hidden);
    ops->op[ops->count - 1].op.count = kind->norms;
    mix_streams(&w, kind);
    mix_blocks(&w, kind);
    w.part = CLG_SPENT_REDUCTIONS;
    clg_write_sums(&w, "sums over tensor ranks", 2 * tokens * w.hidden, sums);
    w.part = CLG_SPENT_EXCHANGE;
    w.hidden = (double)clg_expert_input(s->model, &kind->mlp);
    exchange(&w, &kind->mlp, decoding);
    clg_iteration_adapters(s, kind, tokens, ops);
}

/* Logits are made for sequences, not for prompt tokens; sampling reads them as fp32. */
void clg_iteration_head(const clg_serving *s, double tokens, clg_iteration_ops *ops) {
    const clg_model *m = s->model;
    double rows = fmin(tokens, s->max_sequences / s->layout->dp);
    double columns = (double)m->vocab / s->layout->tp;
    clg_writer w = {s, ops, CLG_SPENT_HEAD, tokens, (double)m->hidden};
    clg_write_product(&w, "output head", CLG_BF16, rows, columns, w.hidden);
    clg_write_stream(&w, "sampling", 8 * rows * columns);
}

void clg_iteration_send(const clg_serving *s, double tokens, clg_iteration_ops *ops) {
    const clg_serving_layout *l = s->layout;
    clg_writer w = {s, ops, CLG_SPENT_SENDS, tokens, (double)s->model->hidden};
    if (l->pp > 1)
        collective(&w, "to the next stage", CLG_SEND_RECEIVE, CLG_AXIS_PP, group_of(s, 2, l->tp),
                   2 * tokens * w.hidden *
                       (fmax(1, s->model->streams) + clg_mixed_blocks(s->model)) / l->tp)
            ->op.count = l->pp - 1;
}
