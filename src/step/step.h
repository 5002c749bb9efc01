/* step.h -- one training step as a list of operations: the single description everything reads.
 *
 * A rank's step is blocks (layer kinds, embedding, output head) done once per layer and
 * micro-batch, plus updates (gradient reduction, parameter gathers, optimizer) done once per step.
 * A block lists every product, kernel and collective of one micro-batch with its pass, shape, bytes
 * and group. cost/ prices the ops, simulate/ places their sums, memory/ adds their saved bytes.
 * A term that is missing here is missing everywhere. */
#ifndef CLG_STEP_STEP_H
#define CLG_STEP_STEP_H

#include "layout/layout.h"
#include "machine/machine.h"
#include "model/model.h"
#include "stack/stack.h"

enum { CLG_BLOCK_OPS = 320, CLG_UPDATE_OPS = 24 };

/* The work of one micro-batch on one rank for one layer (or embedding, or head). */
typedef struct clg_block {
    const char *name;
    int ops;
    clg_op op[CLG_BLOCK_OPS];
    double saved_bytes;      /* kept from forward to backward */
    double rebuilt_bytes;    /* alive only while this block's backward recomputes it */
    double transient_bytes;  /* most beside the saved ones while it runs */
    double row_kept_bytes;   /* of saved and rebuilt ones, those of rows that experts got */
    double row_beside_bytes; /* and of transient ones */
    double widened_bytes;    /* largest frozen matrix that a product finds widened */
    double dense_parameters; /* held by this rank before ZeRO: tp shard + replicated */
    double expert_parameters;
    double adapter_parameters; /* trained ones beside them, which are frozen then */
} clg_block;

typedef struct clg_step {
    int kinds;
    clg_block kind[CLG_LAYER_KINDS];
    clg_block embedding, head;
    double frozen_share;     /* of what a rank holds beside adapters; 0: all is trained */
    double boundary_bytes;   /* activations sent to the next stage, one micro-batch, one rank */
    clg_group dense_group;   /* ranks that reduce dense gradients: dp x cp, x 2 for DualPipe */
    clg_group expert_group;  /* ranks that reduce expert gradients */
    clg_group shard_group;   /* ranks one ZeRO shard set of dense parameters spans */
    clg_group replica_group; /* HSDP: ranks that hold the same shard */
    clg_group send_group;    /* two pipeline neighbours where the job leaves a domain, if it does */
    int stages_together;     /* pipeline stages of one domain, beside one another */
    bool over_nodes;         /* the job has more than one domain */
    int host_ranks;          /* that share a host */
} clg_step;

/* The chunked kernels of a state layer over `tokens` of `heads` heads, of which the longest
 * sequence has `longest`: writes flop, bytes and chunks into an ATTENTION op whose precision is
 * set. */
void clg_state_core(const clg_attention *attention, double heads, double tokens, double longest,
                    bool backward, clg_op *op);

/* Only the groups, which depend on dp, hsdp and pp, and who shares a host; blocks do not.
 * clg_step_build calls it. */
void clg_step_groups(const clg_machine *machine, const clg_layout *layout, clg_step *step);

void clg_step_build(const clg_model *model, const clg_machine *machine, const clg_stack *stack,
                    const clg_layout *layout, clg_step *step);

/* Once built: the rank that gets `fullest` times its even share of rows holds as many times what
 * they take while a layer is at work. What layers keep of their rows is left as it is on average,
 * for another rank is the fullest in each; that some batch and layer are fuller is left out: both
 * too little. */
void clg_step_fill_rank(clg_step *step, const clg_layout *layout, double fullest);

/* What happens to the parameters of one stage once per step, or (ZeRO-3) once per pass. */
typedef enum clg_update_when {
    CLG_UPDATE_GRADIENT,  /* reduction, may hide under the last backward */
    CLG_UPDATE_PARAMETER, /* gather after the update, may hide under the first forward */
    CLG_UPDATE_FIRST,     /* gather in the first forward pass of a step (ZeRO-2) */
    CLG_UPDATE_FORWARD,   /* gather in every forward pass (FSDP) */
    CLG_UPDATE_BACKWARD,  /* gather and reduce-scatter in every backward pass (FSDP, ZeRO-2) */
    CLG_UPDATE_OPTIMIZER  /* clipping and the update itself, alone */
} clg_update_when;

typedef struct clg_update {
    clg_op op;
    clg_update_when when;
} clg_update;

typedef struct clg_updates {
    int count;
    clg_update update[CLG_UPDATE_OPS];
} clg_updates;

/* Parameters a rank of a stage holds, before ZeRO. */
typedef struct clg_held {
    double dense, expert;
    double tied;   /* of dense: summed between first and last stage as well */
    double tables; /* of dense: embedding and head, each one matrix */
} clg_held;

void clg_step_updates(const clg_model *model, const clg_stack *stack, const clg_layout *layout,
                      const clg_step *step, clg_held held, clg_updates *updates);

/* Bytes of optimizer state per parameter (master weights and moments), before ZeRO. */
double clg_optimizer_bytes_per_parameter(const clg_layout *layout, const clg_stack *stack);

/* Bytes of one gradient as it is accumulated and reduced. */
double clg_gradient_bytes(const clg_layout *layout, const clg_stack *stack);

/* The same with the copy the backward writes in the weights' type, where the stack keeps both. */
double clg_gradient_held_bytes(const clg_layout *layout, const clg_stack *stack);

/* Whether every rank keeps all gradients of its stage until they are reduced: ZeRO 0 and 1, and
 * those of ZeRO 2 and 3 over several micro-batches, unless the stack scatters in each. */
bool clg_gradients_whole(const clg_layout *layout, const clg_stack *stack);

/* Bytes an update needs beside states and gradients, per owned parameter: 16-bit gradients are
 * turned to fp32 for master weights. */
double clg_update_bytes_per_parameter(const clg_layout *layout, const clg_stack *stack);

/* Bytes an update on the host reads and writes there, per parameter. */
double clg_host_bytes_per_parameter(const clg_layout *layout, const clg_stack *stack);

/* Bytes of one weight of a rank's own shard under ZeRO-3, beside the optimizer's states. */
double clg_shard_bytes(const clg_layout *layout, const clg_stack *stack);

/* Bytes of one weight as held for compute. */
double clg_weight_bytes(const clg_layout *layout);
/* One of Adam's moments, bytes a parameter. */
double clg_moment_bytes(const clg_layout *layout, const clg_stack *stack);
/* What a foreach Adam makes of every parameter that it updates, and lets go. */
double clg_foreach_bytes_per_parameter(const clg_layout *layout, const clg_stack *stack);
/* Of tables and head: 16 bit where layers are frozen in fewer, or fp32 (widens_rest). */
double clg_table_bytes(const clg_layout *layout, const clg_stack *stack);
/* Beside layers frozen in nf4 or int8 norms and tables are fp32, and so is what layers pass on
 * (PEFT, utils/other.py, prepare_model_for_kbit_training, which leaves GPTQ models as they are;
 * TRL, sft_trainer.py, does not call it for shards). */
bool clg_rest_is_wide(const clg_layout *layout, const clg_stack *stack);

#endif
