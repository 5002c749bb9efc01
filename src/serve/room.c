/* room.c -- what a replica keeps in memory, and what is left for the cache. */
#include "serve/iteration.h"
#include "serve/states.h"

#include <math.h>

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
        bytes += clg_layer_cache_bytes(r, a) * clg_seen_share(r, a, context_tokens);
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

static double up_to(double size, double multiple) {
    return multiple > 0 ? ceil(size / multiple) * multiple : size;
}

/* Stored experts over those of the checkpoint: kernels want sizes of whole tiles. */
static double experts_padding(const clg_replica *r, const clg_mlp *mlp) {
    const clg_expert_curve *c = clg_expert_curve_of(r);
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

void clg_settle_memory(clg_replica *r, const clg_replica_choice *c, double context) {
    double share = c->memory_share > 0 ? c->memory_share : r->engine.memory_share;
    r->weight_bytes = weight_bytes(r);
    r->activation_bytes = activation_bytes(r);
    r->cache_bytes_per_token = kept_cache_bytes(r, context) / r->pp;
    r->read_bytes_per_token = any_sparse(&r->scenario->model)
                                  ? clg_read_bytes_per_token(r, context) / r->pp
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
