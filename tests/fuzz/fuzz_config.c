/* A config.json is a model or a sentence, and what is a model has sane counts. */
#include "model/model.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_model model;
    if (clg_model_read(&arena, "fuzz", (const char *)data, size, &model, &error) == CLG_OK)
        assert(model.layers > 0 && model.kinds > 0 && model.hidden > 0);
    else
        assert(error.message[0]);
    clg_arena_clear(&arena);
    return 0;
}
