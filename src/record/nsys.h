/* nsys.h -- SQLite exports of Nsight Systems: one file, one or more GPUs. */
#ifndef CLG_RECORD_NSYS_H
#define CLG_RECORD_NSYS_H

#include "record/trace.h"

/* Reads an export into one trace per GPU with work, in order of device. */
clg_status clg_nsys_read(clg_arena *arena, const char *file, clg_slice data, const clg_csv *table,
                         clg_trace **traces, int *count, clg_error *error);

#endif
