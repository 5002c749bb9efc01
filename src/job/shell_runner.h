/* shell_runner.h -- internal to the shell: a place in a script, between the files that follow it.
 */
#ifndef CLG_JOB_SHELL_RUNNER_H
#define CLG_JOB_SHELL_RUNNER_H

#include "job/shell.h"

/* How a command ended, as far as reading tells: a test on stated values, or any command. */
typedef enum clg_shell_outcome {
    CLG_SHELL_NO,
    CLG_SHELL_YES,
    CLG_SHELL_NOT_KNOWN,
    CLG_SHELL_RAN
} clg_shell_outcome;

typedef struct clg_shell_runner {
    clg_shell *s;
    const clg_shell_script *script;
    int at;
    bool live; /* false: walking over what is not run */
} clg_shell_runner;

typedef struct clg_shell_redirection {
    const char *to; /* file that output goes to */
    clg_rich here;
    bool has_here;
} clg_shell_redirection;

const clg_shell_token *clg_runner_now(const clg_shell_runner *r);
bool clg_runner_over(const clg_shell_runner *r);
bool clg_runner_is(const clg_shell_runner *r, const char *word);
int32_t clg_runner_place(const clg_shell_runner *r, const clg_shell_token *token);

/* Commands until one of the words that end them, or the end of the script. */
clg_shell_outcome clg_runner_list(clg_shell_runner *r, const char *const *ends);

/* Assignments, words, redirections; "[ ]" as well. */
clg_shell_outcome clg_runner_simple(clg_shell_runner *r, clg_shell_redirection *where);
clg_shell_outcome clg_runner_double_test(clg_shell_runner *r);
clg_shell_outcome clg_runner_arithmetic(clg_shell_runner *r);
bool clg_runner_redirects(const clg_shell_token *token);
void clg_runner_redirect(clg_shell_runner *r, clg_shell_redirection *where, clg_rich_list *words);

/* What the words of a command do here. */
clg_shell_outcome clg_runner_words(clg_shell_runner *r, clg_rich_list *words);
bool clg_shell_is_name(const char *text, size_t size);
/* Length of NAME of NAME=..., NAME+=... (more); 0: none. */
size_t clg_shell_assigned(const char *text, size_t size, bool *more);

#endif
