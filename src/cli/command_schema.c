/* command_schema.c -- the requests that a library or a tool may make, as JSON Schema. */
#include "cli/schema.h"
#include "cli/tool.h"

static clg_status run(clg_session *session, clg_error *error) {
    (void)error;
    clg_json_writer writer = {.text = &session->out, .pretty = true}, *w = &writer;
    clg_json_open_answer(w, NULL, "schema");
    clg_schema_tools(w);
    clg_json_close(w, '}');
    clg_text_print(&session->out, "\n");
    return CLG_OK;
}

const clg_tool clg_tool_schema = {
    .about = &(const clg_command){.name = "schema",
                                  .operands = "",
                                  .summary = "what each request may say, as JSON Schema",
                                  .example = "ceiling schema"},
    .run = run};
