/* electricity.h -- what electricity costs where, from data/electricity.csv. */
#ifndef CLG_ECONOMICS_ELECTRICITY_H
#define CLG_ECONOMICS_ELECTRICITY_H

#include "base/arena.h"
#include "base/error.h"

/* The industrial price in a region ("texas"). CLG_BAD_INPUT, naming the regions there are, for any
 * other word. */
clg_status clg_electricity_find(clg_arena *arena, const char *region, double *usd_per_joule,
                                clg_error *error);

/* The cheapest and the dearest region. */
void clg_electricity_band(clg_arena *arena, double *low_usd_per_joule, double *high_usd_per_joule);

#endif
