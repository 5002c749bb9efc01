/* rocprof.h -- internal to record/: what the outputs of rocprofv3 have in common. */
#ifndef CLG_RECORD_ROCPROF_H
#define CLG_RECORD_ROCPROF_H

#include "record/devices.h"

/* Agents are CPUs and GPUs; a GPU's number among the GPUs is the device. */
typedef struct clg_rocprof {
    clg_arena scratch;
    clg_devices devices;
    clg_intern texts;
    clg_map kernels; /* id + 1 -> texts */
    clg_map gpus;    /* agent + 1 -> device */
    clg_map named;   /* device + 1 -> texts */
    const char *host;
} clg_rocprof;

void clg_rocprof_begin(clg_rocprof *r, clg_arena *arena, const char *path, const clg_csv *table);
void clg_rocprof_agent(clg_rocprof *r, int64_t agent, int64_t device, clg_slice name);
void clg_rocprof_symbol(clg_rocprof *r, int64_t id, clg_slice name);

/* `work` without device, key and name. */
void clg_rocprof_kernel(clg_rocprof *r, int64_t agent, int64_t id, clg_device_work work);
/* A copy is work of the GPU that it goes to, else of the one it comes from. */
void clg_rocprof_copy(clg_rocprof *r, int64_t source, int64_t target, clg_device_work work);

/* False where no GPU worked. Gives `scratch` back. */
bool clg_rocprof_end(clg_rocprof *r, clg_trace **traces, int *count);

#endif
