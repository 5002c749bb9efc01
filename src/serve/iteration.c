/* iteration.c -- what a batch costs: its layers, its logits, what goes between GPUs.
 *
 *   iteration = host + products(T) + memory-bound kernels(T) + reductions(T) + ...
 *
 * A product takes the longer of its arithmetic (cost/gemm) and the read of its weights. With
 * pipeline stages an iteration is cut in as many micro-batches as stages, which follow each other
 * without a gap; so it takes what the last stage takes for all of them: all layers for 1/pp of the
 * work, and the logits and the host's step of each. What depends on contexts is in context.c. */
#include "serve/iteration.h"

#include "serve/routing.h"
#include "serve/states.h"

#include <math.h>
#include <string.h>

static double hbm_s(const clg_replica *r, double bytes, double share) {
    return bytes / (r->scenario->machine.gpu.hbm_bytes_per_s * share);
}

/* What stays of a kernel's fixed time in this engine. */
static double fixed_s(const clg_replica *r, double seconds) {
    bool blackwell = strcmp(r->scenario->machine.gpu.generation, "blackwell") == 0;
    return seconds * (blackwell ? r->engine.launch_share_blackwell : r->engine.launch_share);
}

/* Writing activations in 8 bit and less: read 2 bytes an element and write one. */
static double cast_s(const clg_replica *r, clg_precision compute, double elements) {
    if (clg_precision_bytes(compute) >= 2) return 0;
    bool one_pass = r->engine.static_scales > 0 && compute == CLG_FP8;
    return hbm_s(r, 3 * elements,
                 one_pass ? r->scenario->kernels.memory.efficiency
                          : r->curves.product[compute].quantize_hbm_share);
}

clg_precision clg_serve_arithmetic(const clg_gpu *gpu, clg_precision weights) {
    if (gpu->peak_flop_per_s[weights] > 0) return weights;
    return weights == CLG_MXFP4 && gpu->peak_flop_per_s[CLG_MXFP8] > 0 ? CLG_MXFP8 : CLG_BF16;
}

/* [m,k] x [k,n], weights of `weights`: arithmetic, with activations made narrow before it, or the
 * read of the weights. */
static double product_s(const clg_replica *r, clg_precision weights, double m, double n, double k) {
    clg_precision compute = weights == r->weights ? r->compute : CLG_BF16;
    double arithmetic = clg_gemm_s(&r->scenario->machine.gpu, &r->arithmetic, compute, m, n, k, 1) *
                        r->curves.product[compute].time_share;
    arithmetic += cast_s(r, compute, m * k);
    double bytes = n * k * clg_precision_bytes(weights) + 2 * (m * k + m * n);
    return fmax(arithmetic, hbm_s(r, bytes, r->curves.weights[weights].hbm_share)) +
           fixed_s(r, r->curves.weights[weights].launch_s);
}

/* Of the kernels that run: those of Triton are timed for experts split in width alone. */
const clg_expert_curve *clg_expert_curve_of(const clg_replica *r) {
    if (r->expert_kernels != CLG_EXPERTS_TIMED && r->curves.triton[r->weights].known)
        return &r->curves.triton[r->weights];
    bool shared = r->ep > 1 && r->expert_kernels == CLG_EXPERTS_TIMED;
    return shared ? &r->curves.shared[r->weights] : &r->curves.experts[r->weights];
}

/* Bytes written and read between the products. Where ranks share experts out, each sees all tokens,
 * or those sent to it, and sums as many; kernels of Triton write zeros for rows of experts
 * elsewhere, and activation and sum go over them (vLLM fused_moe.py, write_zeros_to_output). */
static double between_bytes(const clg_replica *r, const clg_mlp *mlp, double tokens, double width,
                            double rows) {
    double hidden = (double)r->scenario->model.hidden, matrices = mlp->gated ? 3 : 2;
    if (r->expert_kernels != CLG_EXPERTS_TIMED)
        return 2 * fmax(rows, tokens * mlp->experts_per_token) * (2 * hidden + matrices * width);
    double seen = r->dp > 1 && r->engine.gathers <= 0 ? fmin(tokens, rows) : tokens;
    return 2 * rows * (2 * hidden + matrices * width) + (r->ep > 1 ? 4 * seen * hidden : 0);
}

/* Routing, both products and the sum of the fullest GPU's experts of a width, for the tokens of all
 * ranks: experts that get a token are read and padded to whole tiles. */
static double experts_s(const clg_replica *r, const clg_mlp *mlp, double tokens, double width) {
    const clg_gpu *gpu = &r->scenario->machine.gpu;
    double hidden = (double)r->scenario->model.hidden, matrices = mlp->gated ? 3 : 2;
    double each = (double)mlp->experts_per_token / mlp->experts;
    double reached = clg_experts_reached(r->expert_spread, each, tokens);
    double touched = (double)mlp->experts / r->ep * reached;
    double even = tokens * mlp->experts_per_token / r->ep;
    double uneven = r->balanced ? 0 : r->expert_spread; /* of ranks, in the long run */
    double rows = even * fmax(r->scenario->expert_imbalance,
                              clg_fullest_rank(uneven, r->ep, mlp->experts, even));
    const clg_expert_curve *c = clg_expert_curve_of(r);
    double bytes = touched * matrices * hidden * width * clg_precision_bytes(r->weights);
    double between = between_bytes(r, mlp, tokens, width, rows);
    double more = r->expert_kernels == CLG_EXPERTS_DEEPGEMM ? r->engine.deepgemm_s : 0;
    double flop = 2 * matrices * hidden * width * (rows + touched * c->pad);
    double rate = gpu->peak_flop_per_s[r->compute] * c->flop_share;
    return fmax(flop / rate, hbm_s(r, bytes, c->hbm_share)) +
           hbm_s(r, between, c->activation_hbm_share) + fixed_s(r, c->launch_s) + more;
}

static double memory_s(const clg_replica *r, double bytes) {
    const clg_kernels *k = &r->scenario->kernels;
    double fixed = k->memory.launch_s;
    return clg_memory_bound_s(&r->scenario->machine.gpu, k, bytes) - fixed + fixed_s(r, fixed);
}

double clg_kv_heads_of(const clg_replica *r, const clg_attention *a) {
    return fmax(1, (double)a->kv_heads / r->tp);
}

static double latent_s(const clg_replica *r, const clg_attention *a, double t, double hidden) {
    double heads = (double)a->heads / r->tp, plain = a->head_dim - a->rope_dim;
    double queries = heads * a->head_dim;
    double low =
        a->kv_rank + a->rope_dim; /* engines make it together with the low rank of queries */
    double s = a->query_rank > 0
                   ? product_s(r, r->attention_weights, t, a->query_rank + low, hidden) +
                         product_s(r, r->attention_weights, t, queries, a->query_rank)
                   : product_s(r, r->attention_weights, t, queries + low, hidden);
    s += product_s(r, r->attention_weights, t, heads * plain, a->kv_rank);
    s += product_s(r, r->attention_weights, t, heads * a->value_head_dim, a->kv_rank);
    return s + product_s(r, r->attention_weights, t, hidden, heads * a->value_head_dim);
}

/* Whether prompts of the mean length are computed as dense attention: engines skip the indexer up
 * to a length (SGLang: MHA of expanded heads up to top_k). */
bool clg_dense_prompts(const clg_replica *r) {
    return r->mean_prompt_tokens <= r->engine.dense_prompt_tokens;
}

/* The indexer beside scores and choice, whole on every rank: queries in the weights' format; key
 * and weights of heads in one 16-bit product; norm, rotation, and casts of queries and key. */
static double indexer_s(const clg_replica *r, const clg_attention *a, double t, double hidden) {
    const clg_indexer *i = &a->indexer;
    if (!clg_is_sparse(a) || i->shared) return 0;
    bool latent = a->kind == CLG_ATTENTION_LATENT;
    double from = latent && a->query_rank > 0 ? a->query_rank : hidden;
    double queries = (double)i->heads * i->dim, beside = i->dim + (latent ? i->heads : 0);
    return product_s(r, r->attention_weights, t, queries, from) +
           product_s(r, CLG_BF16, t, beside, hidden) + memory_s(r, 4 * t * i->dim) +
           memory_s(r, 4 * t * (queries + i->dim)) + memory_s(r, 3 * t * queries) +
           memory_s(r, 3 * t * i->dim) +
           fixed_s(r, clg_sparse_fixed_s(&r->sparse, a, r->mean_context_tokens));
}

static double reduce_s(const clg_replica *r, double bytes);

/* Norms on queries and keys: one kernel each; over all heads, sums of squares cross the group. */
static double head_norms_s(const clg_replica *r, const clg_attention *a, double t) {
    if (!a->query_key_norm) return 0;
    double heads = (double)a->heads / r->tp, kv = clg_kv_heads_of(r, a);
    return memory_s(r, 4 * t * heads * a->head_dim) + memory_s(r, 4 * t * kv * a->head_dim) +
           (a->norm_over_heads ? reduce_s(r, 8 * t) : 0);
}

/* Projections of a state layer, its convolution and its gated norm; keys that fewer groups share
 * than there are ranks are on several. What the state takes is beside this: serve/states.h. */
static double state_products_s(const clg_replica *r, const clg_attention *a, double t,
                               double hidden) {
    double values = (double)a->heads / r->tp * a->value_head_dim;
    double repeated = clg_kv_heads_of(r, a) - (double)a->kv_heads / r->tp;
    double columns = (double)clg_state_columns(a) / r->tp + 2 * repeated * a->head_dim;
    double channels = 2 * clg_kv_heads_of(r, a) * a->head_dim + values;
    double rank = (double)clg_state_gate_rank(a), s = 0;
    if (rank > 0)
        s += product_s(r, r->attention_weights, t, 2 * rank, hidden) +
             product_s(r, r->attention_weights, t, (double)a->heads / r->tp * a->head_dim, rank) +
             product_s(r, r->attention_weights, t, values, rank);
    if (a->convolution > 0) s += memory_s(r, 4 * t * channels);
    return s + product_s(r, r->attention_weights, t, columns, hidden) +
           product_s(r, r->attention_weights, t, hidden, values) + memory_s(r, 6 * t * values) +
           fixed_s(r, r->scenario->kernels.memory.launch_s);
}

static double attention_products_s(const clg_replica *r, const clg_attention *a, double t,
                                   double hidden) {
    if (a->kind == CLG_ATTENTION_NONE) return 0;
    if (a->kind == CLG_ATTENTION_LINEAR) return state_products_s(r, a, t, hidden);
    if (a->kind == CLG_ATTENTION_LATENT) return latent_s(r, a, t, hidden);
    double heads = (double)a->heads / r->tp, kv = clg_kv_heads_of(r, a);
    double columns = (heads + kv) * a->head_dim + kv * a->value_head_dim;
    double gate = a->output_gate ? memory_s(r, 6 * t * heads * a->value_head_dim) : 0;
    if (a->output_gate) columns += heads * a->head_dim;
    double rotary = a->rotary ? memory_s(r, 4 * t * (heads + kv) * a->head_dim) : 0;
    return product_s(r, r->attention_weights, t, columns, hidden) +
           product_s(r, r->attention_weights, t, hidden, heads * a->value_head_dim) + rotary +
           gate + head_norms_s(r, a, t);
}

static double dense_mlp_s(const clg_replica *r, const clg_mlp *mlp, double t, double width,
                          double hidden) {
    if (width <= 0) return 0;
    double wide = (mlp->gated ? 2 : 1) * width;
    return product_s(r, r->weights, t, wide, hidden) + product_s(r, r->weights, t, hidden, width) +
           memory_s(r, 2 * t * (wide + width));
}

/* `t` tokens on this rank, as many on each of the others. */
static double mlp_s(const clg_replica *r, const clg_mlp *mlp, double t, double hidden) {
    if (mlp->kind == CLG_MLP_NONE) return 0;
    if (mlp->kind == CLG_MLP_DENSE) return dense_mlp_s(r, mlp, t, (double)mlp->ffn / r->tp, hidden);
    double width = (double)mlp->expert_ffn * r->ep / (r->tp * r->dp);
    return product_s(r, CLG_BF16, t, mlp->experts, hidden) + experts_s(r, mlp, t * r->dp, width) +
           dense_mlp_s(r, mlp, t, (double)mlp->shared_ffn / r->tp, hidden);
}

/* A replica has whole nodes to itself, as many as it needs. */
static clg_group group_of(const clg_replica *r, int ranks, int stride) {
    clg_machine machine = r->scenario->machine;
    int box = machine.node.gpus > 0 ? machine.node.gpus : 1;
    int nodes = (clg_replica_part_gpus(r) + box - 1) / box;
    if (machine.gpus < nodes * box) machine.gpus = nodes * box;
    return clg_machine_group(&machine, ranks, stride);
}

/* Those timed over faster links than the box's say nothing of it; a tenth is between makers. */
static bool reduces_timed_here(const clg_replica *r, clg_group group) {
    double link = r->scenario->machine.node.link_bytes_per_s;
    return group.per_domain >= r->tp && link >= 0.9 * r->curves.reduce_link_bytes_per_s;
}

/* The engine's own one-shot kernel for small messages, the library's best for large ones. */
static double reduce_s(const clg_replica *r, double bytes) {
    if (r->tp == 1) return 0;
    double library;
    clg_group group = group_of(r, r->tp, 1);
    clg_collective_best(&r->scenario->network, CLG_ALL_REDUCE, group, bytes, &library);
    if (!reduces_timed_here(r, group)) return library;
    return fmin(library, clg_reduce_curve_s(&r->curves, r->tp, bytes));
}

/* Of a GPU to other boxes, before protocols. */
static double line_bytes_per_s(const clg_replica *r) {
    return clg_machine_line_bytes_per_s(&r->scenario->machine);
}

/* Tokens of other ranks to the experts here and back: all of them gathered and their sums
 * scattered, as with experts split in width; or, in engines that send tokens to their experts, fp8
 * there and 16 bit back. */
static double exchange_s(const clg_replica *r, const clg_mlp *mlp, double t, bool decoding) {
    if (mlp->kind != CLG_MLP_MOE || r->dp == 1) return 0;
    const clg_network *network = &r->scenario->network;
    double hidden = (double)r->scenario->model.hidden, there, back, gathered = 2 * t * hidden;
    clg_group all = group_of(r, r->tp * r->dp, 1);
    if (r->engine.deepep > 0 && r->tp == 1 && r->ep == r->dp && all.per_domain < all.ranks)
        return decoding ? clg_exchange_decode_s(&r->exchange, network, line_bytes_per_s(r),
                                                all.ranks, mlp, hidden, t)
                        : clg_exchange_prompt_s(network, all, mlp, hidden, t);
    double copies = fmin(mlp->experts_per_token, r->ep) / r->tp;
    if (r->ep > 1 && r->engine.gathers <= 0) {
        clg_collective_best(network, CLG_ALL_TO_ALL, all, t * hidden * copies, &there);
        clg_collective_best(network, CLG_ALL_TO_ALL, all, 2 * t * hidden * copies, &back);
    } else {
        clg_collective_best(network, CLG_ALL_GATHER, all, gathered * r->dp, &there);
        clg_collective_best(network, CLG_REDUCE_SCATTER, all, gathered * r->dp, &back);
    }
    return there + back;
}

static void add_layer(const clg_replica *r, const clg_layer_kind *kind, double t, bool decoding,
                      double layers, double part[CLG_ITERATION_PARTS]) {
    double hidden = (double)r->scenario->model.hidden;
    clg_attention_kind attention = kind->attention.kind;
    bool attends = attention == CLG_ATTENTION_GROUPED || attention == CLG_ATTENTION_LATENT;
    double reductions = (kind->attention.kind != CLG_ATTENTION_NONE) +
                        (kind->mlp.kind != CLG_MLP_NONE && !kind->parallel);
    clg_iteration_part mlp = kind->mlp.kind == CLG_MLP_MOE ? CLG_SPENT_EXPERTS : CLG_SPENT_MLP;
    part[CLG_SPENT_PROJECTIONS] += layers * attention_products_s(r, &kind->attention, t, hidden);
    part[mlp] += layers * mlp_s(r, &kind->mlp, t, hidden);
    part[CLG_SPENT_NORMS] += layers * kind->norms * memory_s(r, 8 * t * hidden);
    if (attends)
        part[CLG_SPENT_ATTENTION] += layers * fixed_s(r, r->curves.cache[r->cache].launch_s);
    part[CLG_SPENT_ATTENTION] += layers * indexer_s(r, &kind->attention, t, hidden);
    part[CLG_SPENT_REDUCTIONS] += layers * reductions * reduce_s(r, 2 * t * hidden);
    part[CLG_SPENT_EXCHANGE] += layers * exchange_s(r, &kind->mlp, t, decoding);
    part[CLG_SPENT_HOST] += layers * r->engine.layer_s;
}

static double sum_of(const double part[CLG_ITERATION_PARTS]) {
    double sum = 0;
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) sum += part[i];
    return sum;
}

static double layer_s(const clg_replica *r, const clg_layer_kind *kind, double t, bool decoding) {
    double part[CLG_ITERATION_PARTS] = {0};
    add_layer(r, kind, t, decoding, 1, part);
    return sum_of(part);
}

/* Logits are made for sequences, not for prompt tokens; sampling reads them as fp32. */
static double head_s(const clg_replica *r, double t) {
    const clg_model *m = &r->scenario->model;
    double rows = fmin(t, (double)r->rules.max_sequences / r->dp),
           columns = (double)m->vocab / r->tp;
    return product_s(r, CLG_BF16, rows, columns, (double)m->hidden) +
           memory_s(r, 8 * rows * columns);
}

static double sends_s(const clg_replica *r, double t) {
    if (r->pp == 1) return 0;
    double one;
    clg_group pair = group_of(r, 2, r->tp);
    clg_collective_best(&r->scenario->network, CLG_SEND_RECEIVE, pair,
                        2 * t * (double)r->scenario->model.hidden / r->tp, &one);
    return (r->pp - 1) * one;
}

const clg_name clg_iteration_part_names[] = {
    {"attention's products", CLG_SPENT_PROJECTIONS, "queries, keys, values, output"},
    {"MLP", CLG_SPENT_MLP, "dense layers"},
    {"experts", CLG_SPENT_EXPERTS, "router, routed and shared experts"},
    {"norms", CLG_SPENT_NORMS, "over the hidden width"},
    {"attention", CLG_SPENT_ATTENTION, "cache, states and indexes, and fixed times"},
    {"reductions", CLG_SPENT_REDUCTIONS, "sums over tensor-parallel GPUs"},
    {"exchange", CLG_SPENT_EXCHANGE, "tokens to experts on other GPUs and back"},
    {"logits", CLG_SPENT_HEAD, "output head and sampling"},
    {"sends", CLG_SPENT_SENDS, "between pipeline stages"},
    {"padding and launches", CLG_SPENT_PADDING, "to the next graph kept; drafts; slow launches"},
    {"host", CLG_SPENT_HOST, "what the GPU waits for"},
    {NULL, 0, NULL}};

/* Of top-k and top-p, for a sequence: engines sort all its logits, on every rank of a group. */
double clg_filter_sequence_s(const clg_replica *r) {
    double bytes = r->engine.filter_logit_bytes * (double)r->scenario->model.vocab;
    return r->filtered ? hbm_s(r, bytes, 1) : 0;
}

static void layer_parts(const clg_replica *r, double t, bool decoding,
                        double part[CLG_ITERATION_PARTS]) {
    const clg_model *m = &r->scenario->model;
    double layers[CLG_LAYER_KINDS] = {0};
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) part[i] = 0;
    for (int l = 0; l < m->layers; l++) layers[m->layer_kind[l]]++;
    for (int k = 0; k < m->kinds; k++) add_layer(r, &m->kind[k], t, decoding, layers[k], part);
}

/* Attention over contexts beside `t` tokens of each rank, which is priced apart but hides exchange
 * too: sequences of the mean context, or prompts of the mean length. */
static double beside_s(const clg_replica *r, double t, bool decoding) {
    double all = t * r->pp * r->dp;
    return decoding ? all * r->mean_context_tokens * r->cost.context_s
                    : all * r->mean_prompt_tokens / 2 * r->cost.pair_s;
}

/* Two halves in turn (DeepSeek-V3, arXiv:2412.19437, section 3.4; SGLang two_batch_overlap.py):
 * the exchange of one runs while the other is computed, so layers take the longer of both, and
 * what the first half sends in the first layer nothing hides. Weights are read for each half.
 * Kernels that exchange prompts keep some multiprocessors from the products. */
static void overlapped_parts(const clg_replica *r, double t, bool decoding,
                             double part[CLG_ITERATION_PARTS]) {
    layer_parts(r, ceil(t / 2), decoding, part);
    double all = r->scenario->machine.gpu.multiprocessors, taken = r->exchange.multiprocessors;
    double slower = decoding || taken >= all ? 1 : all / (all - taken);
    double half = part[CLG_SPENT_EXCHANGE];
    part[CLG_SPENT_EXCHANGE] = 0;
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) part[i] *= 2 * slower;
    double shown = 2 * half - beside_s(r, t, decoding) - sum_of(part);
    part[CLG_SPENT_EXCHANGE] = fmax(0, shown) + half / r->scenario->model.layers;
}

/* All of a batch that computes prompts, or decodes, without its contexts. */
static void dense_parts(const clg_replica *r, double tokens, bool decoding,
                        double part[CLG_ITERATION_PARTS]) {
    double t = ceil(tokens / (r->pp * r->dp));
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) part[i] = 0;
    if (t < 1) return;
    if (r->two_batches && r->dp > 1 && t > 1)
        overlapped_parts(r, t, decoding, part);
    else
        layer_parts(r, t, decoding, part);
    part[CLG_SPENT_HEAD] = r->pp * head_s(r, t); /* of the last stage, for all micro-batches */
    if (r->filtered) part[CLG_SPENT_HEAD] += r->pp * r->engine.filter_s;
    part[CLG_SPENT_SENDS] = sends_s(r, t);
    part[CLG_SPENT_HOST] += r->pp * r->engine.step_s;
}

double clg_dense_iteration_s(const clg_replica *r, double tokens, bool decoding) {
    double part[CLG_ITERATION_PARTS];
    dense_parts(r, tokens, decoding, part);
    return sum_of(part);
}

double clg_replica_dense_s(const clg_replica *r, double tokens) {
    return clg_dense_iteration_s(r, tokens, false);
}

clg_iteration clg_replica_iteration(const clg_replica *r, double sequences, double context_tokens) {
    const clg_iteration_cost *c = &r->cost;
    clg_iteration i = {.sequences = fmax(1, rint(sequences)), .context_tokens = context_tokens};
    double *part = i.part, tokens = i.sequences * (c->drafted + 1), host = 0;
    dense_parts(r, tokens, true, part);
    int places = (int)i.sequences;
    bool graph = c->decode_s && places <= c->decodes;
    if (graph) part[CLG_SPENT_PADDING] = c->decode_s[places] - sum_of(part);
    part[CLG_SPENT_ATTENTION] +=
        i.sequences * ((context_tokens + c->context_pad) * c->context_s + c->state_s);
    double kernels = sum_of(part);
    double sorts = i.sequences * clg_filter_sequence_s(r) / r->dp;
    part[CLG_SPENT_HEAD] += sorts;
    host = c->sequence_s * i.sequences - sorts;
    host += fmax(0, c->loop_s + i.sequences * c->loop_sequence_s - kernels);
    part[CLG_SPENT_HOST] += host;
    i.seconds = kernels + sorts + host;
    return i;
}

/* Proposing: one more layer and the head for each token in turn, as with prediction modules. */
double clg_draft_s(const clg_replica *r, double tokens, int drafted) {
    const clg_model *m = &r->scenario->model;
    double each = ceil(tokens / (drafted + 1) / (r->pp * r->dp));
    if (drafted == 0) return 0;
    const clg_layer_kind *last = &m->kind[m->layer_kind[m->layers - 1]];
    return drafted * (layer_s(r, last, each, true) + head_s(r, each));
}
