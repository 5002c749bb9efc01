/* raw_model.h -- internal to model/: what a config.json says, before it is spread over layers. */
#ifndef CLG_MODEL_RAW_MODEL_H
#define CLG_MODEL_RAW_MODEL_H

#include "model/config.h"
#include "model/family.h"
#include "model/model.h"
#include "model/pooled.h"
#include "model/sparse.h"
#include "model/state.h"

typedef struct raw_model {
    clg_config config;
    unsigned traits;
    int64_t family_window_every; /* of the family; 0: what the file says alone */
    int64_t hidden, layers, heads, kv_heads, head_dim, value_head_dim, ffn, dense_ffn, vocab,
        max_seq;
    int64_t groups, groups_per_token;
    int64_t experts, experts_per_token, expert_ffn, latent, shared_ffn, dense_first, moe_every;
    int64_t query_rank, kv_rank, rope_dim;
    int64_t window, window_every; /* every so many layers one sees everything; 0: none does */
    int64_t prediction_layers;
    clg_sparse sparse;
    clg_pooled pooled;
    int64_t output_rank, output_groups, streams;
    int64_t embedding_width; /* OPT-350m: tokens are embedded in less than the hidden width */
    bool together;           /* the MLP's width counts gate and up */
    bool tied, qkv_bias, out_bias, mlp_bias, head_bias, head_norms, final_norm, clamped;
    bool output_gate, head_gate, rotary, tie_stated, chunked, nested;
    bool keys_serve;                        /* of layers without a window */
    bool dense_beside;                      /* a dense MLP beside experts, scales of the router */
    bool latent_norm;                       /* a norm of what experts give in their own width */
    int64_t borrowers;                      /* last layers that attend to keys of earlier ones */
    int64_t lender_every;                   /* every n-th layer has keys of its own; 1: all */
    bool borrowers_wide;                    /* with twice as wide MLPs */
    int64_t mixed_layers;                   /* layers a block whose input later parts mix in */
    int64_t layer_input, layer_input_vocab; /* width and rows of tables for each layer */
    bool gelu_in_steps, attention_dropout, hidden_dropout, capped_logits;
    clg_attention state; /* of layers that keep one; kind NONE: there are none */
    clg_layer_parameters state_extra;
} raw_model;

/* Sizes of one layer. */
typedef struct raw_widths {
    int64_t heads, kv_heads, head_dim, value_head_dim, ffn;
    bool no_attention, no_mlp;
} raw_widths;

static inline bool has(const raw_model *raw, unsigned trait) { return (raw->traits & trait) != 0; }

/* The family, what it implies, and where the language model stands in the file. */
clg_status clg_raw_family(clg_arena *arena, raw_model *raw);

/* Refuses, by name, what the file switches on and no part here prices. */
clg_status clg_raw_priced(const raw_model *raw);

/* Tokens that a layer's queries see; 0: all before them. */
int64_t clg_raw_window(const raw_model *raw, int64_t layer);

/* Which layers have keys of their own, and what is mixed in from elsewhere. */
clg_status clg_raw_sharing(raw_model *raw);

clg_status clg_raw_widths(const raw_model *raw, int64_t layer, raw_widths *widths);

/* Every layer described, then equal layers in one kind. */
clg_status clg_raw_layers(clg_arena *arena, const raw_model *raw, clg_model *model);

/* Trained values of a norm per channel. */
int clg_raw_norm_values(const raw_model *raw);

#endif
