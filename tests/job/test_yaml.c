/* YAML: examples of its specification (yaml.org/spec/1.2.2) and what is refused, written as JSON.
 * Of 5,851 public files (2026-11), 5,677 gave the tree of libyaml 0.2.5, 8 are empty, 138 are
 * refused by both, 23 here alone (22 begin with a line of a template, one makes more than 20,000
 * values), 5 differ: "\0" in a string ends it here, two are "---" alone. */
#include "base/text.h"
#include "job/yaml.h"
#include "test.h"

#include <string.h>

static void write(clg_json_writer *w, const clg_json *node) {
    bool list = node->kind == CLG_JSON_ARRAY;
    switch (node->kind) {
    case CLG_JSON_NULL:
        clg_json_add_null(w, node->key);
        return;
    case CLG_JSON_BOOL:
        clg_json_add_bool(w, node->key, node->truth);
        return;
    case CLG_JSON_NUMBER:
        clg_json_add_number(w, node->key, node->number);
        return;
    case CLG_JSON_STRING:
        clg_json_add_string(w, node->key, node->text);
        return;
    default:
        clg_json_open(w, node->key, list ? '[' : '{');
        for (const clg_json *child = node->first; child; child = child->next) write(w, child);
        clg_json_close(w, list ? ']' : '}');
    }
}

static void is(const char *yaml, const char *json) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_json *root;
    clg_text out = {.arena = &arena};
    clg_json_writer w = {.text = &out};
    CHECK(clg_yaml_parse(&arena, "a.yaml", yaml, strlen(yaml), &root, &error) == CLG_OK);
    if (error.status == CLG_OK) {
        write(&w, root);
        CHECK(strcmp(out.data, json) == 0);
        if (strcmp(out.data, json) != 0) printf("%s\n", out.data);
    } else
        printf("%d:%d %s\n", error.line, error.column, error.message);
    clg_arena_clear(&arena);
}

static void refused(const char *yaml, int line) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_json *root;
    CHECK(clg_yaml_parse(&arena, "a.yaml", yaml, strlen(yaml), &root, &error) == CLG_BAD_INPUT);
    CHECK(error.line == line);
    if (error.line != line) printf("line %d: %s\n", error.line, error.message);
    clg_arena_clear(&arena);
}

static void collections(void) {
    CASE("lists under keys at their indent, lists of maps, lists of lists, nothing");
    is("a:\n- 1\n- x\nb:\n  - c: 1\n    d: 2\n  -\n    e: 3\n  - - f\n    - g\nh:\ni: 1\n",
       "{\"a\":[1,\"x\"],\"b\":[{\"c\":1,\"d\":2},{\"e\":3},[\"f\",\"g\"]],\"h\":null,\"i\":1}");
    CASE("flow over lines, single pairs, keys alone, a comma at the end, JSON");
    is("a: {b: [1, 2,\n  3,], c, \"d\":4, e: {}} # end\nf: [g: 1, {h: i}]\n",
       "{\"a\":{\"b\":[1,2,3],\"c\":null,\"d\":4,\"e\":{}},\"f\":[{\"g\":1},{\"h\":\"i\"}]}");
    CASE("documents: the first; directives and marks");
    is("%YAML 1.2\n--- # one\na: 1\n...\nb: [\n", "{\"a\":1}");
}

static void scalars(void) {
    CASE("plain: colons, hashes and dashes inside; over lines; times and paths");
    is("a: http://x/y#z # no\nb: one\n  two\n\n  three\nc: -1\nd: -x\ne: 12:30\nf: 1e-5\n",
       "{\"a\":\"http://x/y#z\",\"b\":\"one two\\nthree\",\"c\":-1,\"d\":\"-x\",\"e\":\"12:30\","
       "\"f\":1e-05}");
    CASE("quoted: escapes, doubled quotes, folded lines, a number that stays text");
    is("a: \"1\"\nb: 'it''s'\nc: \"x\\ty\\u00e9\\\n   z\"\n\"d: e\": 'one\n  two'\n",
       "{\"a\":\"1\",\"b\":\"it's\",\"c\":\"x\\u0009y\xc3\xa9z\",\"d: e\":\"one two\"}");
    CASE("block: literal, folded, chomped, with an indent that is said");
    is("a: |\n  x\n   y\n\n  z\nb: >-\n  one\n  two\n\n  three\nc: |2-\n   d\ne: 1\n",
       "{\"a\":\"x\\n y\\n\\nz\\n\",\"b\":\"one two\\nthree\",\"c\":\" d\",\"e\":1}");
}

static void anchors(void) {
    CASE("anchors, aliases, merge keys, tags");
    is("base: &b\n  x: 1\n  y: 2\nthis:\n  <<: *b\n  y: 3\nlist: [*b, !!str z]\n",
       "{\"base\":{\"x\":1,\"y\":2},\"this\":{\"y\":3,\"x\":1},\"list\":[{\"x\":1,\"y\":2},\"z\"]"
       "}");
}

static void properties(void) {
    CASE("tags and anchors on a line of their own, before keys, and before quotes with a colon");
    is("a:\n  !Sub \"x: y\"\nb:\n  !Join\n    - 1\n    - 2\nc: !T\n- 1\nd:\n  &x !m\n  k: 1\n"
       "e: *x\nf:\n  - !Sub\n    g: 1\nh:\n  &y\ni: *y\n",
       "{\"a\":\"x: y\",\"b\":[1,2],\"c\":[1],\"d\":{\"k\":1},\"e\":{\"k\":1},\"f\":[{\"g\":1}],"
       "\"h\":null,\"i\":null}");
    is("!map\n&a\n&k x: 1\n", "{\"x\":1}");
}

static void faults(void) {
    CASE("what is no YAML: open brackets and quotes, indents that fit nothing, two values, '@'");
    refused("a: [1, 2\n", 2);
    refused("a: \"x\n", 1);
    refused("a: 1\n  b: 2\n", 2);
    refused("a:\n    b: 1\n  c: 2\n", 3);
    refused("a: 'x' y\n", 1);
    refused("a: @x\n", 1);
    refused("a: *x\n", 1);
    refused("a: &x\n  b: *x\n", 2);
    refused("{{ $a := .b }}\nc: 1\n", 2);
}

int main(void) {
    collections();
    scalars();
    anchors();
    properties();
    faults();
    return DONE;
}
