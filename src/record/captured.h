/* captured.h -- shapes of what a CUDA or HIP graph runs, from when it was captured.
 *
 * A replayed graph records no operators. While it was captured each launch was recorded within its
 * operator, but ran nothing: where launches tell their kernels (ROCm; CUPTI does not), a replay is
 * the piece of them whose names are its own, in its order. */
#ifndef CLG_RECORD_CAPTURED_H
#define CLG_RECORD_CAPTURED_H

#include "base/parcel.h"
#include "record/launches.h"

/* Keeps the launches of a trace that ran nothing. Its products are those of `launches`. */
void clg_captured_keep(const clg_launches *launches, clg_trace *trace);

/* Gives the kernels of graphs their FLOPs from what another trace, or the same, captured. A replay
 * that fits several captures of other shapes gets none. A trace is lent to once: graphs that two
 * recordings of a rank captured would count twice. */
void clg_captured_lend(const clg_trace *from, clg_trace *to);

void clg_walk_captured(clg_parcel *parcel, clg_trace *trace);

#endif
