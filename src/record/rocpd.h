/* rocpd.h -- databases that rocprofv3 writes by default since ROCm 7. */
#ifndef CLG_RECORD_ROCPD_H
#define CLG_RECORD_ROCPD_H

#include "record/sqlite.h"
#include "record/trace.h"

/* Whether a database is one. */
bool clg_rocpd_is(clg_sqlite *file);

/* One trace for each GPU with work, in order of device; false where none has. */
bool clg_rocpd_read(clg_arena *arena, clg_sqlite *file, const char *path, const clg_csv *table,
                    clg_trace **traces, int *count);

#endif
