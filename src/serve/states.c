/* states.c -- layers that keep a state: room beside the cache, and time of an iteration.
 *
 * Left out: states kept for prefixes (vLLM's "align" mode, SGLang's tree), which need more room;
 * kernels of gates and lengths that engines fuse one way or another. */
#include "serve/states.h"

#include "step/step.h"

#include <math.h>
#include <string.h>

static bool keeps_state(const clg_attention *a) { return a->kind == CLG_ATTENTION_LINEAR; }

/* Bytes of a value: what the checkpoint says, or the engine's habit, or the model's 16 bits. */
static double value_bytes(const clg_replica *r, const clg_attention *a) {
    if (a->state_bytes > 0) return a->state_bytes;
    return r->engine.state_bytes > 0 ? r->engine.state_bytes : 2;
}

/* Of one layer, on one GPU: the state, and inputs of the convolution in 16 bit. */
static double state_bytes(const clg_replica *r, const clg_attention *a) {
    return (double)clg_state_values(a) / r->tp * value_bytes(r, a);
}

static double seen_bytes(const clg_replica *r, const clg_attention *a) {
    double taps = a->convolution > 1 ? a->convolution - 1 : 0;
    return 2 * taps * (double)clg_state_channels(a) / r->tp;
}

static const clg_attention *attention_at(const clg_replica *r, int layer) {
    const clg_model *m = &r->scenario->model;
    return &m->kind[m->layer_kind[layer]].attention;
}

double clg_states_bytes(const clg_replica *r) {
    double sum = 0;
    for (int l = 0; l < r->scenario->model.layers; l++) {
        const clg_attention *a = attention_at(r, l);
        if (keeps_state(a)) sum += state_bytes(r, a) + seen_bytes(r, a);
    }
    return sum / r->pp;
}

double clg_states_decode_s(const clg_replica *r, int drafted) {
    double rate = r->scenario->machine.gpu.hbm_bytes_per_s, sum = 0;
    for (int l = 0; l < r->scenario->model.layers; l++) {
        const clg_attention *a = attention_at(r, l);
        if (!keeps_state(a)) continue;
        sum += (2 + drafted) * state_bytes(r, a) / (rate * r->curves.state.hbm_share) +
               (2 + drafted) * seen_bytes(r, a) / (rate * r->curves.state.convolution_hbm_share);
    }
    return sum / (r->pp * r->dp);
}

/* FlashInfer's kernel of the gated delta rule: a multiprocessor has a head of a sequence from
 * beginning to end. */
static double blocks_s(const clg_replica *r, double heads, double sequences, double length) {
    double places = r->scenario->machine.gpu.multiprocessors;
    return ceil(heads * sequences / places) * length * r->curves.state.block_token_s;
}

static double chunked_s(const clg_replica *r, const clg_attention *a, double sequences,
                        double length) {
    clg_op op = {.kind = CLG_OP_ATTENTION, .precision = CLG_BF16, .count = 1};
    double heads = (double)a->heads / r->tp;
    bool blocks = r->engine.state_blocks > 0 && r->curves.state.block_token_s > 0;
    if (blocks && a->state == CLG_STATE_GATED_DELTA) return blocks_s(r, heads, sequences, length);
    clg_state_core(a, heads, sequences * length, length, false, &op);
    return clg_attention_s(&r->scenario->machine.gpu, &r->scenario->kernels, r->attention, CLG_BF16,
                           &op);
}

/* Prompts come as many at a time as an iteration takes. */
double clg_states_prompt_token_s(const clg_replica *r) {
    double most = (double)r->rules.max_tokens / r->dp;
    double length = fmin(fmax(r->mean_prompt_tokens, 64), most), sum = 0;
    double sequences = fmax(1, floor(most / length));
    for (int l = 0; l < r->scenario->model.layers; l++) {
        const clg_attention *a = attention_at(r, l);
        if (keeps_state(a)) sum += chunked_s(r, a, sequences, length) / (sequences * length);
    }
    return sum / (r->pp * r->dp);
}

/* ---- room */

typedef struct layers {
    int attending, keeping;
    double largest; /* state of a layer */
} layers;

static layers layers_of(const clg_replica *r) {
    layers n = {0};
    for (int l = 0; l < r->scenario->model.layers; l++) {
        const clg_attention *a = attention_at(r, l);
        if (keeps_state(a)) {
            n.keeping++;
            n.largest = fmax(n.largest, state_bytes(r, a) + seen_bytes(r, a));
        } else if (a->kind != CLG_ATTENTION_NONE)
            n.attending++;
    }
    return n;
}

/* vLLM: one pool of pages for groups of as many layers of a kind; a block of tokens is so long that
 * its page holds a state, which is padded to it; a sequence has a page per group of states, and one
 * more for each token proposed (v1/core/kv_cache_utils.py, _get_kv_cache_groups_uniform_page_size;
 * platforms/interface.py, update_block_size_for_backend). Layers without a group of their own size
 * are counted as if there were: groups are filled up. */
static void place_pages(clg_replica *r, double room, double token_bytes, layers n, int drafted) {
    double each = token_bytes * r->pp / n.attending, step = r->engine.block_tokens;
    double tokens = step * ceil(n.largest / (step * each));
    double size = fmin(n.attending, n.keeping), larger = fmax(n.attending, n.keeping);
    if (larger < 1.25 * size) size = larger;
    double groups = ceil(n.attending / size), states = ceil(n.keeping / size) * (1 + drafted);
    double block = groups * size * each * fmax(tokens, step) / r->pp;
    r->rules.block_tokens = (int)fmin(fmax(tokens, step), 1 << 20);
    r->rules.blocks = (int64_t)fmin(fmax(room, 0) / block, 1e15);
    r->rules.sequence_blocks = (int)ceil(states / groups);
}

/* SGLang: a pool of states beside the cache, shared out by a ratio, and so many of them kept for
 * each sequence that runs (model_executor/model_runner_kv_cache_mixin.py). TensorRT-LLM: a state
 * for each sequence the largest batch may have, the rest is the cache's. */
static void place_apart(clg_replica *r, double room, double token_bytes, int drafted) {
    double each = clg_states_bytes(r), ratio = r->engine.state_pool;
    double states = ratio > 0 ? room * ratio / (1 + ratio) : room;
    double slots = r->engine.state_slots > 0 ? r->engine.state_slots : 1;
    double most = floor(fmax(states, 0) / (each * (slots + drafted)));
    if (ratio <= 0 && most > r->rules.max_sequences) most = r->rules.max_sequences;
    double left = ratio > 0 ? room / (1 + ratio) : room - most * each * (1 + drafted);
    double block = token_bytes * r->rules.block_tokens;
    if (most < r->rules.max_sequences) r->rules.max_sequences = (int)fmax(most, 1);
    r->rules.blocks = most < 1    ? 0
                      : block > 0 ? (int64_t)fmin(fmax(left, 0) / block, 1e15)
                                  : (int64_t)1e12;
}

void clg_states_place(clg_replica *r, double room, double token_bytes, int drafted) {
    layers n = layers_of(r);
    if (r->engine.state_pages > 0 && n.attending > 0)
        place_pages(r, room, token_bytes, n, drafted);
    else
        place_apart(r, room, token_bytes, drafted);
}
