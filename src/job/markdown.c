/* markdown.c -- the commands of a page: what stands in its fences, as a script with the page's
 * lines. Fences of other languages, and prose, are empty lines; a page without fences is all
 * command. */
#include "base/letters.h"
#include "base/text.h"
#include "job/reading.h"

#include <string.h>

bool clg_is_markdown(const char *name) {
    return clg_ends(name, ".md") || clg_ends(name, ".markdown");
}

/* "```bash" and the like; an unnamed fence may hold a command too. */
static bool holds_commands(const char *language, size_t size) {
    static const char *const known[] = {"",      "bash", "sh",      "shell",         "text",
                                        "txt",   "zsh",  "console", "shell-session", "Bash",
                                        "Shell", "SHELL"};
    while (size > 0 && strchr(" \r\t", language[size - 1])) size--;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i]) == size && memcmp(known[i], language, size) == 0) return true;
    return false;
}

/* "<your port>" is for the reader to fill in: not known. Returns the byte behind it. */
static const char *filled_in(const char *at, const char *end) {
    const char *stop = at + 1;
    while (stop < end &&
           ((*stop >= 'a' && *stop <= 'z') || (*stop >= 'A' && *stop <= 'Z') ||
            (*stop >= '0' && *stop <= '9' && stop > at + 1) || strchr("_-. /", *stop)))
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
        bool fence =
            stop - first >= 3 && (memcmp(first, "```", 3) == 0 || memcmp(first, "~~~", 3) == 0);
        if (fence) {
            inside = !inside;
            commands = inside && holds_commands(first + 3, (size_t)(stop - first) - 3);
        } else if (!fences || commands)
            add_line(&out, at, stop);
        if (stop < end) clg_text_add(&out, "\n", 1);
        at = stop < end ? stop + 1 : end;
    }
    return (clg_job_file){page->name, out.data ? out.data : "", out.size};
}
