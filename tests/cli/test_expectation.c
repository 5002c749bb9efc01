/* test_expectation.c -- words of a scenario against values, by hand. */
#include "cli/expectation.h"

#include "test.h"

#include <string.h>

static bool holds(const char *words, const char *json) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_expectation e;
    clg_json *value = NULL;
    bool held = clg_expectation_read(&arena, words, &e, &error) == CLG_OK &&
                clg_json_parse(&arena, "value", json, strlen(json), &value, &error) == CLG_OK &&
                clg_expectation_holds(&e, value);
    clg_arena_clear(&arena);
    return held;
}

static bool is_read(const char *words) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_expectation e;
    bool read = clg_expectation_read(&arena, words, &e, &error) == CLG_OK;
    clg_arena_clear(&arena);
    return read;
}

static const clg_json *find(clg_arena *arena, const char *path, size_t *known) {
    static const char json[] = "{\"a\":{\"b\":[5,{\"c\":6}]},\"0\":7}";
    clg_json *root = NULL;
    clg_error error = {0};
    if (clg_json_parse(arena, "value", json, strlen(json), &root, &error) != CLG_OK) return NULL;
    return clg_expectation_find(root, path, known);
}

int main(void) {
    CASE("equal, as numbers where both are");
    CHECK(holds("4", "4") && holds("4", "4.0") && !holds("4", "5"));
    CHECK(holds("ring", "\"ring\"") && !holds("ring", "\"rings\"") && holds("true", "true"));
    CHECK(holds("!= ring", "\"gather\"") && !holds("!= 4", "4") && holds("= 4", "4"));
    CHECK(holds("4", "\"4\""));

    CASE("ordered, in SI");
    CHECK(holds("< 8s", "7.99") && !holds("< 8s", "8") && holds("<= 8s", "8"));
    CHECK(holds("> 40%", "0.41") && !holds("> 40%", "0.4") && holds(">= 40%", "0.4"));
    CHECK(holds("<= 80GB", "80000000000") && !holds("<= 80GB", "80000000001"));
    CHECK(holds("< 1min", "59") && holds("> 400Gbit/s", "50000000001"));

    CASE("between");
    CHECK(holds("7s .. 8s", "7") && holds("7s .. 8s", "8") && !holds("7s .. 8s", "8.01"));
    CHECK(holds("100 +- 5%", "95") && holds("100 +- 5%", "105") && !holds("100 +- 5%", "94.9"));
    CHECK(holds("-100 +- 5%", "-104") && holds("7.5 s +- 1%", "7.45"));

    CASE("what is not there, no number, or many");
    CHECK(!holds("< 8", "\"7\"") && !holds("!= 4", "[5]") && !holds("4", "{}"));
    CHECK(holds("null", "null") && !holds("< 4", "null"));

    CASE("words that say nothing");
    CHECK(!is_read("< fast") && !is_read("8 .. 7") && !is_read("a .. b") && !is_read("8 +- x"));
    CHECK(!is_read("<") && is_read("") && is_read("fast"));

    CASE("paths");
    clg_arena arena = {0};
    size_t known;
    CHECK(find(&arena, "a.b.0", &known) && find(&arena, "a.b.0", &known)->number == 5);
    CHECK(find(&arena, "a.b.1.c", &known)->number == 6);
    CHECK(find(&arena, "0", &known)->number == 7);
    CHECK(!find(&arena, "a.b.2", &known) && known == 3);
    CHECK(!find(&arena, "x", &known) && known == 0);
    CHECK(!find(&arena, "a.b.0.c", &known) && known == 5);
    clg_arena_clear(&arena);
    return DONE;
}
