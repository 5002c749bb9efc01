/* scan.h -- a pull scanner for JSON that may be damaged.
 *
 * Profiler traces reach a gigabyte, and writers leave raw control bytes, unescaped quotes and cut
 * tails in them (reference: pytorch #136180, #146900, kineto #1459). So this scanner, unlike
 * base/json.h, builds nothing, hands out slices of the text and says whether the text ended or is
 * wrong: the caller fetches more of it, or takes up again at the next event. */
#ifndef CLG_RECORD_SCAN_H
#define CLG_RECORD_SCAN_H

#include "record/plain.h"

typedef enum clg_scan_status {
    CLG_SCAN_OK,
    CLG_SCAN_SHORT,  /* the text ended inside the value */
    CLG_SCAN_DAMAGED /* no reader could go on here */
} clg_scan_status;

/* In the header, so that the lengths of literals are constants: every event asks often. */
static inline bool clg_slice_starts(clg_slice slice, const char *word) {
    size_t size = strlen(word);
    return slice.size >= size && memcmp(slice.text, word, size) == 0;
}

static inline bool clg_slice_is(clg_slice slice, const char *word) {
    return slice.size == strlen(word) && clg_slice_starts(slice, word);
}

/* The careful halves of what follows; whole answers to the same questions. */
void clg_careful_blanks(clg_scan *scan, unsigned classes);
clg_scan_status clg_careful_string(clg_scan *scan, unsigned classes, clg_slice *out);
clg_scan_status clg_careful_value(clg_scan *scan, clg_slice *value);

/* Blanks, and commas as well: a comma too many harms nobody. */
static inline void clg_scan_blanks(clg_scan *s) {
    if (!clg_plain_blanks(s)) clg_careful_blanks(s, CLG_BLANK);
}

static inline void clg_scan_separators(clg_scan *s) {
    if (!clg_plain_separators(s)) clg_careful_blanks(s, CLG_BLANK | CLG_COMMA);
}

/* A key and its colon. */
static inline clg_scan_status clg_scan_key(clg_scan *s, clg_slice *key) {
    if (s->at == s->end) return CLG_SCAN_SHORT;
    if (*s->at != '"') return CLG_SCAN_DAMAGED;
    if (!clg_plain_string(s, CLG_ENDS_KEY, key)) {
        clg_scan_status status = clg_careful_string(s, CLG_ENDS_KEY, key);
        if (status != CLG_SCAN_OK) return status;
    }
    s->at++;
    clg_scan_blanks(s);
    return s->at == s->end ? CLG_SCAN_SHORT : CLG_SCAN_OK;
}

/* Any value. A string gives what is between its quotes, anything else its text as written. A quote
 * that nothing of JSON follows belongs to the string. */
static inline clg_scan_status clg_scan_value(clg_scan *s, clg_slice *value) {
    bool text = s->at < s->end && *s->at == '"';
    bool plain = text ? clg_plain_string(s, CLG_ENDS_VALUE, value) : clg_plain_number(s, value);
    return plain ? CLG_SCAN_OK : clg_careful_value(s, value);
}

/* A member of an object that is asked for: empty when it is absent. */
typedef struct clg_member {
    const char *key;
    clg_slice value;
} clg_member;

/* Past an object, on whose brace `scan` stands, taking the values of `members`. */
clg_scan_status clg_scan_members(clg_scan *scan, clg_member *members, int count);

/* Past the end of the object whose members `scan` stands between, where all of it is there and
 * nothing in it is odd; false, and nothing moves, where members have to be looked at one by one. */
bool clg_scan_rest(clg_scan *scan);

/* Whether an event starts at the brace at `at`: "ph" is a key before the next brace. `whole` is
 * cleared when the text ended before that was known. */
bool clg_scan_event_here(const char *at, const char *end, bool *whole);

/* number * 10^shift, rounded to the nearest integer; false when it is no number or is out of range.
 * Exact where a double is not: microseconds since 1970 with decimals need 63 bits. */
bool clg_scan_decimal(clg_slice number, int shift, int64_t *value);

/* A number rounded to a whole one, or `fallback` where it is none. */
int64_t clg_scan_integer(clg_slice number, int64_t fallback);

bool clg_slice_has(clg_slice slice, const char *word);

#endif
