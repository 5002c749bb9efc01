/* text.c -- appending text and writing JSON. */
#include "base/text.h"

#include "base/version.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void clg_text_add(clg_text *text, const char *bytes, size_t size) {
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = text->capacity ? text->capacity * 2 : 1024;
        while (capacity < text->size + size + 1) capacity *= 2;
        char *data = clg_arena_take(text->arena, capacity, 1);
        if (text->size) memcpy(data, text->data, text->size);
        text->data = data;
        text->capacity = capacity;
    }
    if (size) memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void clg_text_print(clg_text *text, const char *format, ...) {
    char line[512];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size >= 0 && (size_t)size < sizeof line) {
        clg_text_add(text, line, (size_t)size);
    } else if (size >= 0) {
        char *longer = clg_arena_take(text->arena, (size_t)size + 1, 1);
        vsnprintf(longer, (size_t)size + 1, format, again);
        clg_text_add(text, longer, (size_t)size);
    }
    va_end(again);
}

static int columns_of(const char *s) {
    int columns = 0;
    for (; *s; s++)
        if (((unsigned char)*s & 0xC0) != 0x80) columns++;
    return columns;
}

void clg_text_pad(clg_text *text, const char *s, int width, bool right) {
    int blanks = width - columns_of(s);
    if (!right) clg_text_add(text, s, strlen(s));
    for (int i = 0; i < blanks; i++) clg_text_add(text, " ", 1);
    if (right) clg_text_add(text, s, strlen(s));
}

enum { LINE_COLUMNS = 100 };

/* Where to break the line of `size` bytes at `line`, or 0: not at all. Its own indent is kept. */
static size_t break_of(const char *line, size_t size, int columns) {
    size_t last = 0;
    int column = 0;
    bool words = false;
    for (size_t i = 0; i < size; i++) {
        if (((unsigned char)line[i] & 0xC0) == 0x80) continue;
        if (line[i] == ' ' && words) last = i;
        words |= line[i] != ' ';
        if (++column > columns) return last;
    }
    return 0;
}

void clg_text_fold(clg_text *text, size_t from, int indent) {
    if (from >= text->size) return;
    size_t size = text->size - from;
    const char *copy = clg_arena_copy(text->arena, text->data + from, size);
    text->size = from;
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(copy + at, '\n', size - at);
        size_t line = newline ? (size_t)(newline - copy) - at : size - at, cut;
        int room = LINE_COLUMNS;
        while ((cut = break_of(copy + at, line, room)) > 0) {
            clg_text_add(text, copy + at, cut);
            clg_text_print(text, "\n%*s", indent, "");
            at += cut + 1;
            line -= cut + 1;
            room = LINE_COLUMNS - indent;
        }
        clg_text_add(text, copy + at, line + (newline != NULL));
        at += line + (newline != NULL);
    }
}

static void add_escaped(clg_text *text, const char *s) {
    clg_text_add(text, "\"", 1);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            clg_text_print(text, "\\%c", c);
        else if (c == '\n')
            clg_text_add(text, "\\n", 2);
        else if (c < 0x20)
            clg_text_print(text, "\\u%04x", c);
        else
            clg_text_add(text, s, 1);
    }
    clg_text_add(text, "\"", 1);
}

static void new_line(clg_json_writer *w) {
    if (!w->pretty) return;
    clg_text_add(w->text, "\n", 1);
    for (int i = 0; i < w->depth; i++) clg_text_add(w->text, "  ", 2);
}

static void begin(clg_json_writer *w, const char *key) {
    if (w->comma[w->depth]) clg_text_add(w->text, ",", 1);
    if (w->depth > 0) new_line(w);
    w->comma[w->depth] = true;
    if (!key) return;
    add_escaped(w->text, key);
    clg_text_add(w->text, ": ", w->pretty ? 2 : 1);
}

void clg_json_open(clg_json_writer *w, const char *key, char bracket) {
    begin(w, key);
    clg_text_add(w->text, &bracket, 1);
    w->depth++;
    assert(w->depth < 64);
    w->comma[w->depth] = false;
}

void clg_json_open_answer(clg_json_writer *w, const char *key, const char *kind) {
    clg_json_open(w, key, '{');
    clg_json_add_string(w, "kind", kind);
    clg_json_add_string(w, "ceiling", CLG_VERSION);
}

void clg_json_close(clg_json_writer *w, char bracket) {
    bool any = w->comma[w->depth];
    w->depth--;
    if (any) new_line(w);
    clg_text_add(w->text, &bracket, 1);
}

/* printf's %g is exact and the same everywhere under the C locale's decimal point: no program of
 * ours calls setlocale, and the library answers in the C locale (api/library.c). */
void clg_json_add_number(clg_json_writer *w, const char *key, double value) {
    begin(w, key);
    if (!isfinite(value)) {
        clg_text_add(w->text, "null", 4);
        return;
    }
    clg_text_print(w->text, "%.9g", value == 0 ? 0.0 : value);
}

void clg_json_add_integer(clg_json_writer *w, const char *key, int64_t value) {
    begin(w, key);
    clg_text_print(w->text, "%lld", (long long)value);
}

void clg_json_add_nanoseconds(clg_json_writer *w, const char *key, int64_t ns) {
    begin(w, key);
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    clg_text_print(w->text, "%s%llu.%09llu", ns < 0 ? "-" : "",
                   (unsigned long long)(size / 1000000000),
                   (unsigned long long)(size % 1000000000));
}

void clg_json_add_bool(clg_json_writer *w, const char *key, bool value) {
    begin(w, key);
    clg_text_print(w->text, "%s", value ? "true" : "false");
}

void clg_json_add_string(clg_json_writer *w, const char *key, const char *value) {
    begin(w, key);
    if (value)
        add_escaped(w->text, value);
    else
        clg_text_add(w->text, "null", 4);
}

void clg_json_add_null(clg_json_writer *w, const char *key) {
    begin(w, key);
    clg_text_add(w->text, "null", 4);
}

void clg_json_add_known(clg_json_writer *w, const char *key, double value) {
    if (value >= 0)
        clg_json_add_number(w, key, value);
    else
        clg_json_add_null(w, key);
}

void clg_json_add_whole(clg_json_writer *w, const char *key, int64_t value) {
    if (value >= 0)
        clg_json_add_integer(w, key, value);
    else
        clg_json_add_null(w, key);
}
