/* reading.h -- internal to job/: a job on its way from files to fields. */
#ifndef CLG_JOB_READING_H
#define CLG_JOB_READING_H

#include "job/job.h"
#include "job/shell.h"
#include "job/tree.h"

enum { CLG_JOB_SOURCES = 48 };

/* One tree of keys: a file, or the arguments of the command that a script runs. */
typedef struct clg_job_source {
    const char *name; /* of the file; of arguments NULL: each says its own */
    const clg_json *root;
    const clg_json *format; /* its data file; NULL: of none */
    int score;              /* how surely */
    bool command;           /* keys are flags */
    bool launcher;          /* those of what starts the program */
} clg_job_source;

typedef struct clg_reading {
    clg_arena *arena;
    clg_error *error;
    const clg_job_file *files;
    int file_count;
    const char *const *given;
    clg_job_source source[CLG_JOB_SOURCES];
    int sources;
    const clg_json *scripts;   /* {"slurm", "launch", "variables"} of all scripts; NULL: none */
    const clg_json *launchers; /* what starts programs: data/trainer/launchers.json */
    const clg_json *manifest;  /* its documents in a list; NULL: none */
    const char *manifest_name;
    int open_file, open_line;   /* of a script's quote that nothing closes; 0: none */
    const char *program;        /* what the script starts, and its words */
    const clg_json *main;       /* the trainer's data file */
    const clg_job_file *config; /* a config.json of the model among the files; NULL: none */
    clg_job *job;
    const clg_json **used; /* nodes some field was read from */
    int used_count, used_room;
} clg_reading;

/* Where a value was found. */
typedef struct clg_found_key {
    const clg_json *node; /* NULL: nowhere; interpolated texts are resolved */
    const clg_job_source *source;
    const char *key;
} clg_found_key;

/* ---- sources ---- */

/* A script as {"slurm","launch","program","arguments","variables","written"}. */
clg_status clg_script_tree(clg_reading *reading, clg_json **root);
/* Assignments and keyword arguments of a Python file; of several recipes the wanted one (NULL: the
 * first). */
clg_json *clg_python_tree(clg_arena *arena, const char *text, size_t size, const char *wanted);
/* Sets a member that the object does not have yet, to a copy: a node is in one object at a time. */
void clg_job_set_once(clg_reading *reading, clg_json *object, const char *key,
                      const clg_json *value);
/* The "#SBATCH" lines of a text into an object: of file `which`, from its line `line`. */
void clg_slurm_header(clg_reading *reading, clg_json *into, const char *text, size_t size,
                      int which, int line);
/* What Slurm sets in a job's environment, from its header. */
void clg_slurm_environment(clg_reading *reading, clg_shell *shell, const clg_json *header);
/* A configuration that the command, or a chart's values, name and that is not among the files;
 * *node is where. NULL: none. */
const char *clg_job_named_and_missing(clg_reading *reading, const clg_json **node);
/* Says which configurations are not here, and which contradict each other. */
void clg_job_named_elsewhere(clg_reading *reading);
bool clg_is_markdown(const char *name);
/* The commands of a page, at the page's lines. */
clg_job_file clg_markdown_script(clg_arena *arena, const clg_job_file *page);
bool clg_is_makefile(const char *name);
clg_job_file clg_makefile_script(clg_arena *arena, const clg_job_file *makefile);
bool clg_is_notebook(const char *name);
clg_job_file clg_notebook_code(clg_arena *arena, const clg_job_file *notebook);
/* A YAML of SkyPilot; what it runs, as a script; and whether a file was made so. */
bool clg_is_task(const clg_job_file *file);
clg_job_file clg_task_script(clg_arena *arena, const clg_job_file *task);
bool clg_was_task(const clg_job_file *file);
/* A manifest (Kubernetes, docker compose, dstack); what its containers run, as a script; and all
 * files that manifests among the job's hold, added to these, of which there is so much room. */
bool clg_is_manifest(const clg_reading *reading, const clg_json *root);
/* Of an object that describes an engine, how that is to be read (NULL: it describes none); and the
 * engine's command, with the machine it asks for in the line below. */
const clg_json *clg_job_engine_of(const clg_reading *reading, const clg_json *node);
const char *clg_job_engine_command(const clg_reading *reading, const clg_json *engine,
                                   const clg_json *node);
clg_job_file clg_manifest_script(const clg_reading *reading, const char *name,
                                 const clg_json *documents);
clg_status clg_job_manifests(clg_reading *reading, int room);
/* YAML, with what a template fills in as not known. */
clg_status clg_job_yaml(clg_reading *reading, const char *name, const char *text, size_t size,
                        clg_json **root);
/* data/trainer/launchers.json, and the program that an image starts; NULL: none known. */
clg_status clg_job_launchers(clg_reading *reading);
const char *clg_job_image_program(const clg_reading *reading, const char *image);
/* Fills reading->source. */
clg_status clg_job_sources(clg_reading *reading);

/* ---- keys ---- */

/* The first of "a|b|c" that one of the sources of this trainer has, null ones not counted. Marks
 * it used. */
clg_found_key clg_job_key(clg_reading *reading, const clg_json *format, const char *keys);
/* Some field was read from it: it is no leftover. */
void clg_job_mark_used(clg_reading *reading, const clg_json *node);
/* A key of one tree, at its top or within what the format puts its keys in; NULL: none. */
const clg_json *clg_job_find_within(clg_reading *reading, const clg_json *format,
                                    const clg_json *root, const char *key);
/* "train.sh:31 --tensor-model-parallel-size" */
const char *clg_job_from(clg_reading *reading, const clg_found_key *key);
const char *clg_job_base_name(const char *path);
/* Text of a node as written; a switch as true or false. */
const char *clg_job_word(const clg_json *node);
bool clg_job_number(const clg_json *node, double *number);
bool clg_job_truth(const clg_json *node);             /* neither false, 0, none nor empty */
bool clg_job_is(const char *text, const char *word);  /* but for case */
bool clg_job_has(const char *text, const char *word); /* but for case */

/* ---- fields ---- */

/* By the rules of a trainer's data file: what files say, then what names let guess, then what its
 * defaults are. */
typedef enum clg_job_pass {
    CLG_JOB_SAID,
    CLG_JOB_GUESSED,
    CLG_JOB_BY_DEFAULT,
    CLG_JOB_PASSES
} clg_job_pass;
clg_status clg_job_rules(clg_reading *reading, const clg_json *format, clg_job_pass pass);

/* Sets a field that is not set; from NULL: assumed, because of why. */
void clg_job_put(clg_reading *reading, clg_job_field field, double number, const char *from,
                 const char *why);
void clg_job_put_word(clg_reading *reading, clg_job_field field, const char *word, const char *from,
                      const char *why);
/* -1: none is so called. */
int clg_job_field_named(const char *name);
bool clg_job_has_field(const clg_reading *reading, clg_job_field field);
double clg_job_value_or(const clg_reading *reading, clg_job_field field, double otherwise);
double clg_job_get(const clg_reading *reading, clg_job_field field); /* 0: not set */
void clg_job_forget(clg_reading *reading, clg_job_field field);

void clg_job_note_down(clg_arena *arena, clg_job_notes *notes, const char *key, const char *from,
                       const char *why, int field);

/* ---- the end ---- */

/* What is odd about one format, by name. */
void clg_job_odd(clg_reading *reading, const char *format);
/* GPUs from Slurm and launchers. */
void clg_job_started(clg_reading *reading);
/* The same, and degrees and batches that follow from others. */
void clg_job_finish(clg_reading *reading);
/* The GPU that a name or path speaks of; NULL: none known. */
const char *clg_job_gpu_in(clg_arena *arena, const char *text);
/* The model by name, or a config.json of its sizes. */
void clg_job_model(clg_reading *reading);
/* What files say that no job can mean. */
void clg_job_contradictions(clg_reading *reading);
/* How many keys of the trainer's files fields were read from, and how many that tend to change time
 * or memory are left; one of those. */
typedef struct clg_job_weight {
    int read, left;
    const char *first;
} clg_job_weight;
clg_job_weight clg_job_weigh(const clg_reading *reading);
/* Every key that no field was read from. */
void clg_job_leftovers(clg_reading *reading);

/* Refuses a trainer's file with members that no reader knows. */
clg_status clg_job_check_rules(const clg_json *format, const char *file, clg_error *error);

#endif
