/* room.c -- weights, activations, cache and states of a copy that serves. Left out: states kept for
 * prefixes (vLLM's "align" mode, SGLang's tree), which need more room. */
#include "memory/room.h"

#include "step/served_adapters.h"
#include "step/sizes.h"

#include <math.h>

static const clg_layer_kind *layer_at(const clg_serving *s, int layer) {
    return &s->model->kind[s->model->layer_kind[layer]];
}

static const clg_attention *attention_at(const clg_serving *s, int layer) {
    return &layer_at(s, layer)->attention;
}

/* ---- cache */

static double all_layers_cache_bytes(const clg_serving *s, double context) {
    double bytes = 0;
    for (int l = 0; l < s->model->layers; l++) {
        const clg_attention *a = attention_at(s, l);
        bytes += clg_layer_cache_bytes(s, a, context);
    }
    return bytes;
}

/* What an iteration reads of a token, and what the token keeps, differ where layers with a window
 * keep what they no longer see. */
static double kept_cache_bytes(const clg_serving *s) {
    return all_layers_cache_bytes(s, s->engine->whole_windows > 0 ? 1 : s->context_tokens);
}

static double layer_read_bytes(const clg_serving *s, const clg_attention *a, double context) {
    double bytes = clg_entry_bytes(s, a) * clg_cache_reads(s, a);
    if (!clg_is_sparse(a)) return bytes * clg_seen_share(s, a, context);
    double seen = a->shared_values ? 1 : clg_seen_share(s, a, context);
    return bytes * seen * clg_chosen_share(a, context) + clg_index_key_bytes(s, a);
}

double clg_read_bytes_per_token(const clg_serving *s, double context) {
    double bytes = 0;
    for (int l = 0; l < s->model->layers; l++)
        bytes += layer_read_bytes(s, attention_at(s, l), context);
    return bytes;
}

/* Some layer reads other entries than it keeps. */
static bool reads_others(const clg_model *m) {
    for (int k = 0; k < m->kinds; k++)
        if (clg_is_sparse(&m->kind[k].attention) || m->kind[k].attention.borrows) return true;
    return false;
}

/* ---- weights */

static double up_to(double size, double multiple) {
    return multiple > 0 ? ceil(size / multiple) * multiple : size;
}

/* Stored experts over those of the checkpoint: kernels want sizes of whole tiles. */
static double experts_padding(const clg_serving *s, const clg_expert_curve *c, const clg_mlp *mlp) {
    if (mlp->kind != CLG_MLP_MOE) return 1;
    double hidden = (double)clg_expert_input(s->model, mlp);
    double width = clg_serving_expert_width(s->layout, mlp);
    return up_to(hidden, c->hidden_multiple) / hidden * up_to(width, c->width_multiple) / width;
}

static double layer_weight_bytes(const clg_serving *s, const clg_expert_curve *c,
                                 const clg_layer_kind *kind) {
    const clg_layer_parameters *p = &kind->parameters;
    const clg_serving_layout *l = s->layout;
    double experts = (double)p->experts * experts_padding(s, c, &kind->mlp);
    double narrow = (double)p->mlp / l->tp + experts / (l->tp * l->dp);
    double attention = (double)p->attention / l->tp * clg_precision_bytes(l->attention_weights);
    return attention + narrow * clg_precision_bytes(l->weights) + 2 * (double)p->replicated;
}

/* Cosines and sines of all positions the model knows, one table a GPU: 5.4 GB for ten million. */
static double rotation_bytes(const clg_serving *s) {
    const clg_model *m = s->model;
    for (int k = 0; k < m->kinds; k++) {
        const clg_attention *a = &m->kind[k].attention;
        double turned = a->rope_dim > 0 ? a->rope_dim : a->head_dim;
        if (a->rotary) return s->engine->position_bytes * (double)m->max_seq * turned;
    }
    return 0;
}

/* Quantized checkpoints keep embeddings, head and norms in 16 bit. */
static double weight_bytes(const clg_serving *s, const clg_expert_curve *c) {
    const clg_model *m = s->model;
    int pp = s->layout->pp;
    double ends = 2 * (double)(m->embedding_parameters + m->head_parameters) / s->layout->tp;
    double sum = 0;
    for (int l = 0; l < m->layers; l++) sum += layer_weight_bytes(s, c, layer_at(s, l));
    return (pp == 1 ? sum + ends : sum / pp + ends / 2) + rotation_bytes(s);
}

/* ---- activations */

/* Of one token in experts: a copy for each of its experts, in their format and 16 bit again, and
 * what lies between the products. Ranks that gather hold the tokens of all of them and what comes
 * of these, in 16 bit, and make room for the worst case that all are their own (TensorRT-LLM and
 * vLLM size workspaces so), or as many as the engine computes at a time. */
static double expert_token_bytes(const clg_serving *s, const clg_mlp *mlp) {
    const clg_serving_layout *l = s->layout;
    double narrow = clg_precision_bytes(l->weights), hidden = (double)s->model->hidden;
    double width = clg_serving_expert_width(l, mlp);
    double seen = l->dp > 1 && s->engine->gathers > 0 ? l->dp : 1, tokens = s->max_tokens / l->dp;
    double chunk = s->engine->expert_chunk, gathered = seen > 1 ? seen * 4 * hidden : 0;
    double at_once = chunk > 0 ? fmin(seen, chunk / tokens) : seen;
    double between = width * (2 * clg_up_matrices(mlp) + narrow);
    return gathered + at_once * mlp->experts_per_token * (hidden * (narrow + 2) + between);
}

/* Of the largest iteration: a few hidden-wide tensors, the widest MLP (what its up matrices give
 * and the activation of it, in 16 bit), the logits. */
static double activation_bytes(const clg_serving *s) {
    const clg_model *m = s->model;
    const clg_serving_layout *l = s->layout;
    double widest = 0;
    for (int k = 0; k < m->kinds; k++) {
        const clg_mlp *mlp = &m->kind[k].mlp;
        bool experts = mlp->kind == CLG_MLP_MOE;
        double width = (double)(experts ? mlp->shared_ffn : mlp->ffn);
        double bytes = 2 * (clg_up_matrices(mlp) + 1) * width / l->tp +
                       (experts ? expert_token_bytes(s, mlp) : 0);
        widest = fmax(widest, bytes);
    }
    const clg_engine *e = s->engine;
    double layers = s->max_tokens / l->dp * (e->token_hidden_bytes * (double)m->hidden + widest);
    double logits = e->logit_bytes * s->max_sequences / l->dp * (double)m->vocab;
    return e->sampled_apart > 0 ? fmax(layers, logits) : layers + logits / l->tp;
}

/* ---- states */

typedef struct layers {
    int attending, keeping;
    double largest, all; /* bytes of the states of a layer; of all */
} layers;

static layers layers_of(const clg_serving *s) {
    layers n = {0};
    for (int l = 0; l < s->model->layers; l++) {
        const clg_attention *a = attention_at(s, l);
        if (a->kind == CLG_ATTENTION_LINEAR) {
            double bytes = clg_layer_state_bytes(s, a) + clg_layer_taps_bytes(s, a);
            n.keeping++;
            n.largest = fmax(n.largest, bytes);
            n.all += bytes;
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
static void place_pages(clg_serving_room *r, const clg_serving *s, double room, layers n,
                        int drafted) {
    int pp = s->layout->pp;
    double each = r->cache_bytes_per_token * pp / n.attending, step = s->engine->block_tokens;
    double tokens = step * ceil(n.largest / (step * each));
    double size = fmin(n.attending, n.keeping), larger = fmax(n.attending, n.keeping);
    if (larger < s->engine->group_slack * size) size = larger;
    double groups = ceil(n.attending / size), states = ceil(n.keeping / size) * (1 + drafted);
    double block = groups * size * each * fmax(tokens, step) / pp;
    r->block_tokens = (int)fmin(fmax(tokens, step), 1 << 20);
    r->blocks = (int64_t)fmin(fmax(room, 0) / block, 1e15);
    r->sequence_blocks = (int)ceil(states / groups);
}

/* SGLang: a pool of states beside the cache, shared out by a ratio, and so many of them kept for
 * each sequence that runs (model_executor/model_runner_kv_cache_mixin.py). TensorRT-LLM: a state
 * for each sequence the largest batch may have, the rest is the cache's. */
static void place_apart(clg_serving_room *r, const clg_engine *e, double room, int drafted) {
    double each = r->state_bytes, ratio = e->state_pool;
    double states = ratio > 0 ? room * ratio / (1 + ratio) : room;
    double slots = e->state_slots > 0 ? e->state_slots : 1;
    double most = floor(fmax(states, 0) / (each * (slots + drafted)));
    if (ratio <= 0 && most > r->max_sequences) most = r->max_sequences;
    double left = ratio > 0 ? room / (1 + ratio) : room - most * each * (1 + drafted);
    double block = r->cache_bytes_per_token * r->block_tokens;
    if (most < r->max_sequences) r->max_sequences = (int)fmax(most, 1);
    r->blocks = most < 1    ? 0
                : block > 0 ? (int64_t)fmin(fmax(left, 0) / block, 1e15)
                            : (int64_t)1e12;
}

/* ---- all of it */

/* What weights and cache may take of a GPU. SGLang by default leaves what it reckons the rest
 * needs, not a share (server_args.py, _handle_gpu_memory_settings). */
static double static_bytes(const clg_serving *s, double usable) {
    const clg_engine *e = s->engine;
    const clg_serving_layout *l = s->layout;
    double graphs = clg_engine_graph_most(e, l->tp * l->dp);
    double tokens = s->chunk_tokens > 0 ? s->chunk_tokens : s->max_tokens / l->dp;
    double reserve = e->reserve_bytes +
                     e->reserve_token_bytes * fmax(tokens, e->reserve_least_tokens) +
                     e->reserve_graph_bytes * graphs + e->reserve_rank_bytes * clg_serving_gpus(l);
    double dealt =
        e->reserve_dealt_graph_bytes + (graphs > e->large_graph ? e->reserve_large_graph_bytes : 0);
    if (l->dp > 1) reserve += dealt * graphs * l->dp;
    return usable - fmax(reserve, e->reserve_least_bytes);
}

/* Boxes together: by recipe, not by what the engine reckons. */
static void settle_cache_room(const clg_serving *s, clg_serving_room *r, double memory_share) {
    const clg_engine *e = s->engine;
    double share = memory_share > 0 ? memory_share : e->memory_share;
    double beside = r->activation_bytes + e->other_bytes;
    double taken = r->weight_bytes + (e->static_share > 0 ? 0 : beside);
    double usable = s->machine->gpu.memory_usable_bytes;
    bool boxed = clg_serving_gpus(s->layout) <= s->machine->node.gpus;
    bool reckoned = e->reserve_least_bytes > 0 && memory_share <= 0 && boxed,
         free = e->free_share > 0;
    r->engine_bytes = reckoned ? static_bytes(s, usable) : free ? usable : share * usable;
    r->cache_room_bytes = (free && !reckoned ? share : 1) * (r->engine_bytes - taken);
}

clg_serving_room clg_serving_room_of(const clg_serving *s, const clg_serve_curves *curves,
                                     double memory_share, int drafted) {
    layers n = layers_of(s);
    int pp = s->layout->pp;
    clg_serving_room r = {.block_tokens = (int)s->engine->block_tokens,
                          .max_sequences = (int)s->max_sequences};
    r.adapter_bytes = s->layout->adapters > 0 ? clg_adapter_bytes(s) : 0;
    r.weight_bytes = weight_bytes(s, clg_expert_curve_of(curves, s->layout)) +
                     s->layout->adapters * r.adapter_bytes;
    r.activation_bytes = activation_bytes(s);
    r.cache_bytes_per_token = kept_cache_bytes(s) / pp;
    r.read_bytes_per_token = reads_others(s->model)
                                 ? clg_read_bytes_per_token(s, s->context_tokens) / pp
                                 : r.cache_bytes_per_token;
    r.state_bytes = n.all / pp;
    settle_cache_room(s, &r, memory_share);
    double room = s->layout->dp * r.cache_room_bytes;
    double block = r.cache_bytes_per_token * r.block_tokens;
    r.blocks = room > 0 && block > 0 ? (int64_t)fmin(room / block, 1e15) : 0;
    if (r.state_bytes > 0 && s->engine->state_pages > 0 && n.attending > 0)
        place_pages(&r, s, room, n, drafted);
    else if (r.state_bytes > 0)
        place_apart(&r, s->engine, room, drafted);
    return r;
}
