/* nccl_log.h -- logs of nccl-tests and rccl-tests: time and bandwidth by size.
 *
 * The format drifts: launchers put prefixes before lines, old versions lack the root column, and
 * the operation is named in the body only from 2.17 on. A row is known by its type and reduction.
 * The "Avg bus bandwidth" of a log averages over all sizes and is not read. */
#ifndef CLG_RECORD_NCCL_LOG_H
#define CLG_RECORD_NCCL_LOG_H

#include "record/intern.h"
#include "record/kernels.h"

/* One measurement: a row has two, out of place and in place. */
typedef struct clg_nccl_row {
    const char *file;
    clg_operation operation;
    bool in_place;
    int64_t bytes;
    int ranks; /* 0: not said */
    double time_s, algorithm_bytes_per_s, bus_bytes_per_s;
    int64_t wrong; /* -1: not checked */
} clg_nccl_row;

typedef struct clg_nccl_rows {
    clg_arena *arena;
    clg_nccl_row *row;
    size_t count, capacity;
} clg_nccl_rows;

/* Appends the rows of a log; how many. */
size_t clg_nccl_log_read(clg_nccl_rows *rows, const char *file, clg_slice text);

/* Whether the heading of such a table is in a text: published templates have no numbers. */
bool clg_nccl_log_heading(clg_slice text);

#endif
