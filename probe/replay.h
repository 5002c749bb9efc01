/* replay.h -- the operations of a step, as `ceiling explain --csv` lists them, done one after the
 * other. */
#ifndef PROBE_REPLAY_H
#define PROBE_REPLAY_H

#include "measure.h"

/* Prints a sample per operation and the step they make. NULL, or what is wrong. Each operation is
 * timed alone, as the list prices it; compute rows by shape, kernels that stream by their bytes. A
 * fused attention is stood in for by a square product of as many flop, which says nothing of its
 * kernel. */
const char *probe_replay(probe_bench *bench, const char *path);

#endif
