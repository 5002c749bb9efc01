/* iterate.c -- a serving iteration, operation by operation.
 *
 * A product takes the longer of its arithmetic, with activations made narrow before it, and the
 * read of its weights. Left out: kernels beside each other. */
#include "cost/iterate.h"

#include <math.h>

double clg_read_s(const clg_gpu *gpu, double bytes, double share) {
    return bytes / (gpu->hbm_bytes_per_s * share);
}

static const clg_gpu *gpu_of(const clg_iteration_pricing *p) { return &p->serving->machine->gpu; }

/* What stays of a kernel's fixed time in this engine. */
static double fixed_s(const clg_iteration_pricing *p, double seconds) {
    const clg_engine *e = p->serving->engine;
    bool newer = clg_engine_is_newer(e, gpu_of(p));
    return seconds * (newer ? e->launch_share_newer : e->launch_share);
}

clg_precision clg_serve_arithmetic(const clg_gpu *gpu, clg_precision weights) {
    if (gpu->peak_flop_per_s[weights] > 0) return weights;
    return weights == CLG_MXFP4 && gpu->peak_flop_per_s[CLG_MXFP8] > 0 ? CLG_MXFP8 : CLG_BF16;
}

/* ---- products */

/* Writing activations in 8 bit and less: read 2 bytes an element and write one. */
static double cast_s(const clg_iteration_pricing *p, clg_precision compute, double elements) {
    enum { READ = 2, WRITTEN = 1 };
    if (clg_precision_bytes(compute) >= 2) return 0;
    bool one_pass = p->serving->engine->static_scales > 0 && compute == CLG_FP8;
    return clg_read_s(gpu_of(p), (READ + WRITTEN) * elements,
                      one_pass ? p->kernels->memory.efficiency
                               : p->curves->product[compute].quantize_hbm_share);
}

/* Of the rows that the widest tile multiplies: kernels that widen weights on the way have tiles of
 * 16 to 64 rows (Frantar et al., PPoPP 2025, arXiv:2408.11743, section 3.4). */
static double narrow_share(clg_precision stored, clg_precision compute, double rows) {
    enum { NARROWEST = 16, WIDEST = 64 };
    bool widened = clg_precision_bytes(stored) < clg_precision_bytes(compute);
    return widened && rows < WIDEST ? NARROWEST * ceil(rows / NARROWEST) / WIDEST : 1;
}

/* Models published in 8 bit mostly have a scale for each block of their weights; those that others
 * quantize one for each product. What latents meet head by head is split off when it is loaded. */
static bool in_blocks(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    return i->stored == CLG_FP8 && p->serving->model->stored_blocks && !i->latent;
}

static bool is_tuned(const clg_walked_curve *c, const clg_op *op) {
    for (int i = 0; i < c->tuned; i++)
        if (c->columns[i] == op->n && c->depth[i] == op->k) return true;
    return false;
}

/* Each tile walks all of the depth, and few tiles leave most of the GPU without one. */
static double walked_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    const clg_op *op = &i->op;
    const clg_walked_curve *c = &p->curves->walked[op->precision];
    double kind = p->serving->engine->walked_blocks;
    if (kind <= 0 || !c->known || !in_blocks(p, i) || (kind < 2 && is_tuned(c, op))) return 0;
    double tiles = ceil(op->m / c->tile) * ceil(op->n / c->tile);
    return ceil(op->k / c->tile) * c->step_s * fmax(1, tiles / gpu_of(p)->multiprocessors);
}

static const clg_product_curve *product_of(const clg_iteration_pricing *p,
                                           const clg_iteration_op *i) {
    const clg_product_curve *blocks = &p->curves->blocks[i->op.precision];
    return in_blocks(p, i) && blocks->known ? blocks : &p->curves->product[i->op.precision];
}

static double arithmetic_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    const clg_op *op = &i->op;
    clg_precision compute = op->precision;
    double share = p->serving->engine->block_flop_share;
    double plain = clg_gemm_arithmetic_s(gpu_of(p), p->kernels, compute, op->m, op->n, op->k) *
                   product_of(p, i)->time_share * narrow_share(i->stored, compute, op->m);
    double flop = 2 * op->m * op->n * op->k;
    plain = fmax(plain, walked_s(p, i));
    if (!in_blocks(p, i) || share <= 0) return plain;
    return fmax(plain, flop / (gpu_of(p)->peak_flop_per_s[compute] * share));
}

static double product_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    const clg_op *op = &i->op;
    clg_precision compute = op->precision;
    const clg_read_curve *read = &p->curves->weights[i->stored];
    double arithmetic = arithmetic_s(p, i);
    arithmetic += cast_s(p, compute, op->m * op->k);
    return fmax(arithmetic, clg_read_s(gpu_of(p), op->hbm_bytes, read->hbm_share)) +
           fixed_s(p, read->launch_s);
}

/* Of the kernels that run: those for the rows of all experts are timed for experts split in width
 * alone. */
const clg_expert_curve *clg_expert_curve_of(const clg_serve_curves *c,
                                            const clg_serving_layout *l) {
    if (l->expert_kernels != CLG_EXPERTS_TIMED && c->whole[l->weights].known)
        return &c->whole[l->weights];
    bool shared = l->ep > 1 && l->expert_kernels == CLG_EXPERTS_TIMED;
    return shared ? &c->shared[l->weights] : &c->experts[l->weights];
}

/* Rows of every expert that is read are padded to whole tiles. Blocks that no token fills read
 * weights at the rate of HBM, which errs high where they are in L2, and are multiplied at the rate
 * of large products. */
static double experts_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    const clg_op *op = &i->op;
    const clg_serving_layout *l = p->serving->layout;
    const clg_expert_curve *c = clg_expert_curve_of(p->curves, l);
    double more =
        l->expert_kernels == CLG_EXPERTS_GROUPED ? p->serving->engine->grouped_experts_s : 0;
    bool padded = clg_experts_whole_blocks(l, p->serving->engine);
    double flop = 2 * op->n * op->k * (op->m + (padded ? 0 : op->batch * c->pad));
    double share = padded ? p->kernels->gemm[op->precision].efficiency : c->flop_share;
    double rate = gpu_of(p)->peak_flop_per_s[op->precision] * share;
    return fmax(flop / rate, clg_read_s(gpu_of(p), op->hbm_bytes, c->hbm_share)) +
           clg_read_s(gpu_of(p), i->between_bytes, c->activation_hbm_share) +
           fixed_s(p, c->launch_s) + more;
}

static double memory_s(const clg_iteration_pricing *p, double bytes) {
    double fixed = p->kernels->memory.launch_s;
    return clg_memory_bound_s(gpu_of(p), p->kernels, bytes) - fixed + fixed_s(p, fixed);
}

/* Split along what is summed, so that few rows too fill the GPU; at the rate of large products
 * where rows are many. The kernel's own fixed time is the engine's. */
static double adapter_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    const clg_gpu *gpu = gpu_of(p);
    double wide = gpu->peak_flop_per_s[CLG_BF16],
           peak = wide > 0 ? wide : gpu->peak_flop_per_s[CLG_FP16];
    double arithmetic = i->op.flop / (peak * p->kernels->gemm[CLG_BF16].efficiency);
    double traffic = clg_read_s(gpu, i->op.hbm_bytes, p->kernels->memory.efficiency);
    return fmax(arithmetic, traffic) + p->serving->engine->adapter_kernel_s;
}

/* In fp32: no sooner than a product in 16 bit with as much to read. Models with such routers choose
 * by sigmoids and a bias. */
static double router_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    clg_iteration_op narrow = *i;
    narrow.stored = narrow.op.precision = CLG_BF16;
    return fmax(clg_router_s(p->router, gpu_of(p), i->op.m, i->op.n, i->op.k),
                product_s(p, &narrow)) +
           p->serving->engine->routing_s;
}

/* ---- attention */

static double cache_bytes_per_s(const clg_iteration_pricing *p) {
    return gpu_of(p)->hbm_bytes_per_s * p->curves->cache[p->serving->layout->cache].hbm_share;
}

/* That of the cache where it was timed; 8-bit ones are else widened on the way. */
clg_precision clg_latent_format(const clg_serve_curves *curves, clg_precision cache) {
    return curves->latent[cache].known ? cache : CLG_BF16;
}

/* Decode attention over latents is arithmetic: every query head is multiplied with all of the
 * latent, for keys and again for values, so 128 heads do 242 flop a byte in 16 bit. */
static double latent_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    clg_precision format = clg_latent_format(p->curves, p->serving->layout->cache);
    double share = p->curves->latent[format].flop_share;
    if (!i->latent || share <= 0) return 0;
    return i->op.flop / (gpu_of(p)->peak_flop_per_s[format] * share);
}

bool clg_latent_bound(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    return latent_s(p, i) > i->op.hbm_bytes / cache_bytes_per_s(p);
}

static double cache_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    if (i->op.hbm_bytes <= 0)
        return fixed_s(p, p->curves->cache[p->serving->layout->cache].launch_s);
    return fmax(i->op.hbm_bytes / cache_bytes_per_s(p), latent_s(p, i));
}

static double index_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    const clg_sparse_kernels *k = p->sparse;
    if (i->op.hbm_bytes <= 0) return fixed_s(p, clg_sparse_fixed_s(k, i->top_k, i->context));
    return clg_read_s(gpu_of(p), i->op.hbm_bytes, k->index_hbm_share);
}

/* Kernels for latents take as long for fewer heads than so many. */
static double chosen_flop(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    double heads = i->op.attention.heads;
    return i->latent ? i->op.flop / heads * fmax(heads, p->sparse->heads_least) : i->op.flop;
}

static double chosen_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    double rate = cache_bytes_per_s(p) * (i->latent ? p->sparse->gather_share : 1);
    double peak = gpu_of(p)->peak_flop_per_s[CLG_BF16] * p->sparse->decode_flop_share;
    return fmax(i->op.hbm_bytes / rate, chosen_flop(p, i) / peak);
}

static double scores_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    const clg_gpu *gpu = gpu_of(p);
    double narrow = gpu->peak_flop_per_s[CLG_FP8], wide = gpu->peak_flop_per_s[CLG_BF16];
    double rate = (i->latent && narrow > 0 ? narrow : wide) * p->sparse->index_flop_share;
    return i->op.flop / rate + clg_read_s(gpu, i->op.hbm_bytes, p->kernels->memory.efficiency);
}

/* Latents of one prompt lie in L2. */
static double chosen_prompt_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    double peak = gpu_of(p)->peak_flop_per_s[CLG_BF16] * p->sparse->prefill_flop_share;
    return chosen_flop(p, i) / peak;
}

/* Of a prompt: fixed times are those of its iteration, and of states of the kernel. */
static double prompt_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    double all = clg_attention_s(gpu_of(p), p->kernels, p->attention, CLG_BF16, &i->op);
    return i->op.attention.chunks > 0 ? all : all - p->kernels->attention[p->attention].launch_s;
}

/* ---- states */

static double state_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    if (i->op.hbm_bytes <= 0) return fixed_s(p, p->kernels->memory.launch_s);
    return i->op.hbm_bytes / (gpu_of(p)->hbm_bytes_per_s * p->curves->state.hbm_share);
}

/* A multiprocessor has a head of a sequence from beginning to end, where that kernel was timed. */
static double blocks_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    double each = p->curves->state.block_token_s, places = gpu_of(p)->multiprocessors;
    if (each <= 0) return prompt_s(p, i);
    return ceil(i->op.attention.heads * i->op.attention.batch / places) *
           i->op.attention.query_tokens * each;
}

/* ---- traffic */

/* Those timed over faster links than the box's say nothing of it. Makers round the bandwidth of one
 * generation of links differently, by less than a tenth; the next one has half as much again or
 * more. */
static bool reduces_timed_here(const clg_iteration_pricing *p, clg_group group) {
    static const double same_links = 0.9;
    double link = p->serving->machine->node.link_bytes_per_s;
    return group.per_domain >= group.ranks &&
           link >= same_links * p->curves->reduce_link_bytes_per_s;
}

/* Of a GPU to other boxes, before protocols. */
static double line_bytes_per_s(const clg_machine *m) {
    double share = m->fabric.efficiency / fmax(1, m->fabric.oversubscription);
    return clg_machine_inter_bytes_per_s(m) / (share > 0 ? share : 1);
}

/* Of an all-to-all, a share of the bytes crosses between boxes. */
static double crossing_s(const clg_network *network, const clg_op *op) {
    double seconds;
    if (op->slow_share <= 0 || op->slow_share >= 1) {
        clg_collective_best(network, op->collective, op->group, op->bytes, &seconds);
        return seconds;
    }
    clg_network thinner = *network;
    thinner.slow.bytes_per_s /= op->slow_share;
    clg_collective_best(&thinner, op->collective, op->group, op->bytes, &seconds);
    return seconds;
}

/* The engine's own one-shot kernel for small sums, the library's best for large ones. */
static double collective_s(const clg_iteration_pricing *p, const clg_op *op) {
    double seconds = crossing_s(p->network, op);
    if (op->collective != CLG_ALL_REDUCE || !reduces_timed_here(p, op->group)) return seconds;
    return fmin(seconds, clg_reduce_curve_s(p->curves, op->group.ranks, op->bytes));
}

static double send_tokens_s(const clg_iteration_pricing *p, const clg_op *op) {
    return clg_exchange_decode_s(p->exchange, p->network, line_bytes_per_s(p->serving->machine),
                                 op->group.ranks, op->n, op->k, op->m);
}

/* ---- all of them */

static double plain_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    switch (i->op.kind) {
    case CLG_OP_GEMM:
        return product_s(p, i);
    case CLG_OP_GROUPED:
        return experts_s(p, i);
    case CLG_OP_MEMORY:
        return memory_s(p, i->op.hbm_bytes);
    case CLG_OP_ATTENTION:
        return prompt_s(p, i);
    default:
        return collective_s(p, &i->op);
    }
}

static double once_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    switch (i->kernel) {
    case CLG_KERNEL_CACHE:
        return cache_s(p, i);
    case CLG_KERNEL_INDEX:
        return index_s(p, i);
    case CLG_KERNEL_CHOSEN:
        return chosen_s(p, i);
    case CLG_KERNEL_SCORES:
        return scores_s(p, i);
    case CLG_KERNEL_CHOSEN_PROMPT:
        return chosen_prompt_s(p, i);
    case CLG_KERNEL_STATE:
        return state_s(p, i);
    case CLG_KERNEL_TAPS:
        return clg_read_s(gpu_of(p), i->op.hbm_bytes, p->curves->state.convolution_hbm_share);
    case CLG_KERNEL_STATE_BLOCKS:
        return blocks_s(p, i);
    case CLG_KERNEL_ADAPTER:
        return adapter_s(p, i);
    case CLG_KERNEL_ROUTER:
        return router_s(p, i);
    case CLG_KERNEL_SEND_TOKENS:
        return send_tokens_s(p, &i->op);
    default:
        return plain_s(p, i);
    }
}

double clg_iteration_op_s(const clg_iteration_pricing *p, const clg_iteration_op *i) {
    double seconds = once_s(p, i) * i->op.count;
    return (i->per > 0 ? seconds / i->per : seconds) * i->share;
}

double clg_iteration_ops_s(const clg_iteration_pricing *p, const clg_iteration_ops *ops) {
    double sum = 0;
    for (int i = 0; i < ops->count; i++) sum += clg_iteration_op_s(p, &ops->op[i]);
    return sum;
}

void clg_iteration_ops_add(const clg_iteration_pricing *p, const clg_iteration_ops *ops,
                           double times, double part[CLG_ITERATION_PARTS]) {
    for (int i = 0; i < ops->count; i++)
        part[ops->op[i].part] += times * clg_iteration_op_s(p, &ops->op[i]);
}
