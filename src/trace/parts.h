/* parts.h -- the GPU work of a rank as parts that hide each other: what ledgers by axis sweep over.
 *
 * Compute hides transfers, those hide waiting, all hide copies, as in the ledger of the whole; of
 * two axes at once the first in the order of clg_split has the time. So the parts of all axes add
 * up to exposed communication, to the nanosecond. */
#ifndef CLG_TRACE_PARTS_H
#define CLG_TRACE_PARTS_H

#include "record/split.h"
#include "record/trace.h"
#include "timeline/sweeping.h"

enum {
    CLG_PART_COMPUTE,
    CLG_PART_TRANSFER, /* and the axis; with the waiting, where it is not told apart */
    CLG_PART_WAITING = CLG_PART_TRANSFER + CLG_SPLITS,
    CLG_PART_COPY = CLG_PART_WAITING + CLG_SPLITS
};

/* `degrees` may be NULL: groups that do not say what they serve are then CLG_SPLIT_UNKNOWN. */
clg_split clg_axis_of(const clg_trace *trace, const clg_trace_call *call,
                      const clg_degrees *degrees);

clg_sweep_part *clg_parts_of(clg_arena *arena, const clg_trace *trace, const clg_degrees *degrees,
                             size_t *count);

#endif
