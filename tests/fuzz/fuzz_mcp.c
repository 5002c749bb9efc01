/* Messages to `ceiling serve --stdio`: any line gets one reply or none; searches are stopped. */
#include "cli/mcp.h"

#include <assert.h>
#include <string.h>

static bool stop(void *context, double share) {
    (void)context;
    (void)share;
    return false;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_text out = {.arena = &arena};
    clg_mcp_answer(&arena, (const char *)data, size, stop, &out);
    if (out.size > 0) assert(memchr(out.data, '\n', out.size) == out.data + out.size - 1);
    clg_arena_clear(&arena);
    return 0;
}
