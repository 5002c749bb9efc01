/* markdown.c -- the commands of a page: what stands in its fences, as a script with the page's
 * lines. Fences of other languages, and prose, are empty lines; a page without fences is all
 * command. A fence that names no language may be anything: one that is no whole script is left
 * out, lest its quotes and conditions swallow what follows. */
#include "base/letters.h"
#include "base/text.h"
#include "job/reading.h"
#include "job/shell.h"

#include <string.h>

bool clg_is_markdown(const char *name) {
    return clg_ends(name, ".md") || clg_ends(name, ".markdown");
}

static bool is_one_of(const char *const *known, const char *word, size_t size) {
    while (size > 0 && strchr(" \r\t", word[size - 1])) size--;
    for (; *known; known++)
        if (strlen(*known) == size && memcmp(*known, word, size) == 0) return true;
    return false;
}

static bool is_fence(const char *line, const char *end) {
    while (line < end && (*line == ' ' || *line == '\t' || *line == '>')) line++;
    return end - line >= 3 && (memcmp(line, "```", 3) == 0 || memcmp(line, "~~~", 3) == 0);
}

/* Every quote and every condition, loop and choice that is begun ends within the fence. */
static bool is_whole(clg_arena *arena, const char *at, const char *end) {
    static const char *const begins[] = {"if", "for", "while", "until", "case", NULL},
                             *const ends[] = {"fi", "done", "esac", NULL};
    const char *stop = at;
    while (stop < end && !is_fence(stop, end)) {
        const char *line = memchr(stop, '\n', (size_t)(end - stop));
        stop = line ? line + 1 : end;
    }
    clg_shell_script script = clg_shell_tokens(arena, at, (size_t)(stop - at), 0, 1);
    int open = 0;
    for (int i = 0; i < script.count; i++) {
        const clg_shell_token *t = &script.token[i];
        bool first = i == 0 || t[-1].kind == 'n' || t[-1].kind == 'o';
        if (t->kind != 'w' || !first) continue;
        open += is_one_of(begins, t->text, t->size) - is_one_of(ends, t->text, t->size);
    }
    return script.open_line == 0 && open == 0;
}

/* "```bash" and the like; an unnamed fence may hold a command too. */
static bool holds_commands(clg_arena *arena, const char *language, const char *line_end,
                           const char *end) {
    static const char *const shells[] = {"bash",          "sh",   "shell", "zsh",   "console",
                                         "shell-session", "Bash", "Shell", "SHELL", NULL},
                             *const unnamed[] = {"", "text", "txt", NULL};
    size_t size = (size_t)(line_end - language);
    if (is_one_of(shells, language, size)) return true;
    return is_one_of(unnamed, language, size) && is_whole(arena, line_end, end);
}

/* "<your port>" is for the reader to fill in: not known. Returns the byte behind it. */
static const char *filled_in(const char *at, const char *end) {
    const char *stop = at + 1;
    while (stop < end && (clg_is_letter(*stop) || (clg_is_digit(*stop) && stop > at + 1) ||
                          strchr("_-. /", *stop)))
        stop++;
    return stop > at + 1 && stop < end && *stop == '>' && at[1] != ' ' && at[1] != '-' ? stop + 1
                                                                                       : NULL;
}

static void add_line(clg_text *out, const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (end - at > 2 && (at[0] == '$' || at[0] == '%') && at[1] == ' ') at += 2; /* a prompt */
    while (at < end) {
        const char *behind = *at == '<' ? filled_in(at, end) : NULL;
        clg_text_add(out, behind ? &(char){CLG_TREE_UNKNOWN} : at, 1);
        at = behind ? behind : at + 1;
    }
}

clg_job_file clg_markdown_script(clg_arena *arena, const clg_job_file *page) {
    clg_text out = {.arena = arena};
    const char *at = page->text, *end = at + page->size;
    bool fences = false, inside = false, commands = false;
    for (const char *mark = at; mark + 3 < end && !fences; mark++)
        fences = memcmp(mark, "```", 3) == 0 || memcmp(mark, "~~~", 3) == 0;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *first = at;
        if (!stop) stop = end;
        while (first < stop && (*first == ' ' || *first == '\t' || *first == '>')) first++;
        if (is_fence(first, stop)) {
            inside = !inside;
            commands = inside && holds_commands(arena, first + 3, stop, end);
        } else if (!fences || commands)
            add_line(&out, at, stop);
        if (stop < end) clg_text_add(&out, "\n", 1);
        at = stop < end ? stop + 1 : end;
    }
    return (clg_job_file){page->name, out.data ? out.data : "", out.size};
}
