/* shell_change.c -- what ${V%a}, ${V#a}, ${V/a/b}, ${V:1:2}, ${V,,} make of a value. */
#include "base/letters.h"
#include "job/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

clg_rich clg_rich_number(clg_shell *s, int64_t value, int32_t place) {
    char text[32];
    clg_rich word = {0};
    snprintf(text, sizeof text, "%lld", (long long)value);
    clg_rich_add(s, &word, text, strlen(text), place);
    return word;
}

/* %, %%, #, ##: without the shortest or longest part at an end that is like the pattern. */
static clg_rich without(clg_shell *s, const clg_rich *from, const char *pattern, char mark,
                        bool longest) {
    size_t best = (size_t)-1;
    clg_rich out = {0};
    for (size_t i = 0; i <= from->size && from->size < 4096; i++) {
        size_t cut = longest == (mark == '#') ? from->size - i : i;
        clg_rich part = {0};
        if (mark == '#')
            clg_rich_add(s, &part, from->text, cut, 0);
        else
            clg_rich_add(s, &part, from->text + cut, from->size - cut, 0);
        bool like = clg_shell_like(pattern, clg_rich_text(s, &part));
        if (mark == '%' && !longest) { /* from the end */
            cut = from->size - i;
            part = (clg_rich){0};
            clg_rich_add(s, &part, from->text + cut, from->size - cut, 0);
            like = clg_shell_like(pattern, clg_rich_text(s, &part));
        }
        if (like) {
            best = cut;
            break;
        }
    }
    if (best == (size_t)-1) return *from;
    for (size_t i = 0; i < from->size; i++)
        if (mark == '#' ? i >= best : i < best)
            clg_rich_add(s, &out, from->text + i, 1, from->place[i]);
    clg_rich_text(s, &out);
    return out;
}

/* ${V/a/b}, ${V//a/b}: plain texts only. */
static clg_rich replaced(clg_shell *s, const clg_rich *from, const char *what, bool all) {
    clg_rich out = {0};
    const char *slash = strchr(what, '/');
    size_t size = slash ? (size_t)(slash - what) : strlen(what);
    bool done = size == 0;
    for (size_t i = 0; i < from->size;) {
        if (!done && from->size - i >= size && memcmp(from->text + i, what, size) == 0) {
            if (slash) clg_rich_add(s, &out, slash + 1, strlen(slash + 1), from->place[i]);
            i += size;
            done = !all;
        } else {
            clg_rich_add(s, &out, from->text + i, 1, from->place[i]);
            i++;
        }
    }
    clg_rich_text(s, &out);
    return out;
}

static void change_case(clg_rich *word, bool up) {
    for (size_t i = 0; i < word->size; i++) {
        char *c = &word->text[i];
        *c = up ? clg_upper(*c) : clg_lower(*c);
    }
}

/* ${V:from:count} with plain numbers. */
static clg_rich part_of(clg_shell *s, const clg_rich *from, const char *what) {
    clg_rich out = {0};
    long start = strtol(what, NULL, 10);
    const char *colon = strchr(what, ':');
    long count = colon ? strtol(colon + 1, NULL, 10) : (long)from->size;
    if (start < 0) start += (long)from->size;
    for (long i = start < 0 ? 0 : start; i < (long)from->size && i - start < count; i++)
        clg_rich_add(s, &out, from->text + i, 1, from->place[i]);
    clg_rich_text(s, &out);
    return out;
}

clg_rich clg_shell_changed(clg_shell *s, const clg_rich *value, const char *rest, const char *end,
                           int32_t place) {
    char mark = *rest;
    size_t size = (size_t)(end - rest);
    bool two = size > 1 && rest[1] == mark;
    clg_rich raw = clg_shell_expand_one(s, rest + 1 + two, size - 1 - two, place);
    const char *what = clg_rich_text(s, &raw);
    if (memchr(value->text ? value->text : "", CLG_TREE_UNKNOWN, value->size)) return *value;
    if (mark == '%' || mark == '#') return without(s, value, what, mark, two);
    if (mark == '/') return replaced(s, value, what, two);
    if (mark == ':') return part_of(s, value, what);
    clg_rich out = {0};
    clg_rich_join(s, &out, value);
    if (mark == ',' || mark == '^') change_case(&out, mark == '^');
    return out;
}
