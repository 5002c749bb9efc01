/* expect.h -- what a cluster should show when it is handed over, and which of its readings are not
 * good.
 *
 * A reading is rejected where it is slower than nine in ten clusters of this machine would be (P90
 * of its time: P10 of its rate), or where heat or a power brake slowed its GPU down. */
#ifndef CLG_CALIBRATE_EXPECT_H
#define CLG_CALIBRATE_EXPECT_H

#include "calibrate/samples.h"
#include "cost/collective.h"
#include "cost/kernel.h"

typedef struct clg_expected {
    clg_sample what; /* seconds and hosts only where it was measured */
    int nodes;       /* boxes */
    double seconds;  /* expected */
    double reject_s; /* slower is rejected */
    bool measured, rejected;
} clg_expected;

/* A machine and its curves. */
typedef struct clg_expecting {
    const clg_machine *machine;
    const clg_network *network;
    const clg_kernels *kernels;
} clg_expecting;

/* Nodes of rejected readings that no good reading of the same kind and size clears. */
typedef struct clg_suspects {
    const char **host;
    int count;
} clg_suspects;

/* The sheet of `gpus` GPUs: collectives by size on one node, two, four and all; products; copies.
 */
clg_expected *clg_expect_sheet(clg_arena *arena, const clg_expecting *with, int gpus, int *count);

/* A row for every sample. */
clg_expected *clg_expect_samples(clg_arena *arena, const clg_expecting *with,
                                 const clg_samples *samples);

clg_suspects clg_expect_suspects(clg_arena *arena, const clg_expected *row, int count);

#endif
