/* sweep.h -- one collective over many sizes of groups and buffers, as nccl-tests would run it. */
#ifndef CLG_COST_SWEEP_H
#define CLG_COST_SWEEP_H

#include "cost/collective.h"

typedef struct clg_sweep_point {
    clg_collective collective;
    int ranks, nodes; /* nodes: boxes */
    double bytes;     /* nccl-tests "size": the buffer of one rank */
    double seconds, p10_s, p90_s;
    double bus_bytes_per_s; /* as nccl-tests defines it, at `seconds` */
    const clg_algorithm *algorithm;
    const char *protocol; /* see clg_collective_protocol */
} clg_sweep_point;

/* A group of `ranks`, at least 2, that fills boxes in order and has the machine to itself. The
 * interval is the spread of the link's curve (its sigma) between clusters; what other jobs on the
 * fabric take is left out, so a busy cluster is slower. */
clg_sweep_point clg_sweep_at(const clg_network *network, const clg_machine *machine,
                             clg_collective collective, int ranks, double bytes);

#endif
