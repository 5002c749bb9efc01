/* parcel.c -- values as bytes. */
#include "base/parcel.h"

#include <assert.h>
#include <string.h>

clg_parcel clg_parcel_to(clg_text *out) { return (clg_parcel){.out = out}; }

clg_parcel clg_parcel_from(clg_arena *arena, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    return (clg_parcel){.arena = arena, .at = at, .end = size ? at + size : at};
}

void clg_parcel_break(clg_parcel *p, const char *why) {
    if (!p->broken) p->broken = why;
    p->at = p->end;
}

bool clg_parcel_ended(const clg_parcel *p) { return !p->broken && p->at == p->end; }

/* Seven bits a byte, lowest first; the eighth says that more follow. */
static void put(clg_parcel *p, uint64_t value) {
    unsigned char bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) bytes[size++] = (unsigned char)(value | 0x80);
    bytes[size++] = (unsigned char)value;
    clg_text_add(p->out, (const char *)bytes, size);
}

static uint64_t take(clg_parcel *p) {
    uint64_t value = 0;
    for (int shift = 0; p->at < p->end && shift < 64; shift += 7) {
        unsigned char byte = *p->at++;
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    clg_parcel_break(p, p->at < p->end ? "a number of more than 64 bits" : "it ends early");
    return 0;
}

/* int64_t is two's complement by definition (C17 7.20.1.1). */
static uint64_t signless(int64_t value) { return (uint64_t)value; }
static int64_t signed_of(uint64_t bits) {
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 0, -1, 1, -2, ... as 0, 1, 2, 3, ... */
static uint64_t folded(int64_t value) {
    return signless(value) << 1 ^ (value < 0 ? UINT64_MAX : 0);
}
static int64_t unfolded(uint64_t value) {
    return signed_of(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

int64_t clg_parcel_integer(clg_parcel *p, int64_t value, int64_t least, int64_t most) {
    if (p->out) {
        assert(value >= least && value <= most);
        put(p, folded(value));
        return value;
    }
    int64_t read = unfolded(take(p));
    if (!p->broken && (read < least || read > most)) clg_parcel_break(p, "a number out of range");
    return p->broken ? least : read;
}

/* Distances wrap, so that there is one between any two. */
int64_t clg_parcel_near(clg_parcel *p, int64_t value, int64_t known) {
    uint64_t from = signless(known);
    if (p->out) {
        put(p, folded(signed_of(signless(value) - from)));
        return value;
    }
    uint64_t distance = signless(unfolded(take(p)));
    return p->broken ? known : signed_of(from + distance);
}

double clg_parcel_number(clg_parcel *p, double value) {
    uint64_t bits = 0;
    unsigned char bytes[8];
    if (p->out) {
        memcpy(&bits, &value, sizeof bits);
        for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
        clg_text_add(p->out, (const char *)bytes, sizeof bytes);
        return value;
    }
    if (p->end - p->at < 8) {
        clg_parcel_break(p, "it ends early");
        return 0;
    }
    for (int i = 0; i < 8; i++) bits |= (uint64_t)*p->at++ << (8 * i);
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool clg_parcel_flag(clg_parcel *p, bool value) { return clg_parcel_integer(p, value, 0, 1) != 0; }

size_t clg_parcel_count(clg_parcel *p, size_t count, size_t least_bytes) {
    if (p->out) {
        put(p, count);
        return count;
    }
    uint64_t read = take(p);
    if (least_bytes && read > (uint64_t)(p->end - p->at) / least_bytes)
        clg_parcel_break(p, "more elements than it has bytes for");
    return p->broken ? 0 : (size_t)read;
}

const char *clg_parcel_text(clg_parcel *p, const char *text) {
    size_t size = clg_parcel_count(p, p->out ? strlen(text) : 0, 1);
    if (p->out) {
        clg_text_add(p->out, text, size);
        return text;
    }
    const char *copy = clg_arena_copy(p->arena, size ? (const char *)p->at : "", size);
    p->at += size;
    return copy;
}

const char *clg_parcel_text_or_null(clg_parcel *p, const char *text) {
    bool there = clg_parcel_flag(p, text != NULL);
    return there ? clg_parcel_text(p, text) : NULL;
}

void *clg_parcel_array(clg_parcel *p, void *items, size_t *count, size_t element_size,
                       size_t least_bytes) {
    *count = clg_parcel_count(p, *count, least_bytes);
    return p->out ? items : clg_arena_take(p->arena, *count, element_size);
}
