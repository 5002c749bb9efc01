/* Compressed text: any bytes give some text, what zlib makes of them and little more (inflate.h
 * says when), however it is asked for. */
#include "packed.h"

#include <assert.h>

enum { MOST_BYTES = 1 << 18 };

static size_t inflated(clg_arena *arena, packed_bytes bytes, bool gzip, bool plainly,
                       size_t capacity, char *out) {
    clg_packed packed = packed_source(&bytes);
    clg_inflation *f = clg_inflation_start(arena, packed, gzip, plainly);
    clg_trace_source source = clg_inflation_source(f);
    size_t total = 0;
    for (size_t got; total + capacity <= MOST_BYTES &&
                     (got = source.fill(source.context, out + total, capacity)) > 0;)
        total += got;
    clg_inflation_stop(f);
    return total;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    bool gzip = size < 2 || (data[0] == 0x1f && data[1] == 0x8b);
    size_t capacity = size % 7 ? 4096 : 100;
    static char one[MOST_BYTES], other[MOST_BYTES];
    packed_bytes bytes = {data, size, 0};
    size_t plain = inflated(&arena, bytes, gzip, true, capacity, one);
    size_t fast = inflated(&arena, bytes, gzip, false, capacity, other);
    assert(fast >= plain && memcmp(one, other, plain) == 0);
    clg_arena_clear(&arena);
    return 0;
}
