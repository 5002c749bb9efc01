/* batch_cost.c -- what a batch costs a replica: operations of step/iteration.h by layers and
 * stages.
 *
 *   iteration = host + products(T) + memory-bound kernels(T) + reductions(T) + ...
 *             + what contexts add
 *
 * With pipeline stages an iteration is cut in as many micro-batches as stages, which follow each
 * other without a gap; so it takes what the last stage takes for all of them: all layers for 1/pp
 * of the work, and the logits and the host's step of each. */
#include "serve/batch_cost.h"

#include <math.h>

clg_serving clg_serving_of(const clg_replica *r) {
    return (clg_serving){.model = &r->scenario->model,
                         .machine = &r->scenario->machine,
                         .engine = &r->engine,
                         .layout = &r->layout,
                         .expert_spread = r->expert_spread,
                         .expert_imbalance = r->scenario->expert_imbalance,
                         .scale_values = r->sparse.scale_values,
                         .prompt_tokens = r->mean_prompt_tokens,
                         .context_tokens = r->mean_context_tokens,
                         .longest_tokens = r->longest_tokens,
                         .max_tokens = r->rules.max_tokens,
                         .max_sequences = r->rules.max_sequences,
                         .chunk_tokens = r->rules.prompt_tokens};
}

/* A replica as the operations of its iterations are written and priced. */
typedef struct pricing {
    clg_serving serving;
    clg_iteration_pricing by;
    double layers[CLG_LAYER_KINDS]; /* of each kind */
    bool mixed; /* tiles of FlashAttention 2 hold a sequence that decodes beside a prompt */
} pricing;

static void count_kinds(const clg_model *m, double layers[CLG_LAYER_KINDS]) {
    for (int k = 0; k < CLG_LAYER_KINDS; k++) layers[k] = 0;
    for (int l = 0; l < m->layers; l++) layers[m->layer_kind[l]]++;
}

static void begin(pricing *p, const clg_replica *r) {
    p->serving = clg_serving_of(r);
    p->by = (clg_iteration_pricing){.serving = &p->serving,
                                    .kernels = &r->scenario->kernels,
                                    .network = &r->scenario->network,
                                    .curves = &r->curves,
                                    .sparse = &r->sparse,
                                    .exchange = &r->exchange,
                                    .router = &r->router,
                                    .attention = r->attention};
    count_kinds(&r->scenario->model, p->layers);
}

/* ---- contexts */

/* FlashAttention 2 knows no sinks, no heads wider than 256 and no 8-bit cache: Triton does then. */
static bool takes_flash2(const pricing *p, const clg_model *m) {
    enum { WIDEST = 256 };
    bool fits = p->by.attention == CLG_FLASH2 && clg_precision_bytes(p->serving.layout->cache) >= 2;
    for (int k = 0; k < m->kinds; k++)
        fits = fits && !m->kind[k].attention.sinks && m->kind[k].attention.head_dim <= WIDEST;
    return fits;
}

/* It multiplies tiles of 64 queries of one head. Where nobody has more than one query it puts the
 * heads of a group into one tile; beside a prompt each decoding sequence has a tile a head
 * (vllm-project/flash-attention, flash_api.cpp: seqlenq_ngroups_swapped;
 * flash_fwd_launch_template.h: kBlockM of run_mha_fwd_splitkv_dispatch). */
static double mixed_s(const pricing *p, const clg_attention *a, const clg_iteration_op *read) {
    enum { TILE = 64 };
    if (a->heads <= a->kv_heads || read->kernel != CLG_KERNEL_CACHE || read->op.hbm_bytes <= 0)
        return 0;
    double rate = p->serving.machine->gpu.peak_flop_per_s[CLG_BF16] *
                  p->by.kernels->attention[CLG_FLASH2].forward_efficiency;
    double flop = TILE * 2.0 * (a->head_dim + a->value_head_dim) * a->heads / p->serving.layout->tp;
    return fmax(0, read->share * flop / rate - clg_iteration_op_s(&p->by, read));
}

static void decode_costs(const pricing *p, const clg_attention *a, double layers, double context,
                         int drafted, clg_iteration_cost *cost) {
    clg_iteration_ops read, states;
    const clg_serve_curves *curves = p->by.curves;
    read.count = states.count = 0;
    clg_context_decode(&p->serving, a, context, drafted + 1, &read);
    clg_context_states(&p->serving, a, drafted, &states);
    cost->context_s += layers * clg_iteration_ops_s(&p->by, &read);
    cost->state_s += layers * clg_iteration_ops_s(&p->by, &states);
    bool mixed = p->mixed && a->kind == CLG_ATTENTION_GROUPED;
    for (int i = 0; mixed && i < read.count; i++)
        cost->mixed_s += layers * mixed_s(p, a, &read.op[i]);
    for (int i = 0; i < read.count; i++)
        if (read.op[i].kernel == CLG_KERNEL_CACHE && clg_latent_bound(&p->by, &read.op[i]))
            cost->context_pad =
                curves->latent[clg_latent_format(curves, p->serving.layout->cache)].pad;
}

static void prompt_costs(const pricing *p, const clg_attention *a, double layers,
                         clg_iteration_cost *cost) {
    clg_iteration_ops pairs, scan;
    pairs.count = scan.count = 0;
    clg_context_pair(&p->serving, a, p->serving.prompt_tokens, &pairs);
    clg_context_scan(&p->serving, a, &scan);
    cost->pair_s += layers * clg_iteration_ops_s(&p->by, &pairs);
    cost->scan_s += layers * clg_iteration_ops_s(&p->by, &scan);
}

void clg_context_costs(const clg_replica *r, double context, int drafted,
                       clg_iteration_cost *cost) {
    const clg_model *m = &r->scenario->model;
    double shared = (double)r->layout.pp * r->layout.dp;
    pricing p;
    begin(&p, r);
    p.mixed = r->engine.one_attention > 0 && takes_flash2(&p, m);
    cost->context_s = cost->mixed_s = cost->context_pad = 0;
    cost->pair_s = cost->state_s = cost->scan_s = 0;
    for (int k = 0; k < m->kinds; k++) {
        decode_costs(&p, &m->kind[k].attention, p.layers[k], context, drafted, cost);
        prompt_costs(&p, &m->kind[k].attention, p.layers[k], cost);
    }
    cost->context_s /= shared;
    cost->mixed_s /= shared;
    cost->pair_s /= shared;
    cost->state_s /= shared;
    cost->scan_s /= shared;
}

/* ---- the batch */

static void add_layer(const pricing *p, const clg_layer_kind *kind, double t, bool decoding,
                      double layers, double part[CLG_ITERATION_PARTS]) {
    clg_iteration_ops ops;
    ops.count = 0;
    clg_iteration_layer(&p->serving, kind, t, decoding, &ops);
    clg_iteration_ops_add(&p->by, &ops, layers, part);
    part[CLG_SPENT_HOST] += layers * p->serving.engine->layer_s;
}

static double sum_of(const double part[CLG_ITERATION_PARTS]) {
    double sum = 0;
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) sum += part[i];
    return sum;
}

static double layer_s(const pricing *p, const clg_layer_kind *kind, double t) {
    double part[CLG_ITERATION_PARTS] = {0};
    add_layer(p, kind, t, true, 1, part);
    return sum_of(part);
}

static double head_s(const pricing *p, double t) {
    clg_iteration_ops ops;
    ops.count = 0;
    clg_iteration_head(&p->serving, t, &ops);
    return clg_iteration_ops_s(&p->by, &ops);
}

static double sends_s(const pricing *p, double t) {
    clg_iteration_ops ops;
    ops.count = 0;
    clg_iteration_send(&p->serving, t, &ops);
    return clg_iteration_ops_s(&p->by, &ops);
}

/* Of top-k and top-p, for a sequence: engines sort all its logits, on every rank of a group. */
double clg_filter_sequence_s(const clg_replica *r) {
    double bytes = r->engine.filter_logit_bytes * (double)r->scenario->model.vocab;
    return r->layout.filtered ? clg_read_s(&r->scenario->machine.gpu, bytes, 1) : 0;
}

static void layer_parts(const pricing *p, double t, bool decoding,
                        double part[CLG_ITERATION_PARTS]) {
    const clg_model *m = p->serving.model;
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) part[i] = 0;
    for (int k = 0; k < m->kinds; k++) add_layer(p, &m->kind[k], t, decoding, p->layers[k], part);
}

/* Attention over contexts beside `t` tokens of each rank, which is priced apart but hides exchange
 * too: sequences of the mean context, or prompts of the mean length. */
static double beside_s(const clg_replica *r, double t, bool decoding) {
    double all = t * r->layout.pp * r->layout.dp;
    return decoding ? all * r->mean_context_tokens * r->cost.context_s
                    : all * r->mean_prompt_tokens / 2 * r->cost.pair_s;
}

/* Two halves in turn (DeepSeek-V3, arXiv:2412.19437, section 3.4; SGLang two_batch_overlap.py):
 * the exchange of one runs while the other is computed, so layers take the longer of both, and
 * what the first half sends in the first layer nothing hides. Weights are read for each half.
 * Kernels that exchange prompts keep some multiprocessors from the products. */
static void overlapped_parts(const clg_replica *r, const pricing *p, double t, bool decoding,
                             double part[CLG_ITERATION_PARTS]) {
    layer_parts(p, ceil(t / 2), decoding, part);
    double all = r->scenario->machine.gpu.multiprocessors, taken = r->exchange.multiprocessors;
    double slower = decoding || taken >= all ? 1 : all / (all - taken);
    double half = part[CLG_SPENT_EXCHANGE];
    part[CLG_SPENT_EXCHANGE] = 0;
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) part[i] *= 2 * slower;
    double shown = 2 * half - beside_s(r, t, decoding) - sum_of(part);
    part[CLG_SPENT_EXCHANGE] = fmax(0, shown) + half / r->scenario->model.layers;
}

/* All of a batch that computes prompts, or decodes, without its contexts. */
static void dense_parts(const clg_replica *r, const pricing *p, double tokens, bool decoding,
                        double part[CLG_ITERATION_PARTS]) {
    const clg_serving_layout *l = &r->layout;
    double t = ceil(tokens / (l->pp * l->dp));
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) part[i] = 0;
    if (t < 1) return;
    if (l->two_batches && l->dp > 1 && t > 1)
        overlapped_parts(r, p, t, decoding, part);
    else
        layer_parts(p, t, decoding, part);
    part[CLG_SPENT_HEAD] = l->pp * head_s(p, t); /* of the last stage, for all micro-batches */
    if (l->filtered) part[CLG_SPENT_HEAD] += l->pp * r->engine.filter_s;
    part[CLG_SPENT_SENDS] = sends_s(p, t);
    part[CLG_SPENT_HOST] += l->pp * r->engine.step_s;
}

double clg_dense_iteration_s(const clg_replica *r, double tokens, bool decoding) {
    double part[CLG_ITERATION_PARTS];
    pricing p;
    begin(&p, r);
    dense_parts(r, &p, tokens, decoding, part);
    return sum_of(part);
}

/* An exchange that sends tokens to their experts is not among these: it takes as long as the rank
 * with most tokens sends, and receives sums. */
static bool sees_all_ranks(const clg_iteration_op *op) {
    bool gathered = op->op.collective == CLG_ALL_GATHER || op->op.collective == CLG_REDUCE_SCATTER;
    return op->op.kind == CLG_OP_GROUPED || (op->part == CLG_SPENT_EXCHANGE && gathered);
}

double clg_shared_iteration_s(const clg_replica *r, double tokens) {
    const clg_model *m = &r->scenario->model;
    double t = ceil(tokens / (r->layout.pp * r->layout.dp)), seconds = 0;
    pricing p;
    if (t < 1 || r->layout.dp == 1 || r->layout.two_batches) return 0;
    begin(&p, r);
    for (int k = 0; k < m->kinds; k++) {
        clg_iteration_ops ops;
        ops.count = 0;
        clg_iteration_layer(&p.serving, &m->kind[k], t, false, &ops);
        for (int i = 0; i < ops.count; i++)
            if (sees_all_ranks(&ops.op[i]))
                seconds += p.layers[k] * clg_iteration_op_s(&p.by, &ops.op[i]);
    }
    return seconds;
}

double clg_replica_dense_s(const clg_replica *r, double tokens) {
    return clg_dense_iteration_s(r, tokens, false);
}

void clg_replica_dense_table(const clg_replica *r, int step, int drafted, int most, double *dense) {
    double part[CLG_ITERATION_PARTS];
    pricing p;
    begin(&p, r);
    for (int t = 1; t <= most; t++) {
        if (t > 1 && (t - 1) % step != 0) {
            dense[t] = dense[t - 1];
            continue;
        }
        dense_parts(r, &p, t, false, part);
        dense[t] = sum_of(part) + clg_draft_s(r, t, drafted);
    }
}

clg_iteration clg_replica_iteration(const clg_replica *r, double sequences, double context_tokens) {
    const clg_iteration_cost *c = &r->cost;
    clg_iteration i = {.sequences = fmax(1, rint(sequences)), .context_tokens = context_tokens};
    double *part = i.part, tokens = i.sequences * (c->drafted + 1);
    pricing p;
    begin(&p, r);
    dense_parts(r, &p, tokens, true, part);
    int places = (int)i.sequences;
    bool graph = c->decode_s && places <= c->decodes;
    if (graph) part[CLG_SPENT_PADDING] = c->decode_s[places] - sum_of(part);
    part[CLG_SPENT_ATTENTION] +=
        i.sequences * ((context_tokens + c->context_pad) * c->context_s + c->state_s);
    double kernels = sum_of(part);
    double sorts = i.sequences * clg_filter_sequence_s(r) / r->layout.dp;
    part[CLG_SPENT_HEAD] += sorts;
    double host = c->sequence_s * i.sequences - sorts +
                  fmax(0, c->loop_s + i.sequences * c->loop_sequence_s - kernels);
    part[CLG_SPENT_HOST] += host;
    i.seconds = kernels + sorts + host;
    return i;
}

/* Proposing: one more layer and the head for each token in turn, as with prediction modules. */
double clg_draft_s(const clg_replica *r, double tokens, int drafted) {
    const clg_model *m = &r->scenario->model;
    double each = ceil(tokens / (drafted + 1) / (r->layout.pp * r->layout.dp));
    if (drafted == 0) return 0;
    const clg_layer_kind *last = &m->kind[m->layer_kind[m->layers - 1]];
    pricing p;
    begin(&p, r);
    return drafted * (layer_s(&p, last, each) + head_s(&p, each));
}

/* Of kinds of layers, whether one has latent attention, and whether SGLang replays them all with
 * prompts: neither keys chosen for latents nor states (its list of models without). */
static bool replayed(const clg_model *m, bool *latent) {
    *latent = false;
    for (int i = 0; i < m->kinds; i++) {
        const clg_attention *a = &m->kind[i].attention;
        *latent |= a->kind == CLG_ATTENTION_LATENT;
        if (a->kind == CLG_ATTENTION_LINEAR || (*latent && a->indexer.heads > 0)) return false;
    }
    return !clg_model_pools(m);
}

int clg_prompt_graph_tokens(const clg_replica *r) {
    const clg_engine *e = &r->engine;
    bool latent, all = replayed(&r->scenario->model, &latent);
    bool plain = all && !r->scenario->model.multimodal && r->layout.dp == 1 && r->layout.pp == 1 &&
                 clg_engine_graphs_prompts(e, &r->scenario->machine.gpu);
    if (e->plain_graphs > 0 && !plain) return 0;
    return (int)(latent && e->latent_graph_tokens > 0 ? e->latent_graph_tokens : e->graph_tokens);
}

/* One matrix a head, not the last tokens of a convolution alone. */
static bool keeps_state(const clg_attention *a) {
    return a->kind == CLG_ATTENTION_LINEAR && a->state != CLG_STATE_CONVOLUTION;
}

/* Prefixes of states are kept by engines that schedule between iterations: SGLang server_args.py,
 * _handle_mamba_radix_cache (no_buffer); since June 2026 for convolutions and on AMD's GPUs alone
 * (overrides.py, _MAMBA_EXTRA_BUFFER_ARCHS). */
static bool states_apart(const clg_replica *r) {
    const clg_model *m = &r->scenario->model;
    bool all = r->engine.apart_states == 1 ||
               !clg_engine_graphs_prompts(&r->engine, &r->scenario->machine.gpu);
    for (int k = 0; k < m->kinds; k++)
        if (m->kind[k].attention.kind == CLG_ATTENTION_LINEAR)
            return r->engine.apart_states > 0 && (all || !keeps_state(&m->kind[k].attention));
    return false;
}

void clg_settle_overlap(clg_replica *r, bool no_prefixes) {
    clg_engine *e = &r->engine;
    if (no_prefixes) e->state_slots = 0;
    if (!no_prefixes && states_apart(r)) e->overlapped = 0;
    if (e->overlapped <= 0) e->step_s += e->apart_step_s;
}

double clg_eager_layers_s(const clg_replica *r) {
    const clg_model *m = &r->scenario->model;
    double sum = m->layers * r->engine.eager_layer_s;
    for (int l = 0; l < m->layers; l++) {
        const clg_layer_kind *kind = &m->kind[m->layer_kind[l]];
        if (kind->mlp.kind == CLG_MLP_MOE) sum += r->engine.eager_expert_s;
        if (kind->attention.kind == CLG_ATTENTION_LATENT) sum += r->engine.eager_latent_s;
        if (keeps_state(&kind->attention)) sum += r->engine.eager_state_s;
    }
    return sum;
}
