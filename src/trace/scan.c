/* scan.c -- slices of damaged JSON. */
#include "trace/scan.h"

#include <string.h>

#ifdef __SSE2__ /* of every x86-64; elsewhere the plain loops below do the same, slower */
#include <emmintrin.h>
#endif

/* Bounds on what is mended or nested, so that a hostile text is given up early. */
enum { LONGEST_MENDED = 16384, DEEPEST = 64, PHASE_WITHIN = 8192 };

/* What a byte is to JSON: one look instead of a chain of comparisons. */
enum {
    BLANK = 1,
    COMMA = 2,
    ENDS_WORD = 4, /* a number, true, null */
    NO_WORD = 8,   /* what no such word holds */
    MARK = 16      /* opens, closes or quotes */
};
static const unsigned char classes[256] = {[' '] = BLANK | ENDS_WORD,
                                           ['\n'] = BLANK | ENDS_WORD,
                                           ['\t'] = BLANK | ENDS_WORD,
                                           ['\r'] = BLANK | ENDS_WORD,
                                           [','] = COMMA | ENDS_WORD,
                                           ['}'] = ENDS_WORD | MARK,
                                           [']'] = ENDS_WORD | MARK,
                                           ['"'] = NO_WORD | MARK,
                                           ['{'] = NO_WORD | MARK,
                                           ['['] = NO_WORD | MARK,
                                           [':'] = NO_WORD};

static bool is(char c, unsigned kinds) { return (classes[(unsigned char)c] & kinds) != 0; }

#ifdef __SSE2__
enum { LANES = 16 };

static unsigned equal(__m128i bytes, char c) {
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}
#endif

/* Indentation comes in runs: sixteen or eight at a time. */
static const char *past(const char *at, const char *end, unsigned kinds) {
#ifdef __SSE2__
    while (end - at >= LANES) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        unsigned run = equal(bytes, ' ') | equal(bytes, '\n') | equal(bytes, '\r') |
                       equal(bytes, '\t') | (kinds & COMMA ? equal(bytes, ',') : 0);
        if (run != 0xffff) return at + __builtin_ctz(~run);
        at += LANES;
    }
#endif
    const uint64_t spaces = 0x2020202020202020u;
    for (uint64_t word; at < end && is(*at, kinds);) {
        bool run = *at == ' ' && end - at > 8 && (memcpy(&word, at, 8), word == spaces);
        at += run ? 8 : 1;
    }
    return at;
}

static const char *past_blanks(const char *at, const char *end) {
    if (at < end && !is(*at, BLANK)) return at;
    if (end - at > 1 && *at == ' ' && !is(at[1], BLANK)) return at + 1;
    return past(at, end, BLANK);
}

void clg_scan_blanks(clg_scan *s) { s->at = past_blanks(s->at, s->end); }

void clg_scan_separators(clg_scan *s) {
    const char *at = s->at;
    if (at < s->end && !is(*at, BLANK | COMMA)) return;
    if (s->end - at > 2 && *at == ',' && at[1] == ' ' && !is(at[2], BLANK | COMMA)) {
        s->at = at + 2; /* as members of one line are parted */
        return;
    }
    s->at = past(s->at, s->end, BLANK | COMMA);
}

/* memchr for a quote: strings of traces are short, so eight bytes at a time in place beat a call.
 * A byte is zero where (x - 1) borrows and x had no high bit; the lowest such byte is exact. */
static const char *find_quote(const char *p, const char *end) {
#ifdef __SSE2__
    for (; end - p >= LANES; p += LANES) {
        unsigned quotes = equal(_mm_loadu_si128((const __m128i *)(const void *)p), '"');
        if (quotes) return p + __builtin_ctz(quotes);
    }
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = 0x0101010101010101u, quotes = 0x2222222222222222u;
    for (uint64_t word; end - p >= 8; p += 8) {
        memcpy(&word, p, 8);
        word ^= quotes;
        uint64_t zero = (word - ones) & ~word & (ones << 7);
        if (zero) return p + (__builtin_ctzll(zero) >> 3);
    }
#endif
    return p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
}

static bool escaped(const char *start, const char *quote) {
    const char *p = quote;
    while (p > start && p[-1] == '\\') p--;
    return (quote - p) % 2 != 0;
}

typedef enum role { ROLE_KEY = 1, ROLE_VALUE = 2 } role;

static bool follows(char c, int roles) {
    return ((roles & ROLE_KEY) && c == ':') ||
           ((roles & ROLE_VALUE) && (c == ',' || c == '}' || c == ']'));
}

/* Whether a member of an event begins at a quote. */
static bool member_here(const char *quote, const char *end) {
    static const char *const keys[] = {"\"ph\":",  "\"cat\":", "\"name\":", "\"pid\":",
                                       "\"tid\":", "\"ts\":",  "\"dur\":",  "\"args\":"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t size = strlen(keys[i]);
        if ((size_t)(end - quote) >= size && memcmp(quote, keys[i], size) == 0) return true;
    }
    return false;
}

/* A quote that ends nothing is taken into the string, but not when the string would then run over
 * the end of a line or a member of the event: its own closing quote is what was lost. */
static bool mendable(const char *first, const char *last, const char *quote, const char *end) {
    if (quote - first > LONGEST_MENDED) return false;
    if (memchr(last, '\n', (size_t)(quote - last))) return false;
    return !member_here(quote, end);
}

/* Scan stands on the opening quote; afterwards on what follows the closing one. */
static clg_scan_status scan_string(clg_scan *s, int roles, clg_slice *out) {
    const char *start = s->at + 1, *p = start, *first_odd = NULL, *last_odd = NULL;
    for (;; p++) {
        p = find_quote(p, s->end);
        if (!p) return CLG_SCAN_SHORT;
        if (escaped(start, p)) continue;
        const char *next = past_blanks(p + 1, s->end);
        if (next == s->end) return CLG_SCAN_SHORT;
        if (follows(*next, roles)) {
            if (last_odd && !mendable(first_odd, last_odd, p, s->end)) return CLG_SCAN_DAMAGED;
            *out = (clg_slice){start, (size_t)(p - start)};
            s->at = next;
            return CLG_SCAN_OK;
        }
        if (!first_odd) first_odd = last_odd = p;
        if (!mendable(first_odd, last_odd, p, s->end)) return CLG_SCAN_DAMAGED;
        last_odd = p;
    }
}

clg_scan_status clg_scan_key(clg_scan *s, clg_slice *key) {
    if (s->at == s->end) return CLG_SCAN_SHORT;
    if (*s->at != '"') return CLG_SCAN_DAMAGED;
    clg_scan_status status = scan_string(s, ROLE_KEY, key);
    if (status != CLG_SCAN_OK) return status;
    s->at++;
    clg_scan_blanks(s);
    return s->at == s->end ? CLG_SCAN_SHORT : CLG_SCAN_OK;
}

/* Numbers, true, null, NaN: what stands before a separator. */
static clg_scan_status scan_word(clg_scan *s, clg_slice *out) {
    const char *p = s->at;
    while (p < s->end && !is(*p, ENDS_WORD | NO_WORD)) p++;
    if (p == s->end) return CLG_SCAN_SHORT;
    if (is(*p, NO_WORD)) return CLG_SCAN_DAMAGED;
    if (p == s->at) return CLG_SCAN_DAMAGED;
    *out = (clg_slice){s->at, (size_t)(p - s->at)};
    s->at = p;
    return CLG_SCAN_OK;
}

/* An event inside a value: the brackets that should have closed it before were lost. */
static bool swallows_event(const char *at, const char *end) {
    const char *key = past_blanks(at + 1, end);
    return end - key >= 4 && memcmp(key, "\"ph\"", 4) == 0;
}

/* Past what neither opens, closes nor quotes. */
static const char *past_plain(const char *at, const char *end) {
    while (at < end && !is(*at, MARK)) at++;
    return at;
}

static clg_scan_status scan_nested(clg_scan *s, clg_slice *out) {
    const char *start = s->at;
    int depth = 0;
    do {
        if (s->at == s->end) return CLG_SCAN_SHORT;
        char c = *s->at;
        if (c == '"') {
            clg_slice ignored;
            clg_scan_status status = scan_string(s, ROLE_KEY | ROLE_VALUE, &ignored);
            if (status != CLG_SCAN_OK) return status;
            continue;
        }
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        if (depth > DEEPEST || (c == '{' && swallows_event(s->at, s->end))) return CLG_SCAN_DAMAGED;
        s->at++;
        if (depth > 0) s->at = past_plain(s->at, s->end);
    } while (depth > 0);
    *out = (clg_slice){start, (size_t)(s->at - start)};
    return CLG_SCAN_OK;
}

/* What a quote is followed by where it closes a string without a doubt. */
static bool closes(char c) { return c == ':' || c == ',' || c == '}' || c == ']'; }

typedef struct nesting {
    int depth;
    bool in_string;
} nesting;

enum { BLOCK = 64 };

/* Quotes and brackets among the next 64 bytes, as bits; false with a backslash among them. */
static bool marks(const char *at, uint64_t *found) {
    *found = 0;
    unsigned escapes = 0;
#ifdef __SSE2__
    for (int i = 0; i < BLOCK / LANES; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i * LANES));
        __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); /* [ to {, ] to } */
        *found |= (uint64_t)(equal(bytes, '"') | equal(folded, '{') | equal(folded, '}'))
                  << (i * LANES);
        escapes |= equal(bytes, '\\');
    }
#else
    for (int i = 0; i < BLOCK; i++) {
        bool mark = at[i] == '"' || (at[i] | 0x20) == '{' || (at[i] | 0x20) == '}';
        *found |= (uint64_t)mark << i;
        escapes |= at[i] == '\\';
    }
#endif
    return escapes == 0;
}

/* One quote or bracket; false where the careful scan should have a look. */
static bool take_mark(nesting *n, const char *at, const char *end) {
    if (*at == '"') {
        n->in_string = !n->in_string;
        if (n->in_string || closes(at[1])) return true;
        const char *next = past_blanks(at + 1, end);
        return next < end && closes(*next);
    }
    if (n->in_string) return true;
    bool opens = *at == '{' || *at == '[';
    n->depth += opens ? 1 : -1;
    return n->depth <= DEEPEST && !(opens && *at == '{' && swallows_event(at, end));
}

/* The end of a value that is whole and in order; NULL: look carefully. Most of a trace are
 * arguments that nobody asks for, so they are passed over without looking at every byte. */
static const char *past_nested(const char *at, const char *end, int depth) {
    nesting n = {depth, false};
    for (uint64_t found; end - at > BLOCK; at += BLOCK) {
        if (!marks(at, &found)) return NULL;
        for (; found; found &= found - 1) {
            const char *mark = at + __builtin_ctzll(found);
            if (!take_mark(&n, mark, end)) return NULL;
            if (n.depth == 0 && !n.in_string) return mark + 1;
        }
    }
    return NULL;
}
clg_scan_status clg_scan_value(clg_scan *s, clg_slice *value) {
    if (s->at == s->end) return CLG_SCAN_SHORT;
    if (*s->at == '"') return scan_string(s, ROLE_VALUE, value);
    if (*s->at != '{' && *s->at != '[') return scan_word(s, value);
    const char *past_it = past_nested(s->at, s->end, 0);
    if (!past_it) return scan_nested(s, value);
    *value = (clg_slice){s->at, (size_t)(past_it - s->at)};
    s->at = past_it;
    return CLG_SCAN_OK;
}

bool clg_scan_rest(clg_scan *s) {
    const char *past_it = past_nested(s->at, s->end, 1);
    if (past_it) s->at = past_it;
    return past_it != NULL;
}

clg_scan_status clg_scan_members(clg_scan *s, clg_member *members, int count) {
    for (s->at++;;) {
        clg_scan_separators(s);
        if (s->at == s->end) return CLG_SCAN_SHORT;
        if (*s->at == '}') break;
        clg_slice key, value;
        clg_scan_status status = clg_scan_key(s, &key);
        if (status == CLG_SCAN_OK) status = clg_scan_value(s, &value);
        if (status != CLG_SCAN_OK) return status;
        for (int i = 0; i < count; i++)
            if (clg_slice_is(key, members[i].key)) members[i].value = value;
    }
    s->at++;
    return CLG_SCAN_OK;
}

bool clg_scan_event_here(const char *at, const char *end, bool *whole) {
    const char *stop = end - at > PHASE_WITHIN ? at + PHASE_WITHIN : end;
    const char *p = past_blanks(at + 1, stop);
    *whole = true;
    if (p < stop && *p != '"') return false;
    for (; p < stop && *p != '{' && *p != '}'; p++)
        if (*p == '"' && stop - p >= 5 && memcmp(p, "\"ph\"", 4) == 0) return true;
    *whole = p < stop || stop < end;
    return false;
}

/* Digits and the power of ten they stand for. */
typedef struct decimal {
    uint64_t digits;
    int power;
    bool any;
} decimal;

static const char *take_digits(decimal *d, const char *p, const char *end, int power) {
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        d->any = true;
        if (d->digits <= (UINT64_MAX - 9) / 10) {
            d->digits = d->digits * 10 + (uint64_t)(*p - '0');
            d->power -= power;
        } else
            d->power += 1 - power; /* too many to hold: whole digits still count */
    }
    return p;
}

static const char *take_exponent(decimal *d, const char *p, const char *end) {
    if (p == end || (*p != 'e' && *p != 'E')) return p;
    bool negative = ++p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    int power = 0;
    const char *first = p;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (power < 1000) power = power * 10 + (*p - '0');
    if (p == first) d->any = false;
    d->power += negative ? -power : power;
    return p;
}

/* Both ways by single powers of ten: 40 steps at most before it is over or zero. */
static bool scale(decimal *d, int shift) {
    int power = d->power + shift;
    for (; power > 0 && d->digits != 0; power--) {
        if (d->digits > INT64_MAX / 10) return false;
        d->digits *= 10;
    }
    if (power < -40) d->digits = 0;
    for (; power < 0 && d->digits != 0; power++)
        d->digits = d->digits / 10 + (power == -1 && d->digits % 10 >= 5);
    return d->digits <= INT64_MAX;
}

bool clg_scan_decimal(clg_slice number, int shift, int64_t *value) {
    if (number.size == 0) return false;
    const char *p = number.text, *end = p + number.size;
    decimal d = {0};
    bool negative = p < end && *p == '-';
    p = take_digits(&d, p + negative, end, 0);
    if (p < end && *p == '.') p = take_digits(&d, p + 1, end, 1);
    p = take_exponent(&d, p, end);
    if (!d.any || p != end || !scale(&d, shift)) return false;
    *value = negative ? -(int64_t)d.digits : (int64_t)d.digits;
    return true;
}
