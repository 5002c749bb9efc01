/* nsys_export.h -- internal to record/: an export of Nsight Systems while it is read. */
#ifndef CLG_RECORD_NSYS_EXPORT_H
#define CLG_RECORD_NSYS_EXPORT_H

#include "record/launches.h"
#include "record/nsys.h"
#include "record/ranges.h"
#include "record/sqlite.h"

enum { CLG_NSYS_DEVICES = 1024, CLG_NSYS_PROCESSES = 1024 };

/* Columns of an activity table; -1 where a schema lacks one. */
typedef struct clg_nsys_columns {
    int start, end, device, stream, correlation, name, process;
    int text, type; /* of ranges; `name` is then the registered text */
} clg_nsys_columns;

/* Launches of one process: correlations are counted process by process. */
typedef struct clg_nsys_process {
    int64_t id; /* globalPid or globalTid without the thread's bits */
    clg_launches launches;
    clg_ranges ranges;
} clg_nsys_process;

typedef struct clg_nsys_device {
    int64_t id, process;
    clg_trace trace;
    size_t kernel_capacity;
    clg_map names;   /* StringIds.id or kind of copy -> row of trace.kernels */
    clg_map streams; /* streamId -> track */
    int64_t *stream; /* [tracks] */
    size_t stream_count, stream_capacity;
    size_t name_capacity;
} clg_nsys_device;

typedef struct clg_nsys_export {
    clg_arena *arena;
    clg_arena scratch;
    clg_sqlite file;
    const clg_csv *table;
    const char *path;
    clg_map strings; /* StringIds.id -> texts */
    clg_intern texts;
    clg_nsys_device devices[CLG_NSYS_DEVICES];
    int device_count;
    clg_nsys_process processes[CLG_NSYS_PROCESSES];
    int process_count;
    clg_nsys_columns columns; /* of the table being read */
    const char *copy_name;    /* of a table of copies; NULL for kernels */
    int64_t unreadable;
} clg_nsys_export;

/* Opens the database and reads every table into devices and processes. */
clg_status clg_nsys_tables(clg_nsys_export *x, clg_slice data, clg_error *error);

#endif
