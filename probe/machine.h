/* machine.h -- what a machine showed as its peaks, in files that --gpu and --node take. */
#ifndef PROBE_MACHINE_H
#define PROBE_MACHINE_H

#include "measure.h"

/* The most that was seen. */
typedef struct probe_most {
    double flop_per_s[PROBE_DTYPES], copy_bytes_per_s, bus_bytes_per_s;
} probe_most;

/* Writes STEM-gpu.json and STEM-node.json. NULL, or what is wrong. */
const char *probe_write_machine(const probe_backend *backend, const probe_most *most,
                                const char *stem);

#endif
