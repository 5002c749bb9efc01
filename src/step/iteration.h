/* iteration.h -- one iteration of a serving engine as a list of operations: forward only.
 *
 * A batch is so many tokens on each rank: prompts, one token of each sequence that decodes, or
 * both. What depends on them alone stands in a layer's batch list; what contexts add stands in its
 * context list, per token of context that is decoded, per pair of a query and a key of a prompt,
 * per sequence whose states are read and written, per token of a prompt that goes through states:
 * an iteration is affine in those four. cost/iterate.h prices the operations, memory/ adds what is
 * kept. Writing new tokens into the cache is left out: one of the hundreds of bytes read for each.
 */
#ifndef CLG_STEP_ITERATION_H
#define CLG_STEP_ITERATION_H

#include "step/cache.h"

/* What an iteration's time goes to. */
typedef enum clg_iteration_part {
    CLG_SPENT_PROJECTIONS,
    CLG_SPENT_MLP,
    CLG_SPENT_EXPERTS,
    CLG_SPENT_NORMS,
    CLG_SPENT_ATTENTION,
    CLG_SPENT_REDUCTIONS,
    CLG_SPENT_EXCHANGE,
    CLG_SPENT_ADAPTERS,
    CLG_SPENT_HEAD,
    CLG_SPENT_SENDS,
    CLG_SPENT_PADDING,
    CLG_SPENT_HOST,
    CLG_ITERATION_PARTS
} clg_iteration_part;
extern const clg_name clg_iteration_part_names[];

/* Which kernel runs an operation, where its kind does not say. */
typedef enum clg_iteration_kernel {
    CLG_KERNEL_PLAIN,
    CLG_KERNEL_CACHE,  /* decode attention; of no bytes: its fixed time */
    CLG_KERNEL_INDEX,  /* index keys read and scores written; of no bytes: the fixed time of
                          scores and choice at `context` */
    CLG_KERNEL_CHOSEN, /* decode attention to chosen keys */
    CLG_KERNEL_SCORES, /* scores of a prompt's keys */
    CLG_KERNEL_CHOSEN_PROMPT,
    CLG_KERNEL_STATE,        /* states read and written; of no bytes: a fixed time */
    CLG_KERNEL_TAPS,         /* what the convolution still sees, read and written */
    CLG_KERNEL_STATE_BLOCKS, /* the delta rule, one multiprocessor a head of a sequence */
    CLG_KERNEL_ADAPTER,      /* a thin product of an adapter */
    CLG_KERNEL_ROUTER,       /* a product in fp32 without matrix units */
    CLG_KERNEL_SEND_TOKENS   /* m tokens of k values to n experts each and back */
} clg_iteration_kernel;

typedef struct clg_iteration_op {
    clg_op
        op; /* of products hbm_bytes are those of weights and of operands, of experts of weights */
    clg_iteration_part part;
    clg_iteration_kernel kernel;
    clg_precision stored;  /* format of weights */
    double between_bytes;  /* of experts: rows written and read between products */
    double context, top_k; /* of a choice: tokens of the context, and how many are chosen */
    double per;            /* context lists: of so many pairs or tokens; 0: of one */
    double share;          /* and this share of it counts: windows, chosen keys */
    bool latent;           /* over latents; of products: head by head */
} clg_iteration_op;

enum { CLG_ITERATION_OPS = 40 };
typedef struct clg_iteration_ops {
    int count;
    clg_iteration_op op[CLG_ITERATION_OPS];
} clg_iteration_ops;

/* Appends a layer for `tokens` of this rank, as many on each other rank; `decoding`: no prompt
 * among them. */
void clg_iteration_layer(const clg_serving *s, const clg_layer_kind *kind, double tokens,
                         bool decoding, clg_iteration_ops *ops);

/* Logits and their sampling; and what a stage sends to the next. */
void clg_iteration_head(const clg_serving *s, double tokens, clg_iteration_ops *ops);
void clg_iteration_send(const clg_serving *s, double tokens, clg_iteration_ops *ops);

/* What the contexts of a layer add: of a token of a context that `queries` new tokens of a sequence
 * see; of a pair of a query and a key of a prompt; of a sequence whose states are read and written
 * with so many tokens proposed; of a token of a prompt that goes through states. */
void clg_context_decode(const clg_serving *s, const clg_attention *a, double context, int queries,
                        clg_iteration_ops *ops);
void clg_context_pair(const clg_serving *s, const clg_attention *a, double prompt,
                      clg_iteration_ops *ops);
void clg_context_states(const clg_serving *s, const clg_attention *a, int drafted,
                        clg_iteration_ops *ops);
void clg_context_scan(const clg_serving *s, const clg_attention *a, clg_iteration_ops *ops);

/* Whether experts' kernels read and multiply every expert of a GPU, reached or not. */
bool clg_experts_whole_blocks(const clg_serving_layout *layout, const clg_engine *engine);

/* Whether prompts of the mean length are computed as dense ones by sparse attention. */
bool clg_dense_prompts(const clg_serving *s);

/* Appends an operation, cleared. */
clg_iteration_op *clg_iteration_add(clg_iteration_ops *ops, clg_iteration_part part,
                                    clg_op_kind kind, const char *name);

#endif
