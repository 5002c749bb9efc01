/* nsys.c -- CUPTI activity tables of Nsight Systems (export schema 3.x) as ledgers. */
#include "record/nsys_export.h"

clg_status clg_nsys_read(clg_arena *arena, const char *file, clg_slice data, const clg_csv *table,
                         clg_trace **traces, int *count, clg_error *error) {
    clg_nsys_export *x = clg_take(arena, 1, clg_nsys_export);
    clg_devices_begin(&x->devices, arena, &x->scratch, file, table);
    clg_status status = clg_nsys_tables(x, data, error);
    if (x->file.damaged || (x->devices.unreadable > 0 && !x->devices.damage))
        x->devices.damage = "pages or rows of the database are damaged";
    if (status == CLG_OK) clg_devices_end(&x->devices, traces, count);
    clg_sqlite_close(&x->file);
    clg_arena_clear(&x->scratch);
    return status;
}
