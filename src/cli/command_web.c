/* command_web.c -- the page in a file, opened where there is something to open it with. */
#include "cli/page.h"

#include <spawn.h>
#include <stdlib.h>

extern char **environ;

static bool has_desktop(void) {
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
}

/* Nobody waits for the browser. */
static bool open_with_desktop(char *path) {
    char program[] = "xdg-open", *arguments[] = {program, path, NULL};
    pid_t child;
    return has_desktop() && posix_spawnp(&child, program, NULL, NULL, arguments, environ) == 0;
}

static clg_status run(clg_session *session, clg_error *error) {
    const char *wanted = session->request.value[CLG_PARAM_OUT];
    const char *path = wanted ? wanted : "ceiling.html", *page;
    size_t size;
    clg_text text = {.arena = session->arena};
    if (clg_page_check(session, error) != CLG_OK ||
        clg_page_read(session->arena, &page, &size, error) != CLG_OK)
        return error->status;
    clg_text_add(&text, page, size);
    if (clg_file_write(path, &text, error) != CLG_OK) return error->status;
    char own[] = "ceiling.html";
    bool opened = !wanted && open_with_desktop(own);
    clg_text_print(&session->out, "%s: the page, %.0f kB%s\n", path, (double)size / 1e3,
                   opened ? ", opened" : "; open it with any browser");
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_OUT, CLG_PARAMS};

const clg_tool clg_tool_web = {
    .about =
        &(const clg_command){
            .name = "web",
            .operands = "",
            .summary = "the whole program as one page: curves to drag, plans, economics, traces",
            .details =
                "Writes ceiling.html to this directory and opens it with xdg-open where there is "
                "a desktop; with -o FILE it only writes. The page needs no server and no network, "
                "and what is given to it stays in it. 'plan', 'explain', 'scale', 'size', "
                "'demand' and 'trace' write the same page opened on their answer: -o report.html.",
            .example = "ceiling web -o ceiling.html",
            .knobs = knobs,
            .least = 0,
            .most = 0},
    .run = run};
