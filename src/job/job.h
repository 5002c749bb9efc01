/* job.h -- a training job as people have it: the files of its trainer.
 *
 * Files of the formats in data/trainer/ become one set of fields, each with the file, line and
 * key it comes from, or with the trainer's default and where that is stated. What was left aside is
 * listed with the reason. Scripts are read, never run: a value that only running could tell is
 * "not said". */
#ifndef CLG_JOB_JOB_H
#define CLG_JOB_JOB_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum clg_job_field {
#define JOB_FIELD(id, name, kind, part) CLG_JOB_##id,
#include "job/fields.def"
    CLG_JOB_FIELDS
} clg_job_field;

typedef enum clg_job_kind {
    CLG_JOB_WHOLE,
    CLG_JOB_NUMBER,
    CLG_JOB_SWITCH,
    CLG_JOB_WORD
} clg_job_kind;
typedef enum clg_job_part {
    CLG_JOB_PART_NAME,
    CLG_JOB_PART_MODEL,
    CLG_JOB_PART_MACHINE,
    CLG_JOB_PART_LAYOUT,
    CLG_JOB_PART_ADAPTER,
    CLG_JOB_PART_WORKING
} clg_job_part;

typedef struct clg_job_row {
    const char *name;
    clg_job_kind kind;
    clg_job_part part;
} clg_job_row;
clg_job_row clg_job_row_of(clg_job_field field);

/* What is known of a field. */
typedef struct clg_job_value {
    const char *text; /* canonical: a number, true or false, a word; NULL: the job does not say */
    double number;    /* of numbers; switches 1 or 0 */
    const char *from; /* "train.sh:31 --tensor-model-parallel-size"; NULL: assumed */
    const char *why;  /* assumed, or made of others: why */
} clg_job_value;

/* A key left aside, or a value that no file tells. */
typedef struct clg_job_note {
    const char *key, *from, *why;
    int field; /* of `open`: the field it would have been; -1: none */
} clg_job_note;

typedef struct clg_job_notes {
    clg_job_note *note;
    int count;
    size_t capacity;
} clg_job_notes;

typedef struct clg_job {
    const char *format; /* "megatron" */
    const char *title;  /* "Megatron-LM" */
    const char *const *files;
    int file_count;
    clg_job_value field[CLG_JOB_FIELDS];
    clg_job_notes ignored; /* read and left aside */
    clg_job_notes open;    /* says so itself, but only running it would tell the value */
    clg_job_notes doubts;  /* contradictions, and what is not modelled */
    const char *preset;    /* of the model, among those built in; NULL: none */
    const char *config;    /* else text of a config.json made of the sizes; NULL: too few known */
} clg_job;

typedef struct clg_job_file {
    const char *name, *text;
    size_t size;
} clg_job_file;

/* Reads the files of one job. CLG_BAD_INPUT: no format knows them, or a value that matters was not
 * understood (file, line, key, mend). What `given` states (NULL: nothing) goes over the files, and
 * what follows from a field follows from it. */
clg_status clg_job_read(clg_arena *arena, const clg_job_file *files, int count,
                        const char *const given[CLG_JOB_FIELDS], clg_job *job, clg_error *error);

/* Whether a file of this name and text is one of a job (and not, say, a config.json or a trace). */
bool clg_job_is_file(const char *name, const char *text, size_t size);

/* The preset that a name or path speaks of; NULL: none known. */
const char *clg_job_preset_in(clg_arena *arena, const char *word);

#endif
