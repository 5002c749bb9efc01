/* ladder.h -- larger and smaller relatives of a model, by rule.
 *
 * Parameters of the layers go as layers x hidden^2. A ladder grows both alike, by the cube root of
 * the ratio, as published families do (Llama 3 8B to 405B: hidden x 4.0, layers x 3.9; Llama Team
 * 2024, arXiv:2407.21783, table 3): hidden in steps of 8 heads, so that tensor parallelism of 8
 * divides it, then the layers, in fours, nearest to the parameters wanted. Width of a head,
 * MLP width over hidden, vocabulary, gates, ties and the number of experts stay; as many keys and
 * values as heads stay so, fewer stay as many as they are. */
#ifndef CLG_SCALING_LADDER_H
#define CLG_SCALING_LADDER_H

#include "model/model.h"

/* A relative with about `parameters` active ones. Only models whose layers are all alike, with
 * grouped attention: others are CLG_BAD_INPUT. Lives in `arena`. */
clg_status clg_ladder_model(clg_arena *arena, const clg_model *model, double parameters,
                            clg_model *relative, clg_error *error);

#endif
