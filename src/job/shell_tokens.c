/* shell_tokens.c -- a script into words, operators and here-documents. */
#include "job/shell.h"

#include "base/letters.h"
#include "base/text.h"

#include <string.h>

enum { MOST_HERE = 8 };

typedef struct lexer {
    clg_arena *arena;
    const char *at, *end;
    int line;
    clg_shell_token *token;
    int count;
    size_t capacity;
    int here[MOST_HERE]; /* tokens of here-documents whose text begins on the next line */
    int heres;
    bool continued; /* a line ended in a backslash, and no word has come since */
} lexer;

static clg_shell_token *add(lexer *l, char kind, const char *text, size_t size) {
    clg_shell_token token = {.kind = kind, .text = text, .size = size, .line = l->line};
    CLG_APPEND(l->arena, l->token, l->count, l->capacity, token);
    return &l->token[l->count - 1];
}

static const char *behind_quote(const char *at, const char *end) {
    char quote = *at++;
    for (; at < end && *at != quote; at++) {
        if (quote == '\'' || at + 1 >= end) continue;
        if (*at == '\\')
            at++;
        else if (quote == '"' && *at == '$' && (at[1] == '(' || at[1] == '{'))
            at = clg_shell_behind(at, end) - 1;
    }
    return at < end ? at + 1 : end;
}

/* Brackets nest, quotes hide them. Recursion is bounded by this count of brackets in one word. */
static const char *behind_bracket(const char *at, const char *end, char open, char close) {
    for (int depth = 0; at < end; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        else if (*at == '\'' || *at == '"') {
            char quote = *at;
            for (at++; at < end && *at != quote; at++)
                if (*at == '\\' && quote == '"' && at + 1 < end) at++;
            if (at >= end) return end;
        } else if (*at == open)
            depth++;
        else if (*at == close && --depth == 0)
            return at + 1;
    }
    return end;
}

const char *clg_shell_behind(const char *at, const char *end) {
    if (*at == '"' || *at == '\'' || *at == '`') return behind_quote(at, end);
    if (*at == '$' && at + 1 < end && at[1] == '(') return behind_bracket(at + 1, end, '(', ')');
    if (*at == '$' && at + 1 < end && at[1] == '{') return behind_bracket(at + 1, end, '{', '}');
    return at + 1;
}

static void count_lines(lexer *l, const char *from, const char *to) {
    for (; from < to; from++)
        if (*from == '\n') l->line++;
}

/* The text of each here-document begun on this line, up to its end. */
static void take_heres(lexer *l) {
    for (int i = 0; i < l->heres; i++) {
        clg_shell_token *token = &l->token[l->here[i]];
        char ending[128];
        size_t size = 0;
        bool tabs = token->size > 0 && *token->text == '-';
        for (size_t k = tabs; k < token->size && size + 1 < sizeof ending; k++)
            if (!strchr("'\"\\", token->text[k])) ending[size++] = token->text[k];
        token->expand = !memchr(token->text, '\'', token->size) &&
                        !memchr(token->text, '"', token->size) &&
                        !memchr(token->text, '\\', token->size);
        token->text = l->at, token->line = l->line;
        token->size = (size_t)(l->end - l->at); /* one that never ends takes the rest */
        while (l->at < l->end) {
            const char *start = l->at, *word = start;
            const char *stop = memchr(start, '\n', (size_t)(l->end - start));
            if (!stop) stop = l->end;
            while (tabs && word < stop && *word == '\t') word++;
            l->at = stop < l->end ? stop + 1 : l->end;
            l->line++;
            const char *last = stop;
            while (last > word && last[-1] == '\r') last--;
            if ((size_t)(last - word) != size || memcmp(word, ending, size) != 0) continue;
            token->size = (size_t)(start - token->text);
            break;
        }
    }
    l->heres = 0;
}

static void end_line(lexer *l) {
    add(l, 'n', l->at, 1);
    l->at++;
    l->line++;
    if (l->heres > 0) take_heres(l);
}

/* "<<EOF": the word behind it names the end. */
static void here(lexer *l) {
    l->at += 2;
    const char *start = l->at;
    if (l->at < l->end && *l->at == '-') l->at++;
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t')) l->at++;
    const char *word = l->at;
    while (l->at < l->end && !strchr(" \t\r\n;|&<>)", *l->at)) l->at++;
    bool tabs = *start == '-';
    size_t size = (size_t)(l->at - word);
    char *name = clg_take(l->arena, size + 2, char);
    if (tabs) name[0] = '-';
    memcpy(name + tabs, word, size);
    int index = l->count;
    add(l, 'h', name, size + tabs);
    if (l->heres < MOST_HERE) l->here[l->heres++] = index;
}

static bool operator_at(lexer *l) {
    static const char *const operators[] = {";;", "&&", "||", "<<<", "<(", ">(", "&>>",
                                            "&>", ">>", ">&", "<&",  "|&", ";",  "&",
                                            "|",  "(",  ")",  "<",   ">",  NULL};
    for (int i = 0; operators[i]; i++) {
        size_t size = strlen(operators[i]);
        if ((size_t)(l->end - l->at) < size || memcmp(l->at, operators[i], size) != 0) continue;
        if (*l->at == '<' && size == 1 && l->at + 1 < l->end && l->at[1] == '<') {
            here(l);
            return true;
        }
        add(l, 'o', l->at, size);
        l->at += size;
        return true;
    }
    return false;
}

static bool is_array_start(const char *start, const char *at) {
    if (at <= start || at[-1] != '=') return false;
    const char *stop = at - 1;
    if (stop > start && stop[-1] == '+') stop--;
    for (const char *c = start; c < stop; c++)
        if (!clg_in_name(*c)) return false;
    return stop > start;
}

/* "<PATH TO DATA>": what whoever uses a template puts in. A shell sees files for input and output,
 * one of them the flag behind it. Returns its end; NULL: it is none. */
static const char *placeholder(const char *at, const char *end) {
    bool begins = end - at > 2 && *at == '<' && clg_is_letter(at[1]);
    const char *stop = at + 1;
    while (begins && stop < end && !strchr("\n\"'`$;|&<>", *stop)) stop++;
    if (!begins || stop >= end || *stop != '>' || stop[-1] == ' ') return NULL;
    return stop + 1 == end || strchr(" \t\r\n\"\\/", stop[1]) ? stop + 1 : NULL;
}

/* A word with its placeholders as a variable that nothing sets. */
static void add_word(lexer *l, const char *start, bool filled) {
    clg_text text = {.arena = l->arena};
    if (!filled) {
        add(l, 'w', start, (size_t)(l->at - start));
        return;
    }
    for (const char *at = start; at < l->at;) {
        const char *behind = placeholder(at, l->at);
        clg_text_add(&text, behind ? "${PLACEHOLDER}" : at, behind ? 14 : 1);
        at = behind ? behind : at + 1;
    }
    add(l, 'w', text.data, text.size);
}

static void word(lexer *l) {
    const char *start = l->at;
    bool templated = false;
    while (l->at < l->end) {
        const char *filled = placeholder(l->at, l->end);
        if (filled) {
            l->at = filled, templated = true;
            continue;
        }
        if (strchr(" \t\r\n;|&<>()", *l->at)) break;
        if (*l->at == '\\' && l->at + 1 < l->end)
            l->at += 2;
        else
            l->at = clg_shell_behind(l->at, l->end);
    }
    if (l->at > l->end) l->at = l->end;
    if (l->at == start) { /* a NUL or the like */
        l->at++;
        return;
    }
    bool array = l->at < l->end && *l->at == '(' && is_array_start(start, l->at);
    if (array)
        add(l, 'a', start, (size_t)(l->at++ - start));
    else
        add_word(l, start, templated);
    count_lines(l, start, l->at);
}

/* "((": arithmetic as a command, one word. */
static bool arithmetic(lexer *l) {
    if (l->end - l->at < 2 || l->at[0] != '(' || l->at[1] != '(') return false;
    const char *start = l->at;
    l->at = behind_bracket(l->at, l->end, '(', ')');
    add(l, 'w', start, (size_t)(l->at - start));
    count_lines(l, start, l->at);
    return true;
}

/* A comment between the lines of one command ends it for a shell; flags that follow are meant to be
 * its own (scripts of model cards have them so). */
static void comment(lexer *l) {
    while (l->at < l->end && *l->at != '\n') l->at++;
    const char *next = l->at;
    while (next < l->end && strchr(" \t\r\n", *next)) next++;
    bool goes_on = next + 1 < l->end && (*next == '#' || (next[0] == '-' && next[1] != ' '));
    if (!l->continued || !goes_on) return;
    count_lines(l, l->at, next);
    l->at = next;
}

static void token(lexer *l) {
    char c = *l->at;
    if (c == '#') {
        comment(l);
        return;
    }
    if (c != ' ' && c != '\t' && c != '\r') l->continued = c == '\\';
    if (c == ' ' || c == '\t' || c == '\r')
        l->at++;
    else if (c == '\\' && l->at + 1 < l->end && (l->at[1] == '\n' || l->at[1] == '\r')) {
        l->at += l->at[1] == '\r' && l->at + 2 < l->end && l->at[2] == '\n' ? 3 : 2;
        l->line++;
    } else if (c == '\n')
        end_line(l);
    else if (placeholder(l->at, l->end) || (!arithmetic(l) && !operator_at(l)))
        word(l);
}

/* Where a quote is opened that nothing closes, which takes the rest of the text; 0: nowhere. */
static int open_quote(const clg_shell_token *token) {
    const char *end = token->text + token->size;
    int line = token->line;
    for (const char *at = token->text; at < end;) {
        bool quote = *at == '"' || *at == '\'' || *at == '`';
        const char *behind = clg_shell_behind(at, end);
        if (quote && behind == end && (behind - at < 2 || behind[-1] != *at)) return line;
        if (*at == '\\' && behind < end) behind++;
        for (; at < behind; at++) line += *at == '\n';
    }
    return 0;
}

clg_shell_script clg_shell_tokens(clg_arena *arena, const char *text, size_t size, int file,
                                  int line) {
    lexer l = {.arena = arena, .at = text, .end = text + size, .line = line};
    while (l.at < l.end) token(&l);
    const clg_shell_token *last = l.count > 0 ? &l.token[l.count - 1] : NULL;
    bool to_the_end = last && last->kind == 'w' && last->text + last->size == l.end;
    int open_line = to_the_end ? open_quote(last) : 0;
    add(&l, 'n', "\n", 1);
    return (clg_shell_script){file, l.token, l.count, open_line};
}
