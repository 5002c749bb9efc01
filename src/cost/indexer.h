/* indexer.h -- what kernels of sparse attention take to score, to choose and to attend to chosen
 * keys while serving: shares of a GPU's rates, from data/operations/sparse.json. */
#ifndef CLG_COST_INDEXER_H
#define CLG_COST_INDEXER_H

#include "base/arena.h"
#include "base/error.h"

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

/* Fixed seconds of a layer in an iteration: scores and choice of at most `top_k` of a context. */
double clg_sparse_fixed_s(const clg_sparse_kernels *k, double top_k, double context_tokens);

#endif
