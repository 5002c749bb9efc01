/* plain.h -- JSON as writers of traces nearly always leave it, read in place.
 *
 * Each of these takes what it is sure of, with one look at sixteen bytes, and otherwise moves
 * nothing and leaves the careful look to scan.c; what both accept, both read alike. */
#ifndef CLG_RECORD_PLAIN_H
#define CLG_RECORD_PLAIN_H

#include "record/lanes.h"

#include <stdbool.h>
#include <stddef.h>

/* Part of the text: escapes are as written, nothing ends it. */
typedef struct clg_slice {
    const char *text;
    size_t size;
} clg_slice;

typedef struct clg_scan {
    const char *at, *end;
} clg_scan;

/* What a byte is to JSON: one look instead of a chain of comparisons. */
enum {
    CLG_BLANK = 1,
    CLG_COMMA = 2,
    CLG_ENDS_WORD = 4,  /* a number, true, null */
    CLG_NO_WORD = 8,    /* what no such word holds */
    CLG_MARK = 16,      /* opens, closes or quotes */
    CLG_ENDS_KEY = 32,  /* follows the closing quote of a key, */
    CLG_ENDS_VALUE = 64 /* of a value */
};
extern const unsigned char clg_scan_classes[256];

static inline bool clg_is(char c, unsigned classes) {
    return (clg_scan_classes[(unsigned char)c] & classes) != 0;
}

/* Where a run of spaces and line ends is over, `at` + 16 at most. */
static inline const char *clg_plain_run(const char *at) {
    clg_lanes bytes = clg_lanes_at(at);
    unsigned run =
        clg_lanes_bits(clg_lanes_either(clg_lanes_equal(bytes, ' '), clg_lanes_equal(bytes, '\n')));
    return at + __builtin_ctz(~run);
}

/* Nothing, a space, or the end of a line and what the next is indented by. */
static inline bool clg_plain_blanks(clg_scan *s) {
    const char *at = s->at;
    if (s->end - at <= CLG_LANES + 1) return false;
    if (*at == ' ') at++;
    if (clg_is(*at, CLG_BLANK)) at = clg_plain_run(at);
    if (clg_is(*at, CLG_BLANK)) return false;
    s->at = at;
    return true;
}

/* The same behind a comma. */
static inline bool clg_plain_separators(clg_scan *s) {
    const char *at = s->at;
    if (s->end - at <= CLG_LANES + 2) return false;
    if (*at == ',') at++;
    if (*at == ' ') at++;
    if (clg_is(*at, CLG_BLANK)) at = clg_plain_run(at);
    if (clg_is(*at, CLG_BLANK | CLG_COMMA)) return false;
    s->at = at;
    return true;
}

/* A string whose first quote is not escaped, and followed at once by what says that it ends there:
 * `classes`. Scan stands on the opening quote; afterwards on what follows the closing one. */
static inline bool clg_plain_string(clg_scan *s, unsigned classes, clg_slice *out) {
    const char *start = s->at + 1;
    for (const char *p = start; s->end - p > CLG_LANES; p += CLG_LANES) {
        unsigned quotes = clg_lanes_bits(clg_lanes_equal(clg_lanes_at(p), '"'));
        if (!quotes) continue;
        p += __builtin_ctz(quotes);
        if (p[-1] == '\\' || !clg_is(p[1], classes)) return false;
        *out = (clg_slice){start, (size_t)(p - start)};
        s->at = p + 1;
        return true;
    }
    return false;
}

/* Digits, with a sign and a point at most. */
static inline bool clg_plain_number(clg_scan *s, clg_slice *out) {
    enum { ALL = (1 << CLG_LANES) - 1 };
    for (const char *p = s->at; s->end - p > CLG_LANES; p += CLG_LANES) {
        unsigned run = clg_lanes_bits(clg_lanes_decimal(clg_lanes_at(p)));
        if (run == ALL) continue;
        p += __builtin_ctz(~run);
        if (p == s->at || !clg_is(*p, CLG_ENDS_WORD)) return false;
        *out = (clg_slice){s->at, (size_t)(p - s->at)};
        s->at = p;
        return true;
    }
    return false;
}

#endif
