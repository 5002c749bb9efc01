/* command_params.c -- every knob as JSON, for programs that draw forms or write requests. */
#include "api/knobs.h"
#include "cli/command.h"

static clg_status run(clg_session *session, clg_error *error) {
    (void)error;
    clg_knobs_json(&session->out);
    return CLG_OK;
}

const clg_command clg_command_params = {.name = "params",
                                        .operands = "",
                                        .summary = "every flag, its default and choices, as JSON",
                                        .example = "ceiling params",
                                        .run = run};
