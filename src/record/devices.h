/* devices.h -- GPUs of a recording that lists their work one by one, while it is read: what readers
 * of such lists (Nsight Systems, rocprof, XLA) share. Times are on one clock of the file. */
#ifndef CLG_RECORD_DEVICES_H
#define CLG_RECORD_DEVICES_H

#include "record/launches.h"
#include "record/ranges.h"

enum { CLG_DEVICES = 1024, CLG_DEVICE_PROCESSES = 1024 };

/* Launches of one process: correlations are counted process by process. */
typedef struct clg_device_process {
    int64_t id;
    clg_launches launches;
    clg_ranges ranges;
} clg_device_process;

typedef struct clg_device {
    int64_t id, process;
    clg_trace trace;
    size_t kernel_capacity;
    clg_map names;   /* key of a name -> row of trace.kernels */
    clg_map streams; /* -> track */
    int64_t *stream; /* [tracks] */
    size_t stream_count, stream_capacity;
    size_t name_capacity;
} clg_device;

typedef struct clg_devices {
    clg_arena *arena, *scratch;
    const clg_csv *table;
    const char *path;
    clg_device *device[CLG_DEVICES];
    int count;
    clg_device_process *process[CLG_DEVICE_PROCESSES];
    int process_count;
    int64_t unreadable; /* pieces of work that were lost */
    const char *damage; /* why; NULL: nothing was */
    bool by_place;      /* numbers of devices do not say which GPU it is: their order does */
} clg_devices;

/* A kernel, copy or memset. The same `key` stands for the same name within a recording. */
typedef struct clg_device_work {
    int64_t device, process, stream, start_ns, end_ns;
    int64_t correlation; /* with its launch; -1: none */
    uint64_t key;        /* not 0 */
    const char *name;    /* lives as long as the trace */
    bool copy;           /* also where the name does not tell */
} clg_device_work;

void clg_devices_begin(clg_devices *devices, clg_arena *arena, clg_arena *scratch, const char *path,
                       const clg_csv *table);

/* False, and nothing is kept, where times are out of range or there are too many GPUs. */
bool clg_devices_add(clg_devices *devices, const clg_device_work *work);

/* Of a process that has work on a GPU already; else NULL. */
clg_device_process *clg_devices_process(clg_devices *devices, int64_t id);

/* Several calls may share a correlation (one of the runtime, and one of the driver inside it): the
 * first to begin is the launch. */
void clg_devices_launch(clg_device_process *process, int64_t correlation, uint64_t thread,
                        int64_t start_ns);

/* A trace for each GPU, in order of their numbers. With several, the number stands for the rank. */
void clg_devices_end(clg_devices *devices, clg_trace **traces, int *count);

#endif
