/* event.h -- one event of a Chrome trace as PyTorch's profiler (Kineto) writes it. */
#ifndef CLG_RECORD_EVENT_H
#define CLG_RECORD_EVENT_H

#include "record/scan.h"

/* Of "args"; the line before the last is of a recorded CPU operator. */
typedef struct clg_trace_arguments {
    clg_slice correlation, device;
    clg_slice collective, in_elements, out_elements, group_size, data_type;
    clg_slice group_name, group_ranks, group_description, sequence, source, target;
    clg_slice dims, types, inputs;
    clg_slice allocated, reserved, memory_type, memory_device; /* of "[memory]" */
} clg_trace_arguments;

/* Slices are empty where the event does not say. */
typedef struct clg_trace_event {
    clg_slice phase, category, name, pid, tid;
    clg_slice start, duration;       /* microseconds as written */
    const clg_trace_arguments *args; /* `told`, or none where it has none; never NULL */
    clg_trace_arguments told;
} clg_trace_event;

/* Scan stands on the opening brace, afterwards past the closing one. Arguments are taken only of
 * events that have a use for them. */
clg_scan_status clg_trace_event_scan(clg_scan *scan, clg_trace_event *event);

/* A whole number, or `fallback`. */
int64_t clg_trace_integer(clg_slice text, int64_t fallback);

#endif
