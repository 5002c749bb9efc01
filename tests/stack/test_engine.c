/* Engines by name and by month. */
#include "stack/engine.h"
#include "test.h"

#include <string.h>

static const char *found(clg_arena *arena, const char *name) {
    clg_engine engine;
    clg_error error = {0};
    return clg_engine_find(arena, name, &engine, &error) == CLG_OK ? engine.name : "none";
}

/* The release that was installed by default in a month; the month of a change has the new one. */
static void releases_follow_months(void) {
    CASE("the release of a month");
    static const char *const asked[][2] = {
        {"vllm", "vllm"},
        {"vllm@2023-06", "vllm-v0"},
        {"vllm@2025-02", "vllm-v0"},
        {"vllm@2025-03", "vllm-0.8"},
        {"vllm@2025-09", "vllm-0.8"},
        {"vllm@2025-10", "vllm-0.11"},
        {"vllm@2025-12", "vllm-0.11"},
        {"vllm@2026-01", "vllm-0.14"},
        {"vllm@2026-04", "vllm-0.14"},
        {"vllm@2026-05", "vllm"},
        {"vllm-0.8@2026-05", "vllm-0.8"},
        {"sglang@2025-03", "sglang-0.4"},
        {"sglang@2025-09", "sglang-0.5"},
        {"sglang@2026-02", "sglang-0.5.9"},
        {"sglang@2026-04", "sglang"},
        {"trtllm@2023-12", "trtllm-0.6"},
        {"trtllm@2024-11", "trtllm-0.17"},
        {"trtllm@2025-09", "trtllm-1.0"},
        {"trtllm@2026-02", "trtllm"},
    };
    clg_arena arena = {0};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        CHECK(strcmp(found(&arena, asked[i][0]), asked[i][1]) == 0);
    clg_arena_clear(&arena);
}

static void no_month_no_engine(void) {
    CASE("no month, no engine");
    clg_arena arena = {0};
    CHECK(strcmp(found(&arena, "vllm@2025"), "none") == 0);
    CHECK(strcmp(found(&arena, "vllm@june"), "none") == 0);
    CHECK(strcmp(found(&arena, "nobody@2025-06"), "none") == 0);
    clg_arena_clear(&arena);
}

/* A release states what differs from its base, which may have one, too. */
static void bases_are_read_first(void) {
    CASE("a release over its base over its base");
    clg_arena arena = {0};
    clg_error error = {0};
    clg_engine e, base, newest;
    CHECK(clg_engine_find(&arena, "vllm-0.11", &e, &error) == CLG_OK);
    CHECK(clg_engine_find(&arena, "vllm-0.8", &base, &error) == CLG_OK);
    CHECK(clg_engine_find(&arena, "vllm", &newest, &error) == CLG_OK);
    CHECK(strcmp(e.name, "vllm-0.11") == 0 && e.expert_block_rows > 0 &&
          base.expert_block_rows == 0);
    CHECK(e.routing_s > 0 && e.routing_s == base.routing_s && newest.routing_s == 0);
    CHECK(e.overlapped == 0 && newest.overlapped == 1);
    CHECK(e.max_tokens == newest.max_tokens && e.graphs.count == newest.graphs.count);
    CHECK(*e.large_except && strcmp(e.large_except, newest.large_except) == 0);
    clg_arena_clear(&arena);
}

int main(void) {
    releases_follow_months();
    bases_are_read_first();
    no_month_no_engine();
    return DONE;
}
