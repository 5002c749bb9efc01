/* shell_run.c -- follows the grammar of a script: lists, conditions, loops, functions. */
#include "job/shell_runner.h"

#include <string.h>

enum { MOST_STEPS = 20000, DEEPEST = 24 };

const clg_shell_token *clg_runner_now(const clg_shell_runner *r) {
    return &r->script->token[r->at];
}
bool clg_runner_over(const clg_shell_runner *r) {
    return r->at >= r->script->count || r->s->stopped;
}

bool clg_runner_is(const clg_shell_runner *r, const char *word) {
    if (clg_runner_over(r)) return false;
    const clg_shell_token *t = clg_runner_now(r);
    return (t->kind == 'w' || t->kind == 'o') && strlen(word) == t->size &&
           memcmp(t->text, word, t->size) == 0;
}

static bool take(clg_shell_runner *r, const char *word) {
    if (!clg_runner_is(r, word)) return false;
    r->at++;
    return true;
}

static bool is_any(const clg_shell_runner *r, const char *const *words) {
    for (; words && *words; words++)
        if (clg_runner_is(r, *words)) return true;
    return false;
}

static void skip_ends(clg_shell_runner *r) {
    while (!clg_runner_over(r) && (clg_runner_now(r)->kind == 'n' ||
                                   clg_runner_now(r)->kind == 'h' || clg_runner_is(r, ";")))
        r->at++;
}

int32_t clg_runner_place(const clg_shell_runner *r, const clg_shell_token *t) {
    return r->script->file * CLG_SHELL_LINES + (t->line < CLG_SHELL_LINES ? t->line : 0);
}

/* NAME() {...}: kept for later. */
static bool function(clg_shell_runner *r) {
    bool word = clg_runner_is(r, "function");
    int at = r->at + word;
    const clg_shell_token *t = &r->script->token[at];
    if (at + 2 >= r->script->count || t->kind != 'w') return false;
    bool brackets = t[1].kind == 'o' && *t[1].text == '(' && t[2].kind == 'o' && *t[2].text == ')';
    if (!brackets && !word) return false;
    r->at = at + (brackets ? 3 : 1);
    skip_ends(r);
    clg_shell *s = r->s;
    if (r->live && s->functions < 64)
        s->function[s->functions++] =
            (clg_shell_function){clg_arena_copy(s->arena, t->text, t->size), r->script, r->at};
    static const char *const ends[] = {"}", ")", NULL};
    bool live = r->live;
    r->live = false;
    if (take(r, "{") || take(r, "(")) {
        clg_runner_list(r, ends);
        if (!clg_runner_over(r)) r->at++;
    }
    r->live = live;
    return true;
}

/* Whether words from here on ask if something is there: a script that does knows what to do else.
 */
static bool asks_whether_set(const clg_shell_runner *r, int from) {
    for (int i = from; i < r->at; i++) {
        const clg_shell_token *t = &r->script->token[i];
        if (t->size == 2 && (memcmp(t->text, "-z", 2) == 0 || memcmp(t->text, "-n", 2) == 0))
            return true;
    }
    return false;
}

/* A condition, and whether a missing argument of the script decides it. */
static clg_shell_outcome condition(clg_shell_runner *r, const char *const *ends) {
    clg_shell *s = r->s;
    int from = r->at;
    int32_t place = clg_runner_over(r) ? 0 : clg_runner_place(r, clg_runner_now(r));
    s->argument = 0;
    clg_shell_outcome truth = clg_runner_list(r, ends);
    bool known = truth == CLG_SHELL_YES || truth == CLG_SHELL_NO;
    if (r->live && known && s->argument > 0 && !s->decided_by && !asks_whether_set(r, from))
        s->decided_by = s->argument, s->decided_at = place;
    return truth;
}

static clg_shell_outcome conditional(clg_shell_runner *r) {
    static const char *const then[] = {"then", NULL};
    static const char *const next[] = {"elif", "else", "fi", NULL};
    bool live = r->live, done = false;
    while (take(r, "if") || take(r, "elif")) {
        r->live = live && !done;
        clg_shell_outcome truth = condition(r, then);
        take(r, "then");
        r->live = live && !done && truth == CLG_SHELL_YES;
        clg_runner_list(r, next);
        if (truth == CLG_SHELL_YES && live) done = true;
    }
    if (take(r, "else")) {
        r->live = live && !done;
        clg_runner_list(r, next);
    }
    take(r, "fi");
    r->live = live;
    return CLG_SHELL_RAN;
}

static clg_shell_outcome loop(clg_shell_runner *r) {
    static const char *const begin[] = {"do", NULL};
    static const char *const end[] = {"done", NULL};
    bool live = r->live, entered = true;
    if (take(r, "for") || take(r, "select")) {
        const clg_shell_token *name = clg_runner_now(r);
        clg_rich_list words = {0};
        bool counted = !clg_runner_over(r) && name->size > 4 && name->text[0] == '(';
        r->at++;
        if (counted && live) {
            const char *semicolon = memchr(name->text, ';', name->size);
            int64_t first;
            if (semicolon)
                clg_shell_arithmetic(r->s, name->text + 2, (size_t)(semicolon - name->text - 2),
                                     clg_runner_place(r, name), &first);
        }
        for (bool in = take(r, "in"); !clg_runner_over(r) && !clg_runner_is(r, "do"); r->at++)
            if (live && in && clg_runner_now(r)->kind == 'w')
                clg_shell_expand(r->s, clg_runner_now(r)->text, clg_runner_now(r)->size,
                                 clg_runner_place(r, clg_runner_now(r)), true, &words);
        if (live && words.count > 0 && clg_shell_is_name(name->text, name->size))
            clg_shell_set(r->s, name->text, name->size, &words.word[0], 1, false);
    } else {
        bool until = clg_runner_is(r, "until");
        r->at++;
        clg_shell_outcome truth = clg_runner_list(r, begin);
        entered = until ? truth == CLG_SHELL_NO : truth == CLG_SHELL_YES;
    }
    take(r, "do");
    r->live = live && entered;
    clg_runner_list(r, end);
    take(r, "done");
    r->live = live;
    return CLG_SHELL_RAN;
}

/* Whether one of "a|b" before the bracket is like the word. */
static bool pattern_fits(clg_shell_runner *r, const char *word) {
    bool fits = false;
    take(r, "(");
    for (; !clg_runner_over(r) && !clg_runner_is(r, ")") && !clg_runner_is(r, "esac"); r->at++) {
        if (clg_runner_now(r)->kind != 'w' || !r->live) continue;
        clg_rich pattern =
            clg_shell_expand_one(r->s, clg_runner_now(r)->text, clg_runner_now(r)->size,
                                 clg_runner_place(r, clg_runner_now(r)));
        fits = fits || clg_shell_like(clg_rich_text(r->s, &pattern), word);
    }
    take(r, ")");
    return fits;
}

static clg_shell_outcome cases(clg_shell_runner *r) {
    static const char *const ends[] = {";;", "esac", NULL};
    bool live = r->live, done = false, bare = r->s->bare;
    clg_rich word = {0};
    r->at++;
    r->s->bare = true;
    if (!clg_runner_over(r) && live)
        word = clg_shell_expand_one(r->s, clg_runner_now(r)->text, clg_runner_now(r)->size,
                                    clg_runner_place(r, clg_runner_now(r)));
    r->s->bare = bare;
    r->at++;
    skip_ends(r);
    take(r, "in");
    for (skip_ends(r); !clg_runner_over(r) && !clg_runner_is(r, "esac"); skip_ends(r)) {
        r->live = live;
        bool fits = pattern_fits(r, clg_rich_text(r->s, &word));
        r->live = live && !done && fits;
        done = done || fits;
        clg_runner_list(r, ends);
        take(r, ";;");
    }
    take(r, "esac");
    r->live = live;
    return CLG_SHELL_RAN;
}

static clg_shell_outcome group(clg_shell_runner *r) {
    static const char *const brace[] = {"}", NULL}, *const bracket[] = {")", NULL};
    bool braces = clg_runner_is(r, "{");
    r->at++;
    clg_shell_outcome ended = clg_runner_list(r, braces ? brace : bracket);
    if (!clg_runner_over(r)) r->at++;
    return ended;
}

static clg_shell_outcome command(clg_shell_runner *r) {
    clg_shell_redirection where = {0};
    clg_shell_outcome ended = CLG_SHELL_RAN;
    if (r->s->depth > 3 * DEEPEST) {
        r->at++;
        return CLG_SHELL_NOT_KNOWN;
    }
    r->s->depth++;
    bool no = take(r, "!");
    if (clg_runner_is(r, "if"))
        ended = conditional(r);
    else if (clg_runner_is(r, "for") || clg_runner_is(r, "select") || clg_runner_is(r, "while") ||
             clg_runner_is(r, "until"))
        ended = loop(r);
    else if (clg_runner_is(r, "case"))
        ended = cases(r);
    else if (clg_runner_is(r, "[["))
        ended = clg_runner_double_test(r);
    else if (!clg_runner_over(r) && clg_runner_now(r)->kind == 'w' &&
             clg_runner_now(r)->size >= 4 && memcmp(clg_runner_now(r)->text, "((", 2) == 0)
        ended = clg_runner_arithmetic(r);
    else if (clg_runner_is(r, "{") || clg_runner_is(r, "("))
        ended = group(r);
    else if (!function(r))
        ended = clg_runner_simple(r, &where);
    while (!clg_runner_over(r) && clg_runner_redirects(clg_runner_now(r))) {
        clg_rich_list none = {0};
        clg_runner_redirect(r, &where, &none);
    }
    r->s->depth--;
    return no ? (ended == CLG_SHELL_YES  ? CLG_SHELL_NO
                 : ended == CLG_SHELL_NO ? CLG_SHELL_YES
                                         : CLG_SHELL_NOT_KNOWN)
              : ended;
}

static clg_shell_outcome pipeline(clg_shell_runner *r) {
    clg_shell_outcome ended = command(r);
    while (!clg_runner_over(r) && (clg_runner_is(r, "|") || clg_runner_is(r, "|&"))) {
        r->at++;
        skip_ends(r);
        ended = command(r);
    }
    return ended;
}

/* What follows && runs unless the test before it failed or is not known; commands go well. */
static clg_shell_outcome and_or(clg_shell_runner *r) {
    bool live = r->live;
    clg_shell_outcome ended = pipeline(r);
    while (!clg_runner_over(r) && (clg_runner_is(r, "&&") || clg_runner_is(r, "||"))) {
        bool both = clg_runner_is(r, "&&");
        r->at++;
        skip_ends(r);
        bool run = both ? ended == CLG_SHELL_YES || ended == CLG_SHELL_RAN : ended == CLG_SHELL_NO;
        r->live = live && run;
        clg_shell_outcome second = pipeline(r);
        r->live = live;
        if (run) ended = second;
    }
    return ended;
}

/* Until one of the words that end it, or the end of the script. */
clg_shell_outcome clg_runner_list(clg_shell_runner *r, const char *const *ends) {
    clg_shell_outcome ended = CLG_SHELL_RAN;
    for (skip_ends(r); !clg_runner_over(r) && !is_any(r, ends); skip_ends(r)) {
        int before = r->at;
        if (r->live && ++r->s->steps > MOST_STEPS) {
            r->s->stopped = true;
            clg_fail(r->s->error, CLG_BAD_INPUT, "give the command itself",
                     "it runs more than 20,000 commands");
            break;
        }
        ended = and_or(r);
        if (!clg_runner_over(r) && clg_runner_is(r, "&")) r->at++;
        if (r->at == before) r->at++; /* a stray word of the grammar */
    }
    return ended;
}
