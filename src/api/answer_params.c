/* answer_params.c -- every knob, for programs that draw forms or write requests. */
#include "api/command.h"
#include "api/knobs.h"

static clg_status answer(const clg_question *question, void *to, clg_error *error) {
    (void)question;
    (void)to;
    (void)error;
    return CLG_OK;
}

static clg_status write_json(const clg_question *question, const void *from, clg_text *out,
                             clg_error *error) {
    (void)question;
    (void)from;
    (void)error;
    clg_knobs_json(out);
    return CLG_OK;
}

const clg_command clg_command_params = {.name = "params",
                                        .operands = "",
                                        .summary = "every flag, its default and choices, as JSON",
                                        .example = "ceiling params",
                                        .answer = answer,
                                        .form = {[CLG_FORM_JSON] = write_json}};
