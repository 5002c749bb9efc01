/* GPU memory over a recording: peak, what is held throughout, kinds; by hand. */
#include "cli/tool.h"
#include "record/recording.h"
#include "test.h"

#include <string.h>

static clg_arena arena;

static clg_recording read(const char *path) {
    clg_csv table;
    clg_error error = {0};
    const char *text;
    size_t size;
    clg_recording r = {.file = path};
    table = clg_trace_kernels(&arena);
    CHECK(clg_file_read(&arena, path, 1 << 20, &text, &size, &error) == CLG_OK);
    clg_trace_memory memory = {text, size, 0};
    clg_recording_read(path, (clg_slice){text, size}, clg_trace_from_memory(&memory), &table, &r);
    return r;
}

/* 150 bytes of weights and optimizer, then 300 of activations, then 200 that become gradients. */
static void check_kinds(const char *path, int kind_of_200) {
    clg_recording r = read(path);
    CHECK(r.status == CLG_OK && r.count == 0 && r.memory.count == 1);
    const clg_memory_use *u = &r.memory.use[0];
    CHECK(u->peak_bytes == 650 && u->least_bytes == 150 && u->reserved_bytes == -1);
    CHECK(u->peak_ns == 10 && u->kinds);
    CHECK(u->at_peak[CLG_HELD_PARAMETER] == 100 && u->at_peak[CLG_HELD_OPTIMIZER] == 50);
    CHECK(u->at_peak[CLG_HELD_ACTIVATION] == 300 && u->at_peak[kind_of_200] == 200);
    clg_recording_end(&r);
}

/* 100 bytes of weights and 30 of nobody held before; then 300 and 200 forward, 50 backward. */
static void check_snapshot(const char *path) {
    clg_recording r = read(path);
    CHECK(r.status == CLG_OK && r.count == 0 && r.memory.count == 1);
    const clg_memory_use *u = &r.memory.use[0];
    CHECK(u->peak_bytes == 650 && u->least_bytes == 100 && u->reserved_bytes == 3584);
    CHECK(u->changes == 9 && u->span_ns == 10000 && u->peak_ns == 5000 && u->kinds);
    CHECK(u->at_peak[CLG_HELD_PARAMETER] == 100 && u->at_peak[CLG_HELD_ACTIVATION] == 500);
    CHECK(u->at_peak[CLG_HELD_AUTOGRAD] == 50 && u->at_peak[CLG_HELD_OPTIMIZER] == 0);
    CHECK(u->left_out == 0 && u->sites == 2 && u->site[0].bytes == 500 && u->site[1].bytes == 100);
    CHECK(strcmp(u->site[0].where, "model.py:41 mix") == 0);
    CHECK(strcmp(u->site[1].where, "train.py:7 main") == 0);
    CHECK(u->refused_bytes == 4096 && u->free_bytes == 64);
    clg_recording_end(&r);
}

/* Nine thousand times a PB, of which as many count as can be summed. */
static void check_bounded(const char *path) {
    clg_recording r = read(path);
    CHECK(r.memory.count == 1 && r.memory.use[0].changes == 1024);
    CHECK(r.memory.use[0].peak_bytes == 1024 * ((INT64_C(1) << 50) - 1));
    clg_recording_end(&r);
}

static void check_refused(const char *path, const char *why) {
    clg_recording r = read(path);
    CHECK(r.status == CLG_BAD_INPUT && r.memory.count == 0 && strstr(r.error.message, why));
    clg_recording_end(&r);
}

int main(void) {
    CASE("the most in each part of the span; a part without change has what was before");
    clg_memory_point points[] = {{320, 4}, {0, 10}, {100, 30}, {109, 20}};
    clg_memory_use u = clg_memory_use_of(points, 4);
    CHECK(u.span_ns == 320 && u.peak_ns == 100 && u.peak_bytes == 30 && u.least_bytes == 4);
    CHECK(u.bin[0] == 10 && u.bin[9] == 10 && u.bin[10] == 30 && u.bin[11] == 20);
    CHECK(u.bin[30] == 20 && u.bin[31] == 20);
    CASE("a memory timeline, change by change: kinds change within the peak");
    check_kinds("tests/fuzz/corpus/profile/memory.raw.json", CLG_HELD_GRADIENT);
    CASE("a memory timeline as sums");
    check_kinds("tests/fuzz/corpus/profile/memory.json", CLG_HELD_AUTOGRAD);
    CASE("a PyTorch profile: totals of the one GPU, whatever its number; not those of the CPU");
    clg_recording r = read("tests/fuzz/corpus/trace/memory");
    CHECK(r.status == CLG_OK && r.count == 1);
    const clg_memory_use *m = &r.traces[0].memory;
    CHECK(m->file && m->changes == 3 && m->span_ns == 30000 && m->peak_ns == 20000);
    CHECK(m->peak_bytes == 3000 && m->least_bytes == 1000 && m->reserved_bytes == 6000);
    CHECK(!m->kinds && r.traces[0].events_read == 7);
    clg_recording_end(&r);
    CASE("a snapshot of the allocator, in two protocols: the past follows from what is held last");
    check_snapshot("tests/fuzz/corpus/profile/snapshot2.pickle");
    check_snapshot("tests/fuzz/corpus/profile/snapshot4.pickle");
    CASE("a pickle that calls, or holds itself, is refused");
    check_refused("tests/fuzz/corpus/profile/snapshot-calls.pickle", "names or calls Python");
    check_refused("tests/fuzz/corpus/profile/snapshot-circle.pickle", "no snapshot");
    CASE("a snapshot of two GPUs with segments of a third");
    r = read("tests/fuzz/corpus/profile/snapshot-third-gpu.pickle");
    CHECK(r.memory.count == 2 && r.memory.use[0].left_out == 2 && r.memory.use[1].left_out == 2);
    CHECK(r.memory.use[0].reserved_bytes == 4096 && r.memory.use[1].reserved_bytes == 2048);
    clg_recording_end(&r);
    CASE("a snapshot whose sums would run over ends before; a name of a page names no place");
    check_bounded("tests/fuzz/corpus/profile/snapshot-more-than-memory.pickle");
    r = read("tests/fuzz/corpus/profile/snapshot-long-name.pickle");
    CHECK(r.memory.count == 1 && r.memory.use[0].peak_bytes == 10 && r.memory.use[0].sites == 0);
    clg_recording_end(&r);
    clg_arena_clear(&arena);
    return DONE;
}
