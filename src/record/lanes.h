/* lanes.h -- sixteen bytes of text at a time, as bits.
 *
 * Three ways to the same bits: SSE2, which every x86-64 has, the vectors of WebAssembly, and eight
 * bytes in a 64-bit word, which needs nothing. The lowest bit is the first byte. */
#ifndef CLG_RECORD_LANES_H
#define CLG_RECORD_LANES_H

#include <stdint.h>
#include <string.h>

enum { CLG_LANES = 16 };

/* Eight bytes, the first of which is the lowest. */
static inline uint64_t clg_lanes_word(const char *text) {
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, text, sizeof word);
#else
    for (int i = 0; i < 8; i++) word |= (uint64_t)(unsigned char)text[i] << (8 * i);
#endif
    return word;
}

#ifdef __SSE2__
#include <emmintrin.h>

typedef __m128i clg_lanes;

static inline clg_lanes clg_lanes_at(const char *text) {
    return _mm_loadu_si128((const __m128i *)(const void *)text);
}

/* Sets bit 5: ASCII letters become small, [ becomes { and ] becomes }. */
static inline clg_lanes clg_lanes_folded(clg_lanes bytes) {
    return _mm_or_si128(bytes, _mm_set1_epi8(0x20));
}

static inline clg_lanes clg_lanes_equal(clg_lanes bytes, char c) {
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

static inline clg_lanes clg_lanes_either(clg_lanes a, clg_lanes b) { return _mm_or_si128(a, b); }

/* What may stand in a plain decimal: - . / and digits, which are neighbours in ASCII. */
static inline clg_lanes clg_lanes_decimal(clg_lanes bytes) {
    return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('-' - 1)),
                         _mm_cmplt_epi8(bytes, _mm_set1_epi8('9' + 1)));
}

/* Control characters but DEL, and what is not ASCII (negative, as signed bytes). */
static inline clg_lanes clg_lanes_odd(clg_lanes bytes) {
    return _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
}

/* A bit a byte, of what the five above give. */
static inline unsigned clg_lanes_bits(clg_lanes found) {
    return (unsigned)_mm_movemask_epi8(found);
}

#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>

typedef v128_t clg_lanes;

static inline clg_lanes clg_lanes_at(const char *text) { return wasm_v128_load(text); }

static inline clg_lanes clg_lanes_folded(clg_lanes bytes) {
    return wasm_v128_or(bytes, wasm_i8x16_const_splat(0x20));
}

static inline clg_lanes clg_lanes_equal(clg_lanes bytes, char c) {
    return wasm_i8x16_eq(bytes, wasm_i8x16_splat(c));
}

static inline clg_lanes clg_lanes_either(clg_lanes a, clg_lanes b) { return wasm_v128_or(a, b); }

static inline clg_lanes clg_lanes_decimal(clg_lanes bytes) {
    return wasm_v128_and(wasm_i8x16_gt(bytes, wasm_i8x16_const_splat('-' - 1)),
                         wasm_i8x16_lt(bytes, wasm_i8x16_const_splat('9' + 1)));
}

static inline clg_lanes clg_lanes_odd(clg_lanes bytes) {
    return wasm_i8x16_lt(bytes, wasm_i8x16_const_splat(0x20));
}

static inline unsigned clg_lanes_bits(clg_lanes found) {
    return (unsigned)wasm_i8x16_bitmask(found);
}

#else

typedef struct clg_lanes {
    uint64_t word[2];
} clg_lanes;

#define CLG_LANES_EACH(byte) (0x0101010101010101u * (uint64_t)(byte))
#define CLG_LANES_HIGH CLG_LANES_EACH(0x80)

static inline clg_lanes clg_lanes_at(const char *text) {
    return (clg_lanes){{clg_lanes_word(text), clg_lanes_word(text + 8)}};
}

static inline clg_lanes clg_lanes_folded(clg_lanes bytes) {
    for (int i = 0; i < 2; i++) bytes.word[i] |= CLG_LANES_EACH(0x20);
    return bytes;
}

/* The high bit of every byte that is zero: of no other do low bits and high bit all stay clear. */
static inline uint64_t clg_lanes_zero(uint64_t word) {
    return ~(((word & ~CLG_LANES_HIGH) + ~CLG_LANES_HIGH) | word) & CLG_LANES_HIGH;
}

static inline clg_lanes clg_lanes_equal(clg_lanes bytes, char c) {
    for (int i = 0; i < 2; i++)
        bytes.word[i] = clg_lanes_zero(bytes.word[i] ^ CLG_LANES_EACH((unsigned char)c));
    return bytes;
}

static inline clg_lanes clg_lanes_either(clg_lanes a, clg_lanes b) {
    return (clg_lanes){{a.word[0] | b.word[0], a.word[1] | b.word[1]}};
}

/* Seven bits plus what lifts '-' to 128, less those that '9' + 1 is lifted to. */
static inline clg_lanes clg_lanes_decimal(clg_lanes bytes) {
    for (int i = 0; i < 2; i++) {
        uint64_t low = bytes.word[i] & ~CLG_LANES_HIGH;
        uint64_t from = low + CLG_LANES_EACH(0x80 - '-'), past = low + CLG_LANES_EACH(0x80 - ':');
        bytes.word[i] = from & ~past & ~bytes.word[i] & CLG_LANES_HIGH;
    }
    return bytes;
}

static inline clg_lanes clg_lanes_odd(clg_lanes bytes) {
    for (int i = 0; i < 2; i++) {
        uint64_t lifted = (bytes.word[i] & ~CLG_LANES_HIGH) + CLG_LANES_EACH(0x80 - 0x20);
        bytes.word[i] = (~lifted | bytes.word[i]) & CLG_LANES_HIGH;
    }
    return bytes;
}

/* The product puts the high bit of byte i at bit 56 + i; nothing else reaches there. */
static inline unsigned clg_lanes_bits(clg_lanes found) {
    const uint64_t gather = 0x0002040810204081u;
    return (unsigned)(((found.word[0] & CLG_LANES_HIGH) * gather) >> 56 |
                      ((found.word[1] & CLG_LANES_HIGH) * gather) >> 56 << 8);
}

#undef CLG_LANES_EACH
#undef CLG_LANES_HIGH
#endif

#endif
