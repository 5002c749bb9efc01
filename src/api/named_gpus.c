/* named_gpus.c -- see the header. */
#include "api/named_gpus.h"

#include <string.h>

clg_named_gpu clg_named_gpu_of(clg_arena *arena, const char *word) {
    size_t size = strcspn(word, ":");
    return (clg_named_gpu){clg_arena_copy(arena, word, size), word[size] ? word + size + 1 : NULL};
}

const char *clg_named_gpus(const clg_request *request, const char *marks) {
    const char *named = request->value[CLG_PARAM_GPU];
    return named && strpbrk(named, marks) && !request->file[CLG_PARAM_GPU].text ? named : NULL;
}
