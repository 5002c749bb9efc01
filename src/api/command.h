/* command.h -- a command: its name, what it takes, what it answers and how that is written.
 *
 * One descriptor serves the command line, its help, manual page and completion, the page, the
 * library and tools. Those that the core answers are files of api/, those of the command line alone
 * files of cli/; all are named once, in commands.def. */
#ifndef CLG_API_COMMAND_H
#define CLG_API_COMMAND_H

#include "api/request.h"
#include "base/text.h"
#include "job/launch.h"
#include "search/search.h"

/* Ways to write an answer. */
typedef enum clg_form {
    CLG_FORM_TEXT,     /* for people */
    CLG_FORM_JSON,     /* for programs */
    CLG_FORM_CSV,      /* a table */
    CLG_FORM_SVG,      /* a picture */
    CLG_FORM_TIMELINE, /* a trace for ui.perfetto.dev */
    CLG_FORM_NUMBER,   /* where the number of --explain-number comes from */
    CLG_FORM_METRICS,  /* Prometheus text */
    CLG_FORM_REASONS,  /* JSON of what the text says beside the numbers */
    CLG_FORMS
} clg_form;

/* What the operands are, which become the request's model. */
typedef enum clg_subject {
    CLG_SUBJECT_NONE,
    CLG_SUBJECT_MODEL,     /* a model, or files of a job: all but what a plan chooses */
    CLG_SUBJECT_JOB,       /* the same with its layout */
    CLG_SUBJECT_TABLE,     /* a file, read whole */
    CLG_SUBJECT_WORDS,     /* names, with commas */
    CLG_SUBJECT_FILES,     /* of a job, and its logs; no model */
    CLG_SUBJECT_RECORDINGS /* files that are read as they come; no model */
} clg_subject;

/* Files of a host that may have no file system: the next bytes of the n-th, 0 at its end. */
typedef struct clg_files {
    size_t (*read)(void *context, int file, char *to, size_t capacity);
    void *context;
    const char **name; /* [count] */
    int count;
    int others; /* the last of them are of the run to compare with */
} clg_files;

/* Reads a config.json that a list of jobs or a flag names by its path; NULL: only presets can be
 * named. */
typedef struct clg_model_files {
    clg_status (*read)(void *context, const char *path, clg_attachment *file, clg_error *error);
    void *context;
} clg_model_files;

/* What a word names becomes the request's model, its file read where it is a path and no preset. */
clg_status clg_command_model(clg_arena *arena, const clg_model_files *files, const char *word,
                             clg_request *request, clg_error *error);

/* What is asked, wherever it was. */
typedef struct clg_question {
    clg_arena *arena; /* of everything that the answer points to */
    const clg_request *request;
    clg_progress progress;
    clg_files files;
    clg_model_files models;
    unsigned forms;          /* that will be written: 1u << form */
    double (*clock_s)(void); /* of the host; NULL: nothing is timed */
} clg_question;

static inline bool clg_question_gives(const clg_question *question, clg_param param) {
    return question->request->value[param] != NULL;
}

static inline bool clg_question_asks(const clg_question *question, clg_form form) {
    return question->forms & (1u << form);
}

/* What can fail has failed when there is an answer: writers only write. */
typedef void clg_writer(clg_text *out, const void *answer);
typedef void clg_json_writes(clg_json_writer *writer, const void *answer);

/* What help says of a knob where a command means another thing by it; NULL: as in params.def. */
typedef struct clg_own_words {
    clg_param param;
    const char *argument, *fallback, *help;
} clg_own_words;

typedef struct clg_command {
    const char *name;
    const char *operands;   /* "MODEL", "FILE..." or "" */
    const char *summary;    /* one line */
    const char *details;    /* paragraphs of help; may be NULL */
    const char *example;    /* one command line; may be NULL */
    unsigned groups;        /* CLG_TAKES(group) | ...: what the answer depends on */
    const clg_param *knobs; /* more of it, ended by CLG_PARAMS; may be NULL */
    const clg_param *local; /* flags of the command line alone, likewise; those of forms not among
                               them */
    const clg_own_words *words; /* ended by CLG_PARAMS; may be NULL */
    int least, most; /* operands; 0, 0 where the subject is a model or a job: one and more */
    void (*first_words)(clg_text *text); /* what the first operand may be; NULL: models where the
                                            subject is one, else files or nothing */

    /* Of commands that the core answers: */
    clg_subject subject;
    bool by_row;      /* rows of its table are requests, and may hold what a flag says more of */
    const char *busy; /* what progress is of */
    size_t bytes;     /* of an answer, which must not be copied: it may point into itself */
    clg_status (*answer)(const clg_question *question, void *answer, clg_error *error);
    clg_writer *form[CLG_FORMS]; /* NULL: not written so, but these two: */
    clg_json_writes *json, *reasons;
    /* The layout that --launch starts; NULL: there is none. NULL: the command has no --launch. */
    const clg_layout *(*chosen)(const void *answer, const clg_scenario **scenario);
    /* Of commands whose --launch names `starters`: the files of the n-th; NULL: none. */
    clg_launch (*started)(const void *answer, clg_arena *arena, int starter);
    const clg_name *starters;
    void (*end)(void *answer); /* gives back what the arena does not hold; may be NULL */
} clg_command;

#define CLG_TAKES(group) (1u << CLG_GROUP_##group)
/* What planning a step depends on. */
#define CLG_TAKES_PLANNING (CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT))

/* Most operands of a command that takes a model or a job's files, or any files. */
enum { CLG_JOB_OPERANDS = 32, CLG_FILE_OPERANDS = 4096 };

/* The commands that the core answers, ended by NULL. */
const clg_command *const *clg_commands_answered(void);

/* Whether a model, a table or words have to be named. */
bool clg_command_has_model(const clg_command *command);

/* Whether files of a job may be given, in a model's place or alone. */
bool clg_command_has_files(const clg_command *command);

/* What the page asks for under a name of its own: a form of a command that has no flag, or whose
 * flag names a file. */
typedef struct clg_view {
    const char *name, *summary;
    const clg_command *command;
    clg_form form;
} clg_view;

/* All of them, ended by a name that is NULL. */
const clg_view *clg_views(void);

/* Whether answers are written so, and does it, newline at the end included. */
bool clg_command_writes(const clg_command *command, clg_form form);
void clg_command_write(const clg_command *command, clg_form form, const void *answer,
                       clg_text *out);

/* clg_request_lone, of commands whose request is whole without a table. */
clg_status clg_command_lone(const clg_command *command, const clg_request *request,
                            clg_error *error);

/* Whether the answer depends on a knob: it may be asked for at every door. */
bool clg_command_asks(const clg_command *command, clg_param param);

/* Whether the command line takes the flag: also where and in which form the answer goes. */
bool clg_command_takes(const clg_command *command, clg_param param);

/* The knob of this command that is named `flag`, of those it asks, or of all it takes where `shown`
 * too; -1 with CLG_BAD_USAGE that names the flags whose help speaks of it, or whose name is near.
 */
int clg_command_param(const clg_command *command, const char *flag, bool shown, clg_error *error);

/* The row of a knob as this command means it. */
clg_param_row clg_command_row(const clg_command *command, clg_param param);

/* What people who call one of these flags `flag` should give: data/flag-words.csv; NULL: not known.
 */
const char *clg_command_word(clg_arena *arena, const char *const *names, int count,
                             const char *flag);

/* What people who ask for a command of this name should type: data/command-words.csv; NULL: not
 * known. */
const char *clg_command_instead(clg_arena *arena, const char *name);

/* The flag that asks for a form; CLG_PARAMS: no flag does. */
clg_param clg_form_flag(clg_form form);

/* How many operands it needs, and takes. */
int clg_command_least(const clg_command *command);
int clg_command_most(const clg_command *command);

/* Writes what the first operand may be, a space after each; false: files, or nothing. */
bool clg_command_first_words(const clg_command *command, clg_text *text);

#endif
