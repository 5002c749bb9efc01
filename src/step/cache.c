/* cache.c -- see the header. */
#include "step/cache.h"

#include "step/sizes.h"

#include <math.h>

/* Of a longer context than a chunk half a chunk, the mean over places in it. */
double clg_seen_share(const clg_serving *s, const clg_attention *a, double tokens) {
    if (a->kind == CLG_ATTENTION_NONE || a->kind == CLG_ATTENTION_LINEAR) return 0;
    if (a->shared_values) return clg_pooled_kept(a, fmax(1, tokens)) / fmax(1, tokens);
    if (s->engine->no_windows > 0 || a->window <= 0 || tokens <= (double)a->window) return 1;
    return (double)a->window * (a->chunked ? 0.5 : 1) / tokens;
}

static double scaled(const clg_serving *s, double values) {
    return values + 4 * ceil(values / s->scale_values);
}

/* A scale of 1 B for 64 values, up to a multiple of 8 B: 448 B and 8 (vLLM
 * deepseek_v4/attention.py, SGLang deepseek_v4_hook.py: 584 B an entry). */
static double exponents(double values) { return values + 8 * ceil(values / 512); }

/* Latents of sparse attention, and keys that are values too, bring scales in 8 bit, and their
 * rotated part stays in 16 bit. */
double clg_entry_bytes(const clg_serving *s, const clg_attention *a) {
    clg_precision cache = s->layout->cache;
    bool latent = a->kind == CLG_ATTENTION_LATENT;
    if (latent && clg_is_sparse(a) && clg_precision_bytes(cache) == 1)
        return scaled(s, a->kv_rank) + 2 * a->rope_dim;
    if (a->shared_values && clg_precision_bytes(cache) == 1)
        return exponents(a->head_dim - a->rope_dim) + 2 * a->rope_dim;
    clg_widths w = clg_widths_of(a, s->layout->tp);
    return (latent ? w.latent : w.keys + w.values) * clg_precision_bytes(cache);
}

/* Index keys are 8-bit values with scales (latent attention) or 16 bit (grouped heads); the indexer
 * is whole on every tensor rank; none where the choice is another layer's. */
double clg_index_key_bytes(const clg_serving *s, const clg_attention *a) {
    if (!clg_is_sparse(a) || a->indexer.shared) return 0;
    if (!clg_indexer_weighs(a)) return 2.0 * a->indexer.dim;
    return scaled(s, a->indexer.dim) / fmax(1, a->pooling.every);
}

/* Windows in a pool of their own take a share of all tokens, however little they see of them. */
static double beside_windows(const clg_serving *s, const clg_attention *a, double tokens) {
    return fmax(0, s->engine->window_pool - fmin(1, (double)a->window / fmax(1, tokens)));
}

double clg_layer_cache_bytes(const clg_serving *s, const clg_attention *a, double context) {
    double index = clg_index_key_bytes(s, a), kept = clg_entry_bytes(s, a);
    double share = clg_seen_share(s, a, context);
    if (a->borrows) return 0;
    if (a->shared_values) return kept * (share + beside_windows(s, a, context)) + index;
    return (kept + index) * share;
}

/* Kernels that share keys between query heads know no chunks on GPUs before the newer ones; those
 * that have one thread block per query head take their place, unless no sequence can outgrow a
 * chunk (github NVIDIA/TensorRT-LLM pull request 6306). */
static bool reads_chunks_apart(const clg_serving *s, const clg_attention *a) {
    return s->engine->chunk_reads > 0 && a->chunked && a->window > 0 &&
           (double)s->longest_tokens > (double)a->window &&
           !clg_engine_is_newer(s->engine, &s->machine->gpu);
}

double clg_cache_reads(const clg_serving *s, const clg_attention *a) {
    if (a->kind == CLG_ATTENTION_LATENT || a->kv_heads < 1) return 1;
    bool apart = s->engine->query_reads > 0 || reads_chunks_apart(s, a);
    return apart ? (double)a->heads / (s->layout->tp * clg_widths_of(a, s->layout->tp).kv_heads)
                 : 1;
}

double clg_chosen_share(const clg_attention *a, double tokens) {
    if (a->shared_values) return clg_pooled_seen(a, fmax(1, tokens)) / fmax(1, tokens);
    return fmin(1, (double)a->indexer.top_k / fmax(1, tokens));
}

/* A value takes what the checkpoint says, or the engine's habit, or the model's 16 bits. */
double clg_layer_state_bytes(const clg_serving *s, const clg_attention *a) {
    double habit = s->engine->state_bytes > 0 ? s->engine->state_bytes : 2;
    return (double)clg_state_values(a) / s->layout->tp *
           (a->state_bytes > 0 ? a->state_bytes : habit);
}

double clg_layer_taps_bytes(const clg_serving *s, const clg_attention *a) {
    double taps = a->convolution > 1 ? a->convolution - 1 : 0;
    return 2 * taps * (double)clg_state_channels(a) / s->layout->tp;
}
