/* The door: any bytes get an answer; searches are stopped at their first progress. */
#include "api/door.h"

static bool stop(void *context, double share) {
    (void)context;
    (void)share;
    return false;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_text out = {.arena = &arena};
    clg_door_call(&arena, (const char *)data, size, (clg_progress){stop, NULL}, &out);
    clg_arena_clear(&arena);
    return 0;
}
