/* shell_printed.c -- what $(...) prints, where reading tells: echo, expr, basename, counts of
 * words. Anything else is not known. */
#include "job/shell.h"

#include <stdio.h>
#include <string.h>

static clg_rich not_known(clg_shell *s, int32_t place) {
    clg_rich word = {0};
    clg_rich_add(s, &word, &(char){CLG_TREE_UNKNOWN}, 1, place);
    return word;
}

static clg_rich joined(clg_shell *s, const clg_rich_list *w, int from) {
    clg_rich out = {0};
    for (int i = from; i < w->count; i++) {
        if (i > from) clg_rich_add(s, &out, " ", 1, 0);
        clg_rich_join(s, &out, &w->word[i]);
    }
    clg_rich_text(s, &out);
    return out;
}

static clg_rich counted(clg_shell *s, int64_t value, int32_t place) {
    char text[32];
    clg_rich out = {0};
    snprintf(text, sizeof text, "%lld", (long long)value);
    clg_rich_add(s, &out, text, strlen(text), place);
    return out;
}

/* Arithmetic that expr and bc do. */
static clg_rich computed(clg_shell *s, clg_rich text, int32_t place) {
    int64_t value;
    const char *plain = clg_rich_text(s, &text);
    const char *scale = strstr(plain, "scale=");
    if (scale && strchr(scale, ';')) plain = strchr(scale, ';') + 1;
    return clg_shell_arithmetic(s, plain, strlen(plain), place, &value) ? counted(s, value, place)
                                                                        : not_known(s, place);
}

static clg_rich base_of(clg_shell *s, const clg_rich *path, const char *ending) {
    clg_rich out = {0};
    size_t from = 0, size = path->size, cut = strlen(ending);
    for (size_t i = 0; i < size; i++)
        if (path->text[i] == '/') from = i + 1;
    if (size - from > cut && cut > 0 && memcmp(path->text + size - cut, ending, cut) == 0)
        size -= cut;
    for (size_t i = from; i < size; i++) clg_rich_add(s, &out, path->text + i, 1, path->place[i]);
    clg_rich_text(s, &out);
    return out;
}

static bool is(const clg_shell_token *t, const char *word) {
    return t->size == strlen(word) && memcmp(t->text, word, t->size) == 0;
}

/* "a,b,c" | tr ',' '\n' | wc -l: how many there are. */
static int64_t parts_of(const clg_rich *text) {
    int64_t parts = text->size > 0;
    for (size_t i = 0; i < text->size; i++)
        if (strchr(", \n", text->text[i])) parts++;
    return parts;
}

clg_rich clg_shell_printed(clg_shell *s, const char *text, size_t size, int32_t place) {
    clg_shell_script script = clg_shell_tokens(s->arena, text, size, 0, 1);
    clg_rich_list words = {0};
    int at = 0;
    for (; at < script.count && script.token[at].kind == 'w'; at++)
        clg_shell_expand(s, script.token[at].text, script.token[at].size, place, true, &words);
    if (words.count == 0 || s->stopped) return not_known(s, place);
    const char *name = clg_rich_text(s, &words.word[0]);
    bool piped = at < script.count && script.token[at].kind == 'o' && *script.token[at].text == '|';
    bool bc = false, counts = false;
    for (int i = at; i < script.count; i++) {
        bc = bc || is(&script.token[i], "bc");
        counts = counts || is(&script.token[i], "wc");
    }
    clg_rich all = joined(s, &words,
                          words.count > 1 && strcmp(name, "echo") == 0 &&
                                  clg_rich_text(s, &words.word[1])[0] == '-'
                              ? 2
                              : 1);
    bool known = !memchr(all.text, CLG_TREE_UNKNOWN, all.size);
    if (strcmp(name, "echo") == 0 && known) {
        if (!piped) return all;
        if (bc) return computed(s, all, place);
        if (counts) return counted(s, parts_of(&all), place);
    }
    if (strcmp(name, "expr") == 0 && !piped && known) return computed(s, all, place);
    if (strcmp(name, "basename") == 0 && !piped && known && words.count > 1)
        return base_of(s, &words.word[1], words.count > 2 ? clg_rich_text(s, &words.word[2]) : "");
    return not_known(s, place);
}
