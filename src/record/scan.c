/* scan.c -- slices of damaged JSON. */
#include "record/scan.h"

#include "base/letters.h"

#include <string.h>

/* Bounds on what is mended or nested, so that a hostile text is given up early. */
enum { LONGEST_MENDED = 16384, DEEPEST = 64, PHASE_WITHIN = 8192 };

const unsigned char clg_scan_classes[256] = {[' '] = CLG_BLANK | CLG_ENDS_WORD,
                                             ['\n'] = CLG_BLANK | CLG_ENDS_WORD,
                                             ['\t'] = CLG_BLANK | CLG_ENDS_WORD,
                                             ['\r'] = CLG_BLANK | CLG_ENDS_WORD,
                                             [','] = CLG_COMMA | CLG_ENDS_WORD | CLG_ENDS_VALUE,
                                             ['}'] = CLG_ENDS_WORD | CLG_MARK | CLG_ENDS_VALUE,
                                             [']'] = CLG_ENDS_WORD | CLG_MARK | CLG_ENDS_VALUE,
                                             ['"'] = CLG_NO_WORD | CLG_MARK,
                                             ['{'] = CLG_NO_WORD | CLG_MARK,
                                             ['['] = CLG_NO_WORD | CLG_MARK,
                                             [':'] = CLG_NO_WORD | CLG_ENDS_KEY};

static const char *past(const char *at, const char *end, unsigned classes) {
    for (;;) {
        if (end - at >= CLG_LANES) at = clg_plain_run(at);
        if (at == end || !clg_is(*at, classes)) return at;
        at++;
    }
}

static inline const char *past_blanks(const char *at, const char *end) {
    if (end - at > CLG_LANES) at = clg_plain_run(at);
    if (at < end && !clg_is(*at, CLG_BLANK)) return at;
    return past(at, end, CLG_BLANK);
}

void clg_careful_blanks(clg_scan *s, unsigned classes) { s->at = past(s->at, s->end, classes); }

/* memchr for a quote: strings of traces are short, so that looking in place beats a call. */
static const char *find_quote(const char *p, const char *end) {
    for (; end - p >= CLG_LANES; p += CLG_LANES) {
        unsigned quotes = clg_lanes_bits(clg_lanes_equal(clg_lanes_at(p), '"'));
        if (quotes) return p + __builtin_ctz(quotes);
    }
    return p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
}

static bool escaped(const char *start, const char *quote) {
    const char *p = quote;
    while (p > start && p[-1] == '\\') p--;
    return (quote - p) % 2 != 0;
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

/* Quotes that end nothing belong to the string. */
clg_scan_status clg_careful_string(clg_scan *s, unsigned classes, clg_slice *out) {
    const char *start = s->at + 1, *p = start, *first_odd = NULL, *last_odd = NULL;
    for (;; p++) {
        p = find_quote(p, s->end);
        if (!p) return CLG_SCAN_SHORT;
        if (escaped(start, p)) continue;
        const char *next = past_blanks(p + 1, s->end);
        if (next == s->end) return CLG_SCAN_SHORT;
        if (clg_is(*next, classes)) {
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

/* Numbers, true, null, NaN: what stands before a separator. */
static clg_scan_status scan_word(clg_scan *s, clg_slice *out) {
    const char *p = s->at;
    while (p < s->end && !clg_is(*p, CLG_ENDS_WORD | CLG_NO_WORD)) p++;
    if (p == s->end) return CLG_SCAN_SHORT;
    if (clg_is(*p, CLG_NO_WORD)) return CLG_SCAN_DAMAGED;
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
    while (at < end && !clg_is(*at, CLG_MARK)) at++;
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
            clg_scan_status status = clg_careful_string(s, CLG_ENDS_KEY | CLG_ENDS_VALUE, &ignored);
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

/* Sixty-four bytes as bits; the lowest is the first byte. */
typedef struct block {
    uint64_t quotes, brackets;
    uint64_t followers; /* what a quote that closes a string is followed by */
    bool escapes;
} block;
enum { BLOCK = 64 };

static inline clg_lanes add_lanes(block *b, const char *at, int shift) {
    clg_lanes bytes = clg_lanes_at(at + shift), folded = clg_lanes_folded(bytes);
    clg_lanes closing = clg_lanes_equal(folded, '}');
    clg_lanes brackets = clg_lanes_either(closing, clg_lanes_equal(folded, '{'));
    clg_lanes parting = clg_lanes_either(clg_lanes_equal(bytes, ':'), clg_lanes_equal(bytes, ','));
    b->quotes |= (uint64_t)clg_lanes_bits(clg_lanes_equal(bytes, '"')) << shift;
    b->brackets |= (uint64_t)clg_lanes_bits(brackets) << shift;
    b->followers |= (uint64_t)clg_lanes_bits(clg_lanes_either(parting, closing)) << shift;
    return clg_lanes_equal(bytes, '\\');
}

static inline block block_at(const char *at) {
    block b = {0};
    clg_lanes escapes = add_lanes(&b, at, 0);
    escapes = clg_lanes_either(escapes, add_lanes(&b, at, 16));
    escapes = clg_lanes_either(escapes, add_lanes(&b, at, 32));
    escapes = clg_lanes_either(escapes, add_lanes(&b, at, 48));
    b.escapes = clg_lanes_bits(escapes) != 0;
    return b;
}

/* Every bit with the xor of all up to it: between a pair of quotes ones, the first among them. */
static inline uint64_t between(uint64_t quotes) {
    quotes ^= quotes << 1;
    quotes ^= quotes << 2;
    quotes ^= quotes << 4;
    quotes ^= quotes << 8;
    quotes ^= quotes << 16;
    return quotes ^ quotes << 32;
}

/* Whether each of these bytes begins blanks before something that may follow a string. */
static bool follow_after_blanks(const char *at, const char *end, uint64_t bytes) {
    for (; bytes; bytes &= bytes - 1) {
        const char *next = past_blanks(at + __builtin_ctzll(bytes), end);
        if (next == end || !clg_is(*next, CLG_ENDS_KEY | CLG_ENDS_VALUE)) return false;
    }
    return true;
}

/* Takes brackets, lowest first, until the depth is zero; their rest, with the one that closed it.
 * Cleared `whole`: the careful look is needed. Of { [ } ] only the first two have bit 1 set. */
static inline uint64_t take_brackets(const char *at, const char *end, uint64_t brackets, int *depth,
                                     bool *whole) {
    for (; brackets; brackets &= brackets - 1) {
        const char *bracket = at + __builtin_ctzll(brackets);
        *depth += (*bracket & 2) - 1;
        *whole = *depth <= DEEPEST && !(*bracket == '{' && swallows_event(bracket, end));
        if (*depth == 0 || !*whole) break;
    }
    return brackets;
}

/* The end of a value that is whole and in order; NULL: look carefully. Most of a trace are
 * arguments that nobody asks for, so they are passed over without looking at every byte. */
static const char *past_nested(const char *at, const char *end, int depth) {
    uint64_t inside = 0, follows = 0; /* all ones: in a string; 1: a string ended just before */
    for (; end - at > BLOCK; at += BLOCK) {
        block b = block_at(at);
        if (b.escapes) return NULL;
        uint64_t strings = between(b.quotes) ^ inside, ends = b.quotes & ~strings;
        bool whole = true;
        uint64_t rest = take_brackets(at, end, b.brackets & ~strings, &depth, &whole);
        uint64_t last = rest & -rest, doubtful = (ends << 1 | follows) & ~b.followers;
        if (rest) doubtful &= last | (last - 1);
        if (!whole || (doubtful && !follow_after_blanks(at, end, doubtful))) return NULL;
        if (rest) return at + __builtin_ctzll(rest) + 1;
        inside = 0 - (strings >> (BLOCK - 1));
        follows = ends >> (BLOCK - 1);
    }
    return NULL;
}

clg_scan_status clg_careful_value(clg_scan *s, clg_slice *value) {
    if (s->at == s->end) return CLG_SCAN_SHORT;
    if (*s->at == '"') return clg_careful_string(s, CLG_ENDS_VALUE, value);
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
    bool full;  /* a digit was left out */
    bool round; /* the first of those was 5 or more */
} decimal;

static const char *take_digits(decimal *d, const char *p, const char *end, int power) {
    for (; p < end && clg_is_digit(*p); p++) {
        d->any = true;
        if (!d->full && d->digits <= (UINT64_MAX - 9) / 10) {
            d->digits = d->digits * 10 + (uint64_t)(*p - '0');
            d->power -= power;
            continue;
        }
        if (!d->full) d->round = *p >= '5';
        d->full = true;
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
    for (; p < end && clg_is_digit(*p); p++)
        if (power < 1000) power = power * 10 + (*p - '0');
    if (p == first) d->any = false;
    d->power += negative ? -power : power;
    return p;
}

/* Both ways by single powers of ten: 40 steps at most before it is over or zero. */
static bool scale(decimal *d, int shift) {
    int power = d->power + shift;
    if (power == 0 && d->round) d->digits++;
    for (; power > 0 && d->digits != 0; power--) {
        if (d->digits > INT64_MAX / 10) return false;
        d->digits *= 10;
    }
    if (power < -40) d->digits = 0;
    for (; power < 0 && d->digits != 0; power++)
        d->digits = d->digits / 10 + (power == -1 && d->digits % 10 >= 5);
    return d->digits <= INT64_MAX;
}

/* Eight digits at once: neighbours are joined to numbers of two, four and eight digits. False where
 * they are not all digits. */
static inline bool eight_digits(const char *text, uint64_t *number) {
    const uint64_t ones = 0x0101010101010101u, high = 0xf0 * ones;
    uint64_t d = clg_lanes_word(text);
    if ((d & high) != 0x30 * ones || ((d + 6 * ones) & high) != 0x30 * ones) return false;
    d = (d & (0x0f * ones)) * (10 * 0x100 + 1) >> 8;
    d = (d & 0x00ff00ff00ff00ffu) * (100 * 0x10000 + 1) >> 16;
    *number = (d & 0x0000ffff0000ffffu) * (10000 * UINT64_C(0x100000000) + 1) >> 32;
    return true;
}

/* Digits from `p` on, of which `number` must be able to hold what it has and 18 more. */
static inline const char *plain_digits(const char *p, const char *end, uint64_t *number) {
    for (uint64_t eight; end - p >= 8 && eight_digits(p, &eight); p += 8)
        *number = *number * 100000000 + eight;
    for (; p < end && clg_is_digit(*p); p++) *number = *number * 10 + (uint64_t)(*p - '0');
    return p;
}

/* Almost every number: at most sixteen digits, of which no more than `shift` behind the point, so
 * that nothing is rounded. False: look carefully. */
static bool plain_decimal(clg_slice number, int shift, int64_t *value) {
    enum { MOST_DIGITS = 16, MOST_SHIFT = 3 };
    static const uint64_t powers[] = {1, 10, 100, 1000};
    const char *p = number.text, *end = p + number.size;
    uint64_t whole = 0;
    if (number.size > MOST_DIGITS + 1 + MOST_SHIFT || shift > MOST_SHIFT) return false;
    const char *point = plain_digits(p, end, &whole), *first = point < end ? point + 1 : end;
    if (point == p || point - p > MOST_DIGITS || end - first > shift) return false;
    if (point < end && *point != '.') return false;
    if (plain_digits(first, end, &whole) != end) return false;
    whole *= powers[shift - (end - first)];
    *value = (int64_t)whole;
    return whole <= INT64_MAX;
}

bool clg_scan_decimal(clg_slice number, int shift, int64_t *value) {
    if (number.size == 0) return false;
    if (plain_decimal(number, shift, value)) return true;
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

int64_t clg_scan_integer(clg_slice number, int64_t fallback) {
    int64_t value;
    return clg_scan_decimal(number, 0, &value) ? value : fallback;
}

bool clg_slice_has(clg_slice slice, const char *word) {
    size_t size = strlen(word);
    for (const char *at = slice.text, *end = at + slice.size; (size_t)(end - at) >= size; at++) {
        at = memchr(at, *word, (size_t)(end - at) - size + 1);
        if (!at) return false;
        if (memcmp(at, word, size) == 0) return true;
    }
    return false;
}
