/* parcel.h -- structs as bytes and back, by one walk over their fields.
 *
 * A walk names every field once, `x->n = clg_parcel_integer(p, x->n, 0, MOST)`: while packing, the
 * value is appended and comes back as it was; while unpacking, the value read comes back and what
 * was passed is ignored. So what is written is what is read, field by field.
 *
 * Unpacking never reads past the end and never allocates more than a fixed multiple of the bytes
 * given. The first fault is kept in `broken`; from then on every value is the least one allowed,
 * every array and text empty. The same values give the same bytes on every machine: integers in
 * groups of seven bits, small ones of either sign short, floating point as eight bytes. */
#ifndef CLG_BASE_PARCEL_H
#define CLG_BASE_PARCEL_H

#include "base/text.h"

typedef struct clg_parcel {
    clg_text *out;                 /* packing: the bytes go here; NULL: unpacking */
    clg_arena *arena;              /* unpacking: what was read lives here */
    const unsigned char *at, *end; /* unpacking: what is left */
    const char *broken;            /* unpacking: the first fault, in words; NULL: none */
} clg_parcel;

clg_parcel clg_parcel_to(clg_text *out);
clg_parcel clg_parcel_from(clg_arena *arena, const void *bytes, size_t size);

/* Keeps the first fault. */
void clg_parcel_break(clg_parcel *parcel, const char *why);

/* Nothing was broken and nothing is left. */
bool clg_parcel_ended(const clg_parcel *parcel);

int64_t clg_parcel_integer(clg_parcel *parcel, int64_t value, int64_t least, int64_t most);

/* Any integer, written as its distance from one that both sides know. */
int64_t clg_parcel_near(clg_parcel *parcel, int64_t value, int64_t known);

double clg_parcel_number(clg_parcel *parcel, double value);
bool clg_parcel_flag(clg_parcel *parcel, bool value);
const char *clg_parcel_text(clg_parcel *parcel, const char *text);         /* never NULL */
const char *clg_parcel_text_or_null(clg_parcel *parcel, const char *text); /* NULL stays NULL */

/* How many elements follow, of which each takes at least `least_bytes` in the parcel. */
size_t clg_parcel_count(clg_parcel *parcel, size_t count, size_t least_bytes);

/* An array of elements that the caller then walks one by one: the one given while packing, a
 * zeroed one of `*count` elements while unpacking. */
void *clg_parcel_array(clg_parcel *parcel, void *items, size_t *count, size_t element_size,
                       size_t least_bytes);

#endif
