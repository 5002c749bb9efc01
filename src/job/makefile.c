/* makefile.c -- the recipes of a makefile as a script with the makefile's lines. Variables become
 * the shell's; rules, conditions and definitions are empty lines, so that every branch of a
 * condition counts and the last one stays. Functions other than $(shell ...) are not known. */
#include "base/letters.h"
#include "base/text.h"
#include "job/reading.h"
#include "job/shell.h"

#include <string.h>

bool clg_is_makefile(const char *name) {
    const char *base = clg_job_base_name(name);
    return clg_ends(base, ".mk") || strcmp(base, "Makefile") == 0 ||
           strcmp(base, "makefile") == 0 || strcmp(base, "GNUmakefile") == 0;
}

static void unknown(clg_text *out) { clg_text_add(out, &(char){CLG_TREE_UNKNOWN}, 1); }

/* "$(NAME)", "$(shell COMMAND)", "$$", "$@"; returns the byte behind it. */
static const char *add_reference(clg_text *out, const char *at, const char *end) {
    if (at + 1 < end && at[1] == '$') {
        clg_text_add(out, "$", 1);
        return at + 2;
    }
    if (at + 1 >= end || !strchr("({", at[1])) {
        unknown(out);
        return at + 2 < end ? at + 2 : end;
    }
    const char *name = at + 2, *stop = name, *behind = clg_shell_behind(at, end);
    while (stop < behind - 1 && clg_in_name(*stop)) stop++;
    if (stop == behind - 1)
        clg_text_print(out, "${%.*s}", (int)(stop - name), name);
    else if (stop - name == 5 && memcmp(name, "shell", 5) == 0)
        clg_text_print(out, "$(%.*s)", (int)(behind - 1 - stop), stop);
    else
        unknown(out);
    return behind;
}

static void add_text(clg_text *out, const char *at, const char *end) {
    while (at < end)
        if (*at == '$')
            at = add_reference(out, at, end);
        else
            clg_text_add(out, at++, 1);
}

static const char *behind_word(const char *at, const char *end, const char *word) {
    size_t size = strlen(word);
    bool there = (size_t)(end - at) > size && memcmp(at, word, size) == 0 && at[size] == ' ';
    return there ? at + size + 1 : at;
}

/* "NAME ?= VALUE" and its likes; anything else is no command. */
static void add_assignment(clg_text *out, const char *at, const char *end) {
    at = behind_word(behind_word(at, end, "export"), end, "override");
    const char *name = at;
    while (at < end && clg_in_name(*at)) at++;
    size_t size = (size_t)(at - name);
    while (at < end && *at == ' ') at++;
    const char *mark = at;
    while (at < end && strchr(":?+", *at)) at++;
    if (size == 0 || at >= end || *at != '=' || at - mark > 2) return;
    bool otherwise = *mark == '?', more = *mark == '+';
    for (at++; at < end && strchr(" \t", *at);) at++;
    const char *stop = at;
    while (stop < end && !(*stop == '#' && stop > at && stop[-1] == ' ')) stop++;
    while (stop > at && strchr(" \t\r\\", stop[-1])) stop--;
    clg_text_print(out, "%.*s=\"", (int)size, name);
    if (otherwise) clg_text_print(out, "${%.*s:-", (int)size, name);
    if (more) clg_text_print(out, "${%.*s} ", (int)size, name);
    add_text(out, at, stop);
    clg_text_print(out, otherwise ? "}\"" : "\"");
}

clg_job_file clg_makefile_script(clg_arena *arena, const clg_job_file *makefile) {
    clg_text out = {.arena = arena};
    const char *at = makefile->text, *end = at + makefile->size;
    bool recipe = false, continued = false;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        recipe = *at == '\t' || (continued && recipe);
        const char *first = at;
        while (recipe && !continued && first < stop && strchr("\t @-+", *first)) first++;
        if (recipe)
            add_text(&out, first, stop);
        else if (!continued)
            add_assignment(&out, first, stop);
        continued = stop > at && stop[-1] == '\\';
        if (stop < end) clg_text_add(&out, "\n", 1);
        at = stop < end ? stop + 1 : end;
    }
    return (clg_job_file){makefile->name, out.data ? out.data : "", out.size};
}
