/* walk.h -- what was read of a file, field by field, to travel between processes (base/parcel.h).
 *
 * `path` is the file's: names of files equal to it are not repeated, and come back as that pointer.
 * Unpacked, indexes are in range and texts are there; times and sums are taken as they come, for
 * their bounds are the business of those who read files. Two things stay behind: what only matching
 * fills (the instance of a call), and the operations of an operation timeline, of which nothing but
 * their number is needed once it was replayed. */
#ifndef CLG_TRACE_WALK_H
#define CLG_TRACE_WALK_H

#include "base/parcel.h"
#include "trace/job.h"

void clg_walk_trace(clg_parcel *parcel, const char *path, clg_trace *trace);
void clg_walk_nccl_rows(clg_parcel *parcel, const char *path, clg_nccl_rows *rows);
void clg_walk_train_logs(clg_parcel *parcel, const char *path, clg_train_logs *logs);
void clg_walk_stages(clg_parcel *parcel, const char *path, clg_stages_list *list);
void clg_walk_executions(clg_parcel *parcel, const char *path, clg_executions *list);

#endif
