/* preset.h -- a built-in model by its name. */
#ifndef CLG_TESTS_PRESET_H
#define CLG_TESTS_PRESET_H

#include "model/preset.h"
#include "test.h"

static inline clg_model preset(clg_arena *arena, const char *name) {
    clg_model model = {0};
    clg_error error = {0};
    CHECK(clg_model_find(arena, name, &model, &error) == CLG_OK);
    return model;
}

#endif
