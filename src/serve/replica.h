/* replica.h -- one copy of the model that serves: its GPUs, its memory, what an iteration costs. */
#ifndef CLG_SERVE_REPLICA_H
#define CLG_SERVE_REPLICA_H

#include "batching/batching.h"
#include "demand/demand.h"
#include "evaluate/evaluate.h"
#include "memory/room.h"
#include "serve/doubt.h"

typedef struct clg_replica clg_replica;
struct clg_replica {
    const clg_scenario *scenario;
    clg_engine engine;
    clg_serve_curves curves;
    clg_serving_layout layout;
    clg_attention_kernel attention;
    clg_exchange_curve exchange;
    clg_sparse_kernels sparse;
    clg_router_curve router;
    clg_serve_sigma sigma; /* how far off it may be */
    double expert_spread;  /* of how often experts are chosen: step/routing.h */
    clg_serving_room room;
    double mean_prompt_tokens, mean_context_tokens; /* of the demand the costs were made for */
    int64_t longest_tokens;                         /* prompt and answer, of its longest request */
    clg_iteration_cost cost;
    clg_serve_rules rules;
    double host_bytes_per_s; /* that each GPU reads from the host's cache; 0: there is none */
    bool in_turn; /* a fleet of these is dealt requests in turn, whoever has their prompts */
    /* Disaggregated: so many replicas like *prefill make first tokens, so many like this one the
     * rest, and the cache of a prompt is sent between them. prefill NULL: one does both. */
    const clg_replica *prefill;
    int prefills, decodes;
    double transfer_s, transfer_token_s; /* per request, and per token of its prompt */
};

/* Every iteration launched kernel by kernel. */
enum { CLG_NO_GRAPHS = -1 };

/* What is chosen; zeros take the engine's or the smallest that fits. */
typedef struct clg_replica_choice {
    int tp, pp, dp, ep;
    clg_precision compute, weights, cache;
    bool wide_attention; /* the checkpoint keeps attention's weights in 16 bit */
    int max_sequences, max_tokens;
    int64_t blocks; /* cache blocks as the engine's log states them */
    double memory_share;
    int front_ends;        /* processes that take requests and hand tokens on; 0: one a rank */
    int prefills, decodes; /* disaggregated: so many of each; 0: not */
    int drafted;           /* tokens proposed per iteration, 0: no speculation */
    bool proposes;         /* a search may speculate: the share below was asked for */
    double accepted;       /* share of proposed tokens that are, each after the one before it */
    clg_adapter adapter;
    int adapters; /* of so many fine-tunings on this base; 0: none */
    bool no_prefix_cache;
    double host_bytes, host_bytes_per_s; /* of the host's memory that keep prompts, for each GPU;
                                            how fast it reads them, 0: as its link carries copies */
    bool in_turn;
    bool filtered;                 /* tokens are sampled from the likeliest: top-k, top-p */
    const clg_graph_sizes *graphs; /* NULL: the engine's */
    int graph_most; /* largest batch of a rank with a graph, whatever sizes say; 0: the engine's */
    int graph_tokens; /* 0: the engine's; both: CLG_NO_GRAPHS */
    clg_expert_kernels expert_kernels;
    bool two_batches; /* halves of a batch take turns: one's exchange runs under the other */
    bool balanced;    /* experts are placed, and popular ones copied, by load (EPLB) */
} clg_replica_choice;

/* What engines store keys and values in where nobody says: 16 bit; 8 bit where keys are pooled
 * (vLLM models/deepseek_v4/attention.py: fp8_ds_mla; SGLang _deepseek_v4_kv_cache_dtype). */
clg_precision clg_replica_cache(const clg_model *model);

/* Makes a replica for a demand. One that does not fit is CLG_BAD_INPUT saying what is missing. */
clg_status clg_replica_prepare(clg_arena *arena, const clg_scenario *scenario,
                               const clg_engine *engine, const clg_replica_choice *choice,
                               const clg_demand *demand, clg_replica *replica, clg_error *error);

/* An iteration in which so many sequences decode and no prompt is read; the parts are its time. */
typedef struct clg_iteration {
    double sequences, context_tokens; /* of each */
    double seconds, part[CLG_ITERATION_PARTS];
} clg_iteration;
clg_iteration clg_replica_iteration(const clg_replica *replica, double sequences,
                                    double context_tokens);

/* Seconds of everything in an iteration of `tokens` but attention over contexts. */
double clg_replica_dense_s(const clg_replica *replica, double tokens);

/* Tokens an iteration gives when each of `drafted` is accepted with a chance, and one comes free
 * (Leviathan et al. 2023, arXiv:2211.17192, equation 1). */
double clg_replica_gained_tokens(int drafted, double accepted);

/* The replica with every iteration `scale` times as long. */
clg_replica clg_replica_slowed(clg_arena *arena, const clg_replica *replica, double scale);

/* Output tokens/s when `sequences` decode all the time and prefill keeps pace, memory unlimited.
 * Disaggregated: those of the slower pool, prompts as many at a time. */
double clg_replica_steady_tokens_per_s(const clg_replica *replica, const clg_demand_means *means,
                                       double sequences);

/* Makes `replica` the decoding part of a disaggregated one. `prefill` must outlive it, and loses
 * the graphs of prompts that its engine keeps without pools alone. */
void clg_replica_disaggregate(clg_replica *replica, clg_replica *prefill, int prefills,
                              int decodes);

/* A demand through a replica, disaggregated or not. Busy and idle time of a disaggregated one are
 * means over its GPUs; its batch is that of all decoding parts. */
void clg_replica_serve(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                       clg_served *served, clg_serve_totals *totals);

/* GPUs of one copy of the weights, and of the replica. */
static inline int clg_replica_part_gpus(const clg_replica *r) {
    return clg_serving_gpus(&r->layout);
}
static inline int clg_replica_gpus(const clg_replica *r) {
    if (!r->prefill) return clg_replica_part_gpus(r);
    return r->prefills * clg_replica_part_gpus(r->prefill) + r->decodes * clg_replica_part_gpus(r);
}

#endif
