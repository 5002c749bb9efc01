/* engine.h -- what a serving engine does to the same plan on the same GPUs, from data/engine: the
 * stack of an iteration. */
#ifndef CLG_STACK_ENGINE_H
#define CLG_STACK_ENGINE_H

#include "base/arena.h"
#include "base/json.h"
#include "machine/machine.h"
#include "stack/front_end.h"

/* Batches that CUDA graphs are kept for: up to `to`, every `step` from the stretch before it on. */
enum { CLG_GRAPH_STRETCHES = 16 };
typedef struct clg_graph_sizes {
    int count;
    int to[CLG_GRAPH_STRETCHES], step[CLG_GRAPH_STRETCHES];
} clg_graph_sizes;

/* Reads {"value": [[to, step], ...]}, ends that rise; an absent one is none. */
clg_status clg_graph_sizes_read(const clg_json *object, const char *file, clg_graph_sizes *sizes,
                                clg_error *error);

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
    double pooled_sequences; /* of all ranks, of models that pool keys; 0: as of others */
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
    double eager_latent_s;                /* and more for one of latent attention */
    double eager_step_s;                  /* and once, beside that of layers */
    double launch_share; /* of kernels' fixed times: fused, or started before the last one ends; */
    double launch_share_newer; /* and on GPUs of the generation that the engine's newest kernels */
    const char *newer_generation; /* are for */
    double graph_tokens; /* iterations with prompts of so many tokens are replayed all the same */
    clg_graph_sizes graphs; /* of batches that only decode */
    clg_front_end front;
    double core_process; /* 1: without a server, too, requests are tokenized and reach the scheduler
                            through another process, and text is made of each token beside it */
    double late_output;  /* 1: without a front end a token is seen when the iteration after its
                            own ends, where there is one */
    double random_token_s; /* tokenizing, per random token, which benchmarks send */
    double graph_context;  /* decoded without CUDA graph beyond it; 0: never */
    double reserve_output, prefill_alone, whole_prompts, overlapped; /* rules: clg_serve_rules */
    double query_reads;  /* 1: decode attention reads a key once for each query head that uses it */
    double narrow_cache; /* 1: its kernels read an 8-bit cache at the share of a 16-bit one */
    double narrow_weights; /* 1: and 8-bit weights at the share of 16-bit ones, large products as
                              cuBLAS's where data/kernel has them apart */
    double tiled_experts;  /* 1: grouped products of CUTLASS, where data/kernel has them apart; 2:
                                with tiles found by trying, where it has those */
    double static_scales;  /* 1: activations are cast to 8 bit by scales of the checkpoint, in one
                              pass; 0: as the tables of kernels have it */
    /* Of peak, of products whose 8-bit weights have a scale for each block, where its kernels have
     * no tuned ones; 0: as other 8-bit products. */
    double block_flop_share;
    double grouped_experts_s;  /* per layer of experts computed by DeepGEMM, beside Triton's time */
    double expert_block_rows;  /* > 0: it takes them for 8-bit blocks, and every expert of a GPU is
                                  read and multiplied for so many rows, reached or not */
    double expert_chunk;       /* tokens that experts compute at a time; 0: those of an iteration */
    double ranks_share_tokens; /* 1: max_tokens of prompts are those of all ranks; 0: of each */
    double pads_prompts;  /* 1: experts that ranks share compute those of the fullest for each rank
                             when there are prompts, too; 0: the tokens that are there */
    double deals_in_turn; /* 1: requests to its ranks; 0: to the rank with fewest sequences */
    double adapter_kernel_s; /* fixed time of one of the two kernels beside a product that adapters
                                have; 0: not known */
    double gathers;      /* 1: ranks that share experts out see all tokens; 0: those sent to them */
    double sends_tokens; /* 1: by DeepEP, cost/exchange.h */
    const char *file;
} clg_engine;

/* The engine as it starts on a GPU: limits by the size of its memory. */
clg_engine clg_engine_on(const clg_engine *engine, const clg_gpu *gpu);

/* Whether a GPU is of the generation that the engine's newest kernels are for. */
bool clg_engine_is_newer(const clg_engine *engine, const clg_gpu *gpu);

/* The largest batch a CUDA graph is kept for on so many GPUs; 0: as `graphs` says. */
double clg_engine_graph_most(const clg_engine *engine, int gpus);

/* No name, or an empty one: the default. "NAME@2025-06": its release of that month, by `release_of`
 * and `until` of the files; the oldest known before, NAME itself after. */
clg_status clg_engine_find(clg_arena *arena, const char *name, clg_engine *engine,
                           clg_error *error);

#endif
