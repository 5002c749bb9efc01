/* row_demand.h -- the requests of a row: lengths drawn as it says, in its order, and what of them
 * comes again. The same row gives the same requests everywhere. */
#ifndef CLG_MEASURED_ROW_DEMAND_H
#define CLG_MEASURED_ROW_DEMAND_H

#include "measured/measured.h"

clg_demand clg_row_demand(clg_arena *arena, const clg_serve_plan *plan, double block_tokens);

#endif
