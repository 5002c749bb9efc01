/* xla.c -- XLA's profiler (JAX, TensorFlow): events of devices and of the host. */
#include "record/xla.h"

#include "base/letters.h"
#include "record/ns.h"

#include <string.h>

void clg_xla_begin(clg_xla *x, clg_arena *arena, const char *path, const clg_csv *table) {
    clg_devices_begin(&x->devices, arena, &x->scratch, path, table);
    x->texts.arena = arena;
}

int64_t clg_xla_device(clg_slice name) {
    static const char kind[] = "/device:GPU:";
    enum { SIZE = sizeof kind - 1, DIGITS = 8 };
    size_t end = SIZE;
    if (!clg_slice_starts(name, kind)) return -1;
    while (end < name.size && clg_is_digit(name.text[end])) end++;
    int64_t number; /* what follows it, as " (pid 3)", is the viewer's */
    bool whole = end > SIZE && end <= SIZE + DIGITS &&
                 clg_scan_decimal((clg_slice){name.text + SIZE, end - SIZE}, 0, &number);
    return whole ? number : -1;
}

void clg_xla_work(clg_xla *x, int64_t device, int64_t stream, const clg_xla_event *event) {
    uint32_t name = clg_intern_add(&x->texts, event->name);
    clg_device_work work = {.device = device,
                            .stream = stream,
                            .start_ns = event->start_ns,
                            .end_ns = event->end_ns,
                            .correlation = event->correlation,
                            .key = (uint64_t)name + 1,
                            .name = x->texts.texts[name],
                            .copy = event->copies};
    clg_devices_add(&x->devices, &work);
}

void clg_xla_call(clg_xla *x, const clg_xla_event *event) {
    if (event->correlation < 0 && event->step < 0) return;
    clg_device_process *process = clg_devices_process(&x->devices, 0);
    if (!process || event->start_ns < 0 || event->end_ns > CLG_TRACE_LATEST_NS) return;
    clg_devices_launch(process, event->correlation, event->thread, event->start_ns);
    if (event->step < 0) return;
    const char *name = clg_arena_print(&x->scratch, "step %lld", (long long)event->step);
    clg_ranges_add(&process->ranges, (clg_slice){name, strlen(name)}, event->thread,
                   event->start_ns, event->end_ns - event->start_ns);
}

bool clg_xla_end(clg_xla *x, clg_trace **traces, int *count) {
    bool found = x->devices.count > 0;
    if (found) clg_devices_end(&x->devices, traces, count);
    for (int i = 0; found && i < *count; i++) (*traces)[i].host = x->host;
    clg_arena_clear(&x->scratch);
    return found;
}
