/* replica.c -- memory of a replica and the cost of its iterations.
 *
 *   iteration = host + products(T) + memory-bound kernels(T) + reductions(T)
 *             + context_s x tokens in the cache of the decoding + pair_s x pairs of the prefill
 *             + state_s x sequences that decode + scan_s x tokens of the prefill
 *
 * A product takes the longer of its arithmetic (cost/gemm) and the read of its weights. With
 * pipeline stages an iteration is cut in as many micro-batches as stages, which follow each other
 * without a gap; so it takes what the last stage takes for all of them: all layers for 1/pp of the
 * work, and the logits and the host's step of each.
 *
 * Left out: overlap of host and GPU, windows that a sequence grows out of
 * (windowed layers count the share of the mean context they see). */
#include "serve/replica.h"

#include "serve/routing.h"
#include "serve/states.h"

#include <math.h>
#include <string.h>

/* Nothing to read and no launch: what is left of clg_gemm_s is arithmetic. */
static clg_kernels arithmetic_only(const clg_kernels *from) {
    clg_kernels k = *from;
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        k.gemm[p].hbm_efficiency = k.grouped[p].hbm_efficiency = 1e9;
        k.gemm[p].launch_s = k.grouped[p].launch_s = 0;
    }
    return k;
}

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
static const clg_expert_curve *expert_curve(const clg_replica *r) {
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
    const clg_expert_curve *c = expert_curve(r);
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

static double kv_heads_of(const clg_replica *r, const clg_attention *a) {
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
static bool dense_prompts(const clg_replica *r) {
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
    double heads = (double)a->heads / r->tp, kv = kv_heads_of(r, a);
    return memory_s(r, 4 * t * heads * a->head_dim) + memory_s(r, 4 * t * kv * a->head_dim) +
           (a->norm_over_heads ? reduce_s(r, 8 * t) : 0);
}

/* Projections of a state layer, its convolution and its gated norm; keys that fewer groups share
 * than there are ranks are on several. What the state takes is beside this: serve/states.h. */
static double state_products_s(const clg_replica *r, const clg_attention *a, double t,
                               double hidden) {
    double values = (double)a->heads / r->tp * a->value_head_dim;
    double repeated = kv_heads_of(r, a) - (double)a->kv_heads / r->tp;
    double columns = (double)clg_state_columns(a) / r->tp + 2 * repeated * a->head_dim;
    double channels = 2 * kv_heads_of(r, a) * a->head_dim + values;
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
    double heads = (double)a->heads / r->tp, kv = kv_heads_of(r, a);
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
    const clg_machine *m = &r->scenario->machine;
    double share = m->fabric.efficiency / fmax(1, m->fabric.oversubscription);
    return clg_machine_inter_bytes_per_s(m) / (share > 0 ? share : 1);
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
static double filter_sequence_s(const clg_replica *r) {
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

static double iteration_s(const clg_replica *r, double tokens, bool decoding) {
    double part[CLG_ITERATION_PARTS];
    dense_parts(r, tokens, decoding, part);
    return sum_of(part);
}

double clg_replica_dense_s(const clg_replica *r, double tokens) {
    return iteration_s(r, tokens, false);
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
    double sorts = i.sequences * filter_sequence_s(r) / r->dp;
    part[CLG_SPENT_HEAD] += sorts;
    host = c->sequence_s * i.sequences - sorts;
    host += fmax(0, c->loop_s + i.sequences * c->loop_sequence_s - kernels);
    part[CLG_SPENT_HOST] += host;
    i.seconds = kernels + sorts + host;
    return i;
}

/* Share of a context of `tokens` that a layer reads; of a longer one than a chunk half a chunk, the
 * mean over places in it. */
static double seen_share(const clg_replica *r, const clg_attention *a, double tokens) {
    if (a->kind == CLG_ATTENTION_NONE || a->kind == CLG_ATTENTION_LINEAR) return 0;
    if (r->engine.no_windows > 0 || a->window <= 0 || tokens <= (double)a->window) return 1;
    return (double)a->window * (a->chunked ? 0.5 : 1) / tokens;
}

/* Bytes one GPU keeps of keys and values, or of the latent, of a token in one layer. */
static double entry_bytes(const clg_replica *r, const clg_attention *a) {
    bool scaled = clg_is_sparse(a) && a->kind == CLG_ATTENTION_LATENT;
    if (scaled && clg_precision_bytes(r->cache) == 1) return clg_sparse_latent_bytes(&r->sparse, a);
    double elements = a->kind == CLG_ATTENTION_LATENT
                          ? a->kv_rank + a->rope_dim
                          : kv_heads_of(r, a) * (a->head_dim + a->value_head_dim);
    return elements * clg_precision_bytes(r->cache);
}

static double layer_cache_bytes(const clg_replica *r, const clg_attention *a) {
    return entry_bytes(r, a) + clg_sparse_key_bytes(&r->sparse, a);
}

/* TensorRT-LLM's kernels that share keys between query heads know no chunks before Blackwell; those
 * that have one thread block per query head take their place, unless no sequence can outgrow a
 * chunk (github NVIDIA/TensorRT-LLM pull request 6306). */
static bool reads_chunks_apart(const clg_replica *r, const clg_attention *a) {
    return r->engine.chunk_reads > 0 && a->chunked && a->window > 0 &&
           (double)r->longest_tokens > (double)a->window &&
           strcmp(r->scenario->machine.gpu.generation, "blackwell") != 0;
}

/* How often decode attention reads each key. */
static double reads_of(const clg_replica *r, const clg_attention *a) {
    if (a->kind == CLG_ATTENTION_LATENT || a->kv_heads < 1) return 1;
    bool apart = r->engine.query_reads > 0 || reads_chunks_apart(r, a);
    return apart ? (double)a->heads / (r->tp * kv_heads_of(r, a)) : 1;
}

/* Of those of a layer, how many one GPU reads per token of context that it decodes. */
static double layer_read_bytes(const clg_replica *r, const clg_attention *a, double context) {
    double bytes = entry_bytes(r, a) * seen_share(r, a, context) * reads_of(r, a);
    if (!clg_is_sparse(a)) return bytes;
    return bytes * clg_sparse_chosen_share(a, context) + clg_sparse_key_bytes(&r->sparse, a);
}

static double dense_layers_read_bytes(const clg_replica *r, double context) {
    const clg_model *m = &r->scenario->model;
    double bytes = 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_attention *a = &m->kind[m->layer_kind[l]].attention;
        if (!clg_is_sparse(a)) bytes += layer_read_bytes(r, a, context);
    }
    return bytes;
}

/* Seconds of a GPU per token of context that `queries` new tokens of a sequence see. */
static double sparse_context_s(const clg_replica *r, double context, int queries) {
    const clg_gpu *gpu = &r->scenario->machine.gpu;
    const clg_model *m = &r->scenario->model;
    double rate = gpu->hbm_bytes_per_s * r->curves.cache[r->cache].hbm_share, sum = 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_attention *a = &m->kind[m->layer_kind[l]].attention;
        if (clg_is_sparse(a))
            sum += clg_sparse_context_s(&r->sparse, gpu, a, (double)a->heads / r->tp,
                                        entry_bytes(r, a), rate, context, queries);
    }
    return sum;
}

static double all_layers_read_bytes(const clg_replica *r, double context) {
    const clg_model *m = &r->scenario->model;
    double bytes = 0;
    for (int l = 0; l < m->layers; l++)
        bytes += layer_read_bytes(r, &m->kind[m->layer_kind[l]].attention, context);
    return bytes;
}

/* The format that latents are multiplied in: that of the cache where it was timed; 8-bit ones are
 * else widened on the way (FlashMLA on Hopper). */
static clg_precision latent_format(const clg_replica *r) {
    return r->curves.latent[r->cache].known ? r->cache : CLG_BF16;
}

/* Decode attention over latents is arithmetic: every query head is multiplied with all of the
 * latent, for keys and again for values, so 128 heads of DeepSeek do 242 flop a byte in 16 bit. */
static double latent_context_s(const clg_replica *r, int queries) {
    const clg_model *m = &r->scenario->model;
    clg_precision format = latent_format(r);
    double share = r->curves.latent[format].flop_share, flop = 0;
    if (share <= 0) return 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_attention *a = &m->kind[m->layer_kind[l]].attention;
        if (a->kind == CLG_ATTENTION_LATENT && !clg_is_sparse(a))
            flop += 2.0 * a->heads / r->tp * queries * (2.0 * a->kv_rank + a->rope_dim);
    }
    return flop / (r->scenario->machine.gpu.peak_flop_per_s[format] * share);
}

static bool any_sparse(const clg_model *m) {
    for (int k = 0; k < m->kinds; k++)
        if (clg_is_sparse(&m->kind[k].attention)) return true;
    return false;
}

static double all_layers_cache_bytes(const clg_replica *r, double context_tokens) {
    const clg_model *m = &r->scenario->model;
    double bytes = 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_attention *a = &m->kind[m->layer_kind[l]].attention;
        bytes += layer_cache_bytes(r, a) * seen_share(r, a, context_tokens);
    }
    return bytes;
}

/* What an iteration reads of a token, and what the token keeps, differ where layers with a window
 * keep what they no longer see. */
static double kept_cache_bytes(const clg_replica *r, double context_tokens) {
    return all_layers_cache_bytes(r, r->engine.whole_windows > 0 ? 1 : context_tokens);
}

/* What weights and cache may take of a GPU. SGLang by default leaves what it reckons the rest
 * needs, not a share (server_args.py, _handle_gpu_memory_settings). */
static double static_bytes(const clg_replica *r, double usable) {
    const clg_engine *e = &r->engine;
    double graphs = clg_engine_graph_most(e, r->tp * r->dp), tokens = r->rules.max_tokens / r->dp;
    double reserve = e->reserve_bytes + e->reserve_token_bytes * fmax(tokens, 2048) +
                     e->reserve_graph_bytes * graphs +
                     e->reserve_rank_bytes * clg_replica_part_gpus(r);
    if (r->dp > 1) reserve += (graphs > 300 ? 2.25 : 1.5) * e->reserve_graph_bytes * graphs * r->dp;
    return usable - fmax(reserve, e->reserve_least_bytes);
}

/* Seconds per query-key pair of a prefill chunk of the mean prompt in one layer. */
static double layer_pair_s(const clg_replica *r, const clg_attention *a, double prompt) {
    if (a->kind == CLG_ATTENTION_NONE || a->kind == CLG_ATTENTION_LINEAR) return 0;
    double memory =
        r->scenario->machine.gpu.hbm_bytes_per_s * r->scenario->kernels.memory.efficiency;
    if (clg_is_sparse(a) && !dense_prompts(r))
        return clg_sparse_pair_s(&r->sparse, &r->scenario->machine.gpu, a, (double)a->heads / r->tp,
                                 memory, prompt);
    double length = fmin(fmax(prompt, 256), r->rules.max_tokens), pairs = length * length / 2;
    clg_op op = {.kind = CLG_OP_ATTENTION, .count = 1};
    op.attention.batch = 1;
    op.attention.heads = (double)a->heads / r->tp;
    op.attention.kv_heads = kv_heads_of(r, a);
    op.attention.head_dim = a->head_dim;
    op.attention.value_head_dim = a->value_head_dim;
    op.attention.query_tokens = op.attention.key_tokens = length;
    op.attention.causal = op.attention.fused = true;
    op.flop = 2 * op.attention.heads * (a->head_dim + a->value_head_dim) * pairs;
    double all = clg_attention_s(&r->scenario->machine.gpu, &r->scenario->kernels, r->attention,
                                 CLG_BF16, &op);
    double launch = r->scenario->kernels.attention[r->attention].launch_s;
    return (all - launch) / pairs * seen_share(r, a, prompt / 2);
}

static double pair_s(const clg_replica *r, double prompt) {
    const clg_model *m = &r->scenario->model;
    double sum = 0;
    for (int l = 0; l < m->layers; l++)
        sum += layer_pair_s(r, &m->kind[m->layer_kind[l]].attention, prompt);
    return sum / (r->pp * r->dp);
}

static double up_to(double size, double multiple) {
    return multiple > 0 ? ceil(size / multiple) * multiple : size;
}

/* Stored experts over those of the checkpoint: kernels want sizes of whole tiles. */
static double experts_padding(const clg_replica *r, const clg_mlp *mlp) {
    const clg_expert_curve *c = expert_curve(r);
    if (mlp->kind != CLG_MLP_MOE) return 1;
    double hidden = (double)r->scenario->model.hidden;
    double width = (double)mlp->expert_ffn * r->ep / (r->tp * r->dp);
    return up_to(hidden, c->hidden_multiple) / hidden * up_to(width, c->width_multiple) / width;
}

static double layer_weight_bytes(const clg_replica *r, const clg_layer_kind *kind) {
    const clg_layer_parameters *p = &kind->parameters;
    double experts = (double)p->experts * experts_padding(r, &kind->mlp);
    double narrow = (double)p->mlp / r->tp + experts / (r->tp * r->dp);
    double attention = (double)p->attention / r->tp * clg_precision_bytes(r->attention_weights);
    return attention + narrow * clg_precision_bytes(r->weights) + 2 * (double)p->replicated;
}

/* Cosines and sines of all positions the model knows, one table a GPU: 5.4 GB for the ten million
 * of Llama 4 Scout. */
static double rotation_bytes(const clg_replica *r) {
    const clg_model *m = &r->scenario->model;
    for (int k = 0; k < m->kinds; k++) {
        const clg_attention *a = &m->kind[k].attention;
        double turned = a->kind == CLG_ATTENTION_LATENT ? a->rope_dim : a->head_dim;
        if (a->rotary) return r->engine.position_bytes * (double)m->max_seq * turned;
    }
    return 0;
}

/* Quantized checkpoints keep embeddings, head and norms in 16 bit. */
static double weight_bytes(const clg_replica *r) {
    const clg_model *m = &r->scenario->model;
    double ends = 2 * (double)(m->embedding_parameters + m->head_parameters) / r->tp, sum = 0;
    for (int l = 0; l < m->layers; l++) sum += layer_weight_bytes(r, &m->kind[m->layer_kind[l]]);
    return (r->pp == 1 ? sum + ends : sum / r->pp + ends / 2) + rotation_bytes(r);
}

/* Of one token in experts: a copy for each of its experts, in their format and 16 bit again, and
 * what lies between the products. Ranks that gather make room for the tokens of all of them, and
 * for the worst case that all are their own (TensorRT-LLM and vLLM size workspaces so). */
static double expert_token_bytes(const clg_replica *r, const clg_mlp *mlp) {
    double narrow = clg_precision_bytes(r->weights), hidden = (double)r->scenario->model.hidden;
    double width = (double)mlp->expert_ffn * r->ep / (r->tp * r->dp);
    double seen = r->dp > 1 && r->engine.gathers > 0 ? r->dp : 1;
    double between = width * (2 * (mlp->gated ? 2 : 1) + narrow);
    return seen * mlp->experts_per_token * (hidden * (narrow + 2) + between);
}

/* Of the largest iteration: a few hidden-wide tensors, the widest MLP, the logits. vLLM profiles
 * layers and sampling one after the other, with logits of all ranks on each. */
static double activation_bytes(const clg_replica *r) {
    const clg_model *m = &r->scenario->model;
    double widest = 0;
    for (int k = 0; k < m->kinds; k++) {
        const clg_mlp *mlp = &m->kind[k].mlp;
        bool experts = mlp->kind == CLG_MLP_MOE;
        double width = (double)(experts ? mlp->shared_ffn : mlp->ffn);
        double bytes = 6 * width / r->tp + (experts ? expert_token_bytes(r, mlp) : 0);
        widest = fmax(widest, bytes);
    }
    double layers = (double)r->rules.max_tokens / r->dp * (12 * (double)m->hidden + widest);
    double logits = (double)r->rules.max_sequences / r->dp * (double)m->vocab;
    if (r->engine.logit_bytes > 0) return fmax(layers, r->engine.logit_bytes * logits);
    return layers + 8 * logits / r->tp;
}

static void settle_rules(clg_replica *r, const clg_replica_choice *c) {
    r->rules.max_sequences =
        c->max_sequences > 0 ? c->max_sequences : (int)r->engine.max_sequences * r->dp;
    r->rules.max_tokens = c->max_tokens > 0 ? c->max_tokens : (int)r->engine.max_tokens * r->dp;
    if (r->rules.max_tokens < r->rules.max_sequences) r->rules.max_tokens = r->rules.max_sequences;
    r->rules.block_tokens = (int)r->engine.block_tokens;
    r->rules.reserve_output = r->engine.reserve_output > 0;
    r->rules.prefill_alone = r->engine.prefill_alone > 0;
    r->rules.no_prefix_cache = c->no_prefix_cache;
    r->rules.whole_prompts = r->engine.whole_prompts > 0;
    r->rules.overlapped = r->engine.overlapped > 0;
    r->rules.turn_s = r->engine.turn_s;
    r->rules.before_s = r->engine.before_s;
    r->rules.prompt_token_s = r->engine.prompt_token_s;
    r->rules.front_ends = r->dp; /* vLLM: api_server_count is that of ranks */
    r->rules.after_s = r->engine.after_s;
    r->rules.token_s = r->engine.token_s;
}

static void settle_memory(clg_replica *r, const clg_replica_choice *c, double context) {
    double share = c->memory_share > 0 ? c->memory_share : r->engine.memory_share;
    r->weight_bytes = weight_bytes(r);
    r->activation_bytes = activation_bytes(r);
    r->cache_bytes_per_token = kept_cache_bytes(r, context) / r->pp;
    r->read_bytes_per_token = any_sparse(&r->scenario->model)
                                  ? all_layers_read_bytes(r, context) / r->pp
                                  : r->cache_bytes_per_token;
    double beside = r->activation_bytes + r->engine.other_bytes;
    double taken = r->weight_bytes + (r->engine.static_share > 0 ? 0 : beside);
    double usable = r->scenario->machine.gpu.memory_usable_bytes;
    r->cache_room_bytes =
        r->engine.free_share > 0 ? share * (usable - taken) : share * usable - taken;
    bool boxed = clg_replica_part_gpus(r) <= r->scenario->machine.node.gpus; /* wider: by recipe */
    if (r->engine.reserve_least_bytes > 0 && c->memory_share <= 0 && boxed)
        r->cache_room_bytes = static_bytes(r, usable) - taken;
    double per_block = r->cache_bytes_per_token * r->rules.block_tokens;
    double room = r->dp * r->cache_room_bytes;
    double blocks = room > 0 && per_block > 0 ? room / per_block : 0;
    r->rules.blocks = (int64_t)fmin(blocks, 1e15);
    r->state_bytes = clg_states_bytes(r);
    if (r->state_bytes > 0) clg_states_place(r, room, r->cache_bytes_per_token, c->drafted);
    if (c->blocks > 0) r->rules.blocks = c->blocks;
}

double clg_replica_gained_tokens(int drafted, double accepted) {
    double sum = 0, chance = 1;
    for (int i = 0; i <= drafted; i++, chance *= accepted) sum += chance;
    return sum;
}

/* Proposing: one more layer and the head for each token in turn, as with prediction modules. */
static double draft_s(const clg_replica *r, double tokens, int drafted) {
    const clg_model *m = &r->scenario->model;
    double each = ceil(tokens / (drafted + 1) / (r->pp * r->dp));
    if (drafted == 0) return 0;
    const clg_layer_kind *last = &m->kind[m->layer_kind[m->layers - 1]];
    return drafted * (layer_s(r, last, each, true) + head_s(r, each));
}

clg_replica clg_replica_slowed(clg_arena *arena, const clg_replica *replica, double scale) {
    clg_replica r = *replica;
    double *dense = clg_take(arena, (size_t)r.cost.max_tokens + 1, double);
    for (int i = 0; i <= r.cost.max_tokens; i++) dense[i] = replica->cost.dense_s[i] * scale;
    r.cost.dense_s = dense;
    double *decode = clg_take(arena, (size_t)r.cost.decodes + 1, double);
    for (int i = 0; i <= r.cost.decodes; i++) decode[i] = replica->cost.decode_s[i] * scale;
    r.cost.decode_s = decode;
    r.cost.context_s *= scale;
    r.cost.pair_s *= scale;
    r.cost.state_s *= scale;
    r.cost.scan_s *= scale;
    r.cost.sequence_s *= scale;
    r.cost.eager_s *= scale;
    r.cost.loop_s *= scale;
    r.cost.loop_sequence_s *= scale;
    if (!r.prefill) return r;
    clg_replica *prefill = clg_take(arena, 1, clg_replica);
    *prefill = clg_replica_slowed(arena, r.prefill, scale);
    r.prefill = prefill;
    return r;
}

/* Seconds on this node's host of what takes an x86 one so many. */
static double host_s(const clg_replica *r, double seconds) {
    double time = r->scenario->machine.node.host_time;
    return time > 0 ? seconds * time : seconds;
}

/* What the host of a stage takes to launch a micro-batch kernel by kernel: its share of the layers.
 */
static double eager_s(const clg_replica *r) {
    const clg_model *m = &r->scenario->model;
    double once = r->engine.step_s + r->engine.loop_s + r->engine.eager_step_s, sum = 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_layer_kind *kind = &m->kind[m->layer_kind[l]];
        sum += r->engine.eager_layer_s;
        if (kind->mlp.kind == CLG_MLP_MOE) sum += r->engine.eager_expert_s;
    }
    return host_s(r, once + sum / r->pp);
}

/* Of the host of a rank for each sequence of an iteration; ranks work side by side. */
static double loop_sequence_s(const clg_replica *r) {
    return host_s(r, r->engine.loop_sequence_s) / r->dp;
}

/* Seconds by sequences that decode alone: each rank's share is padded to the next graph kept, or
 * launched kernel by kernel where none is. A graph is kept for the largest batch too. */
static const double *decode_costs(clg_arena *arena, const clg_replica *r,
                                  const clg_replica_choice *c) {
    const clg_graph_sizes *graphs = c->graphs ? c->graphs : &r->engine.graphs;
    int shared = r->pp * r->dp, most = r->rules.max_sequences, proposed = c->drafted + 1;
    int largest = (most + shared - 1) / shared, kept = -1;
    double kept_most = c->graphs ? 0 : clg_engine_graph_most(&r->engine, r->tp * r->dp);
    if (c->graph_most > 0) kept_most = c->graph_most;
    double *decode = clg_take(arena, (size_t)most + 1, double), seconds = 0;
    for (int b = 1; b <= most; b++) {
        int each = (b + shared - 1) / shared, padded = clg_graph_padded(graphs, each);
        if (kept_most > 0 && each > kept_most) padded = 0;
        if (padded == 0 && each <= c->graph_most) padded = each;
        int size = padded > 0 ? (padded < largest ? padded : largest) : each;
        if (size != kept) {
            double tokens = (double)size * shared * proposed;
            seconds = iteration_s(r, tokens, true) + draft_s(r, tokens, c->drafted);
            if (padded == 0) seconds = fmax(seconds, r->pp * eager_s(r) + b * loop_sequence_s(r));
            kept = size;
        }
        decode[b] = seconds;
    }
    return decode;
}

static void settle_cost(clg_arena *arena, clg_replica *r, const clg_replica_choice *c,
                        double context) {
    const clg_gpu *gpu = &r->scenario->machine.gpu;
    double *dense = clg_take(arena, (size_t)r->rules.max_tokens + 1, double);
    int shared = r->pp * r->dp; /* ranks and stages share tokens out: steps of so many */
    double rate = gpu->hbm_bytes_per_s * r->curves.cache[r->cache].hbm_share;
    double read_s = dense_layers_read_bytes(r, context) / rate;
    double latent_s = latent_context_s(r, c->drafted + 1);
    double sparse_s = sparse_context_s(r, context, c->drafted + 1);
    r->cost.context_s = (fmax(read_s, latent_s) + sparse_s) / (r->pp * r->dp);
    r->cost.pair_s = pair_s(r, r->mean_prompt_tokens);
    for (int t = 1; t <= r->rules.max_tokens; t++)
        dense[t] = t > 1 && (t - 1) % shared != 0
                       ? dense[t - 1]
                       : clg_replica_dense_s(r, t) + draft_s(r, t, c->drafted);
    r->cost = (clg_iteration_cost){
        .dense_s = dense,
        .max_tokens = r->rules.max_tokens,
        .decode_s = decode_costs(arena, r, c),
        .decodes = r->rules.max_sequences,
        .sequence_s = r->engine.sequence_s / r->dp,
        .context_s = r->cost.context_s,
        .context_pad = latent_s > read_s ? r->curves.latent[latent_format(r)].pad : 0,
        .pair_s = r->cost.pair_s,
        .eager_s = eager_s(r),
        .stages = r->pp,
        .loop_s = host_s(r, r->engine.loop_s),
        .loop_sequence_s = loop_sequence_s(r),
        .graph_tokens = (int)r->engine.graph_tokens,
        .graph_context = (int64_t)r->engine.graph_context,
        .ranks = r->dp,
        .drafted = c->drafted,
        .gained = clg_replica_gained_tokens(c->drafted, c->accepted)};
    r->cost.state_s = clg_states_decode_s(r, c->drafted);
    r->cost.scan_s = clg_states_prompt_token_s(r);
}

static bool needs_more(const clg_replica *r, const clg_demand *demand) {
    return r->rules.blocks < 1 ||
           r->rules.blocks < clg_serve_blocks(&r->rules, demand->longest_tokens);
}

/* Engines take the fastest kernel there is for the GPU. */
static clg_attention_kernel attention_of(const clg_kernels *k) {
    int best = CLG_FLASH2;
    for (int i = CLG_FLASH2; i < CLG_ATTENTION_KERNELS; i++)
        if (k->attention[i].known &&
            k->attention[i].forward_efficiency > k->attention[best].forward_efficiency)
            best = i;
    return (clg_attention_kernel)best;
}

static clg_status refuse(const clg_replica *r, clg_error *error) {
    const clg_gpu *gpu = &r->scenario->machine.gpu;
    return clg_fail(error, CLG_BAD_INPUT, "raise --tp or --pp, or store weights as --weights fp8",
                    "%s does not fit: tp %d x pp %d needs %.1f GB a GPU for weights and %.1f GB "
                    "beside them of %.1f GB",
                    r->scenario->model.name, r->tp, r->pp, r->weight_bytes / 1e9,
                    (r->activation_bytes + r->engine.other_bytes) / 1e9,
                    gpu->memory_usable_bytes / 1e9);
}

/* The smallest tensor-parallel group that holds the weights and the longest request; else the
 * largest that holds the weights. */
static void choose_tp(clg_replica *r, const clg_replica_choice *c, const clg_demand *demand,
                      double context) {
    int most = r->scenario->machine.node.domain > 0 ? r->scenario->machine.node.domain : 8;
    if (most > 8) most = 8;
    for (r->tp = c->tp > 0 ? c->tp : 1;; r->tp *= 2) {
        settle_rules(r, c);
        settle_memory(r, c, context);
        if (c->tp > 0 || !needs_more(r, demand) || r->tp * 2 > most) return;
    }
}

static bool has_experts(const clg_model *m) {
    for (int k = 0; k < m->kinds; k++)
        if (m->kind[k].mlp.kind == CLG_MLP_MOE) return true;
    return false;
}

/* Heads split evenly over the group, keys and values split or copied. */
static clg_status check_split(const clg_scenario *s, const clg_replica_choice *c,
                              clg_error *error) {
    int tp = c->tp > 0 ? c->tp : 1, pp = c->pp > 0 ? c->pp : 1;
    int dp = c->dp > 0 ? c->dp : 1, ep = c->ep > 0 ? c->ep : 1;
    if (ep > 1 && c->tp > 0 && tp * dp % ep != 0)
        return clg_fail(error, CLG_BAD_INPUT, "take a divisor of tp x dp",
                        "ep %d does not divide the %d GPUs of a stage", ep, tp * dp);
    if (ep > 1 && !has_experts(&s->model))
        return clg_fail(error, CLG_BAD_INPUT, "leave --ep out", "the model has no experts");
    for (int k = 0; k < s->model.kinds; k++) {
        const clg_attention *a = &s->model.kind[k].attention;
        if (a->kind != CLG_ATTENTION_NONE && a->heads % tp != 0)
            return clg_fail(error, CLG_BAD_INPUT, "take a divisor of the heads",
                            "tp %d does not divide %d attention heads", tp, a->heads);
    }
    if (pp <= s->model.layers) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "lower --pp", "pp %d is more than the %d layers", pp,
                    s->model.layers);
}

/* 8-bit products of cuBLAS: skinny ones read as well as 16-bit ones, large ones run at a rate of
 * their own on GPUs of the generation and power it was timed on. */
static void take_cublas(clg_replica *r) {
    clg_serve_curves *c = &r->curves;
    const clg_gpu *gpu = &r->scenario->machine.gpu;
    const clg_product_curve *own = &c->cublas[CLG_FP8];
    bool hopper = strcmp(gpu->generation, "hopper") == 0;
    c->weights[CLG_FP8].hbm_share = c->weights[CLG_BF16].hbm_share;
    if (own->known && hopper && gpu->tdp_w >= own->power_w) c->product[CLG_FP8] = *own;
}

static void take_cutlass(clg_serve_curves *c, bool tuned) {
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        bool width = tuned && c->tuned[p].known, whole = tuned && c->tuned_shared[p].known;
        if (c->cutlass[p].known) c->experts[p] = width ? c->tuned[p] : c->cutlass[p];
        if (c->cutlass_shared[p].known)
            c->shared[p] = whole ? c->tuned_shared[p] : c->cutlass_shared[p];
    }
}

clg_status clg_replica_prepare(clg_arena *arena, const clg_scenario *scenario,
                               const clg_engine *engine, const clg_replica_choice *c,
                               const clg_demand *demand, clg_replica *r, clg_error *error) {
    clg_demand_means means = clg_demand_means_of(demand);
    *r = (clg_replica){.scenario = scenario,
                       .engine = clg_engine_on(engine, &scenario->machine.gpu)};
    if (check_split(scenario, c, error) != CLG_OK ||
        clg_routing_spread(arena, &r->expert_spread, error) != CLG_OK ||
        clg_sparse_kernels_find(arena, &r->sparse, error) != CLG_OK ||
        clg_exchange_find(arena, &r->exchange, error) != CLG_OK ||
        clg_serve_curves_find(arena, &scenario->machine.gpu, &r->curves, error) != CLG_OK)
        return error->status;
    r->arithmetic = arithmetic_only(&scenario->kernels);
    if (engine->narrow_cache > 0)
        for (int p = CLG_FP8; p < CLG_PRECISIONS; p++)
            r->curves.cache[p] = r->curves.cache[CLG_BF16];
    if (engine->cutlass_experts > 0) take_cutlass(&r->curves, engine->cutlass_experts > 1);
    if (engine->narrow_weights > 0) take_cublas(r);
    r->pp = c->pp > 0 ? c->pp : 1;
    r->dp = c->dp > 0 ? c->dp : 1;
    r->ep = c->ep > 0 ? c->ep : 1;
    r->compute = c->compute;
    r->weights = c->weights;
    r->expert_kernels = c->expert_kernels;
    r->filtered = c->filtered;
    r->cache = c->cache;
    r->attention_weights = clg_precision_bytes(c->weights) < 1 && has_experts(&scenario->model)
                               ? CLG_BF16
                               : c->weights;
    r->attention = attention_of(&scenario->kernels);
    r->mean_prompt_tokens = means.prompt_tokens;
    r->longest_tokens = demand->longest_tokens;
    r->mean_context_tokens = means.context_tokens;
    r->two_batches = c->two_batches;
    r->balanced = c->balanced;
    choose_tp(r, c, demand, means.context_tokens);
    while (r->tp * r->dp % r->ep != 0) r->ep--;
    if (r->rules.blocks < 1) return refuse(r, error);
    settle_cost(arena, r, c, means.context_tokens);
    r->cost.sequence_s += filter_sequence_s(r) / r->dp;
    if (c->graph_tokens > 0) r->cost.graph_tokens = c->graph_tokens;
    if (c->prefills > 0 && c->decodes > 0) {
        clg_replica *prefill = clg_take(arena, 1, clg_replica);
        *prefill = *r;
        clg_replica_disaggregate(r, prefill, c->prefills, c->decodes);
    }
    return CLG_OK;
}

double clg_replica_borrowed_sigma(const clg_replica *r) {
    bool borrowed = r->curves.borrowed || r->scenario->kernels.borrowed;
    return borrowed ? r->scenario->stack.sigma_borrowed : 0;
}

/* Seconds of an iteration with `starts` prompts and `sequences` that decode. */
static double steady_s(const clg_replica *r, const clg_demand_means *m, double sequences,
                       double starts) {
    double verified = sequences * (r->cost.drafted + 1), all = sequences + starts;
    double kernels = clg_replica_dense_s(r, verified + starts * m->prompt_tokens) +
                     draft_s(r, verified, (int)r->cost.drafted) +
                     sequences * (m->context_tokens + r->cost.context_pad) * r->cost.context_s +
                     sequences * r->cost.state_s + starts * m->prompt_tokens * r->cost.scan_s +
                     starts * m->output_tokens * m->pairs_per_output * r->cost.pair_s;
    return fmax(kernels, r->cost.loop_s + all * r->cost.loop_sequence_s) + all * r->cost.sequence_s;
}

double clg_replica_steady_tokens_per_s(const clg_replica *r, const clg_demand_means *m,
                                       double sequences) {
    double gained = r->cost.drafted > 0 ? r->cost.gained : 1, made = sequences * gained;
    if (!r->prefill) return made / steady_s(r, m, sequences, made / m->output_tokens);
    double answers = r->decodes * made / steady_s(r, m, sequences, 0);
    double prompts = r->prefills * sequences / steady_s(r->prefill, m, 0, sequences);
    return fmin(answers, prompts * m->output_tokens);
}
