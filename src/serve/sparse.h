/* sparse.h -- serving sparse attention: what is kept of a token, and what kernels take to score, to
 * choose and to attend to chosen keys. Pure; numbers from data/operations/sparse.json.
 *
 * The indexer is whole on every tensor rank. Index keys are 8-bit values with scales (latent
 * attention) or 16 bit (grouped heads, MiniMax-M3, which choose whole blocks). */
#ifndef CLG_SERVE_SPARSE_H
#define CLG_SERVE_SPARSE_H

#include "base/arena.h"
#include "base/error.h"
#include "machine/machine.h"
#include "model/model.h"

typedef struct clg_sparse_kernels {
    double index_hbm_share, scores_launch_s;                /* reading index keys; fixed */
    double choice_short_s, choice_launch_s, choice_token_s; /* fixed where all are chosen; else, and
                                                               per token of the context */
    double index_flop_share; /* of the 8-bit peak: scores of prompts */
    double gather_share;     /* of the rate of dense decode attention */
    double decode_flop_share,
        prefill_flop_share; /* of the 16-bit peak: attention to chosen latents */
    double heads_least;     /* of latent attention on a rank: fewer take as long */
    double scale_values;    /* 8-bit values that share a scale of 4 bytes */
} clg_sparse_kernels;

clg_status clg_sparse_kernels_find(clg_arena *arena, clg_sparse_kernels *kernels, clg_error *error);

static inline bool clg_is_sparse(const clg_attention *a) { return a->indexer.heads > 0; }

/* Bytes a GPU keeps of a token in a layer: the index key, 0 where the choice is shared; and a
 * latent in 8 bit, whose rotated part stays in 16 bit. */
double clg_sparse_key_bytes(const clg_sparse_kernels *k, const clg_attention *a);
double clg_sparse_latent_bytes(const clg_sparse_kernels *k, const clg_attention *a);

/* Share of a context of `tokens` that is attended to. */
double clg_sparse_chosen_share(const clg_attention *a, double tokens);

/* Fixed seconds of a layer in an iteration: scores and choice; 0 where the choice is shared. */
double clg_sparse_fixed_s(const clg_sparse_kernels *k, const clg_attention *a,
                          double context_tokens);

/* Seconds per token of a context of `tokens` that a sequence decodes `queries` tokens with at once:
 * the whole of the index keys is read; for each query a score of 4 bytes is written and read, and
 * chosen entries of `entry_bytes` are gathered at `bytes_per_s`, or multiplied with `heads` heads,
 * whichever is longer. */
double clg_sparse_context_s(const clg_sparse_kernels *k, const clg_gpu *gpu, const clg_attention *a,
                            double heads, double entry_bytes, double bytes_per_s, double tokens,
                            int queries);

/* Seconds per pair of query and earlier token of a prompt of `tokens`: scores of all, written and
 * read at `memory_bytes_per_s`, and attention to the chosen. Latents of one prompt lie in L2. */
double clg_sparse_pair_s(const clg_sparse_kernels *k, const clg_gpu *gpu, const clg_attention *a,
                         double heads, double memory_bytes_per_s, double tokens);

#endif
