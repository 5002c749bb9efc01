/* host_copy.h -- how fast a GPU reads the host's memory. */
#ifndef CLG_COST_HOST_COPY_H
#define CLG_COST_HOST_COPY_H

#include "machine/machine.h"

/* Bytes/s that a GPU copies from the pinned memory of its own host, while no other does: what
 * copies reach of its link (data/exchange/host-copies.json). Left out: that the GPUs of a node
 * share the host's memory, whose bandwidth may be less than that of their links together. */
clg_status clg_host_copy_rate(clg_arena *arena, const clg_gpu *gpu, double *bytes_per_s,
                              clg_error *error);

#endif
