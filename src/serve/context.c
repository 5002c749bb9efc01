/* context.c -- what contexts cost: reading the cache for those that decode, pairs of queries and
 * keys for prompts.
 *
 *   context_s x tokens in the cache of the decoding + pair_s x pairs of the prefill
 *
 * Left out: windows that a sequence grows out of (windowed layers count the share of the mean
 * context they see). */
#include "serve/iteration.h"

#include <math.h>
#include <string.h>

/* Share of a context of `tokens` that a layer reads; of a longer one than a chunk half a chunk, the
 * mean over places in it. */
double clg_seen_share(const clg_replica *r, const clg_attention *a, double tokens) {
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
                          : clg_kv_heads_of(r, a) * (a->head_dim + a->value_head_dim);
    return elements * clg_precision_bytes(r->cache);
}

double clg_layer_cache_bytes(const clg_replica *r, const clg_attention *a) {
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
    return apart ? (double)a->heads / (r->tp * clg_kv_heads_of(r, a)) : 1;
}

/* Of those of a layer, how many one GPU reads per token of context that it decodes. */
static double layer_read_bytes(const clg_replica *r, const clg_attention *a, double context) {
    double bytes = entry_bytes(r, a) * clg_seen_share(r, a, context) * reads_of(r, a);
    if (!clg_is_sparse(a)) return bytes;
    return bytes * clg_sparse_chosen_share(a, context) + clg_sparse_key_bytes(&r->sparse, a);
}

double clg_dense_layers_read_bytes(const clg_replica *r, double context) {
    const clg_model *m = &r->scenario->model;
    double bytes = 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_attention *a = &m->kind[m->layer_kind[l]].attention;
        if (!clg_is_sparse(a)) bytes += layer_read_bytes(r, a, context);
    }
    return bytes;
}

/* Seconds of a GPU per token of context that `queries` new tokens of a sequence see. */
double clg_indexed_context_s(const clg_replica *r, double context, int queries) {
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

double clg_read_bytes_per_token(const clg_replica *r, double context) {
    const clg_model *m = &r->scenario->model;
    double bytes = 0;
    for (int l = 0; l < m->layers; l++)
        bytes += layer_read_bytes(r, &m->kind[m->layer_kind[l]].attention, context);
    return bytes;
}

/* The format that latents are multiplied in: that of the cache where it was timed; 8-bit ones are
 * else widened on the way (FlashMLA on Hopper). */
clg_precision clg_latent_format(const clg_replica *r) {
    return r->curves.latent[r->cache].known ? r->cache : CLG_BF16;
}

/* Decode attention over latents is arithmetic: every query head is multiplied with all of the
 * latent, for keys and again for values, so 128 heads of DeepSeek do 242 flop a byte in 16 bit. */
double clg_latent_context_s(const clg_replica *r, int queries) {
    const clg_model *m = &r->scenario->model;
    clg_precision format = clg_latent_format(r);
    double share = r->curves.latent[format].flop_share, flop = 0;
    if (share <= 0) return 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_attention *a = &m->kind[m->layer_kind[l]].attention;
        if (a->kind == CLG_ATTENTION_LATENT && !clg_is_sparse(a))
            flop += 2.0 * a->heads / r->tp * queries * (2.0 * a->kv_rank + a->rope_dim);
    }
    return flop / (r->scenario->machine.gpu.peak_flop_per_s[format] * share);
}

/* Seconds per query-key pair of a prefill chunk of the mean prompt in one layer. */
static double layer_pair_s(const clg_replica *r, const clg_attention *a, double prompt) {
    if (a->kind == CLG_ATTENTION_NONE || a->kind == CLG_ATTENTION_LINEAR) return 0;
    double memory =
        r->scenario->machine.gpu.hbm_bytes_per_s * r->scenario->kernels.memory.efficiency;
    if (clg_is_sparse(a) && !clg_dense_prompts(r))
        return clg_sparse_pair_s(&r->sparse, &r->scenario->machine.gpu, a, (double)a->heads / r->tp,
                                 memory, prompt);
    double length = fmin(fmax(prompt, 256), r->rules.max_tokens), pairs = length * length / 2;
    clg_op op = {.kind = CLG_OP_ATTENTION, .count = 1};
    op.attention.batch = 1;
    op.attention.heads = (double)a->heads / r->tp;
    op.attention.kv_heads = clg_kv_heads_of(r, a);
    op.attention.head_dim = a->head_dim;
    op.attention.value_head_dim = a->value_head_dim;
    op.attention.query_tokens = op.attention.key_tokens = length;
    op.attention.causal = op.attention.fused = true;
    op.flop = 2 * op.attention.heads * (a->head_dim + a->value_head_dim) * pairs;
    double all = clg_attention_s(&r->scenario->machine.gpu, &r->scenario->kernels, r->attention,
                                 CLG_BF16, &op);
    double launch = r->scenario->kernels.attention[r->attention].launch_s;
    return (all - launch) / pairs * clg_seen_share(r, a, prompt / 2);
}

double clg_prompt_pair_s(const clg_replica *r, double prompt) {
    const clg_model *m = &r->scenario->model;
    double sum = 0;
    for (int l = 0; l < m->layers; l++)
        sum += layer_pair_s(r, &m->kind[m->layer_kind[l]].attention, prompt);
    return sum / (r->pp * r->dp);
}
