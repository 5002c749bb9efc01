/* log_size.h -- is a log of the job that is priced? */
#ifndef CLG_JOB_LOG_SIZE_H
#define CLG_JOB_LOG_SIZE_H

#include "base/error.h"
#include "layout/layout.h"
#include "record/train_log.h"

/* CLG_BAD_INPUT where the log states other GPUs, sequences a step or tokens a sequence than the
 * layout has; what it does not state is not compared. */
clg_status clg_log_check_size(const clg_train_log *log, const clg_layout *layout, clg_error *error);

#endif
