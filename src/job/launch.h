/* launch.h -- a plan as the files that start it: the other direction of read.
 *
 * What is written is read back as the plan that was priced (tests/cli/launch.sh). What a trainer
 * cannot do is refused with the reason; what it decides itself is said. A trainer is one file of
 * this directory and a row of launch.c. */
#ifndef CLG_JOB_LAUNCH_H
#define CLG_JOB_LAUNCH_H

#include "base/text.h"
#include "evaluate/evaluate.h"

enum { CLG_LAUNCH_FILES = 6, CLG_LAUNCH_SAID = 16 };

typedef struct clg_launch {
    clg_arena *arena;
    const char *name[CLG_LAUNCH_FILES];
    clg_text text[CLG_LAUNCH_FILES];
    int files;
    bool asks;                         /* only whether the layout can be written: no files */
    const char *refused;               /* why this trainer cannot run the plan; NULL: it can */
    const char *said[CLG_LAUNCH_SAID]; /* what the files do not settle */
    int saids;
} clg_launch;

/* Trainers that are written, ended by a NULL name. */
extern const clg_name clg_trainer_names[];

/* The stack that a trainer's files are priced for where nobody names one; NULL: the current one. */
const char *clg_launch_stack(const char *trainer);

clg_launch clg_launch_of(clg_arena *arena, int trainer, const clg_scenario *scenario,
                         const clg_layout *layout);

/* Whether the layout can be written, models and stacks aside. Pure. */
bool clg_launch_can(int trainer, const clg_scenario *scenario, const clg_layout *layout);

/* The files one after the other, or the refusal. */
void clg_launch_print(clg_text *text, const char *title, const clg_launch *launch);

/* ---- for the trainers ---- */

clg_text *clg_launch_file(clg_launch *launch, const char *name);
/* What a file of data/ says of a model of this name, under "models"; NULL: nothing. */
const clg_json *clg_launch_model(clg_launch *launch, const char *path, const char *name);

/* The first reason stays. */
void clg_launch_refuse(clg_launch *launch, bool when, const char *why);
void clg_launch_say(clg_launch *launch, bool when, const char *what);
/* Moments of fewer bits than fp32 are asked for. */
bool clg_launch_narrow_moments(const clg_scenario *scenario);
/* "#!/bin/bash" and how many processes of how many nodes, told by NNODES, NODE_RANK, MASTER_ADDR.
 */
void clg_launch_head(clg_text *text, const clg_scenario *scenario);
/* "ORG/NAME" on the Hub, where the model's file comes from; NULL: it does not. */
const char *clg_launch_hub(clg_arena *arena, const clg_model *model);

void clg_launch_megatron(clg_launch *launch, const clg_scenario *s, const clg_layout *l);
void clg_launch_torchtitan(clg_launch *launch, const clg_scenario *s, const clg_layout *l);
void clg_launch_torchtitan_2026(clg_launch *launch, const clg_scenario *s, const clg_layout *l);
void clg_launch_deepspeed(clg_launch *launch, const clg_scenario *s, const clg_layout *l);
void clg_launch_accelerate(clg_launch *launch, const clg_scenario *s, const clg_layout *l);
void clg_launch_bridge(clg_launch *launch, const clg_scenario *s, const clg_layout *l);

#endif
