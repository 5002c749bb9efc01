/* main.c -- arguments in, answer to standard output, complaint to standard error. */
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/tool.h"
#include "dataset/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const clg_tool *find_tool(const char *word, clg_error *error) {
    if (!word || clg_arguments_ask_help(word)) word = "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) word = "version";
    return clg_tool_find(word, error);
}

/* Bars in colour, on a terminal or when asked. Launchers of several processes give each a terminal
 * of theirs, wherever the output goes. */
static bool wants_color(const clg_session *session) {
    const char *word = session->request.value[CLG_PARAM_COLOR];
    if (word && strcmp(word, "always") == 0) return true;
    const char *no_color = getenv("NO_COLOR"); /* no-color.org: empty does not count */
    if ((word && strcmp(word, "never") == 0) || (no_color && *no_color)) return false;
    return session->share.count < 2 && isatty(STDOUT_FILENO) == 1;
}

/* Bars are runs of U+2588..U+258F (bytes e2 96 88..8f). */
static void print_colored(const char *text, size_t size) {
    bool inside = false;
    for (size_t i = 0; i < size;) {
        bool bar = i + 2 < size && memcmp(text + i, "\xe2\x96", 2) == 0 &&
                   (unsigned char)text[i + 2] >= 0x88 && (unsigned char)text[i + 2] <= 0x8f;
        if (bar != inside) fputs(bar ? "\033[36m" : "\033[0m", stdout);
        inside = bar;
        size_t step = bar ? 3 : 1;
        fwrite(text + i, 1, step, stdout);
        i += step;
    }
    if (inside) fputs("\033[0m", stdout);
}

/* What came from outside goes into a sentence on a terminal: nothing in it may steer one. Bytes
 * that are no UTF-8 and control characters become '?'. */
static void make_printable(char *text) {
    unsigned char *at = (unsigned char *)text;
    while (*at) {
        int more = *at < 0x80                  ? 0
                   : *at >= 0xC2 && *at < 0xE0 ? 1
                   : *at >= 0xE0 && *at < 0xF0 ? 2
                   : *at >= 0xF0 && *at < 0xF5 ? 3
                                               : -1;
        bool fine = more >= 0 && *at >= 0x20 && *at != 0x7F;
        for (int i = 1; fine && i <= more; i++) fine = (at[i] & 0xC0) == 0x80;
        if (fine && more == 1 && *at == 0xC2 && at[1] < 0xA0) fine = false; /* C1 controls */
        if (!fine) *at = '?', more = 0;
        at += 1 + more;
    }
}

enum { EXIT_NO = 3 }; /* an answer was given, and a check that was asked for fails by it */

/* One sentence, folded to 100 columns: its place comes first and stays on the first line. */
static void complain(clg_arena *arena, const clg_error *error) {
    char sentence[2048];
    clg_text text = {.arena = arena};
    clg_error_sentence(error, sentence, sizeof sentence);
    make_printable(sentence);
    clg_text_print(&text, "ceiling: %s\n", sentence);
    clg_text_fold(&text, 0, (int)strlen("ceiling: "));
    fwrite(text.data, 1, text.size, stderr);
}

static int answer(const clg_session *session, clg_status status, const clg_error *error) {
    if (status != CLG_OK) {
        complain(session->arena, error);
        return (int)status;
    }
    const clg_text *out = &session->out;
    if (out->size > 0 && wants_color(session))
        print_colored(out->data, out->size);
    else if (out->size > 0)
        fwrite(out->data, 1, out->size, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout)) return session->failed ? EXIT_NO : 0;
    fprintf(stderr, "ceiling: standard output could not be written\n");
    return 1;
}

int main(int count, char **arguments) {
    clg_output_guard();
    clg_arena arena = {.kept = clg_kept_open()};
    clg_session *session = clg_take(&arena, 1, clg_session);
    session->arena = session->out.arena = &arena;
    session->started_s = clg_clock_s();
    clg_error error = {0};
    const clg_tool *tool = find_tool(count > 1 ? arguments[1] : NULL, &error);
    bool shared = tool && tool->serve;
    clg_status status = shared ? clg_share_begin(&session->share, &error)
                        : tool ? CLG_OK
                               : error.status;
    int code = (int)status;
    if (session->share.index > 0) { /* the first process speaks for all */
        if (status == CLG_OK) tool->serve(session);
    } else {
        if (status == CLG_OK)
            status =
                clg_arguments_run(session, tool, arguments + 2, count > 2 ? count - 2 : 0, &error);
        clg_progress_end(session);
        code = answer(session, status, &error);
    }
    clg_share_finish(&session->share);
    clg_arena_clear(&arena);
    clg_kept_close(arena.kept);
    return code;
}
