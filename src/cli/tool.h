/* tool.h -- a command at the command line: its descriptor (api/command.h), and how it is run.
 *
 * Commands that the core answers are all run by asked.c. Others are one file each with one
 * descriptor. Parsing, help, the man page and completion are made from descriptors and
 * api/params.def. */
#ifndef CLG_CLI_TOOL_H
#define CLG_CLI_TOOL_H

#include "api/command.h"
#include "base/text.h"
#include "cli/share.h"

/* One invocation: what was asked, and where the answer goes. */
typedef struct clg_session {
    clg_arena *arena;
    clg_request request;
    const clg_command *command;
    const char *operand[CLG_FILE_OPERANDS];
    int operands;
    clg_text out;        /* what goes to standard output when the command succeeds */
    clg_share share;     /* with other processes, of a command that has `serve` */
    double started_s;    /* monotonic */
    double last_told_s;  /* of progress */
    const char *doing;   /* what progress is of, once long work is lent something */
    bool progress_shown; /* a progress line is on the terminal */
    bool failed;         /* the answer is no: printed, and told by the exit status */
} clg_session;

/* A command of the command line: what it is, and how it is run. */
typedef struct clg_tool {
    const clg_command *about;
    clg_status (*run)(clg_session *session, clg_error *error);
    void (*serve)(clg_session *session); /* what the processes beside the first of an MPI job do;
                                            NULL: every process is on its own */
} clg_tool;

/* All of them, ended by NULL. */
const clg_tool *const *clg_tools(void);

const clg_tool *clg_tool_find(const char *name, clg_error *error);

bool clg_session_has(const clg_session *session, clg_param param);

/* Reads the whole of a regular file of at most `most` bytes into the arena. */
clg_status clg_file_read(clg_arena *arena, const char *path, size_t most, const char **text,
                         size_t *size, clg_error *error);

/* What is read whole: a configuration or data file, a file of a job, a log. */
enum { CLG_CONFIG_BYTES = 16 << 20, CLG_JOB_BYTES = 4 << 20, CLG_LOG_BYTES = 1 << 30 };

/* The same into a file of the request, under its name. */
clg_status clg_file_attach(clg_arena *arena, const char *path, size_t most, clg_attachment *file,
                           clg_error *error);

/* Whether there is nothing of this name. */
bool clg_file_absent(const char *path);

/* Writes beside the path and renames: no partial file is ever left. */
clg_status clg_file_write(const char *path, const clg_text *text, clg_error *error);

/* Makes the directory that --out names, unless it is there. */
clg_status clg_folder_make(const char *folder, clg_error *error);

/* Seconds on a clock that only goes forward. */
double clg_clock_s(void);

/* Tells standard error how far the work is, once it takes more than a second. */
void clg_progress_tell(clg_session *session, const char *what, double share);
void clg_progress_end(clg_session *session);

/* That as what long work is lent: whom it tells, under the name `what`, and the machine's cores. */
clg_progress clg_progress_of(clg_session *session, const char *what);

/* Help of the program, of a command; man page. */
void clg_help_program(clg_text *text);
void clg_help_command(clg_text *text, const clg_command *command);
void clg_help_man(clg_text *text);

#endif
