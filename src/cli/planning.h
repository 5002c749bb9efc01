/* planning.h -- internal to cli/: what planning commands share. */
#ifndef CLG_CLI_PLANNING_H
#define CLG_CLI_PLANNING_H

#include "cli/tool.h"

/* Names the model of the request, and reads its config.json when it is a path. Files of a job give
 * it too, and with it every flag that was not given; `layout`: degrees and micro-batch as well. */
clg_status clg_planning_request(clg_session *session, bool layout, clg_error *error);

/* The one of --launch in *trainer; -1 when not asked. */
clg_status clg_planning_trainer(clg_session *session, int *trainer, clg_error *error);

/* The files that start an answer: into the directory of --out, else after the report in words. */
clg_status clg_planning_launch(clg_session *session, int starter, const clg_launch *launch,
                               clg_error *error);

#endif
