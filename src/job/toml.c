/* toml.c -- TOML 1.0 into a tree.
 *
 * Debian has TOML for C++ only; this is what configuration files use, in the core so that the page
 * reads them too. Left out: dates stay strings, and a table may be opened twice (the second adds).
 */
#include "base/letters.h"
#include "base/text.h"
#include "job/tree.h"

#include <string.h>

enum { DEEPEST = 32, MOST_VALUES = 20000 };

typedef struct reader {
    clg_arena *arena;
    clg_error *error;
    const char *name, *at, *end, *line_start;
    int line, depth, values;
} reader;

static clg_status fault(reader *r, const char *mend, const char *what) {
    clg_error_at(r->error, r->name, r->line, (int)(r->at - r->line_start) + 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, mend, "%s", what);
}

static char now(const reader *r) { return r->at < r->end ? *r->at : '\0'; }

static void step(reader *r) {
    if (*r->at++ == '\n') r->line++, r->line_start = r->at;
}

static void skip_blanks(reader *r) {
    while (now(r) == ' ' || now(r) == '\t' || now(r) == '\r') r->at++;
}

static void skip_comment(reader *r) {
    if (now(r) != '#') return;
    while (r->at < r->end && *r->at != '\n') r->at++;
}

static void skip_lines(reader *r) {
    for (;;) {
        skip_blanks(r);
        skip_comment(r);
        if (now(r) != '\n') return;
        step(r);
    }
}

static int column(const reader *r) { return (int)(r->at - r->line_start) + 1; }

/* What stands after a backslash; others stay as they are written. */
static char escaped(char c) {
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c;
}

static bool closes(const reader *r, char quote, int quotes) {
    if (r->end - r->at < quotes) return false;
    for (int i = 0; i < quotes; i++)
        if (r->at[i] != quote) return false;
    return true;
}

static clg_status quoted(reader *r, const char **text, size_t *size) {
    char quote = *r->at;
    int quotes = r->end - r->at >= 3 && r->at[1] == quote && r->at[2] == quote ? 3 : 1;
    r->at += quotes;
    if (quotes == 3 && now(r) == '\n') step(r);
    clg_text out = {.arena = r->arena};
    while (r->at < r->end && !closes(r, quote, quotes)) {
        if (quotes == 1 && *r->at == '\n') return fault(r, "close the quote", "an open string");
        if (quote == '"' && *r->at == '\\' && r->at + 1 < r->end) {
            r->at++;
            if (*r->at == '\n') {
                while (r->at < r->end && strchr(" \t\r\n", *r->at)) step(r);
                continue;
            }
            clg_text_add(&out, &(char){escaped(*r->at)}, 1);
        } else
            clg_text_add(&out, r->at, 1);
        step(r);
    }
    if (r->at >= r->end) return fault(r, "close the quote", "an open string");
    r->at += quotes;
    *text = out.data ? out.data : "";
    *size = out.size;
    return CLG_OK;
}

static bool is_bare(char c) { return clg_in_name(c) || c == '-'; }

static clg_status key_part(reader *r, const char **key) {
    skip_blanks(r);
    if (now(r) == '"' || now(r) == '\'') {
        size_t size;
        if (quoted(r, key, &size) != CLG_OK) return CLG_BAD_INPUT;
        *key = clg_arena_copy(r->arena, *key, size);
    } else {
        const char *start = r->at;
        while (r->at < r->end && is_bare(*r->at)) r->at++;
        if (r->at == start) return fault(r, "write key = value", "a key is missing");
        *key = clg_arena_copy(r->arena, start, (size_t)(r->at - start));
    }
    skip_blanks(r);
    return CLG_OK;
}

/* "a.b.c": the object that holds c, made on the way, and c. */
static clg_status key_path(reader *r, clg_json **object, const char **key) {
    if (key_part(r, key) != CLG_OK) return CLG_BAD_INPUT;
    for (int depth = 0; now(r) == '.'; depth++) {
        if (depth == DEEPEST) return fault(r, "flatten it", "deeper than 32 levels");
        r->at++;
        clg_json *inner = (clg_json *)(uintptr_t)clg_json_member(*object, *key);
        if (inner && inner->kind == CLG_JSON_ARRAY) { /* of tables: the last */
            clg_json *last = inner->first;
            while (last && last->next) last = last->next;
            inner = last;
        }
        if (!inner || inner->kind != CLG_JSON_OBJECT) {
            inner = clg_tree_make(r->arena, CLG_JSON_OBJECT, r->line, column(r));
            clg_tree_set(r->arena, *object, *key, inner);
        }
        *object = inner;
        if (key_part(r, key) != CLG_OK) return CLG_BAD_INPUT;
    }
    return CLG_OK;
}

static clg_status value(reader *r, clg_json **node);

static clg_status array(reader *r, clg_json *into) {
    clg_json **at = &into->first;
    r->at++;
    for (skip_lines(r); now(r) != ']'; skip_lines(r)) {
        if (value(r, at) != CLG_OK) return CLG_BAD_INPUT;
        at = &(*at)->next;
        into->count++;
        skip_lines(r);
        if (now(r) == ',')
            r->at++;
        else if (now(r) != ']')
            return fault(r, "write [a, b]", "a list that does not end");
    }
    r->at++;
    return CLG_OK;
}

static clg_status pair(reader *r, clg_json *object) {
    const char *key;
    clg_json *held;
    if (key_path(r, &object, &key) != CLG_OK) return CLG_BAD_INPUT;
    if (now(r) != '=') return fault(r, "write key = value", "no '=' after the key");
    r->at++;
    skip_blanks(r);
    if (value(r, &held) != CLG_OK) return CLG_BAD_INPUT;
    clg_tree_set(r->arena, object, key, held);
    return CLG_OK;
}

static clg_status inline_table(reader *r, clg_json *into) {
    r->at++;
    for (skip_lines(r); now(r) != '}'; skip_lines(r)) {
        if (pair(r, into) != CLG_OK) return CLG_BAD_INPUT;
        skip_lines(r);
        if (now(r) == ',')
            r->at++;
        else if (now(r) != '}')
            return fault(r, "write {a = 1}", "a table that does not end");
    }
    r->at++;
    return CLG_OK;
}

static clg_status branch(reader *r, clg_json **node) {
    bool list = now(r) == '[';
    *node = clg_tree_make(r->arena, list ? CLG_JSON_ARRAY : CLG_JSON_OBJECT, r->line, column(r));
    if (++r->depth > DEEPEST) return fault(r, "flatten it", "deeper than 32 levels");
    clg_status status = list ? array(r, *node) : inline_table(r, *node);
    r->depth--;
    return status;
}

static clg_status value(reader *r, clg_json **node) {
    int line = r->line, at = column(r);
    if (++r->values > MOST_VALUES) return fault(r, "shorten it", "more than 20,000 values");
    if (now(r) == '[' || now(r) == '{') return branch(r, node);
    if (now(r) == '"' || now(r) == '\'') {
        const char *text;
        size_t size;
        if (quoted(r, &text, &size) != CLG_OK) return CLG_BAD_INPUT;
        *node = clg_tree_string(r->arena, text, size, line, at);
        return CLG_OK;
    }
    const char *start = r->at;
    while (r->at < r->end && !strchr(",]}#\n\r", *r->at)) r->at++;
    const char *stop = r->at;
    while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t')) stop--;
    if (stop == start) return fault(r, "write key = value", "no value after '='");
    if (memchr(start, ' ', (size_t)(stop - start)))
        return fault(r, "put quotes around it, or a comma", "a value that does not end");
    *node = clg_tree_scalar(r->arena, start, (size_t)(stop - start), line, at);
    return CLG_OK;
}

/* "[a.b]" or "[[a.b]]": the table that lines below go to. */
static clg_status header(reader *r, clg_json *root, clg_json **table) {
    bool many = r->end - r->at > 1 && r->at[1] == '[';
    const char *key;
    r->at += many ? 2 : 1;
    *table = root;
    if (key_path(r, table, &key) != CLG_OK) return CLG_BAD_INPUT;
    if (now(r) != ']' || (many && (r->at++, now(r) != ']')))
        return fault(r, "write [table]", "a table's name does not end");
    r->at++;
    clg_json *holder = *table, *held = (clg_json *)(uintptr_t)clg_json_member(holder, key);
    if (!many && held && held->kind == CLG_JSON_OBJECT) {
        *table = held;
        return CLG_OK;
    }
    *table = clg_tree_make(r->arena, CLG_JSON_OBJECT, r->line, 1);
    if (!many) {
        clg_tree_set(r->arena, holder, key, *table);
        return CLG_OK;
    }
    if (!held || held->kind != CLG_JSON_ARRAY) {
        held = clg_tree_make(r->arena, CLG_JSON_ARRAY, r->line, 1);
        clg_tree_set(r->arena, holder, key, held);
    }
    clg_tree_append(held, *table);
    return CLG_OK;
}

clg_status clg_toml_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_json **root, clg_error *error) {
    reader reading = {.arena = arena,
                      .error = error,
                      .name = name,
                      .at = text,
                      .end = text + size,
                      .line_start = text,
                      .line = 1},
           *r = &reading;
    clg_json *table = *root = clg_tree_make(arena, CLG_JSON_OBJECT, 1, 1);
    for (skip_lines(r); r->at < r->end; skip_lines(r)) {
        clg_status status = now(r) == '[' ? header(r, *root, &table) : pair(r, table);
        if (status != CLG_OK || ++r->values > MOST_VALUES)
            return status != CLG_OK ? status : fault(r, "shorten it", "more than 20,000 values");
        skip_blanks(r);
        skip_comment(r);
        if (r->at < r->end && now(r) != '\n')
            return fault(r, "put it on a line of its own", "more follows the value");
    }
    return CLG_OK;
}
