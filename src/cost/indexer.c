/* indexer.c -- see the header. */
#include "cost/indexer.h"

#include "dataset/open.h"

clg_status clg_sparse_kernels_find(clg_arena *arena, clg_sparse_kernels *k, clg_error *error) {
    const clg_value_field fields[] = {{"index_hbm_share", CLG_FRACTION, &k->index_hbm_share},
                                      {"scores_launch", CLG_SECONDS, &k->scores_launch_s},
                                      {"choice_short", CLG_SECONDS, &k->choice_short_s},
                                      {"choice_launch", CLG_SECONDS, &k->choice_launch_s},
                                      {"choice_token", CLG_SECONDS, &k->choice_token_s},
                                      {"index_flop_share", CLG_FRACTION, &k->index_flop_share},
                                      {"gather_share", CLG_FRACTION, &k->gather_share},
                                      {"decode_flop_share", CLG_FRACTION, &k->decode_flop_share},
                                      {"prefill_flop_share", CLG_FRACTION, &k->prefill_flop_share},
                                      {"heads_least", CLG_COUNT, &k->heads_least},
                                      {"scale_values", CLG_COUNT, &k->scale_values}};
    return CLG_DATASET_NUMBERS(arena, "operations", "sparse", fields, error);
}

double clg_sparse_fixed_s(const clg_sparse_kernels *k, double top_k, double context_tokens) {
    bool all = context_tokens <= top_k;
    return k->scores_launch_s +
           (all ? k->choice_short_s : k->choice_launch_s + k->choice_token_s * context_tokens);
}
