/* What another process sent: any bytes are a recording or none, take memory in proportion, and a
 * recording packs to the same bytes for ever. */
#include "api/answer_trace.h"

#include <assert.h>
#include <string.h>

static clg_text packed(clg_arena *arena, clg_recording *recording) {
    clg_text text = {.arena = arena};
    clg_parcel p = clg_parcel_to(&text);
    clg_recording_walk(&p, recording);
    return text;
}

static bool unpack(const void *data, size_t size, clg_recording *into) {
    clg_parcel p = clg_parcel_from(&into->arena, data, size);
    clg_recording_walk(&p, into);
    assert(into->arena.used_bytes <= 100 * size + 100000);
    return clg_parcel_ended(&p);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_recording first = {.file = "fuzz"}, again = {.file = "fuzz"};
    if (unpack(data, size, &first)) {
        clg_text text = packed(&arena, &first);
        bool read = unpack(text.data, text.size, &again);
        clg_text twice = packed(&arena, &again);
        assert(read && text.size == twice.size && memcmp(text.data, twice.data, text.size) == 0);
    }
    clg_recording_end(&first);
    clg_recording_end(&again);
    clg_arena_clear(&arena);
    return 0;
}
