/* shell.h -- internal to job/: a script as it would run, without running anything.
 *
 * Variables, arrays, arithmetic, quoting, conditions on stated values, functions, sourced files and
 * here-documents are followed. What a program would print is not known (CLG_TREE_UNKNOWN in the
 * text), nor is a variable that nothing sets; a condition on such a value is taken as false. A loop
 * runs once. Left out: globs, redirected input, traps, coprocesses. Bounds end whatever grows. */
#ifndef CLG_JOB_SHELL_H
#define CLG_JOB_SHELL_H

#include "job/job.h"
#include "job/tree.h"

#include <stdint.h>

/* Text that knows of every byte where it was written: file * CLG_SHELL_LINES + line. */
typedef struct clg_rich {
    char *text;
    int32_t *place;
    size_t size, capacity;
} clg_rich;
enum { CLG_SHELL_LINES = 1 << 20 };

typedef struct clg_shell_token {
    char kind; /* 'w' word, 'a' NAME=( of an array, 'o' operator, 'n' end of a line, 'h'
                  here-document */
    const char *text;
    size_t size;
    int line;
    bool expand; /* of a here-document whose end is not quoted */
} clg_shell_token;

typedef struct clg_shell_script {
    int file; /* index among the job's files */
    const clg_shell_token *token;
    int count;
    int open_line; /* where a quote is opened that nothing closes; 0: nowhere */
} clg_shell_script;

typedef struct clg_shell_variable {
    const char *name;
    clg_rich *word;
    int words;
    bool array;
} clg_shell_variable;

typedef struct clg_shell_function {
    const char *name;
    const clg_shell_script *script;
    int from; /* token of its body */
} clg_shell_function;

/* A command as its words; a file written by it. */
typedef struct clg_shell_command {
    clg_rich *word;
    int words;
} clg_shell_command;

/* An array asked for, and set by nothing before. */
typedef struct clg_shell_unset {
    const char *name;
    int32_t place;
} clg_shell_unset;

typedef struct clg_shell {
    clg_arena *arena;
    clg_error *error;
    const clg_job_file *files;
    int file_count;
    clg_shell_variable *variable;
    int variables, variable_room;
    clg_shell_function function[64];
    int functions;
    clg_rich *positional; /* $1 ... */
    int positionals;
    clg_shell_command command[512];
    int commands;
    clg_shell_unset unset[32];
    int unsets;
    clg_json *written;        /* by here-documents and echo: name -> text */
    bool read[64];            /* files that were run */
    int depth;                /* of functions, sourced files, eval */
    long steps;               /* commands run */
    size_t bytes;             /* made by expansion */
    bool stopped;             /* a bound was met; error says which */
    int open_file, open_line; /* of a quote that nothing closes; 0: none */
    bool bare;                /* expanding for a test: what nothing sets is empty */
    int argument;             /* of the script's own that was asked for and not given; 0: none */
    int decided_by;           /* the first of those that a condition was decided by; 0: none */
    int32_t decided_at;
    clg_rich *printed; /* inside $(...): where echo goes; NULL: outside */
} clg_shell;

/* Runs file `which` of the job's files. */
clg_status clg_shell_run_file(clg_shell *shell, int which);
void clg_shell_run_text(clg_shell *shell, const char *text, size_t size, int32_t place);
/* The same inside $(...): what echo says; unknown where anything else is run. */
clg_rich clg_shell_said(clg_shell *shell, const char *text, size_t size, int32_t place);

/* ---- between the parts ---- */
clg_shell_script clg_shell_tokens(clg_arena *arena, const char *text, size_t size, int file,
                                  int line);
/* The end of what begins at `at` with a quote, $(, ${, $(( or a backtick: the byte behind it. */
const char *clg_shell_behind(const char *at, const char *end);

void clg_rich_add(clg_shell *shell, clg_rich *rich, const char *text, size_t size, int32_t place);
void clg_rich_join(clg_shell *shell, clg_rich *rich, const clg_rich *more);
clg_rich clg_rich_number(clg_shell *shell, int64_t value, int32_t place);
/* A bound was met: everything ends, and the error says which. */
void clg_shell_stop(clg_shell *shell, const char *what);
/* A value changed by what stands behind its name in ${...}: from `rest` to `end`. */
clg_rich clg_shell_changed(clg_shell *shell, const clg_rich *value, const char *rest,
                           const char *end, int32_t place);
/* NUL-terminated. */
const char *clg_rich_text(clg_shell *shell, clg_rich *rich);

/* Expands a word as written into words; `split` false: into one. */
typedef struct clg_rich_list {
    clg_rich *word;
    int count;
    size_t capacity;
} clg_rich_list;
void clg_shell_expand(clg_shell *shell, const char *raw, size_t size, int32_t place, bool split,
                      clg_rich_list *into);
clg_rich clg_shell_expand_one(clg_shell *shell, const char *raw, size_t size, int32_t place);
/* A here-document: quotes mean nothing. */
clg_rich clg_shell_expand_text(clg_shell *shell, const char *raw, size_t size, int32_t place);

clg_shell_variable *clg_shell_variable_of(clg_shell *shell, const char *name, size_t size);
clg_shell_variable *clg_shell_set(clg_shell *shell, const char *name, size_t size,
                                  const clg_rich *word, int words, bool array);

/* False: not known. */
bool clg_shell_arithmetic(clg_shell *shell, const char *text, size_t size, int32_t place,
                          int64_t *value);

/* "[", "[[" and test: what stands between, expanded. 1, 0, or -1: not known. */
int clg_shell_test(clg_shell *shell, const char *const *word, int words);

/* Whether text is like the pattern: * ? and [..]. */
bool clg_shell_like(const char *pattern, const char *text);

/* What to look at in the command that was chosen: others that start it otherwise, arrays that
 * nothing sets, a branch that a missing argument decided. */
struct clg_reading;
void clg_command_says_others(struct clg_reading *reading, const char *program, int others, int line,
                             int file);
void clg_command_lacks(struct clg_reading *reading, const clg_shell *shell,
                       const clg_shell_command *command);
void clg_command_decided(struct clg_reading *reading, const clg_shell *shell);

/* What $(...) prints, where that is known without running it. */
clg_rich clg_shell_printed(clg_shell *shell, const char *text, size_t size, int32_t place);

#endif
