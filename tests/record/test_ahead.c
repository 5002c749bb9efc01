/* A long recording read with help is what it is without: to the byte, whole or damaged anywhere. */
#include "base/text.h"
#include "record/recording.h"
#include "test.h"

#include <stdlib.h>

static clg_csv table;

/* Pieces of a round do not know of each other: the last is done first. */
static bool backward(void *host, int count, void (*run)(void *work, int index), void *work,
                     clg_tell *tell, void *told) {
    (void)tell;
    (void)told;
    *(int *)host += 1;
    for (int i = count; i-- > 0;) run(work, i);
    return true;
}

static uint32_t next_random(uint32_t *seed) {
    return (*seed = *seed * 1664525u + 1013904223u) >> 8;
}

/* Events of all kinds, about 5 MB of them, closed by a header. `more`: of the arguments of Python
 * frames, `flow`: members of flows; both are skipped. */
static clg_text make_text(clg_arena *arena, const char *more, const char *flow) {
    clg_text t = {.arena = arena};
    clg_text_print(&t, "{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for (int i = 0; i < 24000; i++) {
        static const char *const head[] = {
            "cpu_op\", \"name\": \"aten::mm", "kernel\", \"name\": \"gemm",
            "cuda_runtime\", \"name\": \"cudaLaunchKernel",
            "python_function\", \"name\": \"f.py(3): {\\\"ph\\\": 1}",
            "user_annotation\", \"name\": \"ProfilerStep#4"};
        const char *kind = i % 6000 == 9 ? head[4] : head[i % 4];
        clg_text_print(
            &t,
            "%s  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"pid\": 0, \"tid\": %d, \"ts\": %d.5,"
            " \"dur\": %d, \"args\": {\"External id\": %d, \"correlation\": %d, \"device\": 0%s}\n "
            " "
            "}",
            i ? ",\n" : "", kind, i % 7, i * 3, i % 11, i, i / 4, i % 4 == 3 ? more : "");
        if (i % 5 == 0)
            clg_text_print(&t, ", {\"ph\": \"f\", \"id\": 3, \"cat\": \"flow\", \"name\": \"s\"%s}",
                           flow);
    }
    clg_text_print(&t, "\n], \"distributedInfo\": {\"rank\": 3, \"world_size\": 8}}");
    return t;
}

/* What a recording holds, as bytes. */
static clg_text read_as_bytes(clg_arena *arena, clg_slice text, const clg_cores *cores) {
    clg_trace_memory memory = {text.text, text.size, 0};
    clg_recording all = {.file = "t.json", .cores = cores};
    clg_text bytes = {.arena = arena};
    clg_slice head = {text.text, text.size < 16384 ? text.size : 16384};
    clg_recording_read("t.json", head, clg_trace_from_memory(&memory), &table, &all);
    clg_parcel parcel = clg_parcel_to(&bytes);
    clg_recording_walk(&parcel, &all);
    clg_recording_end(&all);
    return bytes;
}

/* How many rounds of help there were, where both readings agree. */
static int compared(clg_slice text) {
    clg_arena arena = {0};
    int rounds = 0;
    clg_cores cores = {backward, &rounds};
    clg_text alone = read_as_bytes(&arena, text, NULL),
             helped = read_as_bytes(&arena, text, &cores);
    CHECK(alone.size == helped.size && memcmp(alone.data, helped.data, alone.size) == 0);
    clg_arena_clear(&arena);
    return rounds;
}

static void whole(clg_slice text) {
    CASE("a whole recording");
    CHECK(compared(text) >= 3);
    CASE("cut anywhere");
    uint32_t seed = 3;
    for (int i = 0; i < 8; i++) compared((clg_slice){text.text, next_random(&seed) % text.size});
    CASE("a short one needs no help");
    CHECK(compared((clg_slice){text.text, 100000}) == 0);
}

static void damaged(clg_slice text) {
    static const char *const faults[] = {
        "}", "]", "\"", "{", "{\"ph\":", "\n\n]}", ",,,,", "\\", "[{"};
    uint32_t seed = 5;
    clg_arena arena = {0};
    CASE("damaged anywhere");
    char *copy = clg_arena_take(&arena, text.size, 1);
    for (int i = 0; i < 27; i++) {
        const char *fault = faults[i % 9];
        memcpy(copy, text.text, text.size);
        memcpy(copy + next_random(&seed) % (text.size - 16), fault, strlen(fault));
        compared((clg_slice){copy, text.size});
    }
    clg_arena_clear(&arena);
}

/* In most places the first brace from there on is not that of an event. */
static void misleading(void) {
    clg_arena arena = {0};
    CASE("what looks like an event in an event");
    clg_text t = make_text(&arena,
                           ", \"of\": {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", "
                           "\"ts\": 1, \"dur\": 7}, \"and\": {\"ph\": 3}",
                           "");
    CHECK(compared((clg_slice){t.data, t.size}) > 0);
    clg_arena_clear(&arena);
}

/* Writers forget to escape quotes. A chunk that begins before such a text finds an event that is
 * none: only what the chunk before ended with tells. */
static void braces_in_strings(void) {
    clg_arena arena = {0};
    CASE("what looks like an event in a string with raw quotes");
    clg_text flow = {.arena = &arena};
    clg_text_print(&flow, ", \"pad\": \"");
    for (int i = 0; i < 64; i++) clg_text_print(&flow, "0123456789");
    clg_text_print(&flow, "\", \"in\": \"a {\"ph\" b\"");
    clg_text t = make_text(&arena, "", flow.data);
    CHECK(compared((clg_slice){t.data, t.size}) > 0);
    clg_arena_clear(&arena);
}

/* An event of `size` bytes in the midst of others. */
static void long_event(clg_slice text, size_t size) {
    clg_arena arena = {0};
    clg_text t = {.arena = &arena};
    const char *at = strstr(text.text + text.size / 2, "{\n    \"ph\"");
    clg_text_add(&t, text.text, (size_t)(at - text.text));
    clg_text_print(
        &t,
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"long\", \"ts\": 1, \"args\": {\"x\": \"");
    for (size_t i = 0; i < size; i += 16) clg_text_add(&t, "{\\\"ph\\\": 0123456", 16);
    clg_text_print(&t, "\"}},\n");
    clg_text_add(&t, at, text.size - (size_t)(at - text.text));
    compared((clg_slice){t.data, t.size});
    clg_arena_clear(&arena);
}

int main(void) {
    clg_arena arena = {0};
    table = clg_trace_kernels(&arena);
    clg_text made = make_text(&arena, "", "");
    clg_slice text = {made.data, made.size};
    whole(text);
    damaged(text);
    misleading();
    braces_in_strings();
    CASE("an event longer than a chunk, than what is carried, than a buffer, than any may be");
    for (size_t size = (size_t)1 << 16; size <= (size_t)1 << 25; size *= 4) long_event(text, size);
    clg_arena_clear(&arena);
    return DONE;
}
