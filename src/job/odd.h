/* odd.h -- internal to job/: formats' own rules that are more than keys and defaults. */
#ifndef CLG_JOB_ODD_H
#define CLG_JOB_ODD_H

#include "job/reading.h"

/* Value of the first of these keys that the trainer's files have. */
double clg_odd_number(clg_reading *reading, const char *keys, double otherwise);
const char *clg_odd_word(clg_reading *reading, const char *keys, const char *otherwise);

/* A degree that files say, 1 where none is, 0 where no job has so many: they may write any number.
 */
int clg_odd_whole(const clg_reading *reading, clg_job_field field);

/* Layers of each chunk in the order of a micro-batch: "9,10,10,3"; none where they are not all the
 * model's. */
void clg_odd_stage_layers(clg_reading *reading, const int *layers, int chunks, const char *why);

void clg_odd_megatron(clg_reading *reading);
/* Megatron-Core's recompute modules, as terms of the software. */
void clg_odd_made_again(clg_reading *reading);
/* Its first and last stages with fewer layers, as told. */
void clg_odd_uneven_stages(clg_reading *reading);
void clg_odd_torchtitan(clg_reading *reading);
void clg_odd_torchtune(clg_reading *reading);
void clg_odd_gpt_neox(clg_reading *reading);
void clg_odd_foundry(clg_reading *reading);
void clg_odd_olmo(clg_reading *reading);
void clg_odd_kempnerforge(clg_reading *reading);
void clg_odd_maxtext(clg_reading *reading);
void clg_odd_recipe(clg_reading *reading);
/* What a recipe that comes with the trainer sets, where the job leaves it. */
void clg_odd_known_recipe(clg_reading *reading, const char *name);
void clg_odd_hugging_face(clg_reading *reading);
void clg_odd_trl(clg_reading *reading);
void clg_odd_axolotl(clg_reading *reading);
void clg_odd_nanotron(clg_reading *reading);
void clg_odd_vllm(clg_reading *reading);
void clg_odd_sglang(clg_reading *reading);
void clg_odd_trtllm(clg_reading *reading);

#endif
