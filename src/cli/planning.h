/* planning.h -- internal to cli/: what plan and explain share. */
#ifndef CLG_CLI_PLANNING_H
#define CLG_CLI_PLANNING_H

#include "cli/command.h"

/* Model (preset or config.json), machine and space of the request. */
clg_status clg_planning_read(clg_session *session, clg_scenario *scenario, clg_space *space,
                             clg_error *error);

/* Searches with progress on standard error; *seconds is how long it took. */
clg_status clg_planning_search(clg_session *session, const clg_scenario *scenario,
                               const clg_space *space, clg_found *found, double *seconds,
                               clg_error *error);

/* The trainer of --launch in *trainer; -1 when not asked. */
clg_status clg_planning_trainer(clg_session *session, int *trainer, clg_error *error);

/* Tokens of --tokens, 0 when not given. */
clg_status clg_planning_tokens(clg_session *session, double *tokens, clg_error *error);

#endif
