/* library.c -- the door as include/ceiling.h shows it: without arenas, for programs of others. */
#include "api/door.h"
#include "base/version.h"
#include "ceiling.h"

static bool never_stop(void *context, double share) {
    (void)context;
    (void)share;
    return true;
}

ceiling_answer ceiling_ask(const char *request, size_t bytes, ceiling_progress *tell,
                           void *context) {
    clg_arena arena = {0};
    clg_text out = {.arena = &arena};
    clg_door_host host = {.progress = {tell ? tell : never_stop, context}};
    clg_status status = clg_door_call(&arena, request, bytes, host, &out);
    clg_arena *kept = clg_take(&arena, 1, clg_arena); /* the arena lives in itself */
    *kept = arena;
    return (ceiling_answer){out.data, out.size, status == CLG_OK, kept};
}

void ceiling_release(ceiling_answer *answer) {
    if (answer->memory) {
        clg_arena arena = *(clg_arena *)answer->memory;
        clg_arena_clear(&arena);
    }
    *answer = (ceiling_answer){0};
}

const char *ceiling_version(void) { return CLG_VERSION; }
