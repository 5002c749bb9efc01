/* model.h -- what a model is made of: layers, shapes, parameter counts.
 *
 * A model is a sequence of layers, each of one of a few kinds (a kind = attention + MLP + norms).
 * Shapes are those of the published weights; nothing here knows how the model is split. Counts are
 * exact to the parameter and are checked against published totals in tests/model. */
#ifndef CLG_MODEL_MODEL_H
#define CLG_MODEL_MODEL_H

#include "base/arena.h"
#include "base/error.h"
#include "op/op.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum clg_attention_kind {
    CLG_ATTENTION_NONE,
    CLG_ATTENTION_GROUPED, /* multi-head, grouped-query and multi-query: kv_heads <= heads */
    CLG_ATTENTION_LATENT,  /* MLA: low-rank query and key-value projections */
    CLG_ATTENTION_LINEAR   /* a state of fixed size instead of keys and values: clg_state_rule */
} clg_attention_kind;

/* How a token changes the state of a head, a matrix of head_dim rows and value_head_dim columns,
 * and is answered from it (q, k: rows; v: columns; the scalars are a head's):
 *   lightning      S = a S + k v'                       a fixed
 *   gated delta    S = a S + b k (v - (a S)' k)'        a, b of the token
 *   channel delta  the same with a decay for every row
 *   state space    S = a S + k v'                       a of the token; k, q are called B, C
 *   convolution    none: what is convolved is gated before and after
 * and o = S' q. */
typedef enum clg_state_rule {
    CLG_STATE_NONE,
    CLG_STATE_LIGHTNING,     /* arXiv:2501.08313 */
    CLG_STATE_GATED_DELTA,   /* Yang et al. 2024, arXiv:2412.06464 */
    CLG_STATE_CHANNEL_DELTA, /* arXiv:2510.26692 */
    CLG_STATE_SPACE,         /* Dao & Gu 2024, arXiv:2405.21060 */
    CLG_STATE_CONVOLUTION    /* short ones (transformers modeling_lfm2.py) */
} clg_state_rule;

/* Sparse attention: an indexer scores all keys before a query, and the query attends to the best of
 * them (arXiv:2512.02556, section 2.1). It keeps one key of its own per token. */
typedef struct clg_indexer {
    int heads;     /* 0: there is none, a query attends to all it may */
    int dim;       /* width of its heads and of its key */
    int64_t top_k; /* keys that a query attends to at most */
    bool shared;   /* the choice of the nearest layer before that has its own: no parameters, keys
                      or work here */
} clg_indexer;

/* Trained pooling (transformers modeling_deepseek_v4.py): every so many tokens leave
 * one entry, a mean of theirs weighed channel by channel. A query sees entries before it, or what
 * an indexer chooses of them, beside the tokens of its window. */
typedef struct clg_pooling {
    int every;  /* tokens an entry; 0: keys are kept one by one */
    int series; /* 2: the mean is over the tokens before, too, which make values and weights of
                   their own for it */
} clg_pooling;

typedef struct clg_attention {
    clg_attention_kind kind;
    int heads, kv_heads;
    int head_dim;       /* width of a query/key head (MLA: no-rope part + rope part) */
    int value_head_dim; /* width of a value head; = head_dim except MLA */
    int64_t window;     /* tokens a query sees; 0: all before it */
    bool chunked;       /* the window does not slide: of the chunk of `window` it is in */
    int query_rank;     /* low rank of the query projection; 0: full-rank query */
    int kv_rank;        /* MLA: low rank of keys and values */
    int rope_dim;       /* MLA: rope part of head_dim, shared by heads on the key side; GROUPED: the
                           rotated part; 0: all of it */
    bool rotary;        /* rotates queries and keys (a memory-bound kernel) */
    bool sinks;         /* one trained sink per head, which a softmax counts */
    bool query_key_norm;  /* norms on q and k (a memory-bound kernel) */
    bool norm_over_heads; /* those run over all heads together: a sum across tensor ranks */
    int gate_dim; /* columns of a gate of the output that each head has, made of the hidden width:
                     as wide as a value or 1; 0: none */
    bool shared_values; /* GROUPED: a key is its value, too: one projection, one entry */
    bool keys_serve;    /* GROUPED: what keys are made of is normed to values, too: one projection,
                           two entries */
    bool borrows;       /* GROUPED: attends to keys and values of a layer before: no projection, no
                           entry of its own */
    int output_groups, output_rank; /* GROUPED: heads in equal groups, each multiplied to the rank,
                                       and those to the hidden width; 0: at once */
    clg_pooling pooling;            /* GROUPED */
    /* LINEAR: heads have a value, a state and a gate each; kv_heads those that keys and queries
     * (B and C) are shared by. No cache, no window, no rotation. */
    clg_state_rule state;
    int convolution;     /* taps of the causal convolution over keys, queries, values; 0: none */
    bool whole_gate;     /* of the output's gate: multiplied out at once, not through a low rank */
    int chunk;           /* tokens that kernels of whole sequences take at a time */
    int state_bytes;     /* of a value of the state where it is kept; 0: the file does not say */
    clg_indexer indexer; /* of sparse attention */
} clg_attention;

typedef enum clg_mlp_kind { CLG_MLP_NONE, CLG_MLP_DENSE, CLG_MLP_MOE } clg_mlp_kind;

typedef struct clg_mlp {
    clg_mlp_kind kind;
    bool gated;  /* three matrices (SwiGLU, GeGLU) instead of two */
    int64_t ffn; /* dense: width of the hidden layer */
    int experts; /* MoE: routed experts */
    int experts_per_token;
    int groups, groups_per_token; /* MoE: a token's experts lie in so many of so many equal groups
                                     (one a node); 0: anywhere */
    int64_t expert_ffn;           /* MoE: width of one routed expert */
    int64_t latent;     /* MoE: width that routed experts read and write, projected from the hidden
                           width and back; 0: the hidden width itself */
    int64_t shared_ffn; /* MoE: total width of the shared experts (0: none) */
    bool biases;        /* MoE: experts' matrices carry biases */
    bool clamped;       /* MoE: gate and up are cut off at a value before the activation */
    bool wide_router;   /* MoE: engines compute the router in fp32 */
} clg_mlp;

/* Parameters of one layer by where they live, because they are sharded differently. */
typedef struct clg_layer_parameters {
    int64_t attention;  /* matrices of attention (split by tensor parallelism) */
    int64_t mlp;        /* dense MLP and shared experts (split by tensor parallelism) */
    int64_t experts;    /* all routed experts (split by expert parallelism) */
    int64_t replicated; /* norms, routers, biases not split: on every tensor rank */
} clg_layer_parameters;

typedef struct clg_layer_kind {
    clg_attention attention;
    clg_mlp mlp;
    bool parallel;   /* attention and MLP read the same norm: one reduction */
    bool idle;       /* no token of text goes through it: parameters alone */
    int norms;       /* norm kernels over the hidden width per layer */
    bool layer_norm; /* LayerNorm rather than RMSNorm (another kernel) */
    int norm_values; /* trained values per channel of a norm: 2 scale and bias, 1 scale, 0 none */
    clg_layer_parameters extra;      /* biases and the like: parameters no matrix product shows */
    clg_layer_parameters parameters; /* all of them, extra included; made by clg_model_count */
} clg_layer_kind;

enum { CLG_LAYER_KINDS = 16 };

typedef struct clg_model {
    const char *name;   /* preset name or file */
    const char *title;  /* as people write it */
    const char *asked;  /* another name that this one was taken for; NULL: its own */
    const char *source; /* where the shape is from */
    int layers;         /* transformer layers, without multi-token-prediction modules */
    int64_t hidden;
    int64_t vocab;      /* as in the checkpoint */
    bool tied;          /* output head shares the embedding matrix */
    bool biases;        /* linear layers carry biases (memory only; counted in parameters) */
    bool gelu_in_steps; /* GeLU by tanh, each of its lines a kernel where nothing fuses them */
    bool attention_dropout, hidden_dropout; /* the file drops out: probabilities, what layers add */
    bool capped_logits;                     /* cap x tanh(logits / cap) before the loss */
    int64_t max_seq;                        /* tokens; 0 if the file does not say */
    int streams; /* residual streams that parts of layers read and write mixed (hyper-connections,
                    arXiv:2409.19606; doubly stochastic: arXiv:2512.24880); 0, 1: plain */
    int64_t layer_input;   /* width of what a table of its own gives each layer of a token, beside
                              the residual; 0: none */
    int mixed_layers;      /* layers a block whose input later parts mix in, each by weights of its
                              own (attention residuals); 0: none */
    int prediction_layers; /* MTP modules (a layer and a 2h x h projection each), on the last stage
                            */
    int kinds;
    clg_layer_kind kind[CLG_LAYER_KINDS];
    const uint8_t *layer_kind;    /* [layers] index into kind, in order of depth */
    int64_t embedding_parameters; /* token and position tables, and any norm on them */
    int64_t layer_tables;         /* of them: of each layer's own, of which a token reads a row */
    int64_t head_parameters;      /* output head; 0 when tied */
    int64_t final_parameters;     /* norm after the last layer and the like */
    clg_precision stored;         /* of the published weights that products read; what training
                                     computes in is its own choice */
    clg_precision stored_beside;  /* and of those beside experts, where experts alone are in 4 bits
                                   */
    bool stored_blocks; /* in 8 bit, a scale for each block of them; else for each product */
    const char *stored_unknown; /* as config.json calls a format that is none of ours, or NULL */
    bool multimodal;            /* beside a tower for images or sound */
    const char *unread;         /* fields of config.json that say sizes or parts of layers and that
                                   nothing here reads, or NULL */
    int64_t parameters;         /* total without MTP modules: what model cards print */
    int64_t active_parameters;  /* parameters a token touches: all but unrouted experts, idle
                                   layers and tables of layers */
} clg_model;

/* LINEAR attention: values of one sequence's state, and of the inputs its convolution still sees
 * (channels x (convolution - 1) of them are kept); columns that are multiplied out of the hidden
 * width and split over heads (with gates and decays); the low rank of each further gate on every
 * tensor rank (0: none), and how many there are. */
int64_t clg_state_values(const clg_attention *a);
int64_t clg_state_channels(const clg_attention *a);
int64_t clg_state_columns(const clg_attention *a);
int64_t clg_state_gate_rank(const clg_attention *a);
int clg_state_low_gates(const clg_attention *a);

/* Least flop of a token in one pass through a state layer: token by token, products with the state
 * alone (write and read 4 per value of the state, the delta rule's look-up 2 more). */
double clg_state_flop_per_token(const clg_attention *a);

/* Of so many places (ranks, domains) that share the experts out, those that a token's k experts lie
 * in: P (1 - (1 - 1/P)^k) of the P that its router lets it choose. */
double clg_mlp_places_met(const clg_mlp *mlp, double places);

/* What MFU counts, per token of a sequence of `seq`: 6 x active parameters, embeddings included, +
 * 12 x layers x hidden x seq for attention, no causal halving, no recomputation (Chowdhery et al.
 * 2022, arXiv:2204.02311, appendix B, with hidden for heads*head_dim). Layers without attention
 * over keys are not among `layers`; a state counts 3 x clg_state_flop_per_token. For MFU only: what
 * a step executes is counted operation by operation in step/. */
double clg_model_flop_per_token(const clg_model *model, int64_t seq);

/* Reads a Hugging Face config.json. `name` is used in errors. The model and its tables live in
 * `arena`. An unknown architecture names the fields it could not map and how to write them. */
clg_status clg_model_read(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_model *model, clg_error *error);

/* Whether keys of its layers are pooled into entries that are values, too. */
bool clg_model_pools(const clg_model *model);

/* Plain dimensions, for tables of runs and for models that have no config.json. Zero or negative
 * means absent (kv_heads = heads, head_dim = hidden/heads, ffn = 4*hidden). */
typedef struct clg_model_shape {
    const char *name;
    int layers, heads, kv_heads, head_dim;
    int64_t hidden, ffn, vocab;
    bool gated, tied;
    int experts, experts_per_token, shared_experts, dense_layers;
    int64_t expert_ffn, latent;
} clg_model_shape;

clg_status clg_model_from_shape(clg_arena *arena, const clg_model_shape *shape, clg_model *model,
                                clg_error *error);

/* Whether the counts stay within 10^16 parameters, far from the end of 64 bits. Sizes that come
 * from outside are checked before they are counted. */
bool clg_model_countable(const clg_model *model);

/* Parameters of a layer's indexer, on every tensor rank; 0 where it has none of its own. */
int64_t clg_indexer_parameters(const clg_model *model, const clg_attention *attention);

/* Whether its heads' queries are of the low rank and its scores weighed by head. */
bool clg_indexer_weighs(const clg_attention *attention);

/* Of a model that mixes inputs of earlier blocks: how many a part mixes with the residual, on
 * average over layers; 0: none. */
double clg_mixed_blocks(const clg_model *model);

/* Columns of what mixes the streams of a part: into one, back, and among themselves. */
int clg_stream_columns(int streams);

/* Of `keys` causal ones, pairs of a query and a pooled entry that it attends to (of its choice,
 * where there is one); with those of its window; and what the last query sees of both. */
double clg_pooled_entry_pairs(const clg_attention *attention, double keys);
double clg_pooled_pairs(const clg_attention *attention, double keys);
double clg_pooled_seen(const clg_attention *attention, double keys);

/* What a context of so many leaves: its entries, chosen or not, and its window. */
double clg_pooled_kept(const clg_attention *attention, double keys);

/* The MLP of its layers with experts, of the first kind; NULL where it has none. */
const clg_mlp *clg_model_experts(const clg_model *model);

/* Width of what is sent to routed experts and comes back. */
int64_t clg_expert_input(const clg_model *model, const clg_mlp *mlp);

/* Makes of a layer one that no token goes through: its parameters, and no work. */
void clg_layer_rest(const clg_model *model, clg_layer_kind *kind);

/* Fills every derived field (parameter counts) from kinds and widths. Used by both readers. */
void clg_model_count(clg_model *model);

#endif
