/* shell_expand.c -- words as written into words as a program would get them. */
#include "base/letters.h"
#include "job/shell.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 8192 };

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
        clg_shell_stop(e->s, "its variables expand to more than 8,192 words");
        return;
    }
    clg_rich_text(e->s, &e->word);
    CLG_APPEND(e->s->arena, list->word, list->count, list->capacity, e->word);
    e->word = (clg_rich){0};
    e->begun = false;
}

static void literal(expansion *e, const char *letter, int32_t place) {
    clg_rich_add(e->s, &e->word, letter, 1, place);
    e->begun = true;
}

/* A value put in: outside quotes blanks part words. */
static void put(expansion *e, const clg_rich *value, bool quoted) {
    for (size_t i = 0; i < value->size; i++) {
        if (e->s->bare && value->text[i] == CLG_TREE_UNSET) continue;
        if (!quoted && e->split && strchr(" \t\n", value->text[i]))
            finish_word(e);
        else
            literal(e, value->text + i, value->place[i]);
    }
    if (quoted) e->begun = true;
}

static void put_unknown(expansion *e, int32_t place, bool quoted) {
    if (e->s->bare) {
        if (quoted) e->begun = true;
        return;
    }
    literal(e, &(char){CLG_TREE_UNSET}, place);
}

/* `one`: "${A[*]}" in quotes stays one word. */
static void put_words(expansion *e, const clg_rich *word, int words, bool quoted, bool one) {
    for (int i = 0; i < words; i++) {
        if (i > 0 && e->split && !one) finish_word(e);
        if (i > 0 && (!e->split || one)) literal(e, " ", 0);
        put(e, &word[i], quoted);
    }
}

static size_t name_size(const char *at, const char *end) {
    size_t size = 0;
    if (at < end && clg_is_digit(*at)) return 0;
    while (at + size < end && clg_in_name(at[size])) size++;
    return size;
}

/* ---- ${...} ---- */

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
    else if (!s->positional)
        s->argument = index;
    return p;
}

/* What a name, with an index or not, stands for. */
static parameter look_up(clg_shell *s, const char *name, size_t size, const char *index,
                         size_t index_size, int32_t place) {
    if (size == 1 && (*name == '@' || *name == '*'))
        return (parameter){
            .word = s->positional, .words = s->positionals, .set = true, .many = true};
    if (size == 1 && *name == '#')
        return (parameter){.value = clg_rich_number(s, s->positionals, place), .set = true};
    if (clg_is_digit(*name)) return of_position(s, atoi(name));
    const clg_shell_variable *v = clg_shell_variable_of(s, name, size);
    if (!v || v->words == 0) return (parameter){.set = v != NULL, .many = v && v->array};
    if (index && index_size == 1 && (*index == '@' || *index == '*'))
        return (parameter){.word = v->word, .words = v->words, .set = true, .many = true};
    int64_t at = 0;
    if (index && !clg_shell_arithmetic(s, index, index_size, place, &at)) return (parameter){0};
    if (at < 0 || at >= v->words) return (parameter){0};
    return (parameter){.value = v->word[at], .set = true};
}

/* Nothing is in it, or but what nobody set. */
static bool is_empty(const parameter *p) {
    size_t bytes = 0;
    while (!p->many && bytes < p->value.size && p->value.text[bytes] == CLG_TREE_UNSET) bytes++;
    return p->many ? p->words == 0 : bytes == p->value.size;
}

/* "${X:-d}", "${X=d}": not a part or a change of the value. */
static bool states_default(const char *rest, const char *end) {
    const char *mark = rest + (rest < end && *rest == ':');
    return mark < end && strchr("-=+?", *mark) != NULL;
}

/* What stands behind a name in ${...}. False: the value itself is to be put in. */
static bool with_default(expansion *e, const char *name, size_t size, const parameter *p,
                         const char *rest, const char *end, int32_t place, bool quoted) {
    bool colon = *rest == ':';
    const char *mark = rest + colon;
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

/* An array that nothing has set yet: the command it stands in lacks flags. */
static void remember_unset(clg_shell *s, const char *name, size_t size, int32_t place) {
    int most = (int)(sizeof s->unset / sizeof s->unset[0]);
    if (s->unsets < most)
        s->unset[s->unsets++] = (clg_shell_unset){clg_arena_copy(s->arena, name, size), place};
}

/* `at` behind "${", `end` at its '}'. */
static void braces(expansion *e, const char *at, const char *end, int32_t place, bool quoted) {
    clg_shell *s = e->s;
    bool length = at < end && *at == '#' && end - at > 1;
    bool indirect = at < end && *at == '!';
    if (length || indirect) at++;
    size_t size = name_size(at, end), index_size = 0;
    if (size == 0 && at < end) size = clg_is_digit(*at) ? strspn(at, "0123456789") : 1;
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
        p.value = clg_rich_number(s, p.many ? p.words : (int64_t)p.value.size, place);
        put(e, &p.value, quoted);
        return;
    }
    bool otherwise = states_default(rest, end), each = index && index_size == 1;
    if (!p.set && each && !otherwise && !s->bare) remember_unset(s, at, size, place);
    if (otherwise && with_default(e, at, size, &p, rest, end, place, quoted)) return;
    if (!p.set)
        put_unknown(e, place, quoted);
    else if (p.many)
        put_words(e, p.word, p.words, quoted, quoted && (each ? *index : *at) == '*');
    else {
        if (rest < end && !otherwise) p.value = clg_shell_changed(s, &p.value, rest, end, place);
        put(e, &p.value, quoted);
    }
}

static void arithmetic(expansion *e, const char *at, const char *end, int32_t place, bool quoted) {
    int64_t value;
    if (!clg_shell_arithmetic(e->s, at, (size_t)(end - at), place, &value)) {
        literal(e, &(char){CLG_TREE_UNKNOWN}, place);
        return;
    }
    clg_rich word = clg_rich_number(e->s, value, place);
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
        clg_shell_stop(e->s, "it nests deeper than 40 levels");
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
        if (name == 0 && at + 1 < end && (strchr("@*#?$!-", at[1]) || clg_is_digit(at[1])))
            name = at[1] ? 1 : 0;
        behind = at + 1 + name;
        if (name == 0)
            literal(e, "$", place);
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
            if (at[1] != '\n') literal(e, at + 1, *place);
            at += 2;
        } else if (*at == '$' || *at == '`')
            at = dollar(e, at, end, *place, true);
        else {
            literal(e, at, *place);
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
            if (at[1] != '\n' && at[1] != '\r') literal(e, at + 1, place);
            at += 2;
        } else if (*at == '\'') {
            behind = clg_shell_behind(at, end);
            for (at++; at + 1 < behind; at++) {
                literal(e, at, place);
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
            literal(e, at++, place);
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
