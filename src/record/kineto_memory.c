/* kineto_memory.c -- what PyTorch's allocator says of itself in a profile ("[memory]"). */
#include "record/kineto.h"

void clg_kineto_take_memory(clg_kineto *r, const clg_trace_event *e, int64_t at_ns) {
    const int64_t most_bytes = INT64_C(1) << 50, cpu = 0;
    clg_kineto_memory m = {{at_ns, clg_scan_integer(e->args->allocated, -1)},
                           clg_scan_integer(e->args->reserved, -1),
                           clg_scan_integer(e->args->memory_device, -1)};
    if (clg_scan_integer(e->args->memory_type, cpu) == cpu || m.point.allocated_bytes < 0 ||
        m.point.allocated_bytes > most_bytes || m.reserved_bytes > most_bytes)
        return;
    CLG_APPEND(&r->scratch, r->memory, r->memory_count, r->memory_capacity, m);
}

/* The GPU whose memory is a trace's. Numbers of kernels are the machine's, those of the allocator
 * the process's (ROCm): where there is one of each, it is that one. */
static int64_t memory_device(const clg_kineto *r, const clg_trace *t) {
    int64_t only = r->memory_count > 0 ? r->memory[0].device : -1;
    for (size_t i = 0; i < r->memory_count; i++)
        if (r->ranks > 1 || r->memory[i].device != only) return t->device;
    return only;
}

void clg_kineto_sum_memory(clg_kineto *r, clg_trace *t) {
    int64_t device = memory_device(r, t), reserved_bytes = -1;
    clg_memory_point *point = clg_take(&r->scratch, r->memory_count + 1, clg_memory_point);
    size_t count = 0;
    for (size_t i = 0; i < r->memory_count; i++) {
        const clg_kineto_memory *m = &r->memory[i];
        if (m->device != device) continue;
        point[count++] = m->point;
        if (m->reserved_bytes > reserved_bytes) reserved_bytes = m->reserved_bytes;
    }
    if (count == 0) return;
    t->memory = clg_memory_use_of(point, count);
    t->memory.file = t->file;
    t->memory.rank = t->rank;
    t->memory.reserved_bytes = reserved_bytes;
}
