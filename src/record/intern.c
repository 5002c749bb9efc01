/* intern.c -- hashing and keeping names. */
#include "record/intern.h"

#include "record/lanes.h"

#include <string.h>

static const uint64_t mix = 0x9E3779B97F4A7C15u; /* 2^64 / golden ratio: spreads neighbours */

/* Eight bytes at a time. */
uint64_t clg_trace_hash(clg_slice text, uint64_t seed) {
    uint64_t hash = (seed ^ text.size) * mix, word;
    size_t at = 0;
    for (; at + 8 <= text.size; at += 8) {
        memcpy(&word, text.text + at, 8);
        hash = (hash ^ word) * mix;
        hash ^= hash >> 29;
    }
    word = 0;
    if (at < text.size) memcpy(&word, text.text + at, text.size - at);
    hash = (hash ^ word) * mix;
    return hash ^ hash >> 32;
}

/* Eight neighbours lie in one line of the cache: launches are numbered one after the other. */
static size_t slot_of(const clg_map *map, uint64_t key) {
    size_t line = (size_t)(((key >> 3) * mix) >> 20);
    size_t slot = (line << 3 | (size_t)(key & 7)) & (map->capacity - 1);
    while (map->keys[slot] != 0 && map->keys[slot] != key) slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

uint32_t clg_map_get(const clg_map *map, uint64_t key, uint32_t absent) {
    if (map->capacity == 0) return absent;
    size_t slot = slot_of(map, key ? key : 1);
    return map->keys[slot] ? map->values[slot] : absent;
}

static void rehash(clg_map *map) {
    clg_map bigger = {.arena = map->arena, .capacity = map->capacity ? map->capacity * 2 : 256};
    bigger.keys = clg_take(map->arena, bigger.capacity, uint64_t);
    bigger.values = clg_take(map->arena, bigger.capacity, uint32_t);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->keys[i]) {
            size_t slot = slot_of(&bigger, map->keys[i]);
            bigger.keys[slot] = map->keys[i];
            bigger.values[slot] = map->values[i];
        }
    bigger.count = map->count;
    *map = bigger;
}

uint32_t clg_map_add(clg_map *map, uint64_t key, uint32_t value) {
    if (2 * map->count >= map->capacity) rehash(map);
    if (key == 0) key = 1;
    size_t slot = slot_of(map, key);
    if (map->keys[slot] != 0) return map->values[slot];
    map->count++;
    map->keys[slot] = key;
    return map->values[slot] = value;
}

void clg_map_put(clg_map *map, uint64_t key, uint32_t value) {
    if (clg_map_add(map, key, value) != value) map->values[slot_of(map, key ? key : 1)] = value;
}

static bool plain(clg_slice text) {
    size_t i = 0;
    for (; i + CLG_LANES <= text.size; i += CLG_LANES) {
        clg_lanes bytes = clg_lanes_at(text.text + i);
        if (clg_lanes_bits(clg_lanes_either(clg_lanes_odd(bytes), clg_lanes_equal(bytes, '\\'))))
            return false;
    }
    for (; i < text.size; i++)
        if (text.text[i] == '\\' || (unsigned char)text.text[i] - 0x20u >= 0x60u) return false;
    return true;
}

/* Bytes of the UTF-8 character at p; 0 when there is none (RFC 3629: no overlong form, no half of a
 * surrogate pair, nothing beyond U+10FFFF). */
static size_t character_bytes(const char *p, size_t left) {
    unsigned char first = (unsigned char)*p;
    size_t size = first < 0x80                    ? 1
                  : first >= 0xc2 && first < 0xe0 ? 2
                  : first >= 0xe0 && first < 0xf0 ? 3
                  : first >= 0xf0 && first < 0xf5 ? 4
                                                  : 0;
    if (size > left) return 0;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)p[i] & 0xc0) != 0x80) return 0;
    if (size < 3) return size;
    unsigned char second = (unsigned char)p[1];
    bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    bool surrogate = first == 0xed && second >= 0xa0;
    return overlong || surrogate || (first == 0xf4 && second >= 0x90) ? 0 : size;
}

/* The letter an escape stands for; \uXXXX becomes '?', for no name of a kernel has any. */
static char unescaped(clg_slice text, size_t *at) {
    char c = text.text[++*at];
    if (c == 'u') *at = *at + 4 < text.size ? *at + 4 : text.size - 1;
    return c == 'u' ? '?' : c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f' ? ' ' : c;
}

/* Names are to be read and written out again: valid UTF-8 without control characters. */
static clg_slice cleaned(clg_arena *arena, clg_slice text) {
    char *out = clg_arena_take(arena, text.size + 1, 1);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.text[i];
        if (c == '\\' && i + 1 < text.size) c = unescaped(text, &i);
        size_t bytes = c == text.text[i] ? character_bytes(text.text + i, text.size - i) : 1;
        if (bytes > 1) {
            memcpy(out + size, text.text + i, bytes);
            size += bytes;
            i += bytes - 1;
        } else
            out[size++] = bytes == 0 ? '?' : (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c;
    }
    return (clg_slice){out, size};
}

uint32_t clg_intern_keep(clg_intern *in, clg_slice text) {
    uint64_t key = clg_trace_hash(text, 0);
    for (;; key++) { /* two texts of one hash: the next key */
        uint32_t index = clg_map_get(&in->map, key, UINT32_MAX);
        if (index == UINT32_MAX) break;
        const char *known = in->texts[index];
        if (strncmp(known, text.text, text.size) == 0 && known[text.size] == 0) return index;
    }
    const char *copy = clg_arena_copy(in->arena, text.text, text.size);
    in->map.arena = in->arena;
    clg_map_put(&in->map, key, (uint32_t)in->count);
    CLG_APPEND(in->arena, in->texts, in->count, in->capacity, copy);
    return (uint32_t)in->count - 1;
}

uint32_t clg_intern_add(clg_intern *in, clg_slice text) {
    if (text.size == 0) text.text = "";
    return clg_intern_keep(in, plain(text) ? text : cleaned(in->arena, text));
}

const char *clg_intern_text(clg_intern *in, clg_slice text) {
    uint32_t index = clg_intern_add(in, text); /* before `texts` is read: it may move */
    return in->texts[index];
}
