/* shell_arithmetic.c -- $((...)): whole numbers, variables, the usual operators, assignments. */
#include "base/letters.h"
#include "job/shell.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct reader {
    clg_shell *s;
    const char *at, *end;
    int32_t place;
    int depth;
    bool known;
} reader;

static void blanks(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n\\\"", *r->at)) r->at++;
}

static bool takes(reader *r, const char *mark) {
    blanks(r);
    size_t size = strlen(mark);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, mark, size) != 0) return false;
    r->at += size;
    return true;
}

static int64_t choice(reader *r);

/* Of a text: a whole number, or what is not one. */
static int64_t number_of(reader *r, const char *text) {
    char *end;
    long long value = strtoll(text, &end, 10);
    while (*end == ' ') end++;
    if (*end || end == text) r->known = false;
    return value > INT64_C(1000000000000000) || value < -INT64_C(1000000000000000) ? 0 : value;
}

static int64_t set(reader *r, const char *name, size_t size, int64_t value) {
    if (!r->known) return 0;
    char text[32];
    clg_rich word = {0};
    char *at = text + sizeof text;
    uint64_t rest = value < 0 ? (uint64_t)-value : (uint64_t)value;
    do *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0) *--at = '-';
    clg_rich_add(r->s, &word, at, (size_t)(text + sizeof text - at), r->place);
    clg_shell_set(r->s, name, size, &word, 1, false);
    return value;
}

static int64_t variable(reader *r) {
    const char *name = r->at;
    while (r->at < r->end && clg_in_name(*r->at)) r->at++;
    size_t size = (size_t)(r->at - name);
    const clg_shell_variable *v = clg_shell_variable_of(r->s, name, size);
    if (takes(r, "++")) {
        int64_t old = v && v->words ? number_of(r, clg_rich_text(r->s, &v->word[0])) : 0;
        set(r, name, size, old + 1);
        return old;
    }
    blanks(r);
    if (r->at + 1 < r->end && *r->at == '=' && r->at[1] != '=') {
        r->at++;
        return set(r, name, size, choice(r));
    }
    if (!v || v->words == 0) {
        r->known = r->known && r->s->bare;
        return 0;
    }
    return number_of(r, clg_rich_text(r->s, &v->word[0]));
}

static int64_t dollar(reader *r) {
    const char *behind = clg_shell_behind(r->at, r->end);
    if (behind == r->at + 1)
        while (behind < r->end && (clg_in_name(*behind) || strchr("#@", *behind))) behind++;
    clg_rich word = clg_shell_expand_one(r->s, r->at, (size_t)(behind - r->at), r->place);
    r->at = behind;
    return number_of(r, clg_rich_text(r->s, &word));
}

static int64_t primary(reader *r) {
    if (++r->depth > DEEPEST) r->known = false;
    int64_t value = 0;
    blanks(r);
    if (r->at >= r->end || r->depth > DEEPEST)
        r->known = false;
    else if (takes(r, "(")) {
        value = choice(r);
        if (!takes(r, ")")) r->known = false;
    } else if (takes(r, "-"))
        value = -primary(r);
    else if (takes(r, "!"))
        value = !primary(r);
    else if (*r->at == '$' || *r->at == '`')
        value = dollar(r);
    else if (clg_is_digit(*r->at)) {
        char text[24];
        size_t size = 0;
        for (; r->at < r->end && clg_is_digit(*r->at); r->at++)
            if (size + 1 < sizeof text) text[size++] = *r->at;
        text[size] = '\0';
        value = number_of(r, text);
        if (r->at < r->end && *r->at == '.') r->known = false;
    } else if (clg_in_name(*r->at))
        value = variable(r);
    else
        r->known = false;
    r->depth--;
    return value;
}

/* Products stay far from the end of 64 bits: what is out of range is not known. */
static int64_t within(reader *r, double about, int64_t a, int64_t b, char operation) {
    if (about > 1e18 || about < -1e18) {
        r->known = false;
        return 0;
    }
    return operation == '*' ? a * b : operation == '+' ? a + b : a - b;
}

static int64_t power(reader *r) {
    int64_t base = primary(r);
    if (!takes(r, "**")) return base;
    int64_t exponent = power(r), value = 1;
    if (exponent < 0 || exponent > 62) r->known = false;
    for (int64_t i = 0; r->known && i < exponent; i++)
        value = within(r, (double)value * (double)base, value, base, '*');
    return value;
}

static int64_t product(reader *r) {
    int64_t value = power(r);
    for (;;) {
        blanks(r);
        char mark = r->at < r->end ? *r->at : '\0';
        if (mark != '*' && mark != '/' && mark != '%') return value;
        r->at++;
        int64_t by = power(r);
        if (mark == '*')
            value = within(r, (double)value * (double)by, value, by, '*');
        else if (by == 0)
            r->known = false;
        else
            value = mark == '/' ? value / by : value % by;
    }
}

static int64_t sum(reader *r) {
    int64_t value = product(r);
    for (;;) {
        blanks(r);
        char mark = r->at < r->end ? *r->at : '\0';
        if (mark != '+' && mark != '-') return value;
        r->at++;
        int64_t by = product(r);
        double about = mark == '+' ? (double)value + (double)by : (double)value - (double)by;
        value = within(r, about, value, by, mark);
    }
}

static int64_t comparison(reader *r) {
    int64_t value = sum(r);
    for (;;) {
        if (takes(r, "<="))
            value = value <= sum(r);
        else if (takes(r, ">="))
            value = value >= sum(r);
        else if (takes(r, "=="))
            value = value == sum(r);
        else if (takes(r, "!="))
            value = value != sum(r);
        else if (takes(r, "<"))
            value = value < sum(r);
        else if (takes(r, ">"))
            value = value > sum(r);
        else
            return value;
    }
}

static int64_t logic(reader *r) {
    int64_t value = comparison(r);
    for (;;) {
        if (takes(r, "&&")) {
            int64_t other = comparison(r);
            value = value && other;
        } else if (takes(r, "||")) {
            int64_t other = comparison(r);
            value = value || other;
        } else
            return value;
    }
}

static int64_t choice(reader *r) {
    if (++r->depth > DEEPEST) {
        r->known = false;
        return 0;
    }
    int64_t value = logic(r);
    if (takes(r, "?")) {
        int64_t yes = choice(r);
        if (!takes(r, ":")) r->known = false;
        int64_t no = choice(r);
        value = value ? yes : no;
    }
    r->depth--;
    return value;
}

bool clg_shell_arithmetic(clg_shell *s, const char *text, size_t size, int32_t place,
                          int64_t *value) {
    reader r = {.s = s, .at = text, .end = text + size, .place = place, .known = true};
    *value = choice(&r);
    blanks(&r);
    return r.known && r.at == r.end && !s->stopped;
}
