/* preset.h -- the models that come with the program (data/model/). */
#ifndef CLG_MODEL_PRESET_H
#define CLG_MODEL_PRESET_H

#include "model/model.h"

/* By file name, or by Hugging Face name ("meta-llama/Llama-3.1-405B"); an unknown name is
 * CLG_BAD_INPUT with the nearest. */
clg_status clg_model_find(clg_arena *arena, const char *name, clg_model *model, clg_error *error);

#endif
