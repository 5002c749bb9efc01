/* The door: any bytes get an answer; searches are stopped at their first progress. */
#include "api/door.h"

#include <string.h>

static bool stop(void *context, double share) {
    (void)context;
    (void)share;
    return false;
}

/* Every file is the request itself, once. */
typedef struct input {
    const unsigned char *data;
    size_t size, at;
} input;

static size_t read_input(void *context, int file, char *to, size_t capacity) {
    input *in = context;
    size_t left = file == 0 ? in->size - in->at : 0, size = left < capacity ? left : capacity;
    if (size > 0) memcpy(to, in->data + in->at, size);
    in->at += size;
    return size;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_text out = {.arena = &arena};
    input in = {data, size, 0};
    clg_door_call(&arena, (const char *)data, size,
                  (clg_door_host){{stop, NULL, NULL}, read_input, &in}, &out);
    clg_arena_clear(&arena);
    return 0;
}
