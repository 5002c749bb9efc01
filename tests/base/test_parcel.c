/* Values as bytes and back: bytes worked by hand, faults of every kind. */
#include "base/parcel.h"
#include "test.h"

static clg_arena arena;

/* Whether a text has these bytes, given in hexadecimal. */
static bool holds(const clg_text *text, const char *hexadecimal) {
    char got[512] = "";
    for (size_t i = 0; i < text->size && i < 200; i++)
        snprintf(got + 2 * i, 3, "%02x", (unsigned)(unsigned char)text->data[i]);
    return strcmp(got, hexadecimal) == 0;
}

static void bytes(void) {
    clg_text text = {.arena = &arena};
    clg_parcel p = clg_parcel_to(&text);
    CASE("integers of either sign are short where they are small");
    /* Folded: 0, -1, 1, 63, -64 are 0, 1, 2, 126, 127: one byte each. 64 is 128: 0x80 0x01. */
    const int64_t small[] = {0, -1, 1, 63, -64, 64};
    for (size_t i = 0; i < 6; i++) CHECK(clg_parcel_integer(&p, small[i], -64, 64) == small[i]);
    CHECK(holds(&text, "0001027e7f8001"));
    CASE("the largest and the least take ten bytes");
    text.size = 0;
    clg_parcel_integer(&p, INT64_MAX, INT64_MIN, INT64_MAX);
    clg_parcel_integer(&p, INT64_MIN, INT64_MIN, INT64_MAX);
    CHECK(holds(&text, "feffffffffffffffff01ffffffffffffffffff01"));
    CASE("near ones are their distance, which wraps");
    text.size = 0;
    clg_parcel_near(&p, 1000000007, 1000000000); /* 7 folds to 14 */
    clg_parcel_near(&p, INT64_MIN, INT64_MAX);   /* one further: 1 folds to 2 */
    CHECK(holds(&text, "0e02"));
    CASE("floating point is IEEE 754, lowest byte first");
    text.size = 0;
    clg_parcel_number(&p, -2.5); /* 0xc004000000000000 */
    CHECK(holds(&text, "00000000000004c0"));
    CASE("texts have their size before them, and NULL is none");
    text.size = 0;
    clg_parcel_text(&p, "ab");
    clg_parcel_text_or_null(&p, NULL);
    clg_parcel_text_or_null(&p, "");
    CHECK(holds(&text, "026162000200"));
}

typedef struct thing {
    int64_t whole, near;
    double real;
    bool yes;
    const char *words, *none;
    int64_t *list;
    size_t count;
} thing;

static void walk(clg_parcel *p, thing *t) {
    t->whole = clg_parcel_integer(p, t->whole, -5, 5);
    t->near = clg_parcel_near(p, t->near, t->whole);
    t->real = clg_parcel_number(p, t->real);
    t->yes = clg_parcel_flag(p, t->yes);
    t->words = clg_parcel_text(p, t->words);
    t->none = clg_parcel_text_or_null(p, t->none);
    t->list = clg_parcel_array(p, t->list, &t->count, sizeof *t->list, 1);
    for (size_t i = 0; i < t->count; i++)
        t->list[i] = clg_parcel_integer(p, t->list[i], INT64_MIN, INT64_MAX);
}

static void there_and_back(void) {
    clg_text text = {.arena = &arena};
    int64_t list[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    thing a = {-5, INT64_MAX, 0.1, true, "Gr\xc3\xbc\xc3\x9f", NULL, list, 5}, b = {0};
    CASE("what was packed comes back");
    clg_parcel to = clg_parcel_to(&text), from;
    walk(&to, &a);
    from = clg_parcel_from(&arena, text.data, text.size);
    walk(&from, &b);
    CHECK(clg_parcel_ended(&from));
    CHECK(b.whole == -5 && b.near == INT64_MAX && b.real == 0.1 && b.yes && !b.none);
    CHECK_TEXT(b.words, "Gr\xc3\xbc\xc3\x9f");
    CHECK(b.count == 5 && b.list != list && memcmp(b.list, list, sizeof list) == 0);
    CASE("cut anywhere, or with a byte more, it is not whole");
    for (size_t size = 0; size < text.size; size++) {
        thing c = {0};
        from = clg_parcel_from(&arena, text.data, size);
        walk(&from, &c);
        CHECK(!clg_parcel_ended(&from) && from.broken && c.words && c.count <= 5);
    }
    from = clg_parcel_from(&arena, text.data, text.size + 1); /* the closing NUL */
    walk(&from, &b);
    CHECK(!from.broken && !clg_parcel_ended(&from));
}

static const char *fault(const char *data, size_t size, int64_t least, int64_t most) {
    clg_parcel p = clg_parcel_from(&arena, data, size);
    int64_t read = clg_parcel_integer(&p, 0, least, most);
    CHECK(!p.broken || read == least);
    return p.broken ? p.broken : "none";
}

static void faults(void) {
    CASE("numbers out of range, without an end or too long");
    CHECK_TEXT(fault("\x0c", 1, 0, 5), "a number out of range"); /* 6 */
    CHECK_TEXT(fault("\x0a", 1, 0, 5), "none");                  /* 5 */
    CHECK_TEXT(fault("\x01", 1, 0, 5), "a number out of range"); /* -1 */
    CHECK_TEXT(fault("\xff\xff", 2, 0, 5), "it ends early");
    CHECK_TEXT(fault("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, INT64_MIN, INT64_MAX), "none");
    CHECK_TEXT(fault("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02 ", 11, INT64_MIN, INT64_MAX),
               "a number of more than 64 bits");
    CASE("an array cannot be longer than what is left");
    clg_parcel p = clg_parcel_from(&arena, "\x04\x01\x02\x03\x04", 5);
    CHECK(clg_parcel_count(&p, 0, 1) == 4 && !p.broken);
    p = clg_parcel_from(&arena, "\x04\x01\x02\x03\x04", 5);
    CHECK(clg_parcel_count(&p, 0, 2) == 0 && p.broken);
    CASE("the first fault is kept, and nothing is read after it");
    clg_parcel_break(&p, "another");
    CHECK_TEXT(p.broken, "more elements than it has bytes for");
    CHECK(clg_parcel_integer(&p, 0, 3, 9) == 3 && clg_parcel_number(&p, 1) == 0);
    CHECK(clg_parcel_near(&p, 0, 17) == 17 && *clg_parcel_text(&p, NULL) == '\0');
}

int main(void) {
    bytes();
    there_and_back();
    faults();
    int failed = DONE;
    clg_arena_clear(&arena);
    return failed;
}
