/* test_any_order.c -- answers are the same bytes in whatever order pieces of work are done: what a
 * machine's cores do, without their luck. */
#include "api/door.h"

#include "test.h"

#include <stdint.h>

/* Lends one core that takes pieces in a mixed order; `host`: its seed. */
static bool disordered(void *host, int count, void (*run)(void *work, int index), void *work,
                       clg_tell *tell, void *told) {
    uint64_t *seed = host;
    clg_arena arena = {0};
    int *order = clg_take(&arena, (size_t)count + 1, int);
    (void)tell;
    (void)told;
    for (int i = 0; i < count; i++) order[i] = count - 1 - i;
    for (int i = count - 1; i > 0; i--) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        int other = (int)((*seed >> 33) % (uint64_t)(i + 1)), here = order[i];
        order[i] = order[other];
        order[other] = here;
    }
    for (int i = 0; i < count; i++) run(work, order[i]);
    clg_arena_clear(&arena);
    return true;
}

static clg_text call(clg_arena *arena, const char *request, const clg_cores *cores) {
    clg_text out = {.arena = arena};
    clg_door_call(arena, request, strlen(request), (clg_door_host){.progress = {.cores = cores}},
                  &out);
    return out;
}

static void same_mixed(const char *request) {
    clg_arena arena = {0};
    uint64_t seed = 1;
    clg_cores mixed = {disordered, &seed};
    clg_text one = call(&arena, request, NULL), other = call(&arena, request, &mixed);
    CHECK(one.size > 1000 && strncmp(one.data, "{\"error\"", 8) != 0);
    CHECK(other.size == one.size && memcmp(other.data, one.data, one.size) == 0);
    clg_arena_clear(&arena);
}

int main(void) {
    CASE("a demand with levers, a search, and other GPUs, which hold fewer conversations");
    same_mixed("{\"command\":\"demand\",\"model\":\"llama-3.1-8b\",\"rate\":\"4req/s\","
               "\"span\":\"1min\",\"prompt\":\"200tok\",\"shared-prefix\":\"4ktok\","
               "\"search\":true,\"levers\":true,\"compare-gpus\":true}");
    CASE("clusters for a target");
    same_mixed("{\"command\":\"size\",\"model\":\"llama-3-8b\",\"tokens\":\"100B\","
               "\"deadline\":\"30d\",\"max-gpus\":\"64\",\"global-batch\":\"1Mtok\"}");
    return DONE;
}
