/* engine.h -- what serving engines and GPUs are known to do, from data/engine and data/serve. */
#ifndef CLG_SERVE_ENGINE_H
#define CLG_SERVE_ENGINE_H

#include "base/arena.h"
#include "machine/machine.h"

/* Batches that CUDA graphs are kept for: up to `to`, every `step` from the stretch before it on. */
enum { CLG_GRAPH_STRETCHES = 16 };
typedef struct clg_graph_sizes {
    int count;
    int to[CLG_GRAPH_STRETCHES], step[CLG_GRAPH_STRETCHES];
} clg_graph_sizes;

/* The smallest kept batch of so many sequences and more; 0: none is, kernels are launched singly.
 */
int clg_graph_padded(const clg_graph_sizes *sizes, int sequences);

/* Rules and host terms of an engine. */
typedef struct clg_engine {
    const char *name, *title;
    double memory_share; /* of usable memory, weights included, that the engine takes; or of */
    double free_share;   /* 1: what weights and the rest leave, for the cache alone */
    double static_share; /* 1: weights and cache alone; the rest lives beside the share */
    double other_bytes;  /* per GPU: graphs, communicators, allocator */
    double block_tokens, max_sequences, max_tokens; /* cache block; limits of one iteration */
    double large_memory_bytes, large_sequences, large_tokens; /* limits on GPUs of so much memory */
    const char *large_except; /* but not on GPUs whose names begin so; "": all */
    double reserve_bytes, reserve_token_bytes, reserve_graph_bytes, reserve_rank_bytes;
    double reserve_least_bytes; /* > 0: what weights and cache leave of memory by default, instead
                                   of a share: in all, per token of an iteration, per sequence of
                                   the largest graph, per rank; at least so much */
    double graph_most, graph_most_narrow; /* largest batch with a graph; on fewer than 4 GPUs; 0:
                                             that of graphs */
    double logit_bytes; /* that sampling the largest batch takes per logit, when no layer runs; 0:
                           two copies beside the layers */
    double filter_s; /* sampling that cuts the rare tokens off (top-k, top-p), beside that of all:
                        of an iteration, */
    double filter_logit_bytes; /* and per logit, as so many bytes of HBM */
    double state_bytes;        /* of a value of a state where the checkpoint does not say */
    double state_pages; /* 1: states in pages of the cache's pool; else in a pool of their own: */
    double state_pool, state_slots; /* its size over the cache's (0: for the largest batch), and
                                       states kept for each sequence that runs (0: one) */
    double state_blocks;   /* 1: FlashInfer's kernel of the gated delta rule, where it is timed */
    double whole_windows;  /* 1: layers with a window keep all tokens in the cache */
    double position_bytes; /* of the table of rotations, an element of a head and position that the
                              model knows; 0: no table is counted */
    double no_windows;     /* 1: and read them: no layer has a window */
    double chunk_reads; /* 1: before Blackwell, decode attention within chunks reads a key once for
                           each query head that uses it, where sequences outgrow a chunk */
    double dense_prompt_tokens; /* sparse attention: prompts up to so many are computed as dense */
    double step_s, layer_s, sequence_s; /* per iteration, per layer and per sequence in it */
    double loop_s, loop_sequence_s; /* host, beside the GPU: of an iteration and each sequence */
    double eager_layer_s, eager_expert_s; /* host, per layer, and more for one of experts, of an
                                             iteration that is not replayed from a CUDA graph */
    double eager_step_s;                  /* and once, beside that of layers */
    double launch_share, launch_share_blackwell; /* of kernels' fixed times: fused, or started
                                                    before the last one ends */
    double graph_tokens; /* iterations with prompts of so many tokens are replayed all the same */
    clg_graph_sizes graphs;            /* of batches that only decode */
    double before_s, after_s, token_s; /* front end: before scheduling, after, per output token */
    double turn_s; /* of a request in the front end, which takes one at a time */
    double prompt_token_s, random_token_s; /* tokenizing, per token of text; of random tokens, which
                                              benchmarks send */
    double graph_context;                  /* decoded without CUDA graph beyond it; 0: never */
    double sigma_first, sigma_token, sigma_rate; /* of the log of predicted over measured */
    double reserve_output, prefill_alone, whole_prompts, overlapped; /* rules: clg_serve_rules */
    double query_reads;  /* 1: decode attention reads a key once for each query head that uses it */
    double narrow_cache; /* 1: its kernels read an 8-bit cache at the share of a 16-bit one */
    double narrow_weights;  /* 1: and 8-bit weights at the share of 16-bit ones, large products as
                               cuBLAS's where data/serve has them apart */
    double cutlass_experts; /* 1: grouped products of CUTLASS, where data/serve has them apart; 2:
                               with tiles found by trying, where it has those */
    double static_scales;   /* 1: activations are cast to 8 bit by scales of the checkpoint, in one
                               pass; 0: as the tables of kernels have it */
    double deepgemm_s;      /* per layer of experts computed by DeepGEMM, beside Triton's time */
    double gathers; /* 1: ranks that share experts out see all tokens; 0: those sent to them */
    double deepep;  /* 1: by DeepEP, serve/exchange.h */
    const char *file;
} clg_engine;

/* The engine as it starts on a GPU: limits by the size of its memory. */
clg_engine clg_engine_on(const clg_engine *engine, const clg_gpu *gpu);

/* The largest batch a CUDA graph is kept for on so many GPUs; 0: as `graphs` says. */
double clg_engine_graph_most(const clg_engine *engine, int gpus);

clg_status clg_engine_find(clg_arena *arena, const char *name, clg_engine *engine,
                           clg_error *error);

/* Seconds of an all-reduce inside a domain at sizes that rise. */
enum { CLG_REDUCE_CURVES = 8, CLG_REDUCE_POINTS = 24 };
typedef struct clg_reduce_curve {
    int ranks, points;
    double bytes[CLG_REDUCE_POINTS], seconds[CLG_REDUCE_POINTS];
} clg_reduce_curve;

/* Fused experts: routing, both products and the sum. */
typedef struct clg_expert_curve {
    double launch_s, hbm_share;  /* fixed; reading weights */
    double flop_share, pad;      /* of peak; rows that each expert with tokens is padded by */
    double activation_hbm_share; /* writing and reading rows between the products */
    double hidden_multiple, width_multiple; /* stored sizes are rounded up to; 0: as they are */
    bool known;
} clg_expert_curve;

/* Dense products. */
typedef struct clg_product_curve {
    double time_share;         /* of large products over data/kernel */
    double quantize_hbm_share; /* writing activations in the narrow format */
    double power_w;            /* board limit of the GPU that it holds for, and above; 0: any */
    bool known;
} clg_product_curve;

/* Kernels of decoding on a GPU: skinny products are reads of weights, attention reads the cache. */
typedef struct clg_serve_curves {
    struct {
        double hbm_share, launch_s;
        bool known;
    } weights[CLG_PRECISIONS];
    clg_expert_curve experts[CLG_PRECISIONS];
    clg_expert_curve shared[CLG_PRECISIONS]; /* when ranks share the experts out */
    clg_expert_curve cutlass[CLG_PRECISIONS], cutlass_shared[CLG_PRECISIONS]; /* of CUTLASS */
    clg_expert_curve tuned[CLG_PRECISIONS], tuned_shared[CLG_PRECISIONS];     /* autotuned */
    clg_expert_curve triton[CLG_PRECISIONS]; /* of Triton, where others are taken by themselves */
    clg_product_curve product[CLG_PRECISIONS];
    clg_product_curve cublas[CLG_PRECISIONS]; /* where they are told apart */
    struct {
        double hbm_share, launch_s; /* of decode attention, by the format of the cache */
        bool known;
    } cache[CLG_PRECISIONS];
    struct {
        double flop_share; /* of peak, decode attention over a latent shared by many heads */
        double pad;        /* tokens that a sequence costs beside its own */
        bool known;
    } latent[CLG_PRECISIONS];
    struct {
        double hbm_share, convolution_hbm_share; /* of states read and written while decoding */
        double block_token_s; /* FlashInfer's delta rule: a token of one head; 0: never timed */
    } state;
    clg_reduce_curve reduce[CLG_REDUCE_CURVES]; /* of the engine's own all-reduce, by ranks */
    int reduces;
    double reduce_link_bytes_per_s; /* links they were timed over; 0: whatever the box has */
    const char *file;
    bool borrowed;
} clg_serve_curves;

/* Of a GPU, or borrowed from the nearest generation. */
clg_status clg_serve_curves_find(clg_arena *arena, const clg_gpu *gpu, clg_serve_curves *curves,
                                 clg_error *error);

/* How far off predictions are: P90 over the middle, and the middle over P10, of time to the first
 * token, time per token (and whole answers), and tokens/s. 1.28 deviations of the engine's errors
 * on tables that its constants were not fitted on, and of kernels that are another GPU's. */
typedef struct clg_serve_doubt {
    double first, token, rate;
} clg_serve_doubt;
clg_serve_doubt clg_serve_doubt_of(const clg_engine *engine, double borrowed_sigma);

/* Straight lines between the points of the curve of the nearest number of ranks that is not
 * smaller, or of the largest; infinite when there is no curve. */
double clg_reduce_curve_s(const clg_serve_curves *curves, int ranks, double bytes);

/* What an API asks per token. */
typedef struct clg_api_price {
    const char *name, *title, *model, *date, *source;
    double usd_per_input_token, usd_per_output_token;
    double usd_per_cached_token; /* input found in the API's cache; below 0: as other input */
} clg_api_price;

/* By name; or the latest dated one for a model, name NULL when there is none. */
clg_status clg_api_price_find(clg_arena *arena, const char *name, clg_api_price *price,
                              clg_error *error);
clg_status clg_api_price_default(clg_arena *arena, const char *model, clg_api_price *price,
                                 clg_error *error);

#endif
