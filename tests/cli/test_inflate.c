/* Compressed text: what comes out is what zlib alone gives, whole, joined, cut or damaged. */
#include "packed.h"
#include "test.h"

#include <stdlib.h>
#include <zlib.h>

enum { TEXT_BYTES = 6000, MOST_BYTES = 40000 };

/* Everything that comes out, `capacity` bytes a time. */
static size_t inflated(const unsigned char *data, size_t size, bool gzip, bool plainly,
                       size_t capacity, char *out) {
    clg_arena arena = {0};
    packed_bytes bytes = {data, size, 0};
    clg_packed packed = packed_source(&bytes);
    clg_inflation *f = clg_inflation_start(&arena, packed, gzip, plainly);
    clg_trace_source source = clg_inflation_source(f);
    size_t total = 0;
    for (size_t got; (got = source.fill(source.context, out + total, capacity)) > 0;) {
        total += got;
        if (total + capacity > MOST_BYTES) break;
    }
    clg_inflation_stop(f);
    clg_arena_clear(&arena);
    return total;
}

/* But for blocks whose Huffman code is incomplete: zlib refuses them whole, ISA-L reads on to the
 * first code that is none. */
static bool same(const unsigned char *data, size_t size, bool gzip) {
    static char one[MOST_BYTES], other[MOST_BYTES];
    size_t want = inflated(data, size, gzip, true, 4096, one);
    return inflated(data, size, gzip, false, 4096, other) == want &&
           memcmp(one, other, want) == 0 && inflated(data, size, gzip, false, 300, other) == want &&
           memcmp(one, other, want) == 0;
}

static size_t deflated(const char *text, size_t size, bool gzip, int level, unsigned char *out) {
    z_stream z = {0};
    deflateInit2(&z, level, Z_DEFLATED, gzip ? 15 + 16 : -15, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (Bytef *)(size_t)text;
    z.avail_in = (uInt)size;
    z.next_out = out;
    z.avail_out = MOST_BYTES;
    deflate(&z, Z_FINISH);
    size_t made = MOST_BYTES - z.avail_out;
    deflateEnd(&z);
    return made;
}

/* Half repetition, half not, as traces are. */
static void write_text(char *text) {
    unsigned state = 7;
    size_t at = 0;
    while (at + 60 < TEXT_BYTES) {
        state = state * 1664525u + 1013904223u;
        at += (size_t)snprintf(text + at, 60, "{\"ph\": \"X\", \"ts\": %u, \"dur\": %u},\n", state,
                               state >> 20);
    }
    memset(text + at, ' ', TEXT_BYTES - at);
}

int main(void) {
    static char text[TEXT_BYTES], out[MOST_BYTES];
    static unsigned char data[2 * MOST_BYTES], other[2 * MOST_BYTES];
    write_text(text);
    CASE("whole streams of every level, gzip and bare");
    for (int level = 0; level <= 9; level++)
        for (int gzip = 0; gzip < 2; gzip++) {
            size_t size = deflated(text, TEXT_BYTES, gzip, level, data);
            for (size_t capacity = 1; capacity < 9000; capacity = capacity * 3 + 1) {
                CHECK(inflated(data, size, gzip, false, capacity, out) == TEXT_BYTES);
                CHECK(memcmp(out, text, TEXT_BYTES) == 0);
            }
        }
    CASE("joined members, and what may lie behind the last");
    size_t size = deflated(text, TEXT_BYTES, true, 6, data);
    memcpy(data + size, data, size);
    CHECK(inflated(data, 2 * size, true, false, 4096, out) == (size_t)2 * TEXT_BYTES);
    CHECK(memcmp(out + TEXT_BYTES, text, TEXT_BYTES) == 0);
    static const char *const tails[] = {
        "", "x", "\x1f", "\x1f\x8b", "\x1f\x8b\x08\xe0++++++", "\x1f~~~~~"};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        memcpy(data + size, tails[i], strlen(tails[i]));
        CHECK(inflated(data, size + strlen(tails[i]), true, false, 4096, out) == TEXT_BYTES);
        CHECK(same(data, size + strlen(tails[i]), true));
    }
    CASE("a bare stream ends where it ends, whatever follows");
    size = deflated(text, TEXT_BYTES, false, 6, data);
    memcpy(data + size, "\x1f\x1f", 2);
    CHECK(inflated(data, size + 2, false, false, 4096, out) == TEXT_BYTES);
    CASE("cut anywhere");
    size = deflated(text, TEXT_BYTES, true, 6, data);
    for (size_t cut = 0; cut < size; cut++) CHECK(same(data, cut, true));
    CASE("a flipped bit anywhere");
    int refused = 0;
    for (size_t at = 0; at < size * 8; at++) {
        memcpy(other, data, size);
        other[at / 8] ^= (unsigned char)(1u << at % 8);
        if (same(other, size, true)) continue;
        size_t least = inflated(other, size, true, true, 4096, out); /* the code of a block, only */
        CHECK(least == 0);
        refused++;
    }
    CHECK(refused < 10);
    CASE("a pipe is zlib's alone");
    clg_arena arena = {0};
    packed_bytes bytes = {data, size / 2, 0};
    clg_packed pipe = {{.fill = packed_fill, .context = &bytes}, NULL};
    clg_inflation *f = clg_inflation_start(&arena, pipe, true, false);
    size_t got = clg_inflation_source(f).fill(f, out, MOST_BYTES);
    CHECK(got == inflated(data, size / 2, true, true, MOST_BYTES / 2, out) && got > 0);
    clg_inflation_stop(f);
    clg_arena_clear(&arena);
    return DONE;
}
