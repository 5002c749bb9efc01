/* preset.h -- the models that come with the program (data/model/). */
#ifndef CLG_MODEL_PRESET_H
#define CLG_MODEL_PRESET_H

#include "model/model.h"

/* A preset by name; an unknown name is CLG_BAD_INPUT with the nearest. */
clg_status clg_model_find(clg_arena *arena, const char *name, clg_model *model, clg_error *error);

/* The preset a name means, whatever its case, owner ("meta-llama/"), tuning ("-Instruct") or format
 * of weights ("-FP8"); NULL: none. */
const char *clg_model_named(clg_arena *arena, const char *word);

/* The preset whose file comes from this place on the Hub, "ORG/NAME"; NULL: none. */
const char *clg_model_of_place(clg_arena *arena, const char *word);

/* That preset, stored in the format that the name says; an unknown name fails as clg_model_find. */
clg_status clg_model_asked(clg_arena *arena, const char *word, clg_model *model, clg_error *error);

/* Names of all presets in alphabetical order, in `arena`. */
const char *const *clg_model_names(clg_arena *arena, int *count);

#endif
