/* phases.h -- GPU time by the ranges that a program named (NVTX, user annotations). */
#ifndef CLG_RECORD_PHASES_H
#define CLG_RECORD_PHASES_H

#include "base/parcel.h"
#include "record/launches.h"
#include "record/ranges.h"

/* Gives a trace, whose ledger is done and whose launches are kept, its phases. Work belongs to the
 * innermost range around its launch on the thread that launched it; where that thread named
 * nothing, on the one whose ranges cover most; without a record of the launch, by its start. Idle
 * time belongs to the work that ends it. Each instant belongs to one phase. */
void clg_ranges_to_phases(clg_ranges *ranges, const clg_launches *launches, clg_trace *trace);

void clg_walk_phases(clg_parcel *parcel, clg_trace *trace);

#endif
