/* trace_export.h -- reports of Nsight Systems through its own exporter, where that is installed. */
#ifndef CLG_CLI_TRACE_EXPORT_H
#define CLG_CLI_TRACE_EXPORT_H

#include "base/arena.h"

/* The SQLite file that `nsys export` made of a report in a folder of its own; NULL where the file
 * is no report, or nsys is not on the path or did not make one. */
const char *clg_trace_export(clg_arena *arena, const char *path);

/* Takes such a file and its folder away; NULL: nothing. */
void clg_trace_export_end(clg_arena *arena, const char *exported);

#endif
