/* price.h -- seconds of ops and of a block's passes: where step/ meets the curves. */
#ifndef CLG_COST_PRICE_H
#define CLG_COST_PRICE_H

#include "cost/collective.h"
#include "cost/kernel.h"
#include "cost/known.h"
#include "step/step.h"

/* What pricing depends on, gathered once per scenario and layout. */
typedef struct clg_pricing {
    const clg_gpu *gpu;
    const clg_kernels *kernels;
    const clg_network *network;
    const clg_stack *stack;
    clg_attention_kernel attention;
    double imbalance;     /* fullest expert rank over the mean, >= 1 */
    double host_time;     /* of the host's launches over those of an x86 host; 0: as one */
    double update_time;   /* of updates on the host over those of a DGX-2; 0: as one */
    clg_known_ops *known; /* ops of this scenario that were priced before; NULL: none are kept */
} clg_pricing;

/* Seconds of an op, all its repetitions, alone on the machine. */
double clg_op_s(const clg_pricing *pricing, const clg_op *op);

/* The same of an op of clg_step_updates, with what its ranks cost the host before it is sent
 * (rank_launches). That of a tensor collective is among the launches of its pass. */
double clg_update_s(const clg_pricing *pricing, const clg_op *op);

/* Seconds of one pass of one block by what they are spent on. */
typedef struct clg_pass_cost {
    double matrix_s, attention_s, memory_s;
    double slowdown_s;          /* compute slowed by communication beside it */
    double exposed_s[CLG_AXES]; /* communication nothing hides */
    double hidden_s[CLG_AXES];  /* communication under compute, slowed by it */
    double host_s;              /* launches the GPU waits for */
    double flop, hbm_bytes;
    double launches, expert_calls; /* of the host: kernels, and experts launched one by one */
    double routed;                 /* expert layers: each waits for its token counts */
    double casts;                  /* products in 8 bit or less */
    double gathers;                /* matrices gathered by hooks of their own */
} clg_pass_cost;

double clg_pass_compute_s(const clg_pass_cost *cost); /* matrix, attention, memory, slowdown */
double clg_pass_s(const clg_pass_cost *cost);         /* all of it */

/* Adds `times` of `from` to `into`. */
void clg_pass_add(clg_pass_cost *into, const clg_pass_cost *from, double times);

/* Prices a block pass by pass. Communication hides behind the compute of its own pass, at most its
 * overlap share of it, and slows that compute; exchanges of experts that find no room there, behind
 * that of another micro-batch. */
void clg_block_price(const clg_pricing *pricing, const clg_block *block,
                     clg_pass_cost cost[CLG_PASSES]);

/* Hides up to `seconds` (alone) of communication behind compute of this pass that is not yet used;
 * returns what was hidden. Beside each other both are slower: of the stack. */
double clg_pass_hide(clg_pass_cost *cost, clg_axis axis, double seconds, const clg_stack *stack);

/* Hides `seconds` of communication on `axis`, `share` of it at most, behind compute not yet used
 * by other hidden communication of this pass; the rest is exposed. */
void clg_pass_communicate(clg_pass_cost *cost, clg_axis axis, double seconds, double share,
                          const clg_stack *stack);

/* Accounts for the host once a pass is complete. */
void clg_pass_host(clg_pass_cost *cost, const clg_pricing *pricing);

#endif
