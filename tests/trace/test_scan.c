/* The scanner of damaged JSON: numbers exact to the nanosecond, strings with quotes in them. */
#include "test.h"
#include "trace/event.h"
#include "trace/intern.h"

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

int main(void) {
    clg_slice out;
    int64_t ignored;
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
    CASE("no numbers");
    CHECK(!clg_scan_decimal(slice(""), 3, &ignored) &&
          !clg_scan_decimal(slice("NaN"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("1x"), 3, &ignored) &&
          !clg_scan_decimal(slice("1e"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("99999999999999999999"), 3, &ignored));
    CHECK(!clg_scan_decimal(slice("1e400"), 3, &ignored));
    decimal("1e-400", 3, 0);
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
    clg_arena_clear(&arena);
    return DONE;
}
