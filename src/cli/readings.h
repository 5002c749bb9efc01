/* readings.h -- internal to cli/: what is said of files of readings, by flags. */
#ifndef CLG_CLI_READINGS_H
#define CLG_CLI_READINGS_H

#include "calibrate/samples.h"
#include "cli/tool.h"

/* --ranks and --nodes into `samples`, before files are read. */
clg_status clg_readings_asked(const clg_session *session, clg_samples *samples, clg_error *error);

#endif
