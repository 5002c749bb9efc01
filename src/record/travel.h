/* travel.h -- what was read of a file, field by field, to travel between processes (base/parcel.h).
 *
 * `path` is the file's: names of files equal to it are not repeated, and come back as that pointer.
 * Unpacked, indexes are in range and texts are there; times and sums are taken as they come, for
 * their bounds are the business of those who read files. What nothing needs once a file was read
 * stays behind: of a product all but its shape, precision and the time of its kernel; of an
 * operation timeline the operations but for their number; what calls had from before they were
 * described; what matching fills. */
#ifndef CLG_RECORD_TRAVEL_H
#define CLG_RECORD_TRAVEL_H

#include "base/parcel.h"
#include "record/execution.h"
#include "record/nccl_log.h"
#include "record/stages.h"
#include "record/trace.h"
#include "record/train_log.h"

void clg_walk_trace(clg_parcel *parcel, const char *path, clg_trace *trace);
void clg_walk_nccl_rows(clg_parcel *parcel, const char *path, clg_nccl_rows *rows);
void clg_walk_train_logs(clg_parcel *parcel, const char *path, clg_train_logs *logs);
void clg_walk_stages(clg_parcel *parcel, const char *path, clg_stages_list *list);
void clg_walk_executions(clg_parcel *parcel, const char *path, clg_executions *list);
void clg_walk_use(clg_parcel *parcel, const char *path, clg_memory_use *use);
void clg_walk_memory(clg_parcel *parcel, const char *path, clg_memory_uses *list);

#endif
