/* command_serve.c -- answers messages of the Model Context Protocol, a line each, until input
 * ends. One after another, on one core; no network. */
#include "cli/mcp.h"
#include "cli/tool.h"

#include <stdio.h>

static const size_t most_bytes = (size_t)16 << 20;

/* A line without its newline; what is beyond the most is dropped. False: input has ended. */
static bool read_line(clg_text *line, bool *whole) {
    int c;
    *whole = true;
    while ((c = getchar()) != EOF && c != '\n') {
        char byte = (char)c;
        if (line->size < most_bytes)
            clg_text_add(line, &byte, 1);
        else
            *whole = false;
    }
    return c != EOF || line->size > 0;
}

/* True while there is more to answer. */
static bool answer_one(const clg_session *session) {
    clg_arena arena = clg_arena_beside(session->arena);
    clg_text line = {.arena = &arena}, out = {.arena = &arena};
    bool whole, more = read_line(&line, &whole);
    if (more && !whole)
        clg_mcp_refuse_length(&out);
    else if (line.size > 0)
        clg_mcp_answer(&arena, line.data, line.size, NULL, &out);
    if (out.size > 0) fwrite(out.data, 1, out.size, stdout);
    if (fflush(stdout) != 0) more = false; /* nobody reads any more */
    clg_arena_clear(&arena);
    return more;
}

static clg_status run(clg_session *session, clg_error *error) {
    if (!clg_session_has(session, CLG_PARAM_STDIO))
        return clg_fail(error, CLG_BAD_USAGE, "ceiling serve --stdio",
                        "there is no server on a network");
    while (answer_one(session)) {
    }
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_STDIO, CLG_PARAMS};

const clg_tool clg_tool_serve = {
    .about =
        &(const clg_command){
            .name = "serve",
            .operands = "",
            .summary = "answers assistants and tools: the Model Context Protocol",
            .details =
                "Reads messages from standard input, a line each, and writes the replies to "
                "standard output, until the input ends. Every command that takes a model is a "
                "tool; 'ceiling schema' shows their arguments. Reads no file and opens no "
                "connection.",
            .example = "ceiling serve --stdio",
            .knobs = knobs},
    .run = run};
