/* shell_simple.c -- one command: its assignments, words, redirections and here-documents. */
#include "base/letters.h"
#include "job/reading.h"
#include "job/shell_runner.h"

#include <string.h>

static void assign(clg_shell_runner *r, const clg_shell_token *t) {
    bool more;
    size_t name = clg_shell_assigned(t->text, t->size, &more), skip = name + 1 + more;
    int32_t place = clg_runner_place(r, t);
    clg_rich value = clg_shell_expand_one(r->s, t->text + skip, t->size - skip, place);
    clg_shell_variable *old = clg_shell_variable_of(r->s, t->text, name);
    clg_rich whole = {0};
    if (more && old && old->words > 0) clg_rich_join(r->s, &whole, &old->word[0]);
    clg_rich_join(r->s, &whole, &value);
    clg_rich_text(r->s, &whole);
    clg_shell_set(r->s, t->text, name, &whole, 1, false);
}

/* NAME=( words ): up to the bracket. */
static void assign_array(clg_shell_runner *r) {
    const clg_shell_token *t = clg_runner_now(r);
    bool more;
    size_t name = clg_shell_assigned(t->text, t->size, &more);
    clg_rich_list words = {0};
    const clg_shell_variable *old = clg_shell_variable_of(r->s, t->text, name);
    int before = more && old ? old->words : 0;
    for (r->at++; !clg_runner_over(r) && !clg_runner_is(r, ")"); r->at++)
        if (clg_runner_now(r)->kind == 'w' && r->live)
            clg_shell_expand(r->s, clg_runner_now(r)->text, clg_runner_now(r)->size,
                             clg_runner_place(r, clg_runner_now(r)), true, &words);
    if (!clg_runner_over(r)) r->at++;
    if (!r->live || name == 0 || r->s->stopped) return;
    clg_rich *all = clg_take(r->s->arena, (size_t)(before + words.count) + 1, clg_rich);
    for (int i = 0; i < before; i++) all[i] = old->word[i];
    for (int i = 0; i < words.count; i++) all[before + i] = words.word[i];
    clg_shell_set(r->s, t->text, name, all, before + words.count, true);
}

static void write_down(clg_shell_runner *r, const clg_shell_redirection *where, clg_rich_list *w) {
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
static void run_here(clg_shell_runner *r, clg_shell_redirection *where, clg_rich_list *w) {
    clg_shell *s = r->s;
    const char *name = w->count > 0 ? clg_job_base_name(clg_rich_text(s, &w->word[0])) : "";
    static const char *const shells[] = {"sbatch", "bash", "sh", "srun", "ssh", NULL};
    if (!clg_is_one_of(name, shells) || where->here.size == 0) return;
    where->to = "here.sbatch";
    write_down(r, where, w);
    clg_shell_run_text(s, clg_rich_text(s, &where->here), where->here.size, where->here.place[0]);
}

bool clg_runner_redirects(const clg_shell_token *t) {
    return t->kind == 'o' && (t->text[0] == '<' || t->text[0] == '>' ||
                              (t->text[0] == '&' && t->size > 1 && t->text[1] == '>'));
}

/* "2>&1", "> file", "<<EOF". A number before it was a word: it goes. */
void clg_runner_redirect(clg_shell_runner *r, clg_shell_redirection *where, clg_rich_list *w) {
    const clg_shell_token *t = clg_runner_now(r);
    bool out = t->text[0] == '>' && t->size <= 2 && !(t->size == 2 && t->text[1] == '&');
    bool beside = r->at > 0 && t[-1].kind == 'w' && t[-1].text + t[-1].size == t->text &&
                  t[-1].size == 1 && clg_is_digit(*t[-1].text);
    if (beside && w->count > 0) w->count--;
    r->at++;
    if (clg_runner_over(r) || clg_runner_now(r)->kind != 'w') return;
    if (out && !beside && r->live) {
        clg_rich name = clg_shell_expand_one(r->s, clg_runner_now(r)->text, clg_runner_now(r)->size,
                                             clg_runner_place(r, clg_runner_now(r)));
        where->to = clg_rich_text(r->s, &name);
    }
    r->at++;
}

static void take_here(clg_shell_runner *r, clg_shell_redirection *where) {
    const clg_shell_token *t = clg_runner_now(r);
    where->has_here = true;
    if (r->live && t->expand)
        where->here = clg_shell_expand_text(r->s, t->text, t->size, clg_runner_place(r, t));
    else if (r->live)
        for (size_t i = 0, line = (size_t)t->line; i < t->size; line += t->text[i++] == '\n')
            clg_rich_add(r->s, &where->here, t->text + i, 1,
                         (int32_t)(r->script->file * CLG_SHELL_LINES + (int32_t)line));
    r->at++;
}

/* "$(cat <<EOF": the text is what it prints. */
static bool print_here(clg_shell *s, const clg_shell_redirection *where, clg_rich_list *w) {
    bool printed = s->printed && where->has_here && !where->to &&
                   strcmp(clg_rich_text(s, &w->word[0]), "cat") == 0;
    if (printed) clg_rich_join(s, s->printed, &where->here);
    return printed;
}

/* "read -r -d '' NAME <<EOF": the text is NAME's value. */
static void read_here(clg_shell *s, const clg_shell_redirection *where, clg_rich_list *w) {
    if (w->count < 2 || strcmp(clg_rich_text(s, &w->word[0]), "read") != 0) return;
    const clg_rich *name = &w->word[w->count - 1];
    if (clg_shell_is_name(name->text, name->size))
        clg_shell_set(s, name->text, name->size, &where->here, 1, false);
}

static clg_shell_outcome test_words(clg_shell_runner *r, clg_rich_list *w) {
    const char *word[256];
    int words = 0;
    for (int i = 1; i < w->count && words < 256; i++)
        word[words++] = clg_rich_text(r->s, &w->word[i]);
    if (words > 0 && (strcmp(word[words - 1], "]") == 0 || strcmp(word[words - 1], "]]") == 0))
        words--;
    int truth = clg_shell_test(r->s, word, words);
    return truth < 0 ? CLG_SHELL_NOT_KNOWN : truth ? CLG_SHELL_YES : CLG_SHELL_NO;
}

/* As one word, whatever is in it. */
static void add_word(clg_shell *shell, clg_rich_list *words, clg_rich word) {
    int before = words->count;
    clg_shell_expand(shell, "x", 1, 0, false, words);
    if (words->count > before) words->word[before] = word;
}

/* "[[ ... ]]": operators between are words. */
clg_shell_outcome clg_runner_double_test(clg_shell_runner *r) {
    clg_rich_list words = {0};
    bool bare = r->s->bare;
    r->s->bare = true;
    for (; !clg_runner_over(r) && clg_runner_now(r)->kind != 'n'; r->at++) {
        const clg_shell_token *t = clg_runner_now(r);
        bool last = clg_runner_is(r, "]]");
        if (r->live && t->kind == 'w') {
            clg_rich one = clg_shell_expand_one(r->s, t->text, t->size, clg_runner_place(r, t));
            add_word(r->s, &words, one);
        } else if (r->live && t->kind == 'o') {
            clg_rich mark = {0};
            clg_rich_add(r->s, &mark, t->text, t->size, 0);
            add_word(r->s, &words, mark);
        }
        if (last) {
            r->at++;
            break;
        }
    }
    r->s->bare = bare;
    return r->live ? test_words(r, &words) : CLG_SHELL_NOT_KNOWN;
}

clg_shell_outcome clg_runner_arithmetic(clg_shell_runner *r) {
    const clg_shell_token *t = clg_runner_now(r);
    int64_t value;
    bool bare = r->s->bare;
    r->s->bare = true;
    bool known =
        r->live && t->size >= 4 &&
        clg_shell_arithmetic(r->s, t->text + 2, t->size - 4, clg_runner_place(r, t), &value);
    r->s->bare = bare;
    r->at++;
    return known ? (value ? CLG_SHELL_YES : CLG_SHELL_NO) : CLG_SHELL_NOT_KNOWN;
}

static bool begins_test(const clg_shell_runner *r) {
    return clg_runner_is(r, "[") || clg_runner_is(r, "test");
}

clg_shell_outcome clg_runner_simple(clg_shell_runner *r, clg_shell_redirection *where) {
    clg_rich_list words = {0};
    bool named = false, test = begins_test(r), bare = r->s->bare, set = false;
    bool more;
    if (test) r->s->bare = true;
    for (; !clg_runner_over(r);) {
        const clg_shell_token *t = clg_runner_now(r);
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
        if (clg_runner_redirects(t)) {
            clg_runner_redirect(r, where, &words);
            continue;
        }
        if (t->kind == 'o') break;
        if (!named && clg_shell_assigned(t->text, t->size, &more)) {
            if (r->live) assign(r, t);
            set = true;
        } else {
            if (r->live)
                clg_shell_expand(r->s, t->text, t->size, clg_runner_place(r, t), true, &words);
            named = true;
        }
        r->at++;
    }
    r->s->bare = bare;
    if (!r->live || words.count == 0) return set ? CLG_SHELL_YES : CLG_SHELL_NOT_KNOWN;
    if (print_here(r->s, where, &words)) return CLG_SHELL_RAN;
    if (where->to || where->has_here) write_down(r, where, &words);
    if (where->has_here) run_here(r, where, &words);
    if (where->has_here) read_here(r->s, where, &words);
    return test ? test_words(r, &words) : clg_runner_words(r, &words);
}
