/* bench_limits.c -- trtllm-bench's own choice of limits; its rounding is part of the plan.
 *
 * Left out: stages of pipelines (all GPUs count as one group), state of linear attention. */
#include "measured/bench_limits.h"

#include <math.h>

static double rounded(double value, double unit) { return unit * ceil(value / unit); }

static double round_sequences(double raw) {
    if (raw < 256) return fmax(64, rounded(raw, 32));
    return raw < 1024 ? rounded(raw, 128) : rounded(raw, 256);
}

static double round_tokens(double raw) {
    if (raw < 4096) return fmax(2048, rounded(raw, 256));
    return raw < 8192 ? rounded(raw, 512) : rounded(raw, 1024);
}

/* It knows nothing of latents: it sees as many key and value heads as heads, each of the size of a
 * configuration that names none (tensorrt_llm/bench/build/dataclasses.py, commit 04cba882). */
static double cache_bytes_per_token(const clg_model *m, int tp, double element_bytes) {
    double sum = 0;
    for (int l = 0; l < m->layers; l++) {
        const clg_attention *a = &m->kind[m->layer_kind[l]].attention;
        bool latent = a->kind == CLG_ATTENTION_LATENT;
        if (a->kind == CLG_ATTENTION_NONE || a->kind == CLG_ATTENTION_LINEAR) continue;
        int heads = latent ? a->heads : a->kv_heads;
        double size = latent ? (double)(m->hidden / a->heads) : a->head_dim;
        sum += 2 * fmax(tp, heads) * size * element_bytes;
    }
    return sum;
}

/* Parameters are the elements of the checkpoint's tensors: of 4-bit ones two in a byte, and their
 * scales. Each counts as half a byte in NVFP4, and as the two of a format it does not know in
 * MXFP4. */
static double weight_bytes(clg_precision weights) {
    if (weights == CLG_NVFP4) return 0.5 * (1 / 2.0 + 1 / 16.0);
    if (weights == CLG_MXFP4) return 2 * (1 / 2.0 + 1 / 32.0);
    return clg_precision_bytes(weights);
}

clg_bench_limits clg_bench_limits_of(const clg_model *m, const clg_gpu *gpu, int tp,
                                     clg_precision weights, clg_precision cache, double prompt,
                                     double output, double share) {
    double room = tp * gpu->memory_usable_bytes - (double)m->parameters * weight_bytes(weights);
    double each = cache_bytes_per_token(m, tp, clg_precision_bytes(cache)) * (prompt + output);
    double fit = fmin(fmax(room, 0) * share / each, 4096);
    double sequences = round_sequences(fit);
    double tokens = round_tokens(fmin(fit * (1 + prompt / output), 32768));
    return (clg_bench_limits){(int)sequences, (int)fmax(tokens, prompt + sequences)};
}
