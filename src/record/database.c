/* database.c -- SQLite files: exports of Nsight Systems, and what rocprofv3 writes. */
#include "record/nsys.h"
#include "record/recording.h"
#include "record/rocpd.h"

static bool probe(clg_slice head) { return clg_slice_starts(head, "SQLite format 3"); }

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    clg_arena scratch = {0};
    clg_slice data = clg_source_whole(&scratch, source);
    clg_sqlite file = {0};
    bool rocpd = clg_sqlite_open(&file, &scratch, data.text, data.size) && clg_rocpd_is(&file);
    clg_status status;
    if (rocpd)
        status =
            clg_rocpd_read(&into->arena, &file, into->file, kernels, &into->traces, &into->count)
                ? CLG_OK
                : clg_recording_refuse(into, "record with --kernel-trace", "no GPU work is in it");
    else
        status = clg_nsys_read(&into->arena, into->file, data, kernels, &into->traces, &into->count,
                               &into->error);
    clg_sqlite_close(&file);
    clg_arena_clear(&scratch);
    return status;
}

const clg_reader clg_reader_database = {"database", probe, read};
