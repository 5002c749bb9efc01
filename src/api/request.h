/* request.h -- what a person asks for, before it means anything: a model and the knobs given.
 *
 * Flags, JSON and web form all fill a clg_request; clg_request_read turns it into a scenario and a
 * space. Files were read by the caller: the core does no I/O. */
#ifndef CLG_API_REQUEST_H
#define CLG_API_REQUEST_H

#include "evaluate/evaluate.h"
#include "search/search.h"
#include "units/units.h"

#include <stdbool.h>

typedef enum clg_param_group {
#define GROUP(id, title) CLG_GROUP_##id,
#define PARAM(id, flag, kind, argument, fallback, range, help)
#include "api/params.def"
    CLG_GROUPS
} clg_param_group;

typedef enum clg_param {
#define GROUP(id, title)
#define PARAM(id, flag, kind, argument, fallback, range, help) CLG_PARAM_##id,
#include "api/params.def"
    CLG_PARAMS
} clg_param;

typedef enum clg_param_kind {
    CLG_KIND_SWITCH,
    CLG_KIND_COUNT,
    CLG_KIND_BATCH,
    CLG_KIND_LENGTH,
    CLG_KIND_WORD,
    CLG_KIND_QUANTITY
} clg_param_kind;

typedef struct clg_param_row {
    const char *flag, *argument, *help;
    const char *fallback; /* as help shows it; "" where there is nothing to say */
    bool first;           /* most people set it before others of its group */
    bool typed;           /* fallback is a value as a person would write it, and is read */
    const char *range;    /* "1..1024"; "": 0 or more */
    clg_param_kind kind;
    clg_dimension dimension;
    clg_param_group group;
} clg_param_row;

clg_param_row clg_param_row_of(clg_param param);

const char *clg_param_group_title(clg_param_group group);

/* A knob that may name a file takes one when its value looks like a path. */
bool clg_param_is_file(clg_param param, const char *value);

/* The row of a flag name; -1 when there is none. */
int clg_param_find(const char *flag);

/* A file the caller read for a knob that may name one. */
typedef struct clg_attachment {
    const char *name, *text;
    size_t size;
} clg_attachment;

enum { CLG_REQUEST_LISTS = 32 };

typedef struct clg_request {
    const char *model;               /* preset name, or the name of the attached file */
    clg_attachment model_file;       /* text NULL: a preset */
    const char *value[CLG_PARAMS];   /* as written; NULL: not given */
    clg_attachment file[CLG_PARAMS]; /* for knobs that named a file */
    const char *fix[CLG_REQUEST_LISTS], *forbid[CLG_REQUEST_LISTS];
    int fixes, forbids;
    const clg_attachment *job_file; /* [job_files]: of a job, in the model's place or beside it */
    int job_files;
} clg_request;

/* Whether a knob is given that says more of another, which is not: --adapter-rank of --adapter. */
bool clg_request_is_lone(const clg_request *request, clg_param param);

/* CLG_BAD_USAGE for the first of them that is not asked for: --adapter-rank without --adapter. */
clg_status clg_request_lone(const clg_request *request, clg_error *error);

/* What --cross-entropy and --master take. */
extern const clg_name clg_loss_names[];
extern const clg_name clg_master_names[];

/* Number of a COUNT, LENGTH or quantity knob: as written, else its default in params.def, else 0.
 * CLG_BAD_INPUT with the range in the sentence where it is out of it. */
clg_status clg_request_number(const clg_request *request, clg_param param, double *number,
                              clg_error *error);

/* The same where what is taken otherwise depends on something else. */
clg_status clg_request_number_or(const clg_request *request, clg_param param, double otherwise,
                                 double *number, clg_error *error);

/* A knob of words: as written, else its default in params.def, else NULL. */
const char *clg_request_word(const clg_request *request, clg_param param);

/* Sizes of --gpus: "512", "8,16,24", or "8..65536", which doubles. At most `most` of them. */
clg_status clg_request_sizes(clg_arena *arena, const clg_request *request, int64_t *sizes, int most,
                             int *count, clg_error *error);

/* GPU, node and fabric; the stack, with its recipe for a model on a GPU (NULL: none); files of
 * kernel curves and links (text NULL: built in). */
clg_status clg_request_machine(clg_arena *arena, const clg_request *request, clg_machine *machine,
                               clg_error *error);
clg_status clg_request_stack(clg_arena *arena, const clg_request *request, const char *model,
                             const clg_gpu *gpu, clg_stack *stack, clg_error *error);
clg_status clg_request_curves(const clg_request *request, clg_scenario *scenario, clg_error *error);

/* Whether a model's name is a path: it has a slash or ends in .json. */
bool clg_request_is_path(const char *word);

/* The model of a request: what was read of its file, or the preset its name means. */
clg_status clg_request_model(clg_arena *arena, const clg_request *request, clg_model *model,
                             clg_error *error);

/* Scenario and space of a request. `space->gpus` needs --gpus; without it `gpus_needed` false
 * leaves 0. */
clg_status clg_request_read(clg_arena *arena, const clg_request *request, bool gpus_needed,
                            clg_scenario *scenario, clg_space *space, clg_error *error);

#endif
