/* sparse.c -- see the header. Left out: room for scores, which engines make in pieces; prompts of
 * one batch that differ in length, of which the mean counts. */
#include "serve/sparse.h"

#include "dataset/dataset.h"
#include "dataset/value.h"

#include <math.h>

clg_status clg_sparse_kernels_find(clg_arena *arena, clg_sparse_kernels *k, clg_error *error) {
    const clg_file *file = clg_dataset_find("operations/sparse.json");
    clg_json *root;
    if (!file)
        return clg_fail(error, CLG_BAD_INPUT, NULL, "kernels of sparse attention are not built in");
    if (clg_json_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
        return error->status;
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
    return clg_value_fields(root, file->path, fields, sizeof fields / sizeof fields[0], error);
}

static bool is_latent(const clg_attention *a) { return a->kind == CLG_ATTENTION_LATENT; }

double clg_sparse_key_bytes(const clg_sparse_kernels *k, const clg_attention *a) {
    if (!clg_is_sparse(a) || a->indexer.shared) return 0;
    if (!is_latent(a)) return 2.0 * a->indexer.dim;
    return a->indexer.dim + 4 * ceil(a->indexer.dim / k->scale_values);
}

double clg_sparse_latent_bytes(const clg_sparse_kernels *k, const clg_attention *a) {
    return a->kv_rank + 4 * ceil(a->kv_rank / k->scale_values) + 2 * a->rope_dim;
}

double clg_sparse_chosen_share(const clg_attention *a, double tokens) {
    return fmin(1, (double)a->indexer.top_k / fmax(1, tokens));
}

double clg_sparse_fixed_s(const clg_sparse_kernels *k, const clg_attention *a,
                          double context_tokens) {
    if (!clg_is_sparse(a) || a->indexer.shared) return 0;
    bool all = context_tokens <= (double)a->indexer.top_k;
    return k->scores_launch_s +
           (all ? k->choice_short_s : k->choice_launch_s + k->choice_token_s * context_tokens);
}

/* Flop of one query and one chosen key: latents are attended to as they are. */
static double pair_flop(const clg_sparse_kernels *k, const clg_attention *a, double heads) {
    if (!is_latent(a)) return heads * 2 * (a->head_dim + a->value_head_dim);
    return fmax(heads, k->heads_least) * 2 * (2 * a->kv_rank + a->rope_dim);
}

double clg_sparse_context_s(const clg_sparse_kernels *k, const clg_gpu *gpu, const clg_attention *a,
                            double heads, double entry_bytes, double bytes_per_s, double tokens,
                            int queries) {
    double key = clg_sparse_key_bytes(k, a), hbm = gpu->hbm_bytes_per_s;
    double index = key > 0 ? (key + 8 * queries) / (hbm * k->index_hbm_share) : 0;
    double read = entry_bytes / (bytes_per_s * (is_latent(a) ? k->gather_share : 1));
    double work = pair_flop(k, a, heads) / (gpu->peak_flop_per_s[CLG_BF16] * k->decode_flop_share);
    return index + queries * clg_sparse_chosen_share(a, tokens) * fmax(read, work);
}

double clg_sparse_pair_s(const clg_sparse_kernels *k, const clg_gpu *gpu, const clg_attention *a,
                         double heads, double memory_bytes_per_s, double tokens) {
    double narrow = gpu->peak_flop_per_s[CLG_FP8], wide = gpu->peak_flop_per_s[CLG_BF16];
    double rate = (is_latent(a) && narrow > 0 ? narrow : wide) * k->index_flop_share;
    double scores = 2.0 * a->indexer.heads * a->indexer.dim / rate + 8 / memory_bytes_per_s;
    double share = clg_sparse_chosen_share(a, tokens); /* k L - k^2 / 2 of L^2 / 2 */
    double chosen = share * (2 - share) * pair_flop(k, a, heads) / (wide * k->prefill_flop_share);
    return (a->indexer.shared ? 0 : scores) + chosen;
}
