/* replica.c -- a replica put together: layout, memory, rules, and the cost of its iterations.
 *
 *   iteration = host + what a batch of T tokens takes (batch_cost.c)
 *             + context_s (beside a prompt and mixed_s) x tokens in the cache of the decoding
 *             + pair_s x pairs of the prefill
 *             + state_s x sequences that decode + scan_s x tokens of the prefill */
#include "serve/replica.h"

#include "cost/host_copy.h"
#include "serve/batch_cost.h"
#include "step/routing.h"
#include "step/served_adapters.h"

#include <math.h>

clg_precision clg_replica_cache(const clg_model *model) {
    return clg_model_pools(model) ? CLG_FP8 : CLG_BF16;
}

/* Sequences and tokens of an iteration: as asked, else the engine's of each rank. */
static void settle_limits(clg_replica *r, const clg_replica_choice *c) {
    const clg_engine *e = &r->engine;
    int asked = c->max_tokens, own = (int)e->max_tokens;
    bool pools = e->pooled_sequences > 0 && clg_model_pools(&r->scenario->model);
    double sequences = pools ? e->pooled_sequences : e->max_sequences * r->layout.dp;
    r->rules.max_sequences = c->max_sequences > 0 ? c->max_sequences : (int)sequences;
    r->rules.max_tokens = asked > 0 ? asked : own * r->layout.dp;
    if (r->rules.max_tokens < r->rules.max_sequences) r->rules.max_tokens = r->rules.max_sequences;
    if (e->ranks_share_tokens > 0) r->rules.prompt_tokens = asked > 0 ? asked : own;
}

static void take_engine_rules(clg_serve_rules *rules, const clg_engine *e) {
    rules->reserve_output = e->reserve_output > 0;
    rules->prefill_alone = e->prefill_alone > 0;
    rules->whole_prompts = e->whole_prompts > 0;
    rules->dealt_in_turn = e->deals_in_turn > 0;
    rules->overlapped = e->overlapped > 0;
    rules->own_queues = e->own_queues > 0;
    rules->front = e->front;
}

static void settle_rules(clg_replica *r, const clg_replica_choice *c) {
    settle_limits(r, c);
    take_engine_rules(&r->rules, &r->engine);
    r->rules.no_prefix_cache = c->no_prefix_cache;
    r->rules.front_ends = c->front_ends > 0 ? c->front_ends : r->layout.dp;
    r->in_turn = c->in_turn;
}

double clg_replica_gained_tokens(int drafted, double accepted) {
    double sum = 0, chance = 1;
    for (int i = 0; i <= drafted; i++, chance *= accepted) sum += chance;
    return sum;
}

clg_replica clg_replica_slowed(clg_arena *arena, const clg_replica *replica, double scale) {
    clg_replica r = *replica;
    r.cost = clg_iteration_cost_scaled(arena, &replica->cost, scale);
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
    double once = r->engine.step_s + r->engine.loop_s + r->engine.eager_step_s;
    return host_s(r, once + clg_eager_layers_s(r) / r->layout.pp);
}

/* Of the host of a rank for each sequence of an iteration; ranks work side by side. */
static double loop_sequence_s(const clg_replica *r) {
    return host_s(r, r->engine.loop_sequence_s) / r->layout.dp;
}

/* Of the host for each sequence, which the GPU waits for; ranks work side by side. */
static double sequence_s(const clg_replica *r) {
    double apart = r->engine.overlapped > 0 ? 0 : r->engine.apart_sequence_s;
    return (r->engine.sequence_s + apart) / r->layout.dp;
}

/* Seconds by sequences that decode alone: each rank's share is padded to the next graph kept, or
 * launched kernel by kernel where none is. A graph is kept for the largest batch too. */
static const double *decode_costs(clg_arena *arena, const clg_replica *r,
                                  const clg_replica_choice *c) {
    const clg_graph_sizes *graphs = c->graphs ? c->graphs : &r->engine.graphs;
    int shared = r->layout.pp * r->layout.dp, most = r->rules.max_sequences,
        proposed = c->drafted + 1;
    int largest = (most + shared - 1) / shared, kept = -1;
    double kept_most =
        c->graphs ? 0 : clg_engine_graph_most(&r->engine, r->layout.tp * r->layout.dp);
    if (c->graph_most != 0) kept_most = c->graph_most;
    double *decode = clg_take(arena, (size_t)most + 1, double), seconds = 0;
    for (int b = 1; b <= most; b++) {
        int each = (b + shared - 1) / shared, padded = clg_graph_padded(graphs, each);
        if (kept_most != 0 && each > kept_most) padded = 0;
        if (padded == 0 && each <= c->graph_most) padded = each;
        int size = padded > 0 ? (padded < largest ? padded : largest) : each;
        if (size != kept) {
            double tokens = (double)size * shared * proposed;
            seconds = clg_dense_iteration_s(r, tokens, true) + clg_draft_s(r, tokens, c->drafted);
            if (padded == 0)
                seconds = fmax(seconds, r->layout.pp * eager_s(r) + b * loop_sequence_s(r));
            kept = size;
        }
        decode[b] = seconds;
    }
    return decode;
}

/* Of dense_s, in the same steps. */
static const double *shared_costs(clg_arena *arena, const clg_replica *r) {
    int steps = r->layout.pp * r->layout.dp;
    if (r->layout.dp == 1 || r->layout.two_batches || r->engine.pads_prompts > 0 ||
        !clg_model_experts(&r->scenario->model))
        return NULL;
    double *shared = clg_take(arena, (size_t)r->rules.max_tokens + 1, double);
    for (int t = 1; t <= r->rules.max_tokens; t++)
        shared[t] = (t - 1) % steps != 0 ? shared[t - 1] : clg_shared_iteration_s(r, t);
    return shared;
}

static void settle_cost(clg_arena *arena, clg_replica *r, const clg_replica_choice *c,
                        double context) {
    double *dense = clg_take(arena, (size_t)r->rules.max_tokens + 1, double);
    int pp = r->layout.pp, dp = r->layout.dp;
    int shared = pp * dp; /* ranks and stages share tokens out: steps of so many */
    clg_context_costs(r, context, c->drafted, &r->cost);
    clg_replica_dense_table(r, shared, c->drafted, r->rules.max_tokens, dense);
    r->cost.dense_s = dense;
    r->cost.shared_s = shared_costs(arena, r);
    r->cost.max_tokens = r->rules.max_tokens;
    r->cost.decode_s = decode_costs(arena, r, c);
    r->cost.decodes = r->rules.max_sequences;
    r->cost.sequence_s = sequence_s(r);
    r->cost.eager_s = eager_s(r);
    r->cost.stages = pp;
    r->cost.loop_s = host_s(r, r->engine.loop_s);
    r->cost.loop_sequence_s = loop_sequence_s(r);
    r->cost.graph_tokens = clg_prompt_graph_tokens(r);
    r->cost.graph_context = (int64_t)r->engine.graph_context;
    r->cost.ranks = dp;
    r->cost.drafted = c->drafted;
    r->cost.gained = clg_replica_gained_tokens(c->drafted, c->accepted);
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
    bool wide = clg_precision_bytes(r->layout.weights) > 1;
    double beside = r->room.activation_bytes + r->engine.other_bytes;
    return clg_fail(error, CLG_BAD_INPUT,
                    wide ? "raise --tp or --pp, or store weights as --weights fp8"
                         : "raise --tp or --pp, or take a GPU with more memory",
                    "%s does not fit: tp %d x pp %d needs %.1f GB a GPU for weights and %.1f GB "
                    "beside them of the %.1f GB that the engine takes",
                    r->scenario->model.name, r->layout.tp, r->layout.pp, r->room.weight_bytes / 1e9,
                    beside / 1e9, r->room.engine_bytes / 1e9);
}

static void settle_room(clg_replica *r, const clg_replica_choice *c) {
    clg_serving s = clg_serving_of(r);
    r->room = clg_serving_room_of(&s, &r->curves, c->memory_share, c->drafted);
    r->rules.block_tokens = r->room.block_tokens;
    r->rules.sequence_blocks = r->room.sequence_blocks;
    r->rules.max_sequences = r->room.max_sequences;
    r->rules.blocks = c->blocks > 0 ? c->blocks : r->room.blocks;
}

/* Each GPU keeps and reads its own share of a token's cache; ranks have prompts of their own. */
static clg_status settle_host(clg_arena *arena, clg_replica *r, const clg_replica_choice *c,
                              clg_error *error) {
    double token_bytes = r->room.cache_bytes_per_token;
    if (c->host_bytes <= 0 || token_bytes <= 0) return CLG_OK;
    r->host_bytes_per_s = c->host_bytes_per_s;
    const clg_gpu *gpu = &r->scenario->machine.gpu;
    if (c->host_bytes_per_s <= 0 &&
        clg_host_copy_rate(arena, gpu, &r->host_bytes_per_s, error) != CLG_OK)
        return error->status;
    if (r->host_bytes_per_s <= 0)
        return clg_fail(error, CLG_BAD_INPUT, "give --host-bandwidth",
                        "%s has no link to its host in data/gpu", gpu->name);
    r->rules.host_tokens = c->host_bytes / token_bytes * r->layout.dp;
    r->rules.read_token_s = token_bytes / r->host_bytes_per_s;
    return CLG_OK;
}

/* Where the widest group does not hold the weights: stages, as many groups as do. */
static void choose_pp(clg_replica *r, const clg_replica_choice *c) {
    enum { MOST = 16 };
    while (c->tp == 0 && c->pp == 0 && r->rules.blocks < 1 && r->layout.pp < MOST &&
           2 * r->layout.pp <= r->scenario->model.layers) {
        r->layout.pp *= 2;
        settle_rules(r, c);
        settle_room(r, c);
    }
}

/* The smallest tensor-parallel group that holds the weights and the longest request; else the
 * largest that holds the weights. */
static void choose_tp(clg_replica *r, const clg_replica_choice *c, const clg_demand *demand) {
    int most = r->scenario->machine.node.domain > 0 ? r->scenario->machine.node.domain : 8;
    if (most > 8) most = 8;
    for (r->layout.tp = c->tp > 0 ? c->tp : 1;; r->layout.tp *= 2) {
        settle_rules(r, c);
        settle_room(r, c);
        if (c->tp > 0 || !needs_more(r, demand) || r->layout.tp * 2 > most) return;
    }
}

/* Heads split evenly over the group, keys and values split or copied. */
static clg_status check_split(const clg_scenario *s, const clg_replica_choice *c,
                              clg_error *error) {
    int tp = c->tp > 0 ? c->tp : 1, pp = c->pp > 0 ? c->pp : 1;
    int dp = c->dp > 0 ? c->dp : 1, ep = c->ep > 0 ? c->ep : 1;
    if (ep > 1 && c->tp > 0 && tp * dp % ep != 0)
        return clg_fail(error, CLG_BAD_INPUT, "take a divisor of tp x dp",
                        "ep %d does not divide the %d GPUs of a stage", ep, tp * dp);
    if (ep > 1 && !clg_model_experts(&s->model))
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

static clg_status check_adapters(const clg_scenario *s, const clg_engine *e,
                                 const clg_replica_choice *c, clg_error *error) {
    if (c->adapters <= 0) return CLG_OK;
    const char *layers = clg_adapters_unpriced(&s->model, c->adapter.targets);
    if (layers)
        return clg_fail(error, CLG_BAD_INPUT,
                        *layers == 'e' ? "give --adapter-targets attention, or merge them"
                                       : "merge them: each is then a model of its own",
                        "adapters beside %s are not modelled", layers);
    if (e->adapter_kernel_s > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "leave --engine out",
                    "how long kernels of adapters take is not known for %s", e->title);
}

/* 8-bit products of the vendor's library: skinny ones read as well as 16-bit ones, large ones run
 * at a rate of their own on GPUs of the generation and power it was timed on. */
static void take_library(clg_replica *r) {
    clg_serve_curves *c = &r->curves;
    const clg_gpu *gpu = &r->scenario->machine.gpu;
    const clg_product_curve *own = &c->library[CLG_FP8];
    c->weights[CLG_FP8].hbm_share = c->weights[CLG_BF16].hbm_share;
    if (own->known && c->own_generation && gpu->tdp_w >= own->power_w) c->product[CLG_FP8] = *own;
}

static void take_tiled(clg_serve_curves *c, bool tuned) {
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        bool width = tuned && c->tuned[p].known, whole = tuned && c->tuned_shared[p].known;
        if (c->tiled[p].known) c->experts[p] = width ? c->tuned[p] : c->tiled[p];
        if (c->tiled_shared[p].known)
            c->shared[p] = whole ? c->tuned_shared[p] : c->tiled_shared[p];
    }
}

/* As chosen, but tp. */
static clg_serving_layout layout_of(const clg_model *m, const clg_replica_choice *c) {
    bool experts_alone = clg_precision_bytes(c->weights) < 1 && clg_model_experts(m) != NULL;
    clg_precision beside = experts_alone ? m->stored_beside : c->weights;
    return (clg_serving_layout){.pp = c->pp > 0 ? c->pp : 1,
                                .dp = c->dp > 0 ? c->dp : 1,
                                .ep = c->ep > 0 ? c->ep : 1,
                                .compute = c->compute,
                                .weights = c->weights,
                                .cache = c->cache,
                                .attention_weights = c->wide_attention ? CLG_BF16 : beside,
                                .expert_kernels = c->expert_kernels,
                                .two_batches = c->two_batches,
                                .balanced = c->balanced,
                                .adapter = c->adapter,
                                .adapters = c->adapters,
                                .filtered = c->filtered};
}

/* The engine's kernels for experts: weights published in 8 bit have a scale for each block; new
 * GPUs had none of their own for 16 bit at first. */
static void take_expert_kernels(clg_replica *r) {
    clg_serving_layout *l = &r->layout;
    const clg_engine *e = &r->engine;
    if (l->expert_kernels != CLG_EXPERTS_TIMED) return;
    bool blocks = l->weights == CLG_FP8 && r->scenario->model.stored_blocks;
    bool newer = clg_engine_is_newer(e, &r->scenario->machine.gpu);
    if (blocks && e->expert_block_rows > 0)
        l->expert_kernels = CLG_EXPERTS_GROUPED;
    else if (e->whole_wide_experts > 0 && newer && l->weights == CLG_BF16 &&
             r->curves.whole[CLG_BF16].known)
        l->expert_kernels = CLG_EXPERTS_WHOLE;
}

static clg_status settle_doubt(clg_arena *arena, clg_replica *r, clg_error *error) {
    const clg_scenario *s = r->scenario;
    bool borrowed = r->curves.borrowed || s->kernels.borrowed;
    return clg_serve_sigma_of(arena, &s->model, borrowed ? s->stack.sigma.borrowed : 0, &r->sigma,
                              error);
}

clg_status clg_replica_prepare(clg_arena *arena, const clg_scenario *scenario,
                               const clg_engine *engine, const clg_replica_choice *c,
                               const clg_demand *demand, clg_replica *r, clg_error *error) {
    clg_demand_means means = clg_demand_means_of(demand);
    *r = (clg_replica){.scenario = scenario,
                       .engine = clg_engine_on(engine, &scenario->machine.gpu)};
    if (check_split(scenario, c, error) != CLG_OK ||
        check_adapters(scenario, engine, c, error) != CLG_OK ||
        clg_routing_spread(arena, &r->expert_spread, error) != CLG_OK ||
        clg_sparse_kernels_find(arena, &r->sparse, error) != CLG_OK ||
        clg_exchange_find(arena, &r->exchange, error) != CLG_OK ||
        clg_router_find(arena, &r->router, error) != CLG_OK ||
        clg_serve_curves_find(arena, &scenario->machine.gpu, &r->curves, error) != CLG_OK ||
        settle_doubt(arena, r, error) != CLG_OK)
        return error->status;
    if (engine->narrow_cache > 0)
        for (int p = CLG_FP8; p < CLG_PRECISIONS; p++)
            r->curves.cache[p] = r->curves.cache[CLG_BF16];
    if (engine->tiled_experts > 0) take_tiled(&r->curves, engine->tiled_experts > 1);
    if (engine->narrow_weights > 0) take_library(r);
    clg_settle_overlap(r, c->no_prefix_cache);
    r->layout = layout_of(&scenario->model, c);
    take_expert_kernels(r);
    r->attention = attention_of(&scenario->kernels);
    r->mean_prompt_tokens = means.prompt_tokens;
    r->longest_tokens = demand->longest_tokens;
    r->mean_context_tokens = means.context_tokens;
    choose_tp(r, c, demand);
    choose_pp(r, c);
    while (r->layout.tp * r->layout.dp % r->layout.ep != 0) r->layout.ep--;
    if (r->rules.blocks < 1) return refuse(r, error);
    if (settle_host(arena, r, c, error) != CLG_OK) return error->status;
    settle_cost(arena, r, c, means.context_tokens);
    r->cost.sequence_s += clg_filter_sequence_s(r) / r->layout.dp;
    if (c->graph_tokens != 0) r->cost.graph_tokens = (int)fmax(c->graph_tokens, 0);
    if (c->prefills > 0 && c->decodes > 0) {
        clg_replica *prefill = clg_take(arena, 1, clg_replica);
        *prefill = *r;
        clg_replica_disaggregate(r, prefill, c->prefills, c->decodes);
    }
    return CLG_OK;
}

/* Seconds of an iteration with `starts` prompts and `sequences` that decode, at least: prompts come
 * in iterations as full as may be, so that the fewest have any. */
static double steady_s(const clg_replica *r, const clg_demand_means *m, double sequences,
                       double starts) {
    double verified = sequences * (r->cost.drafted + 1), all = sequences + starts;
    double prompts = starts * m->prompt_tokens, mixed = fmin(1, prompts / r->rules.max_tokens);
    double context_s = r->cost.context_s + mixed * r->cost.mixed_s;
    double kernels = clg_replica_dense_s(r, verified + prompts) +
                     clg_draft_s(r, verified, (int)r->cost.drafted) +
                     sequences * (m->context_tokens + r->cost.context_pad) * context_s +
                     sequences * r->cost.state_s + prompts * r->cost.scan_s +
                     starts * m->output_tokens * m->pairs_per_output * r->cost.pair_s;
    double gained = r->cost.drafted > 0 ? r->cost.gained : 1;
    double handed = sequences * gained * r->rules.front.token_s / fmax(r->rules.front_ends, 1);
    double host = fmax(kernels, r->cost.loop_s + all * r->cost.loop_sequence_s);
    return fmax(host + all * r->cost.sequence_s, handed);
}

double clg_replica_steady_tokens_per_s(const clg_replica *r, const clg_demand_means *m,
                                       double sequences) {
    double gained = r->cost.drafted > 0 ? r->cost.gained : 1, made = sequences * gained;
    if (!r->prefill) return made / steady_s(r, m, sequences, made / m->output_tokens);
    double answers = r->decodes * made / steady_s(r, m, sequences, 0);
    double prompts = r->prefills * sequences / steady_s(r->prefill, m, 0, sequences);
    return fmin(answers, prompts * m->output_tokens);
}
