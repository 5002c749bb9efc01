/* iteration.h -- internal to serve/: the parts that the cost of an iteration is put together from.
 * Seconds and bytes are those of one GPU; tokens those of the whole replica unless said. */
#ifndef CLG_SERVE_ITERATION_H
#define CLG_SERVE_ITERATION_H

#include "serve/replica.h"

/* ---- iteration.c: a batch without its contexts */

/* `tokens` through all layers to the logits; `decoding`: no prompt among them. */
double clg_dense_iteration_s(const clg_replica *r, double tokens, bool decoding);

/* Proposing `drafted` tokens for each sequence of a batch that then has `tokens`. */
double clg_draft_s(const clg_replica *r, double tokens, int drafted);

/* Sorting all logits of one sequence, where its sampling is cut to the likeliest. */
double clg_filter_sequence_s(const clg_replica *r);

/* Kernels of the experts here, as the layout and the engine have them. */
const clg_expert_curve *clg_expert_curve_of(const clg_replica *r);

/* Key-value heads on a GPU: at least one. */
double clg_kv_heads_of(const clg_replica *r, const clg_attention *a);

/* Whether prompts of the mean length are computed as dense ones by sparse attention. */
bool clg_dense_prompts(const clg_replica *r);

/* ---- context.c: what contexts cost */

/* Share of a context of `tokens` that a layer reads. */
double clg_seen_share(const clg_replica *r, const clg_attention *a, double tokens);

/* Bytes kept for a token in one layer. */
double clg_layer_cache_bytes(const clg_replica *r, const clg_attention *a);

/* Bytes read per token of context that is decoded: in all layers; in those that read all keys. */
double clg_read_bytes_per_token(const clg_replica *r, double context);
double clg_dense_layers_read_bytes(const clg_replica *r, double context);

/* Seconds per token of context that is decoded with so many queries a sequence: of layers with an
 * index, and of the arithmetic over latents, in the format it is done in. */
double clg_indexed_context_s(const clg_replica *r, double context, int queries);
double clg_latent_context_s(const clg_replica *r, int queries);
clg_precision clg_latent_format(const clg_replica *r);

/* Seconds per pair of a query and a key of prompts of so many tokens. */
double clg_prompt_pair_s(const clg_replica *r, double prompt);

/* ---- room.c */

/* Weights, activations, cache and states of a GPU, and the blocks the cache has room for. */
void clg_settle_memory(clg_replica *r, const clg_replica_choice *c, double context);

#endif
