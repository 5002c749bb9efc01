/* scenario.h -- everything that stays the same while layouts change. */
#ifndef CLG_EVALUATE_SCENARIO_H
#define CLG_EVALUATE_SCENARIO_H

#include "cost/collective.h"
#include "cost/kernel.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "model/model.h"
#include "power/power.h"
#include "stack/stack.h"

/* Log-residuals of curves that a user can measure. */
typedef struct clg_curve_sigmas {
    double gemm[CLG_PRECISIONS], memory, fast, slow;
} clg_curve_sigmas;

typedef struct clg_scenario {
    clg_model model;
    clg_machine machine;
    clg_stack stack;
    clg_kernels kernels;
    clg_network network;
    clg_power power;
    clg_price price;           /* usd_per_s 0: none */
    clg_file kernel_file;      /* the user's own values over the built-in ones; text NULL: none */
    clg_file network_file;     /* same, of collectives */
    clg_curve_sigmas built_in; /* of the curves before the user's own values lay over them */
    double expert_imbalance;   /* least of the fullest expert rank over the mean, >= 1 */
    double expert_spread;      /* of how often a learned router chooses experts: step/routing.h */
    double data_loading_s;     /* per step, exposed */
    double slow_nodes;         /* share of nodes that are slow, */
    double slow_by;            /* and how much longer such a node takes: 0.1 */
} clg_scenario;

/* Tokens of the fullest expert rank over the mean where a learned router chooses. Every layer waits
 * for it; which one it is changes from layer to layer, so that none makes up for it. Left out: what
 * the fullest rank keeps in memory. */
double clg_learned_imbalance(const clg_scenario *scenario, const clg_layout *layout);

/* The attention kernel of a plan that names none: the stack's, or the GPU's own where that is
 * younger, unless a recipe settles it. */
clg_attention_kernel clg_scenario_attention(const clg_scenario *scenario);

/* Makes a scenario's derived parts (kernels, network) from model, machine and stack. */
clg_status clg_scenario_prepare(clg_arena *arena, clg_scenario *scenario, clg_error *error);

/* NULL if the scenario's GPU can multiply in this precision, else which ones it can. In `arena`. */
const char *clg_scenario_refuses(clg_arena *arena, const clg_scenario *scenario,
                                 clg_precision precision);

#endif
