/* shell_run.c -- follows a script: assignments, conditions, functions, sourced files. */
#include "job/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 20000, DEEPEST = 24 };

/* How a command ended, as far as reading tells: a test on stated values, or any command. */
typedef enum outcome { NO, YES, NOT_KNOWN, RAN } outcome;

typedef struct runner {
    clg_shell *s;
    const clg_shell_script *script;
    int at;
    bool live; /* false: walking over what is not run */
} runner;

static outcome list(runner *r, const char *const *ends);

static const clg_shell_token *now(const runner *r) { return &r->script->token[r->at]; }
static bool over(const runner *r) { return r->at >= r->script->count || r->s->stopped; }

static bool is(const runner *r, const char *word) {
    if (over(r)) return false;
    const clg_shell_token *t = now(r);
    return (t->kind == 'w' || t->kind == 'o') && strlen(word) == t->size &&
           memcmp(t->text, word, t->size) == 0;
}

static bool take(runner *r, const char *word) {
    if (!is(r, word)) return false;
    r->at++;
    return true;
}

static bool is_any(const runner *r, const char *const *words) {
    for (; words && *words; words++)
        if (is(r, *words)) return true;
    return false;
}

static void skip_ends(runner *r) {
    while (!over(r) && (now(r)->kind == 'n' || now(r)->kind == 'h' || is(r, ";"))) r->at++;
}

static int32_t place_of(const runner *r, const clg_shell_token *t) {
    return r->script->file * CLG_SHELL_LINES + (t->line < CLG_SHELL_LINES ? t->line : 0);
}

/* ---- what commands do here ---- */

static bool is_name(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (i > 0 && c >= '0' && c <= '9')))
            return false;
    }
    return size > 0;
}

/* Length of NAME of NAME=..., NAME+=...; 0: none. */
static size_t assigned(const char *text, size_t size, bool *more) {
    const char *equal = memchr(text, '=', size);
    if (!equal) return 0;
    size_t name = (size_t)(equal - text);
    *more = name > 1 && equal[-1] == '+';
    if (*more) name--;
    return is_name(text, name) ? name : 0;
}

static void assign(runner *r, const clg_shell_token *t) {
    bool more;
    size_t name = assigned(t->text, t->size, &more), skip = name + 1 + more;
    int32_t place = place_of(r, t);
    clg_rich value = clg_shell_expand_one(r->s, t->text + skip, t->size - skip, place);
    clg_shell_variable *old = clg_shell_variable_of(r->s, t->text, name);
    clg_rich whole = {0};
    if (more && old && old->words > 0) clg_rich_join(r->s, &whole, &old->word[0]);
    clg_rich_join(r->s, &whole, &value);
    clg_rich_text(r->s, &whole);
    clg_shell_set(r->s, t->text, name, &whole, 1, false);
}

/* NAME=( words ): up to the bracket. */
static void assign_array(runner *r) {
    const clg_shell_token *t = now(r);
    bool more;
    size_t name = assigned(t->text, t->size, &more);
    clg_rich_list words = {0};
    const clg_shell_variable *old = clg_shell_variable_of(r->s, t->text, name);
    int before = more && old ? old->words : 0;
    for (r->at++; !over(r) && !is(r, ")"); r->at++)
        if (now(r)->kind == 'w' && r->live)
            clg_shell_expand(r->s, now(r)->text, now(r)->size, place_of(r, now(r)), true, &words);
    if (!over(r)) r->at++;
    if (!r->live || name == 0 || r->s->stopped) return;
    clg_rich *all = clg_take(r->s->arena, (size_t)(before + words.count) + 1, clg_rich);
    for (int i = 0; i < before; i++) all[i] = old->word[i];
    for (int i = 0; i < words.count; i++) all[before + i] = words.word[i];
    clg_shell_set(r->s, t->text, name, all, before + words.count, true);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The job's file so called; -1: none. */
static int file_named(const clg_shell *s, const char *path) {
    for (int i = 0; i < s->file_count; i++)
        if (*path && strcmp(base_name(s->files[i].name), base_name(path)) == 0) return i;
    return -1;
}

static void run_script(clg_shell *s, const clg_shell_script *script, int from) {
    if (s->depth >= DEEPEST) return;
    s->depth++;
    runner inner = {.s = s, .script = script, .at = from, .live = true};
    static const char *const body_end[] = {"}", ")", NULL};
    if (from > 0) {
        inner.at++;
        list(&inner, body_end);
    } else
        list(&inner, NULL);
    s->depth--;
}

static void run_with(clg_shell *s, const clg_shell_script *script, int from, clg_rich *word,
                     int words) {
    clg_rich *held = s->positional;
    int count = s->positionals;
    s->positional = word, s->positionals = words;
    run_script(s, script, from);
    s->positional = held, s->positionals = count;
}

static void run_other(clg_shell *s, int which, clg_rich *word, int words) {
    clg_shell_script *script = clg_take(s->arena, 1, clg_shell_script);
    if (s->depth >= 8) return;
    *script = clg_shell_tokens(s->arena, s->files[which].text, s->files[which].size, which, 1);
    if (which < 64) s->read[which] = true;
    if (words > 0)
        run_with(s, script, 0, word, words);
    else
        run_script(s, script, 0);
}

void clg_shell_run_text(clg_shell *s, const char *text, size_t size, int32_t place) {
    clg_shell_script *script = clg_take(s->arena, 1, clg_shell_script);
    if (s->depth >= DEEPEST) return;
    *script = clg_shell_tokens(s->arena, clg_arena_copy(s->arena, text, size), size,
                               place / CLG_SHELL_LINES, place % CLG_SHELL_LINES);
    run_script(s, script, 0);
}

static void record(clg_shell *s, clg_rich_list *words) {
    if (s->commands == (int)(sizeof s->command / sizeof s->command[0])) return;
    s->command[s->commands++] = (clg_shell_command){words->word, words->count};
}

/* "bash -c TEXT" anywhere in it: that text is run as well. */
static bool run_quoted(clg_shell *s, clg_rich_list *w) {
    bool ran = false;
    for (int i = 0; i + 2 < w->count; i++) {
        const char *shell = base_name(clg_rich_text(s, &w->word[i]));
        if (strcmp(shell, "bash") != 0 && strcmp(shell, "sh") != 0) continue;
        int k = i + 1; /* "-x -c", "-lc" */
        for (const char *flag; k + 1 < w->count; k++) {
            flag = clg_rich_text(s, &w->word[k]);
            if (flag[0] != '-' || flag[1] == '-')
                k = w->count;
            else if (strchr(flag, 'c'))
                break;
        }
        if (k + 1 >= w->count) continue;
        clg_rich *text = &w->word[k + 1];
        clg_shell_run_text(s, clg_rich_text(s, text), text->size, text->size ? text->place[0] : 0);
        ran = true;
    }
    return ran;
}

/* "bash other.sh a b", "srun other.sh": where that is one of the files. */
static bool run_named(clg_shell *s, clg_rich_list *w, int first) {
    for (int i = first; i < w->count; i++) {
        const char *word = clg_rich_text(s, &w->word[i]);
        size_t size = strlen(word);
        if (size < 4 || strcmp(word + size - 3, ".sh") != 0) continue;
        int which = file_named(s, word);
        if (which < 0) return false;
        run_other(s, which, w->word + i + 1, w->count - i - 1);
        return true;
    }
    return false;
}

static void declare(runner *r, clg_rich_list *w) {
    for (int i = 1; i < w->count; i++) {
        const char *word = clg_rich_text(r->s, &w->word[i]);
        bool more;
        size_t name = assigned(word, w->word[i].size, &more);
        if (name == 0) continue;
        clg_rich value = {0};
        for (size_t k = name + 1; k < w->word[i].size; k++)
            clg_rich_add(r->s, &value, word + k, 1, w->word[i].place[k]);
        clg_rich_text(r->s, &value);
        clg_shell_set(r->s, word, name, &value, 1, false);
    }
}

static void join_and_run(clg_shell *s, clg_rich_list *w) {
    clg_rich all = {0};
    for (int i = 1; i < w->count; i++) {
        clg_rich_join(s, &all, &w->word[i]);
        clg_rich_add(s, &all, " ", 1, 0);
    }
    clg_shell_run_text(s, clg_rich_text(s, &all), all.size, all.size ? all.place[0] : 0);
}

static bool is_word_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static void shift(clg_shell *s) {
    if (s->positionals > 0) s->positional++, s->positionals--;
}

static outcome run_words(runner *r, clg_rich_list *w) {
    static const char *const declaring[] = {"export",  "declare", "local", "readonly",
                                            "typeset", "env",     NULL};
    static const char *const shells[] = {"bash",      "sh",     "srun", "sbatch",   "mpirun",
                                         "mpiexec",   "nohup",  "exec", "torchrun", "singularity",
                                         "apptainer", "docker", "pdsh", "zsh",      NULL};
    clg_shell *s = r->s;
    const char *name = clg_rich_text(s, &w->word[0]);
    if (strcmp(name, "shift") == 0) shift(s);
    if (is_word_of(name, declaring)) declare(r, w);
    if (strcmp(name, "true") == 0 || strcmp(name, ":") == 0) return YES;
    if (strcmp(name, "false") == 0) return NO;
    if (strcmp(name, "eval") == 0) join_and_run(s, w);
    if ((strcmp(name, "source") == 0 || strcmp(name, ".") == 0) && w->count > 1) {
        int which = file_named(s, clg_rich_text(s, &w->word[1]));
        if (which >= 0) run_other(s, which, w->word + 2, w->count - 2);
        return RAN;
    }
    for (int i = s->functions; i-- > 0;)
        if (strcmp(s->function[i].name, name) == 0) {
            run_with(s, s->function[i].script, s->function[i].from, w->word + 1, w->count - 1);
            return RAN;
        }
    if (run_quoted(s, w)) {
        record(s, w); /* the launcher around it has flags of its own */
        return RAN;
    }
    if (is_word_of(base_name(name), shells) && run_named(s, w, 1)) {
        record(s, w);
        return RAN;
    }
    if (run_named(s, w, 0)) return RAN;
    record(s, w);
    return RAN;
}

/* ---- simple commands ---- */

typedef struct redirection {
    const char *to; /* file that output goes to */
    clg_rich here;
    bool has_here, append;
} redirection;

static void write_down(runner *r, const redirection *where, clg_rich_list *w) {
    clg_shell *s = r->s;
    clg_rich text = where->here;
    const char *name = w->count > 0 ? clg_rich_text(s, &w->word[0]) : "";
    const char *to = where->to;
    if (!to && strcmp(name, "tee") == 0 && w->count > 1)
        to = clg_rich_text(s, &w->word[w->count - 1]);
    if (!to) return;
    for (int i = 1; !where->has_here && strcmp(name, "echo") == 0 && i < w->count; i++) {
        if (i > 1) clg_rich_add(s, &text, " ", 1, 0);
        clg_rich_join(s, &text, &w->word[i]);
    }
    if (text.size == 0) return;
    int32_t place = text.place[0];
    clg_json *node = clg_tree_string(s->arena, text.text, text.size, place % CLG_SHELL_LINES,
                                     1 + place / CLG_SHELL_LINES);
    clg_tree_set(s->arena, s->written, to, node);
}

/* "sbatch <<EOF": the text is a script of its own. */
static void run_here(runner *r, redirection *where, clg_rich_list *w) {
    clg_shell *s = r->s;
    const char *name = w->count > 0 ? base_name(clg_rich_text(s, &w->word[0])) : "";
    static const char *const shells[] = {"sbatch", "bash", "sh", "srun", "ssh", NULL};
    if (!is_word_of(name, shells) || where->here.size == 0) return;
    where->to = "here.sbatch";
    write_down(r, where, w);
    clg_shell_run_text(s, clg_rich_text(s, &where->here), where->here.size, where->here.place[0]);
}

static bool redirects(const clg_shell_token *t) {
    return t->kind == 'o' && (t->text[0] == '<' || t->text[0] == '>' ||
                              (t->text[0] == '&' && t->size > 1 && t->text[1] == '>'));
}

/* "2>&1", "> file", "<<EOF". A number before it was a word: it goes. */
static void redirect(runner *r, redirection *where, clg_rich_list *w) {
    const clg_shell_token *t = now(r);
    bool out = t->text[0] == '>' && t->size <= 2 && !(t->size == 2 && t->text[1] == '&');
    bool beside = r->at > 0 && t[-1].kind == 'w' && t[-1].text + t[-1].size == t->text &&
                  t[-1].size == 1 && *t[-1].text >= '0' && *t[-1].text <= '9';
    if (beside && w->count > 0) w->count--;
    r->at++;
    if (over(r) || now(r)->kind != 'w') return;
    if (out && !beside && r->live) {
        clg_rich name = clg_shell_expand_one(r->s, now(r)->text, now(r)->size, place_of(r, now(r)));
        where->to = clg_rich_text(r->s, &name);
    }
    r->at++;
}

static void take_here(runner *r, redirection *where) {
    const clg_shell_token *t = now(r);
    where->has_here = true;
    if (r->live && t->expand)
        where->here = clg_shell_expand_text(r->s, t->text, t->size, place_of(r, t));
    else if (r->live)
        for (size_t i = 0, line = (size_t)t->line; i < t->size; line += t->text[i++] == '\n')
            clg_rich_add(r->s, &where->here, t->text + i, 1,
                         (int32_t)(r->script->file * CLG_SHELL_LINES + (int32_t)line));
    r->at++;
}

static outcome test_words(runner *r, clg_rich_list *w) {
    const char *word[256];
    int words = 0;
    for (int i = 1; i < w->count && words < 256; i++)
        word[words++] = clg_rich_text(r->s, &w->word[i]);
    if (words > 0 && (strcmp(word[words - 1], "]") == 0 || strcmp(word[words - 1], "]]") == 0))
        words--;
    int truth = clg_shell_test(r->s, word, words);
    return truth < 0 ? NOT_KNOWN : truth ? YES : NO;
}

/* "[[ ... ]]": operators between are words. */
static outcome double_test(runner *r) {
    clg_rich_list words = {0};
    bool bare = r->s->bare;
    r->s->bare = true;
    for (; !over(r) && now(r)->kind != 'n'; r->at++) {
        const clg_shell_token *t = now(r);
        bool last = is(r, "]]");
        if (r->live && t->kind == 'w') {
            clg_rich one = clg_shell_expand_one(r->s, t->text, t->size, place_of(r, t));
            clg_rich_list single = {&one, 1, 1};
            (void)single;
            clg_shell_expand(r->s, "x", 1, 0, false, &words);
            if (words.count > 0) words.word[words.count - 1] = one;
        } else if (r->live && t->kind == 'o')
            clg_shell_expand(r->s,
                             t->text[0] == '&'   ? "'&&'"
                             : t->text[0] == '|' ? "'||'"
                             : t->text[0] == '(' ? "'('"
                             : t->text[0] == ')' ? "')'"
                             : t->text[0] == '<' ? "'<'"
                                                 : "'>'",
                             t->text[0] == '&' || t->text[0] == '|' ? 4 : 3, 0, false, &words);
        if (last) {
            r->at++;
            break;
        }
    }
    r->s->bare = bare;
    return r->live ? test_words(r, &words) : NOT_KNOWN;
}

static outcome arithmetic_command(runner *r) {
    const clg_shell_token *t = now(r);
    int64_t value;
    bool bare = r->s->bare;
    r->s->bare = true;
    bool known = r->live && t->size >= 4 &&
                 clg_shell_arithmetic(r->s, t->text + 2, t->size - 4, place_of(r, t), &value);
    r->s->bare = bare;
    r->at++;
    return known ? (value ? YES : NO) : NOT_KNOWN;
}

static bool begins_test(const runner *r) { return is(r, "[") || is(r, "test"); }

/* NAME() {...}: kept for later. */
static bool function(runner *r) {
    bool word = is(r, "function");
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
        list(r, ends);
        if (!over(r)) r->at++;
    }
    r->live = live;
    return true;
}

static outcome simple(runner *r, redirection *where) {
    clg_rich_list words = {0};
    bool named = false, test = begins_test(r), bare = r->s->bare, set = false, unset = false;
    bool more;
    if (test) r->s->bare = true;
    for (; !over(r);) {
        const clg_shell_token *t = now(r);
        if (t->kind == 'n') break;
        if (t->kind == 'h') {
            take_here(r, where);
            continue;
        }
        if (t->kind == 'a') {
            assign_array(r);
            set = true;
            continue;
        }
        if (redirects(t)) {
            redirect(r, where, &words);
            continue;
        }
        if (t->kind == 'o') break;
        if (!named && assigned(t->text, t->size, &more)) {
            if (r->live) assign(r, t);
            set = true;
        } else {
            int before = words.count;
            if (r->live)
                clg_shell_expand(r->s, t->text, t->size, place_of(r, t), !test || true, &words);
            (void)before;
            named = true;
        }
        r->at++;
    }
    (void)unset;
    r->s->bare = bare;
    if (!r->live || words.count == 0) return set ? YES : NOT_KNOWN;
    if (where->to || where->has_here) write_down(r, where, &words);
    if (where->has_here) run_here(r, where, &words);
    return test ? test_words(r, &words) : run_words(r, &words);
}

/* ---- compound commands ---- */

static outcome conditional(runner *r) {
    static const char *const then[] = {"then", NULL};
    static const char *const next[] = {"elif", "else", "fi", NULL};
    bool live = r->live, done = false;
    while (take(r, "if") || take(r, "elif")) {
        r->live = live && !done;
        outcome truth = list(r, then);
        take(r, "then");
        r->live = live && !done && truth == YES;
        list(r, next);
        if (truth == YES && live) done = true;
    }
    if (take(r, "else")) {
        r->live = live && !done;
        list(r, next);
    }
    take(r, "fi");
    r->live = live;
    return RAN;
}

static outcome loop(runner *r) {
    static const char *const begin[] = {"do", NULL};
    static const char *const end[] = {"done", NULL};
    bool live = r->live, entered = true;
    if (take(r, "for") || take(r, "select")) {
        const clg_shell_token *name = now(r);
        clg_rich_list words = {0};
        bool counted = !over(r) && name->size > 4 && name->text[0] == '(';
        r->at++;
        if (counted && live) {
            const char *semicolon = memchr(name->text, ';', name->size);
            int64_t first;
            if (semicolon)
                clg_shell_arithmetic(r->s, name->text + 2, (size_t)(semicolon - name->text - 2),
                                     place_of(r, name), &first);
        }
        for (bool in = take(r, "in"); !over(r) && !is(r, "do"); r->at++)
            if (live && in && now(r)->kind == 'w')
                clg_shell_expand(r->s, now(r)->text, now(r)->size, place_of(r, now(r)), true,
                                 &words);
        if (live && words.count > 0 && is_name(name->text, name->size))
            clg_shell_set(r->s, name->text, name->size, &words.word[0], 1, false);
    } else {
        bool until = is(r, "until");
        r->at++;
        outcome truth = list(r, begin);
        entered = until ? truth == NO : truth == YES;
    }
    take(r, "do");
    r->live = live && entered;
    list(r, end);
    take(r, "done");
    r->live = live;
    return RAN;
}

/* Whether one of "a|b" before the bracket is like the word. */
static bool pattern_fits(runner *r, const char *word) {
    bool fits = false;
    take(r, "(");
    for (; !over(r) && !is(r, ")") && !is(r, "esac"); r->at++) {
        if (now(r)->kind != 'w' || !r->live) continue;
        clg_rich pattern =
            clg_shell_expand_one(r->s, now(r)->text, now(r)->size, place_of(r, now(r)));
        fits = fits || clg_shell_like(clg_rich_text(r->s, &pattern), word);
    }
    take(r, ")");
    return fits;
}

static outcome cases(runner *r) {
    static const char *const ends[] = {";;", "esac", NULL};
    bool live = r->live, done = false, bare = r->s->bare;
    clg_rich word = {0};
    r->at++;
    r->s->bare = true;
    if (!over(r) && live)
        word = clg_shell_expand_one(r->s, now(r)->text, now(r)->size, place_of(r, now(r)));
    r->s->bare = bare;
    r->at++;
    skip_ends(r);
    take(r, "in");
    for (skip_ends(r); !over(r) && !is(r, "esac"); skip_ends(r)) {
        r->live = live;
        bool fits = pattern_fits(r, clg_rich_text(r->s, &word));
        r->live = live && !done && fits;
        done = done || fits;
        list(r, ends);
        take(r, ";;");
    }
    take(r, "esac");
    r->live = live;
    return RAN;
}

static outcome group(runner *r) {
    static const char *const brace[] = {"}", NULL}, *const bracket[] = {")", NULL};
    bool braces = is(r, "{");
    r->at++;
    outcome ended = list(r, braces ? brace : bracket);
    if (!over(r)) r->at++;
    return ended;
}

static outcome command(runner *r) {
    redirection where = {0};
    outcome ended = RAN;
    if (r->s->depth > 3 * DEEPEST) {
        r->at++;
        return NOT_KNOWN;
    }
    r->s->depth++;
    bool no = take(r, "!");
    if (is(r, "if"))
        ended = conditional(r);
    else if (is(r, "for") || is(r, "select") || is(r, "while") || is(r, "until"))
        ended = loop(r);
    else if (is(r, "case"))
        ended = cases(r);
    else if (is(r, "[["))
        ended = double_test(r);
    else if (!over(r) && now(r)->kind == 'w' && now(r)->size >= 4 &&
             memcmp(now(r)->text, "((", 2) == 0)
        ended = arithmetic_command(r);
    else if (is(r, "{") || is(r, "("))
        ended = group(r);
    else if (!function(r))
        ended = simple(r, &where);
    while (!over(r) && redirects(now(r))) {
        clg_rich_list none = {0};
        redirect(r, &where, &none);
    }
    r->s->depth--;
    return no ? (ended == YES ? NO : ended == NO ? YES : NOT_KNOWN) : ended;
}

static outcome pipeline(runner *r) {
    outcome ended = command(r);
    while (!over(r) && (is(r, "|") || is(r, "|&"))) {
        r->at++;
        skip_ends(r);
        ended = command(r);
    }
    return ended;
}

/* What follows && runs unless the test before it failed or is not known; commands go well. */
static outcome and_or(runner *r) {
    bool live = r->live;
    outcome ended = pipeline(r);
    while (!over(r) && (is(r, "&&") || is(r, "||"))) {
        bool both = is(r, "&&");
        r->at++;
        skip_ends(r);
        bool run = both ? ended == YES || ended == RAN : ended == NO;
        r->live = live && run;
        outcome second = pipeline(r);
        r->live = live;
        if (run) ended = second;
    }
    return ended;
}

/* Until one of the words that end it, or the end of the script. */
static outcome list(runner *r, const char *const *ends) {
    outcome ended = RAN;
    for (skip_ends(r); !over(r) && !is_any(r, ends); skip_ends(r)) {
        int before = r->at;
        if (r->live && ++r->s->steps > MOST_STEPS) {
            r->s->stopped = true;
            clg_fail(r->s->error, CLG_BAD_INPUT, "give the command itself",
                     "it runs more than 20,000 commands");
            break;
        }
        ended = and_or(r);
        if (!over(r) && is(r, "&")) r->at++;
        if (r->at == before) r->at++; /* a stray word of the grammar */
    }
    return ended;
}

clg_status clg_shell_run_file(clg_shell *s, int which) {
    run_other(s, which, NULL, 0);
    return s->stopped ? CLG_BAD_INPUT : CLG_OK;
}
