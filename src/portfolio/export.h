/* export.h -- internal to portfolio/: what a scheduler wrote down of the jobs it ran. */
#ifndef CLG_PORTFOLIO_EXPORT_H
#define CLG_PORTFOLIO_EXPORT_H

#include "base/csv.h"
#include "portfolio/joblist.h"

/* Whether the columns are those of an export: when jobs were submitted, on how many GPUs, how long.
 */
bool clg_export_is(const clg_csv *csv);

/* The first column that an export must have and this one has not; NULL where it has all, or where
 * the table says no times of a scheduler. */
const char *clg_export_lacks(const clg_csv *csv);

/* Its GPU jobs that ran, the first at 0: since when it could start, where that is said. Job steps
 * ("123.batch"), jobs without GPUs and jobs that never started are left out and counted. */
clg_status clg_export_read(clg_arena *arena, const clg_csv *csv, clg_job_list *jobs,
                           clg_error *error);

#endif
