/* cache.h -- what a serving engine keeps of a token and of a sequence, and what it reads of it. */
#ifndef CLG_STEP_CACHE_H
#define CLG_STEP_CACHE_H

#include "layout/serving.h"
#include "machine/machine.h"
#include "model/model.h"
#include "stack/engine.h"

/* What one copy of the weights serves with, and the lengths that its iterations are written for. */
typedef struct clg_serving {
    const clg_model *model;
    const clg_machine *machine;
    const clg_engine *engine;
    const clg_serving_layout *layout;
    double expert_spread;    /* of how often experts are chosen: step/routing.h */
    double expert_imbalance; /* least of the fullest expert rank over the mean */
    double scale_values;     /* 8-bit values of an index key or latent that share a scale of 4 B */
    double prompt_tokens, context_tokens; /* means */
    int64_t longest_tokens;               /* prompt and answer, of the longest request */
    double max_tokens, max_sequences;     /* of an iteration, all ranks */
    double chunk_tokens;                  /* of one of prompts alone, all ranks; 0: max_tokens */
} clg_serving;

static inline bool clg_is_sparse(const clg_attention *a) { return a->indexer.heads > 0; }

/* Entries that a layer reads of a context of `tokens`, as a share of it; pooled, those kept. */
double clg_seen_share(const clg_serving *s, const clg_attention *a, double tokens);

/* Bytes of an entry on one GPU: keys and values, or the latent. Index keys, a token; and what a
 * layer keeps of a token of a context so long, with them. */
double clg_entry_bytes(const clg_serving *s, const clg_attention *a);
double clg_index_key_bytes(const clg_serving *s, const clg_attention *a);
double clg_layer_cache_bytes(const clg_serving *s, const clg_attention *a, double context);

/* How often decode attention reads each of them. */
double clg_cache_reads(const clg_serving *s, const clg_attention *a);

/* Width of a routed expert on one rank. */
double clg_serving_expert_width(const clg_serving_layout *layout, const clg_mlp *mlp);

/* Share of a context of `tokens` that sparse attention attends to. */
double clg_chosen_share(const clg_attention *a, double tokens);

/* Bytes of one GPU for a sequence in a layer that keeps a state: of the state; of what its
 * convolution still sees, in 16 bit. */
double clg_layer_state_bytes(const clg_serving *s, const clg_attention *a);
double clg_layer_taps_bytes(const clg_serving *s, const clg_attention *a);

#endif
