/* kernel_lent.h -- internal to cost/: whose curves a GPU takes that was never timed itself, and
 * what they become on it. */
#ifndef CLG_COST_KERNEL_LENT_H
#define CLG_COST_KERNEL_LENT_H

#include "cost/kernel.h"

/* The file of the GPU of this name; NULL: it has none. */
const clg_file *clg_kernels_called(clg_arena *arena, const char *gpu);

/* That of the next GPU to one of whose generation nothing was timed; NULL: there is none. */
const clg_file *clg_kernels_of_stranger(clg_arena *arena, const clg_gpu *gpu);

/* Borrowed curves as they are on this GPU: under its power limit, with its matrix units. */
clg_status clg_kernels_lend(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                            clg_error *error);

#endif
