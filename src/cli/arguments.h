/* arguments.h -- internal to cli/: a command line, run. */
#ifndef CLG_CLI_ARGUMENTS_H
#define CLG_CLI_ARGUMENTS_H

#include "cli/tool.h"

/* Reads the words after the command's name into the session and runs the command; its answer is in
 * session->out. Words are kept, not copied. */
clg_status clg_arguments_run(clg_session *session, const clg_tool *tool, char **arguments,
                             int count, clg_error *error);

/* --help or -h. */
bool clg_arguments_ask_help(const char *word);

#endif
