/* event.h -- one event of a Chrome trace as PyTorch's profiler (Kineto) writes it. */
#ifndef CLG_RECORD_EVENT_H
#define CLG_RECORD_EVENT_H

#include "record/scan.h"

/* What an event is to those who read on. */
typedef enum clg_event_use {
    CLG_EVENT_OTHER, /* none: it is counted */
    CLG_EVENT_KERNEL,
    CLG_EVENT_COPY,
    CLG_EVENT_LAUNCH,     /* a call of the runtime or driver */
    CLG_EVENT_COLLECTIVE, /* a CPU operator that describes one */
    CLG_EVENT_PRODUCT,    /* a CPU operator with FLOPs */
    CLG_EVENT_STEP,
    CLG_EVENT_LOADER,
    CLG_EVENT_RANGE, /* that the program named */
    CLG_EVENT_MEMORY
} clg_event_use;

/* Of "args"; the line before the last is of a recorded CPU operator. */
typedef struct clg_trace_arguments {
    clg_slice collective, in_elements, out_elements, group_size, data_type;
    clg_slice group_name, group_ranks, group_description, sequence, source, target;
    clg_slice dims, types, inputs;
    clg_slice allocated, reserved, memory_type, memory_device; /* of "[memory]" */
} clg_trace_arguments;

/* Slices are empty where the event does not say. */
typedef struct clg_trace_event {
    clg_slice phase, category, name, pid, tid;
    clg_slice start, duration;     /* microseconds as written */
    clg_slice correlation, device; /* arguments */
    clg_slice kernel;              /* that a launch names; likewise */
    clg_slice unread;              /* arguments of GPU work, of which only those two are read */
    clg_event_use use;
    const clg_trace_arguments *args; /* never NULL */
} clg_trace_event;

/* Scan stands on the opening brace, afterwards past the closing one. Nothing but the phase is sure
 * to be taken of an event without use, arguments only where they have one: they are in `room`. */
clg_scan_status clg_trace_event_scan(clg_scan *scan, clg_trace_event *event,
                                     clg_trace_arguments *room);

/* All arguments of an event, those that were left unread too; lives as long as the event and
 * `room`. */
const clg_trace_arguments *clg_trace_event_arguments(const clg_trace_event *event,
                                                     clg_trace_arguments *room);

#endif
