/* nsys_export.h -- internal to record/: an export of Nsight Systems while it is read. */
#ifndef CLG_RECORD_NSYS_EXPORT_H
#define CLG_RECORD_NSYS_EXPORT_H

#include "record/devices.h"
#include "record/nsys.h"
#include "record/sqlite.h"

/* Columns of an activity table; -1 where a schema lacks one. */
typedef struct clg_nsys_columns {
    int start, end, device, stream, correlation, name, process;
    int text, type; /* of ranges; `name` is then the registered text */
} clg_nsys_columns;

/* Processes are globalPid or globalTid without the thread's bits. */
typedef struct clg_nsys_export {
    clg_arena scratch;
    clg_sqlite file;
    clg_devices devices;
    clg_map strings; /* StringIds.id -> texts */
    clg_intern texts;
    clg_nsys_columns columns; /* of the table being read */
    const char *whole_name;   /* of all work of a table that names none; NULL: it does */
    bool copies;              /* it is a table of copies */
} clg_nsys_export;

/* Opens the database and reads every table into devices and processes. */
clg_status clg_nsys_tables(clg_nsys_export *x, clg_slice data, clg_error *error);

#endif
