/* The JSON reader: values, positions of faults, bounds. */
#include "base/json.h"
#include "base/text.h"
#include "test.h"

#include <stdlib.h>

static clg_arena arena;

static const clg_json *parse(const char *text, clg_error *error) {
    clg_json *root = NULL;
    *error = (clg_error){0};
    return clg_json_parse(&arena, "t", text, strlen(text), &root, error) == CLG_OK ? root : NULL;
}

static void refused(const char *text, int line, int column) {
    clg_error error;
    CHECK(!parse(text, &error));
    if (error.line != line || error.column != column)
        printf("  '%s' faulted at %d:%d\n", text, error.line, error.column);
    CHECK(error.line == line && error.column == column && error.message[0]);
}

int main(void) {
    clg_error error;
    CASE("values and nesting");
    const clg_json *root =
        parse("{\"a\": [1, -2.5e3, true, null, \"x\\u00e9\\ud83d\\ude00\"]}", &error);
    const clg_json *a = clg_json_member(root, "a");
    CHECK(a && a->count == 5 && a->first->number == 1 && a->first->next->number == -2500);
    CHECK_TEXT(a->first->next->next->next->next->text, "x\xc3\xa9\xf0\x9f\x98\x80");
    CASE("numbers that need all 17 digits");
    root = parse("[0.1, 1e-310, 123456789012345678, 1.7976931348623157e308]", &error);
    CHECK(root->first->number == 0.1 && root->first->next->number == 1e-310);
    CHECK(root->first->next->next->next->number == 1.7976931348623157e308);
    CASE("faults have a place");
    refused("{\"a\": 1,}", 1, 9);
    refused("[1, 2", 1, 6);
    refused("{\n  \"a\": nope\n}", 2, 8);
    refused("[01]", 1, 2);
    refused("", 1, 1);
    refused("{\"a\":1,\"a\":2}", 1, 8);
    CASE("depth is bounded");
    char deep[400];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    CHECK(!parse(deep, &error));
    CASE("a member of another kind is named");
    root = parse("{\"n\": \"x\"}", &error);
    double number;
    CHECK(clg_json_number(root, "n", &number, "t", &error) == CLG_BAD_INPUT);
    CHECK(strcmp(error.field, "n") == 0 && error.line == 1);
    CASE("what is written is read back");
    clg_text text = {.arena = &arena};
    clg_json_writer writer = {.text = &text};
    clg_json_open(&writer, NULL, '{');
    clg_json_add_number(&writer, "x", 1.0 / 3);
    clg_json_add_number(&writer, "nan", (double)NAN);
    clg_json_add_string(&writer, "s", "quote \" back \\ line \n");
    clg_json_close(&writer, '}');
    root = parse(text.data, &error);
    CHECK_NEAR(clg_json_member(root, "x")->number, 1.0 / 3, 1e-8);
    CHECK(clg_json_member(root, "nan")->kind == CLG_JSON_NULL);
    CHECK_TEXT(clg_json_member(root, "s")->text, "quote \" back \\ line \n");
    clg_arena_clear(&arena);
    return DONE;
}
