/* bound.h -- lower bounds of a step's time and memory in constant time: what a search need not
 * compose. Never above what clg_compose makes of the same layout. */
#ifndef CLG_EVALUATE_BOUND_H
#define CLG_EVALUATE_BOUND_H

#include "evaluate/compose.h"

/* Of step_s. */
double clg_compose_bound_s(const clg_scenario *scenario, const clg_layout *layout,
                           const clg_priced *priced);

/* The same of all layouts that share these blocks, its batch and its GPUs: whatever their pp, dp,
 * vpp, schedule, ZeRO and layers recomputed. */
double clg_compose_shared_bound_s(const clg_scenario *scenario, const clg_layout *layout,
                                  const clg_priced *priced);

/* A lower bound of the fullest rank's needed_bytes times its crowding, likewise, as a function of
 * the layers that each chunk recomputes. */
typedef struct clg_bytes_bound {
    double states;                /* of the mean stage, split included */
    double first;                 /* of the first stage: states */
    double saved, rebuilt, alive; /* of a layer; how often it is kept */
    double workspace, split;      /* bytes; share */
    double crowding;
    int layers; /* of its chunks */
} clg_bytes_bound;
clg_bytes_bound clg_compose_bytes_bound(const clg_scenario *scenario, const clg_layout *layout,
                                        const clg_priced *priced);

/* With so many layers recomputed; 0: all, or none where the layout recomputes none. */
double clg_bytes_bound_at(const clg_bytes_bound *bound, int recompute_layers);

#endif
