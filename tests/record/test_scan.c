/* The scanner of damaged JSON: numbers exact to the nanosecond, strings with quotes in them. */
#include "record/event.h"
#include "record/intern.h"
#include "test.h"

static clg_slice slice(const char *text) { return (clg_slice){text, strlen(text)}; }

static void decimal(const char *text, int shift, int64_t want) {
    int64_t got = -1;
    CHECK(clg_scan_decimal(slice(text), shift, &got));
    if (got != want) printf("  %s gave %lld, want %lld\n", text, (long long)got, (long long)want);
    CHECK(got == want);
}

static clg_scan_status value(const char *text, clg_slice *out) {
    clg_scan s = {text, text + strlen(text)};
    return clg_scan_value(&s, out);
}

static bool same(clg_slice s, const char *want) { return clg_slice_is(s, want); }

static unsigned state = 2024;

static unsigned below(unsigned n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

/* Digits one by one, rounded by hand; up to twenty, one more than a 64-bit number always holds. */
static void decimals_both_ways(void) {
    for (int i = 0; i < 20000; i++) {
        char text[40];
        int whole = (int)below(16) + 1, fraction = (int)below(5), size = 0;
        int64_t want = 0;
        for (int d = 0; d < whole; d++) text[size++] = (char)('0' + (d ? below(10) : below(3)));
        for (int d = 0; d < whole; d++) want = want * 10 + (text[d] - '0');
        if (fraction) text[size++] = '.';
        for (int d = 0; d < fraction; d++) text[size++] = (char)('0' + below(10));
        for (int d = 0; d < 3; d++)
            want = want * 10 + (d < fraction ? text[whole + 1 + d] - '0' : 0);
        want += fraction > 3 && text[whole + 4] >= '5';
        text[size] = 0;
        decimal(text, 3, want);
    }
}

/* A list of random pieces, whole or not, behind `lead` bytes. */
static size_t random_list(char *text, size_t lead) {
    static const char *const pieces[] = {
        "1",           "[2, 3]", "\"a\"",      "\"]\" ", "{\"k\": \"}\"}",
        "\"a, [\\n\"", "[]",     "\n        ", ",",      "\"b\"c\"",
        "\"",          "[",      "}",          "null",   "\"\\\"\"",
        "0.5"};
    size_t at = lead;
    memset(text, ' ', lead);
    text[at++] = '[';
    unsigned odd = below(4) ? 8 : 16; /* mostly no piece that breaks it */
    for (unsigned left = below(40); left > 0; left--) {
        const char *piece = pieces[below(odd)];
        memcpy(text + at, piece, strlen(piece));
        at += strlen(piece);
        text[at++] = ',';
    }
    text[at - 1] = at - 1 == lead ? '[' : ' ';
    text[at++] = ']';
    return at;
}

/* Sixty-four bytes at a time need as many behind them: with and without those, the same value. */
static void values_both_ways(void) {
    char text[1200];
    int whole = 0;
    for (int i = 0; i < 20000; i++) {
        size_t lead = below(70), end = random_list(text, lead);
        text[end] = ',';
        memset(text + end + 1, 'x', 100);
        clg_scan near = {text + lead, text + end + 1}, far = {text + lead, text + end + 100};
        clg_slice careful = {0}, quick = {0};
        if (clg_scan_value(&near, &careful) != CLG_SCAN_OK) continue;
        whole += careful.size > 64;
        CHECK(clg_scan_value(&far, &quick) == CLG_SCAN_OK && far.at == near.at &&
              quick.size == careful.size);
        far.at = text + lead + 1;
        if (clg_scan_rest(&far)) CHECK(far.at == near.at);
    }
    CHECK(whole > 1000);
}

/* Members of an event, and what is to be read of them; NULL: nothing, or by another name. */
static const struct {
    const char *key, *text, *value;
} members[] = {
    {"ph", "\"X\"", "X"},
    {"cat", "\"kernel\"", "kernel"},
    {"name", "\"void f<\\\"x\\\", int>(char*)\"", "void f<\\\"x\\\", int>(char*)"},
    {"pid", "0", "0"},
    {"tid", "\"7\"", "7"},
    {"ts", "1706850122853993.125", "1706850122853993.125"},
    {"dur", "-0.5e1", "-0.5e1"},
    {"args", "{\"stream\": 7, \"correlation\":91 ,\"grid\": [1, {}], \"Seq\" : null}", NULL},
    {"id", "[\"}\", {\"ph\\\"\": 1}]", NULL},
    {"p", "true", NULL}};
enum { MEMBERS = sizeof members / sizeof members[0] };

static size_t put(char *text, size_t at, const char *piece) {
    memcpy(text + at, piece, strlen(piece));
    return at + strlen(piece);
}

/* Blanks as they come: mostly none or one. */
static const char *gap(void) {
    static const char *const gaps[] = {"",
                                       " ",
                                       " ",
                                       "",
                                       "\n    ",
                                       "  ",
                                       "\t",
                                       "\r\n      ",
                                       " \n\n",
                                       "\n",
                                       "\n                      "};
    return gaps[below(below(3) ? 4 : 11)];
}

static size_t write_event(char *text) {
    int order[MEMBERS];
    bool shuffled = below(2);
    for (int i = 0; i < MEMBERS; i++) {
        int with = shuffled ? (int)below((unsigned)i + 1) : i;
        order[i] = order[with];
        order[with] = i;
    }
    size_t at = put(text, 0, "{");
    for (int i = 0; i < MEMBERS; i++) {
        at = put(text, put(text, at, gap()), "\"");
        at = put(text, put(text, at, members[order[i]].key), "\"");
        at = put(text, put(text, put(text, at, gap()), ":"), gap());
        at = put(text, put(text, at, members[order[i]].text), gap());
        at = put(text, at, i + 1 < MEMBERS || !below(5) ? "," : "");
    }
    return put(text, at, "}");
}

/* In any order, however indented, with and without text behind it. */
static void events_of_any_layout(void) {
    char text[1400];
    for (int i = 0; i < 20000; i++) {
        size_t size = write_event(text);
        memset(text + size, below(2) ? '\n' : 'x', 100);
        clg_scan s = {text, text + size + (below(2) ? 100 : 1)};
        clg_trace_event e;
        clg_trace_arguments room;
        bool read = clg_trace_event_scan(&s, &e, &room) == CLG_SCAN_OK && s.at == text + size;
        CHECK(read);
        if (!read) continue;
        const clg_slice got[] = {e.phase, e.category, e.name, e.pid, e.tid, e.start, e.duration};
        for (int m = 0; m < 7; m++) CHECK(same(got[m], members[m].value));
        const clg_trace_arguments *all = clg_trace_event_arguments(&e, &room);
        CHECK(same(e.correlation, "91") && same(all->sequence, "null"));
        CHECK(all->collective.size == 0);
    }
}

static void decimals_by_hand(void) {
    CASE("microseconds as written, in nanoseconds");
    decimal("1712195495506161.2", 3, 1712195495506161200);
    decimal("1712195495505583.0", 3, 1712195495505583000);
    decimal("4203669603454.206", 3, 4203669603454206);
    decimal("2", 3, 2000);
    decimal("0.0005", 3, 1);
    decimal("0.00049", 3, 0);
    decimal("-12.5", 3, -12500);
    decimal("1.682725898082228e+15", 3, 1682725898082228000);
    decimal("1706850122853993.123456789", 3, 1706850122853993123);
    decimal("25e-4", 3, 3);
    decimal("9223372036854775.807", 3, INT64_MAX);
    decimal("2000000000000000.9999", 3, 2000000000000001000); /* half of a nanosecond and more */
    decimal("4999999999999999.9994", 3, 4999999999999999999);
    decimal("4999999999999999.99949999999999", 3, 4999999999999999999);
    decimal("4999999999999999.9995", 3, 5000000000000000000);
    decimal("5.", 3, 5000);
    decimal(".5", 3, 500);
    decimal("00000000000000000012", 3, 12000);
}

static void no_numbers(void) {
    int64_t ignored;
    CASE("no numbers");
    CHECK(!clg_scan_decimal(slice("9999999999999999"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("1234567:"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("12345678/1234567"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("-"), 3, &ignored) && !clg_scan_decimal(slice("."), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("1.2.3"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice(""), 3, &ignored) &&
          !clg_scan_decimal(slice("NaN"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("1x"), 3, &ignored) &&
          !clg_scan_decimal(slice("1e"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("99999999999999999999"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("1e400"), 3, &ignored));
    decimal("1e-400", 3, 0);
}

static void strings(void) {
    clg_slice out;
    CASE("strings");
    CHECK(value("\"a\\\"b\",", &out) == CLG_SCAN_OK && same(out, "a\\\"b"));
    CHECK(value("\"a\\\\\" ,", &out) == CLG_SCAN_OK && same(out, "a\\\\"));
    CHECK(value("\"f<\"x\">(int)\", 1", &out) == CLG_SCAN_OK && same(out, "f<\"x\">(int)"));
    CHECK(value("\"a\001b\"}", &out) == CLG_SCAN_OK && same(out, "a\001b"));
    CHECK(value("\"a", &out) == CLG_SCAN_SHORT && value("\"a\" ", &out) == CLG_SCAN_SHORT);
    CHECK(value("\"a, \"pid\": 1\n\"tid\": 2, \"x\": \"y\"}", &out) == CLG_SCAN_DAMAGED);
    CASE("values of any kind");
    CHECK(value("[1, {\"a\": \"]\"}], 2", &out) == CLG_SCAN_OK && same(out, "[1, {\"a\": \"]\"}]"));
    CHECK(value("NaN, 2", &out) == CLG_SCAN_OK && same(out, "NaN"));
    CHECK(value("[1, {\"ph\": 1}]", &out) == CLG_SCAN_DAMAGED);
    CHECK(value(", 2", &out) == CLG_SCAN_DAMAGED && value("[1", &out) == CLG_SCAN_SHORT);
}

static void names_kept(void) {
    CASE("names are kept once");
    clg_arena arena = {0};
    clg_intern names = {.arena = &arena};
    char text[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "kernel_%d", i / 2);
        CHECK(clg_intern_add(&names, slice(text)) == (uint32_t)(i / 2));
    }
    CHECK(names.count == 1500);
    CHECK_TEXT(clg_intern_text(&names, slice("a\\\"b\001c")), "a\"b c");
    CHECK_TEXT(clg_intern_text(&names, slice("\xb6\xc3\xa9")), "?\xc3\xa9");
    for (int i = 0; i < 40; i++) { /* at any place of a longer name */
        char odd[41] = "void at::native::vectorized_elementwise_";
        odd[i] = '\n';
        const char *kept = clg_intern_text(&names, slice(odd));
        CHECK(kept[i] == ' ' && strlen(kept) == 40);
    }
    CHECK(clg_intern_add(&names, slice("void")) != clg_intern_add(&names, slice("void at")));
    clg_arena_clear(&arena);
}

int main(void) {
    decimals_by_hand();
    CASE("eight digits at a time and one by one");
    decimals_both_ways();
    no_numbers();
    strings();
    CASE("blocks of bytes and single ones");
    values_both_ways();
    CASE("events of any layout");
    events_of_any_layout();
    names_kept();
    return DONE;
}
