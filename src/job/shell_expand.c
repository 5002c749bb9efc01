/* shell_expand.c -- words as written into words as a program would get them. */
#include "job/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4 << 20, MOST_WORDS = 8192 };

static void stop(clg_shell *s, const char *what) {
    if (!s->stopped) clg_fail(s->error, CLG_BAD_INPUT, "write the values out", "%s", what);
    s->stopped = true;
}

void clg_rich_add(clg_shell *s, clg_rich *rich, const char *text, size_t size, int32_t place) {
    if (s->stopped) return;
    if (s->bytes + size > MOST_BYTES) {
        stop(s, "its variables expand to more than 4 MB");
        return;
    }
    s->bytes += size;
    if (rich->size + size + 1 > rich->capacity) {
        size_t capacity = 2 * (rich->size + size) + 16;
        char *more = clg_take(s->arena, capacity, char);
        int32_t *places = clg_take(s->arena, capacity, int32_t);
        if (rich->size > 0) memcpy(more, rich->text, rich->size);
        if (rich->size > 0) memcpy(places, rich->place, rich->size * sizeof *places);
        rich->text = more, rich->place = places, rich->capacity = capacity;
    }
    if (size > 0) memcpy(rich->text + rich->size, text, size);
    for (size_t i = 0; i < size; i++) rich->place[rich->size + i] = place;
    rich->size += size;
    rich->text[rich->size] = '\0';
}

void clg_rich_join(clg_shell *s, clg_rich *rich, const clg_rich *more) {
    for (size_t i = 0; i < more->size; i++)
        clg_rich_add(s, rich, more->text + i, 1, more->place[i]);
}

const char *clg_rich_text(clg_shell *s, clg_rich *rich) {
    if (!rich->text) clg_rich_add(s, rich, "", 0, 0);
    return rich->text ? rich->text : "";
}

clg_shell_variable *clg_shell_variable_of(clg_shell *s, const char *name, size_t size) {
    for (int i = s->variables; i-- > 0;)
        if (strlen(s->variable[i].name) == size && memcmp(s->variable[i].name, name, size) == 0)
            return &s->variable[i];
    return NULL;
}

clg_shell_variable *clg_shell_set(clg_shell *s, const char *name, size_t size, const clg_rich *word,
                                  int words, bool array) {
    clg_shell_variable *found = clg_shell_variable_of(s, name, size);
    if (!found) {
        if (s->variables == s->variable_room) {
            int room = s->variable_room ? 2 * s->variable_room : 64;
            if (room > 4096) {
                stop(s, "it has more than 4,096 variables");
                return NULL;
            }
            clg_shell_variable *more = clg_take(s->arena, (size_t)room, clg_shell_variable);
            if (s->variables) memcpy(more, s->variable, (size_t)s->variables * sizeof *more);
            s->variable = more, s->variable_room = room;
        }
        found = &s->variable[s->variables++];
        found->name = clg_arena_copy(s->arena, name, size);
    }
    found->word = clg_take(s->arena, (size_t)words + 1, clg_rich);
    if (words > 0) memcpy(found->word, word, (size_t)words * sizeof *word);
    found->words = words, found->array = array;
    return found;
}

/* ---- one word on its way ---- */

typedef struct expansion {
    clg_shell *s;
    clg_rich_list *into;
    clg_rich word;
    bool begun, split;
} expansion;

static void finish_word(expansion *e) {
    if (!e->begun) return;
    clg_rich_list *list = e->into;
    if (list->count >= MOST_WORDS) {
        stop(e->s, "its variables expand to more than 8,192 words");
        return;
    }
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 8;
        clg_rich *more = clg_take(e->s->arena, (size_t)capacity, clg_rich);
        if (list->count) memcpy(more, list->word, (size_t)list->count * sizeof *more);
        list->word = more, list->capacity = capacity;
    }
    clg_rich_text(e->s, &e->word);
    list->word[list->count++] = e->word;
    e->word = (clg_rich){0};
    e->begun = false;
}

static void literal(expansion *e, const char *text, size_t size, int32_t place) {
    clg_rich_add(e->s, &e->word, text, size, place);
    e->begun = true;
}

/* A value put in: outside quotes blanks part words. */
static void put(expansion *e, const clg_rich *value, bool quoted) {
    for (size_t i = 0; i < value->size; i++) {
        if (e->s->bare && value->text[i] == CLG_TREE_UNSET) continue;
        if (!quoted && e->split && strchr(" \t\n", value->text[i]))
            finish_word(e);
        else
            literal(e, value->text + i, 1, value->place[i]);
    }
    if (quoted) e->begun = true;
}

static void put_unknown(expansion *e, int32_t place, bool quoted) {
    if (e->s->bare) {
        if (quoted) e->begun = true;
        return;
    }
    literal(e, &(char){CLG_TREE_UNSET}, 1, place);
}

static void put_words(expansion *e, const clg_rich *word, int words, bool quoted) {
    for (int i = 0; i < words; i++) {
        if (i > 0 && e->split) finish_word(e);
        if (i > 0 && !e->split) literal(e, " ", 1, 0);
        put(e, &word[i], quoted);
    }
}

static bool is_name(char c, bool first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

static size_t name_size(const char *at, const char *end) {
    size_t size = 0;
    while (at + size < end && is_name(at[size], size == 0)) size++;
    return size;
}

/* ---- ${...} ---- */

static clg_rich number_word(clg_shell *s, int64_t value, int32_t place) {
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
        if (up && *c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
        if (!up && *c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
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

typedef struct parameter {
    clg_rich value;
    const clg_rich *word; /* of arrays and $@ */
    int words;
    bool set, many;
} parameter;

static parameter of_position(clg_shell *s, int index) {
    parameter p = {0};
    if (index >= 1 && index <= s->positionals)
        p = (parameter){.value = s->positional[index - 1], .set = true};
    return p;
}

/* What a name, with an index or not, stands for. */
static parameter look_up(clg_shell *s, const char *name, size_t size, const char *index,
                         size_t index_size, int32_t place) {
    if (size == 1 && (*name == '@' || *name == '*'))
        return (parameter){
            .word = s->positional, .words = s->positionals, .set = true, .many = true};
    if (size == 1 && *name == '#')
        return (parameter){.value = number_word(s, s->positionals, place), .set = true};
    if (*name >= '0' && *name <= '9') return of_position(s, atoi(name));
    const clg_shell_variable *v = clg_shell_variable_of(s, name, size);
    if (!v || v->words == 0) return (parameter){.set = v != NULL, .many = v && v->array};
    if (index && index_size == 1 && (*index == '@' || *index == '*'))
        return (parameter){.word = v->word, .words = v->words, .set = true, .many = true};
    int64_t at = 0;
    if (index && !clg_shell_arithmetic(s, index, index_size, place, &at)) return (parameter){0};
    if (at < 0 || at >= v->words) return (parameter){0};
    return (parameter){.value = v->word[at], .set = true};
}

static bool is_empty(const parameter *p) { return p->many ? p->words == 0 : p->value.size == 0; }

/* What stands behind a name in ${...}. False: the value itself is to be put in. */
static bool with_default(expansion *e, const char *name, size_t size, const parameter *p,
                         const char *rest, const char *end, int32_t place, bool quoted) {
    bool colon = *rest == ':';
    const char *mark = rest + colon;
    if (mark >= end || !strchr("-=+?", *mark)) return false;
    bool have = p->set && !(colon && is_empty(p));
    if (*mark == '+') {
        if (have) {
            clg_rich value = clg_shell_expand_one(e->s, mark + 1, (size_t)(end - mark - 1), place);
            put(e, &value, quoted);
        } else if (quoted)
            e->begun = true;
        return true;
    }
    if (have || *mark == '?') return false;
    clg_rich value = clg_shell_expand_one(e->s, mark + 1, (size_t)(end - mark - 1), place);
    if (*mark == '=') clg_shell_set(e->s, name, size, &value, 1, false);
    put(e, &value, quoted);
    return true;
}

static clg_rich changed(clg_shell *s, const clg_rich *value, const char *rest, const char *end,
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

/* `at` behind "${", `end` at its '}'. */
static void braces(expansion *e, const char *at, const char *end, int32_t place, bool quoted) {
    clg_shell *s = e->s;
    bool length = at < end && *at == '#' && end - at > 1;
    bool indirect = at < end && *at == '!';
    if (length || indirect) at++;
    size_t size = name_size(at, end), index_size = 0;
    if (size == 0 && at < end) size = *at >= '0' && *at <= '9' ? strspn(at, "0123456789") : 1;
    const char *rest = at + size, *index = NULL;
    if (rest > end) return;
    if (rest < end && *rest == '[') {
        const char *close = memchr(rest, ']', (size_t)(end - rest));
        if (!close) return;
        index = rest + 1, index_size = (size_t)(close - index), rest = close + 1;
    }
    parameter p = look_up(s, at, size, index, index_size, place);
    if (indirect && p.set && !p.many) {
        const char *name = clg_rich_text(s, &p.value);
        p = look_up(s, name, strlen(name), NULL, 0, place);
    }
    if (length) {
        p.value = number_word(s, p.many ? p.words : (int64_t)p.value.size, place);
        put(e, &p.value, quoted);
        return;
    }
    if (rest < end && with_default(e, at, size, &p, rest, end, place, quoted)) return;
    if (!p.set)
        put_unknown(e, place, quoted);
    else if (p.many)
        put_words(e, p.word, p.words, quoted);
    else {
        if (rest < end) p.value = changed(s, &p.value, rest, end, place);
        put(e, &p.value, quoted);
    }
}

static void arithmetic(expansion *e, const char *at, const char *end, int32_t place, bool quoted) {
    int64_t value;
    if (!clg_shell_arithmetic(e->s, at, (size_t)(end - at), place, &value)) {
        literal(e, &(char){CLG_TREE_UNKNOWN}, 1, place);
        return;
    }
    clg_rich word = number_word(e->s, value, place);
    put(e, &word, quoted);
}

static void printed(expansion *e, const char *at, size_t size, int32_t place, bool quoted) {
    clg_rich value = clg_shell_printed(e->s, at, size, place);
    put(e, &value, quoted);
}

/* `at` at '$' or a backtick; returns the byte behind what it took. */
static const char *dollar(expansion *e, const char *at, const char *end, int32_t place,
                          bool quoted) {
    const char *behind = clg_shell_behind(at, end);
    size_t size = (size_t)(behind - at);
    if (e->s->depth > 40) {
        stop(e->s, "it nests deeper than 40 levels");
        return behind;
    }
    e->s->depth++;
    if (*at == '`')
        printed(e, at + 1, size >= 2 ? size - 2 : 0, place, quoted);
    else if (size >= 5 && at[1] == '(' && at[2] == '(' && behind[-2] == ')')
        arithmetic(e, at + 3, behind - 2, place, quoted);
    else if (size >= 3 && at[1] == '(')
        printed(e, at + 2, size - 3, place, quoted);
    else if (size >= 3 && at[1] == '{')
        braces(e, at + 2, behind - 1, place, quoted);
    else {
        size_t name = name_size(at + 1, end);
        if (name == 0 && at + 1 < end &&
            (strchr("@*#?$!-", at[1]) || (at[1] >= '0' && at[1] <= '9')))
            name = at[1] ? 1 : 0;
        behind = at + 1 + name;
        if (name == 0)
            literal(e, "$", 1, place);
        else
            braces(e, at + 1, at + 1 + name, place, quoted);
    }
    e->s->depth--;
    return behind;
}

/* What stands in double quotes, or in a here-document. */
static void inside(expansion *e, const char *at, const char *end, int32_t *place, bool here) {
    while (at < end && !e->s->stopped) {
        if (*at == '\\' && at + 1 < end && strchr(here ? "$`\\\n" : "$`\"\\\n", at[1])) {
            if (at[1] == '\n') ++*place;
            if (at[1] != '\n') literal(e, at + 1, 1, *place);
            at += 2;
        } else if (*at == '$' || *at == '`')
            at = dollar(e, at, end, *place, true);
        else {
            literal(e, at, 1, *place);
            if (*at++ == '\n') ++*place;
        }
    }
    e->begun = true;
}

static void word(expansion *e, const char *at, const char *end, int32_t place) {
    while (at < end && !e->s->stopped) {
        const char *behind;
        if (*at == '\\' && at + 1 < end) {
            if (at[1] == '\n') place++;
            if (at[1] != '\n' && at[1] != '\r') literal(e, at + 1, 1, place);
            at += 2;
        } else if (*at == '\'') {
            behind = clg_shell_behind(at, end);
            for (at++; at + 1 < behind; at++) {
                literal(e, at, 1, place);
                if (*at == '\n') place++;
            }
            e->begun = true;
            at = behind;
        } else if (*at == '"') {
            behind = clg_shell_behind(at, end);
            inside(e, at + 1, behind > at + 1 ? behind - 1 : behind, &place, false);
            at = behind;
        } else if (*at == '$' || *at == '`')
            at = dollar(e, at, end, place, false);
        else
            literal(e, at++, 1, place);
    }
}

void clg_shell_expand(clg_shell *s, const char *raw, size_t size, int32_t place, bool split,
                      clg_rich_list *into) {
    expansion e = {.s = s, .into = into, .split = split};
    word(&e, raw, raw + size, place);
    finish_word(&e);
}

clg_rich clg_shell_expand_one(clg_shell *s, const char *raw, size_t size, int32_t place) {
    clg_rich_list list = {0};
    clg_shell_expand(s, raw, size, place, false, &list);
    clg_rich empty = {0};
    clg_rich_text(s, &empty);
    return list.count > 0 ? list.word[0] : empty;
}

clg_rich clg_shell_expand_text(clg_shell *s, const char *raw, size_t size, int32_t place) {
    clg_rich_list list = {0};
    expansion e = {.s = s, .into = &list};
    inside(&e, raw, raw + size, &place, true);
    return e.word;
}
