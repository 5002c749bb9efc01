/* batching.h -- one replica under continuous batching, iteration by iteration.
 *
 * Rules (vLLM v1/core/sched/scheduler.py): every decoding sequence gets a token each iteration;
 * what is left of the token budget goes to prompts in order of arrival, cut in chunks; a prompt is
 * admitted when blocks for all of it are free and a place among the sequences is; when a decoding
 * sequence finds no block, the youngest one gives its own back, waits at the head of the queue and
 * computes prompt and output so far again. No admission in an iteration that preempted.
 *
 * Engines differ by rule: room for the whole answer reserved at admission, prompts taken whole,
 * prompts held back some iterations until enough have gathered, prompts in iterations of their own,
 * long contexts decoded without a CUDA graph. All of today put the next iteration together while
 * one runs, so a request that comes during one is not in the next. Prompts whose first blocks
 * another one left in the cache skip them; what no sequence holds is kept until it is needed, least
 * recently used out first. Where the host keeps what the GPU drops, it is read back over the link
 * of its rank, one prompt after the other and beside the iterations; the prompt holds its blocks
 * and waits (vLLM distributed/kv_transfer/kv_connector/v1/offloading_connector.py). Left out:
 * writing to the host, which goes the other way. A pool that only decodes takes prompts with their
 * cache.
 *
 * In front of the scheduler a process reads and tokenizes requests, one after the other: clients
 * that start together queue there first, and behind the tokens that it hands on meanwhile. A client
 * of a closed loop asks again when the last token has reached it.
 *
 * Speculative decoding: a sequence that gains E tokens an iteration is E times shorter in units of
 * E tokens, and all lengths are counted in those.
 *
 * Between two events nothing but lengths changes, so iterations are taken many at a time:
 *   seconds of k = k (a + c S) + c B k (k - 1) / 2
 * exact for costs that are linear in the context. tests/serve holds it against one that steps. */
#ifndef CLG_BATCHING_BATCHING_H
#define CLG_BATCHING_BATCHING_H

#include "demand/demand.h"
#include "stack/front_end.h"

enum { CLG_COST_TERMS = 9 };

typedef struct clg_iteration_cost {
    const double *dense_s; /* [max_tokens + 1] by tokens in the iteration */
    int max_tokens;
    const double *decode_s; /* [decodes + 1] by sequences that decode alone: replayed from a graph
                               that is kept for this many and more; NULL, or beyond: as dense_s */
    int decodes;
    const double *shared_s; /* [max_tokens + 1] of dense_s, what sees the tokens of all ranks
                               wherever they lie: experts that ranks share; NULL: nothing does */
    union {
        struct {
            double sequence_s; /* per sequence in the iteration */
            double context_s;  /* per token of cache that decoding sequences read */
            double mixed_s;    /* and more of it in an iteration that has prompts, too */
            double pair_s;     /* per query-key pair of a prefill chunk */
            double state_s;    /* per decoding sequence: states read and written */
            double scan_s;     /* per token of a prefill chunk, beside dense_s: states of layers */
            double eager_s;    /* host of one stage to launch a micro-batch kernel by kernel: those
                                  with prompts, of iterations of more than graph_tokens; the others
                                  are replayed from a CUDA graph */
            double loop_s, loop_sequence_s; /* host: least of an iteration replayed from a graph,
                                               and more of any for each of its sequences */
        };
        double term_s[CLG_COST_TERMS]; /* the same */
    };
    double context_pad; /* tokens more than its own that each decoding sequence reads */
    int stages;         /* pipeline stages, and micro-batches of an iteration; 0: one */
    int graph_tokens;
    int64_t graph_context; /* an iteration with a decoding sequence of a longer context is launched
                              kernel by kernel too; 0: none is */
    int ranks;      /* that sequences are dealt to, each with its share of the limits; all wait for
                       the fullest in every iteration; 0 and 1 alike */
    double drafted; /* tokens proposed per sequence and iteration, 0: no speculation */
    double gained;  /* tokens an iteration gives a sequence, read when drafted > 0 */
} clg_iteration_cost;

/* Every iteration takes `scale` times as long. */
clg_iteration_cost clg_iteration_cost_scaled(clg_arena *arena, const clg_iteration_cost *cost,
                                             double scale);

typedef struct clg_serve_rules {
    int max_sequences, max_tokens; /* of one iteration */
    int prompt_tokens;             /* of one of prompts alone; 0: max_tokens */
    int block_tokens;
    int64_t blocks;
    int sequence_blocks; /* of each sequence, however long: its states */
    int64_t clients;     /* > 0: closed loop of so many clients */
    clg_front_end front;
    int front_ends;      /* processes that take requests in turn; 0 and 1 alike */
    bool late_output;    /* a first token is seen when the next iteration ends */
    bool own_queues;     /* tokens wait behind those of their own request alone */
    bool reserve_output; /* room for the whole answer at admission */
    bool prefill_alone;  /* prompts in iterations of their own */
    bool whole_prompts;  /* not cut, unless longer than an iteration */
    bool dealt_in_turn;  /* to ranks, whoever has fewest sequences */
    bool overlapped;     /* an iteration is put together when the one before it starts, on the GPU:
                            who comes later is in the next but one */
    int64_t poll_iterations; /* new requests are looked for after so many that only decode, and
                                after all others; 0 and 1: after each */
    int64_t wait_iterations; /* prompts are held back so many, while others decode and until */
    int64_t wait_tokens;     /* the iteration would have so many tokens; 0: they are not */
    int64_t wait_ranks;      /* or until every one of so many ranks could start a prompt, while all
                                of them decode; 0: not by ranks */
    double unit_tokens;      /* that lengths are counted in, those of prefix blocks not; 0: one */
    bool prefilled;          /* prompts come with their cache and first token */
    bool no_prefix_cache;    /* hashes of the demand are not looked at */
    int64_t prompts_seen;    /* so many of the first prompts came once before, in their order: what
                                of them fits is in the cache, */
    int64_t tokens_seen;     /* or of so many of the first tokens of each; 0: of all */
    double cached_share;     /* > 0: of every prompt is in the cache, whatever hashes say, */
    double read_share;       /* and so much of every prompt, part of it, in the host's */
    double host_tokens;      /* of prompts, that the host's memory keeps; 0: none */
    double read_token_s;     /* to read one of them back, over the link of one rank */
    int64_t give_up_at;      /* > 0: ends once so many requests were beyond one of these: */
    double late_first_s, late_token_s; /* to the first token, and each after it */
} clg_serve_rules;

/* Blocks of a sequence of so many tokens. */
static inline int64_t clg_serve_blocks(const clg_serve_rules *rules, int64_t tokens) {
    return (tokens + rules->block_tokens - 1) / rules->block_tokens + rules->sequence_blocks;
}

/* What happened to a request; finish_s < 0: refused, it could never fit; or the run was given up
 * before it was through. */
typedef struct clg_served {
    double arrival_s, first_token_s, finish_s;
} clg_served;

typedef struct clg_serve_totals {
    int64_t finished, refused;
    int64_t prompt_tokens, output_tokens; /* of finished requests */
    int64_t made_tokens;                  /* output tokens counted iteration by iteration */
    int64_t prefilled_tokens;             /* computed: prompts, and what preemption lost */
    int64_t cached_tokens;                /* of prompts, found in the cache as they first start, */
    int64_t read_tokens;                  /* and of these in the host's memory */
    int64_t preemptions, iterations, events;
    double begin_s, end_s; /* first arrival, last finish */
    double busy_s, idle_s; /* together end - begin */
    double sequence_s;     /* integral of sequences in the batch over time */
    double warm_s, full_s; /* time until a quarter was admitted; until nobody waited any more */
    int64_t warm_tokens, full_tokens; /* output tokens made by then */
    int64_t late;                     /* counted where it is given up at some */
} clg_serve_totals;

/* Every `stride`-th request of `demand` from `first` on, through one replica. `served` is indexed
 * like the requests of the demand. */
void clg_serve_simulate(clg_arena *arena, const clg_iteration_cost *cost,
                        const clg_serve_rules *rules, const clg_demand *demand, int64_t first,
                        int64_t stride, clg_served *served, clg_serve_totals *totals);

/* Equal replicas of a part, to whom requests are dealt in turn. */
typedef struct clg_pool {
    const clg_iteration_cost *cost;
    const clg_serve_rules *rules;
    int lanes;
    clg_serve_totals *totals; /* [lanes] */
} clg_pool;

/* Prompts are computed in one pool, sent, and answered in the other. */
typedef struct clg_pools {
    clg_pool prompts, answers;
    int64_t clients; /* > 0: closed loop over both */
    double transfer_s, transfer_token_s;
} clg_pools;

/* All requests of `demand` through both pools; `served` is indexed like them. */
void clg_pools_simulate(clg_arena *arena, const clg_pools *pools, const clg_demand *demand,
                        clg_served *served);

#endif
