/* timeline.h -- intervals on tracks: what the simulator writes and what a profiler trace becomes.
 *
 * Integer nanoseconds, because ledgers must add up exactly. Low and dumb: no module below knows
 * where the intervals came from, so predicted and measured are compared by one function. */
#ifndef CLG_TIMELINE_TIMELINE_H
#define CLG_TIMELINE_TIMELINE_H

#include "base/arena.h"

#include <stdint.h>

typedef enum clg_work {
    CLG_WORK_COMPUTE,
    CLG_WORK_COMMUNICATION,
    CLG_WORK_COPY, /* copies and memsets */
    CLG_WORK_NONE  /* annotations, synchronization: drawn, never counted */
} clg_work;

typedef struct clg_event {
    int64_t start_ns, duration_ns;
    uint32_t name;       /* index into names */
    uint16_t track;      /* stream of a rank, or stage */
    uint8_t work;        /* clg_work */
    int32_t micro_batch; /* -1: none */
    int32_t detail;      /* index into a side table of the owner; -1: none */
} clg_event;

typedef struct clg_track {
    const char *name; /* "stage 3 compute", "stream 7" */
    int32_t rank;     /* process in Perfetto's sense; tracks of a rank nest under it */
} clg_track;

typedef struct clg_timeline {
    clg_arena *arena;
    clg_event *events;
    size_t count, capacity;
    const char **names;
    uint32_t name_count, name_capacity;
    clg_track *tracks;
    uint32_t track_count, track_capacity;
} clg_timeline;

void clg_timeline_add(clg_timeline *timeline, clg_event event);
uint32_t clg_timeline_name(clg_timeline *timeline, const char *name); /* interns; linear probe */
uint16_t clg_timeline_track(clg_timeline *timeline, const char *name, int32_t rank);

/* compute + exposed communication + exposed copy + idle = span, exactly; by one sweep over the
 * events of `rank` sorted by start. Compute hides communication, both hide copies. */
typedef struct clg_ledger {
    int64_t start_ns, span_ns, compute_ns, exposed_communication_ns, exposed_copy_ns, idle_ns;
    int64_t communication_ns, overlapped_communication_ns; /* union of communication; part under
                                                              compute */
} clg_ledger;
clg_ledger clg_timeline_ledger(clg_arena *scratch, const clg_timeline *timeline, int32_t rank);

#endif
