/* xla.h -- internal to record/: what the two files of XLA's profiler have in common. */
#ifndef CLG_RECORD_XLA_H
#define CLG_RECORD_XLA_H

#include "record/devices.h"

typedef struct clg_xla {
    clg_arena scratch;
    clg_devices devices;
    clg_intern texts;
    const char *host; /* NULL: not said */
} clg_xla;

/* What of an event and its statistics anything here uses; -1 where it does not say. */
typedef struct clg_xla_event {
    clg_slice name;
    uint64_t thread;
    int64_t start_ns, end_ns, correlation, step;
    bool copies;
} clg_xla_event;

#define CLG_XLA_IDLE "an XLA profile without GPU work"

void clg_xla_begin(clg_xla *xla, clg_arena *arena, const char *path, const clg_csv *table);

/* The number at the end of "/device:GPU:3"; -1 where it is no such name. */
int64_t clg_xla_device(clg_slice name);

void clg_xla_work(clg_xla *xla, int64_t device, int64_t stream, const clg_xla_event *event);

/* Calls that launched work say its correlation; annotations of steps say their number. After the
 * work. */
void clg_xla_call(clg_xla *xla, const clg_xla_event *event);

/* False where no GPU worked. Gives `scratch` back. */
bool clg_xla_end(clg_xla *xla, clg_trace **traces, int *count);

#endif
