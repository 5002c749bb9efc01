/* stack.h -- what a software generation does to the same layout on the same GPUs.
 *
 * One data file per stack (data/stack/<name>.json). Its terms are physical and stand in groups
 * (terms.def): what the host costs, which kernels are fused, what overlaps with what, what memory
 * is kept. None multiplies the total. Fitted ones say on which runs. A file states what differs
 * from its "base" (a built-in stack by name), or from the default. "releases" lists what changed
 * from a month on, "recipes" what its recipes switch for some models on some GPUs. */
#ifndef CLG_STACK_STACK_H
#define CLG_STACK_STACK_H

#include "base/json.h"
#include "layout/layout.h"

#include <stdbool.h>

/* What a trainer prints as its memory: the peak of what tensors took (max_memory_allocated), of
 * what the allocator held (max_memory_reserved), or all the device holds (nvidia-smi). */
typedef enum clg_memory_kind {
    CLG_MEMORY_ALLOCATED,
    CLG_MEMORY_RESERVED,
    CLG_MEMORY_DEVICE
} clg_memory_kind;
extern const clg_name clg_memory_names[];

/* What a trainer can split, and how: ZeRO stages over data-parallel ranks, products over tensor
 * ranks, sequences over context ranks, experts. */
typedef enum clg_sharding {
    CLG_SHARD_ZERO, /* and the three stages after it */
    CLG_SHARD_TP = CLG_SHARD_ZERO + 4,
    CLG_SHARD_CP, /* and the other ways context ranks meet, as clg_context_kind */
    CLG_SHARD_EP = CLG_SHARD_CP + 3,
    CLG_SHARD_ETP,
    CLG_SHARD_SP /* norms and residuals over tensor ranks (Korthikanti et al. 2022); with this and
                    without CLG_SHARD_TP tensor ranks always split these, too */
} clg_sharding;
extern const clg_name clg_sharding_names[];

/* What "selective" recomputing does again in the backward. */
typedef enum clg_selective {
    CLG_SELECTIVE_ATTENTION,  /* the attention core: Korthikanti et al. 2022, arXiv:2205.05198 */
    CLG_SELECTIVE_OPERATIONS, /* all but attention and every other product */
    /* by the names of what is kept (XLA): all but */
    CLG_SELECTIVE_BETWEEN, /* linear products: what lies between them */
    CLG_SELECTIVE_MLP,     /* linear products of attention */
    CLG_SELECTIVE_HEADS    /* queries, keys and values */
} clg_selective;
extern const clg_name clg_selective_names[];

/* How ZeRO-1 sums gradients and hands updated weights round. */
typedef enum clg_zero_one {
    CLG_ZERO_ONE_SHARDS,     /* scatters gradients beside the backward, gathers weights */
    CLG_ZERO_ONE_SUMS_AFTER, /* all-reduces whole gradients after the backward, gathers weights */
    CLG_ZERO_ONE_BROADCASTS  /* all-reduces whole gradients beside the backward, whoever shares the
                                states; owners send their weights one after the other */
} clg_zero_one;
extern const clg_name clg_zero_one_names[];

/* When ZeRO-2 and 3 scatter gradients. Kept over micro-batches they stay whole and are scattered
 * at the last, a chunk at a time. */
typedef enum clg_scatters {
    CLG_SCATTERS_ONCE,    /* a step */
    CLG_SCATTERS_EACH,    /* in the backward of every micro-batch; with pipelines once a step */
    CLG_SCATTERS_SUMS,    /* the same, but ZeRO-2 all-reduces whole gradients there, after compute,
                             and gathers weights once they are updated */
    CLG_SCATTERS_ANYWHERE /* in every backward, with pipelines too */
} clg_scatters;
extern const clg_name clg_scatters_names[];

/* How rows meet the products of their experts. */
typedef enum clg_expert_rows {
    CLG_ROWS_AS_THEY_LIE, /* one call multiplies sorted rows */
    CLG_ROWS_PADDED,      /* written expert by expert into one batch, weights stacked */
    CLG_ROWS_LOOPED,      /* expert by expert, each kernel launched for it alone */
    CLG_ROWS_INDEXED,     /* as they lie, moved by one tensor operation after another */
    CLG_ROWS_PICKED,      /* the same; only picked, weighed and summed, none padded or put back */
    CLG_ROWS_ADDED        /* as they lie; picked, and added by index to zeros */
} clg_expert_rows;
extern const clg_name clg_expert_rows_names[];

typedef struct clg_stack {
    const char *name, *title, *date;
    const char *family; /* stacks whose code is one another's: what is known of one says something
                           of the others; NULL: of its own */
    const char *chosen; /* why it is this one where nobody named any; NULL: it was named */
    double years_off;   /* from the month asked for to the nearest that the file describes */
    bool known;         /* false: the default stands in for an unknown stack */
    /* What it can run, a bit each: clg_schedule_kind, clg_sharding, clg_recompute. */
    unsigned schedules, shardings, recomputes;
    const char *assumes; /* in a few words what a plan under it takes for granted; NULL: not said */
    /* clang-format off */
#define GROUP(group) struct clg_##group##_terms {
#define NUMBER(group, member, key, dimension, meaning) double member;
#define SWITCH(group, member, key, meaning) bool member;
#define WORD(group, member, key, meaning) clg_##key member;
#define END(group) } group;
#include "stack/terms.def"
    /* clang-format on */
    clg_memory_kind prints; /* what its logs call memory */
    clg_precision gradient; /* dtype gradients are accumulated and reduced in */
    clg_precision moments;  /* dtype of the optimizer's moments; CLG_PRECISIONS: as the optimizer
                               has them */
    const char *attention;  /* default attention kernel name */
    const char *attention_older; /* what it runs on GPUs too old for that one */
    bool attention_final;        /* a recipe's: whatever the GPU could run */
    const char *fabric;      /* the network its published runs had where a table of them does not
                                say; "reference": that of the GPU's reference box; NULL: not known */
    const clg_json *vendors; /* of the GPUs it is known to run on; NULL: not said */
    const clg_json *data;
    const char *file;
    const clg_json *recipes; /* of the file, or of its base; NULL: none */
    const char *recipes_file, *recipes_month;
} clg_stack;

/* By name from the built-in data; "name@YYYY-MM" is the stack as released in that month (without a
 * month: as of the file's own date). "unknown" gives the default with known = false. Names are also
 * those of data/stack-names.csv, among other words too ("DeepSpeed 0.14"); a near miss of one is an
 * error with the nearest. */
clg_status clg_stack_find(clg_arena *arena, const char *name, clg_stack *stack, clg_error *error);
/* Lays over the stack what its recipes of that month set for this model on this GPU (preset and
 * canonical names; NULL or unknown ones: nothing). A recipe's model and GPU are names or what comes
 * before a hyphen in them; later recipes go over earlier ones. One with "as" says whose trainer it
 * was, and the stack becomes that one. */
clg_status clg_stack_recipe(clg_arena *arena, clg_stack *stack, const char *model, const char *gpu,
                            clg_error *error);
clg_status clg_stack_read(clg_arena *arena, const char *file, const char *text, size_t size,
                          clg_stack *stack, clg_error *error);

/* The current generation for GPUs of a vendor ("current_on" in its file), as of its newest release;
 * the default for an unknown stack where no file says so. With `narrow_base` it is the one that
 * trains beside a frozen model kept in 4 or 8 bits ("current_beside_narrow_base"), which most
 * trainers cannot, whoever makes the GPUs. */
clg_status clg_stack_current(clg_arena *arena, const char *vendor, bool narrow_base,
                             clg_stack *stack, clg_error *error);

/* Whether it is known to run on GPUs of this vendor; NULL and what no file says: yes. */
bool clg_stack_runs_on(const clg_stack *stack, const char *vendor);

/* Whose runs are known of a model on a GPU, where no software is named for them ("as" of the
 * default's recipes); `known` false: nobody's. */
clg_status clg_stack_trainer(clg_arena *arena, const char *model, const char *gpu, clg_stack *stack,
                             clg_error *error);

/* Whether a set of the stack (schedules, shardings, recomputes) has this one. */
bool clg_stack_has(unsigned set, int one);

/* The first thing of a layout that the stack is not known to have, by name; NULL: it has all. */
const char *clg_stack_lacks(const clg_stack *stack, const clg_layout *layout);

/* Overrides one term by name: "tensor_overlap", "0.8"; switches take true or false, quantities
 * their unit, behaviours their name. CLG_BAD_INPUT with the nearest name. */
clg_status clg_stack_set(clg_stack *stack, const char *name, const char *value, clg_error *error);

/* "tensor_overlap=0.8,fused_norm=false"; NULL is none. */
clg_status clg_stack_set_all(clg_stack *stack, const char *text, clg_error *error);

/* Whether its published runs were on the maker's reference boxes. */
bool clg_stack_on_reference(const clg_stack *stack);

/* A number of the stack by its name, in SI; NULL: no such number. */
double *clg_stack_number(clg_stack *stack, const char *name);

/* Where the stack itself states a term: {"value", "unit", "source", "kind"} of its newest release
 * up to its date, or else of its file. NULL: it is as in its base, or in the default. */
const clg_json *clg_stack_states(const clg_stack *stack, const char *name);

#endif
