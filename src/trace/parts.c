/* parts.c -- events and calls into parts. */
#include "trace/parts.h"

clg_split clg_axis_of(const clg_trace *t, const clg_trace_call *call, const clg_degrees *degrees) {
    if (call->what.axis != CLG_SPLIT_UNKNOWN) return (clg_split)call->what.axis;
    return clg_split_of_call(call->what.operation, call->what.group_size,
                             call->what.grouped ? t->groups.texts[call->what.group] : "", degrees);
}

/* Waiting comes first: the transfer is the end of a call. */
static size_t add_call(clg_sweep_part *parts, size_t at, const clg_trace_call *call, int axis) {
    int64_t end_ns = call->start_ns + call->duration_ns;
    int64_t from_ns = call->transfer_ns >= 0 ? end_ns - call->transfer_ns : call->start_ns;
    parts[at++] = (clg_sweep_part){from_ns, end_ns, CLG_PART_TRANSFER + axis};
    if (from_ns > call->start_ns)
        parts[at++] = (clg_sweep_part){call->start_ns, from_ns, CLG_PART_WAITING + axis};
    return at;
}

clg_sweep_part *clg_parts_of(clg_arena *arena, const clg_trace *t, const clg_degrees *degrees,
                             size_t *count) {
    clg_sweep_part *parts =
        clg_take(arena, t->timeline.count + 2 * t->call_count + 1, clg_sweep_part);
    size_t at = 0;
    for (size_t i = 0; i < t->timeline.count; i++) {
        const clg_event *e = &t->timeline.events[i];
        if (e->work == CLG_WORK_COMPUTE || e->work == CLG_WORK_COPY)
            parts[at++] =
                (clg_sweep_part){e->start_ns, e->start_ns + e->duration_ns,
                                 e->work == CLG_WORK_COMPUTE ? CLG_PART_COMPUTE : CLG_PART_COPY};
    }
    for (size_t i = 0; i < t->call_count; i++)
        at = add_call(parts, at, &t->calls[i], (int)clg_axis_of(t, &t->calls[i], degrees));
    *count = at;
    return parts;
}
