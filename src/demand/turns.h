/* turns.h -- internal to demand/: made-up requests that begin alike, and conversations. */
#ifndef CLG_DEMAND_TURNS_H
#define CLG_DEMAND_TURNS_H

#include "demand/demand.h"

/* Every request of `demand` becomes a conversation of `turns` requests: each prompt is the shared
 * beginning, what was said so far, and new text as long as the request's prompt was. Turns follow
 * each other after exponential gaps of mean `turn_gap_s`; those beyond the span come at its start,
 * so that the rate holds through it. Lengths of later turns are those of the requests after it. */
void clg_demand_converse(clg_arena *arena, const clg_synthetic *synthetic, clg_demand *demand);

#endif
