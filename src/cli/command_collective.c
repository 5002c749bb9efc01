/* command_collective.c -- what a collective should take, by size and by ranks. */
#include "cli/command.h"

#include "api/answer_collective.h"

static clg_status run(clg_session *session, clg_error *error) {
    clg_sweep sweep;
    session->request.model = session->operand[0];
    if (clg_answer_collective(session->arena, &session->request, &sweep, error) != CLG_OK)
        return error->status;
    const char *picture = session->request.value[CLG_PARAM_SVG];
    clg_text svg = {.arena = session->arena};
    if (picture) {
        clg_picture_sweep(&svg, &sweep);
        if (clg_file_write(picture, &svg, error) != CLG_OK) return error->status;
    }
    if (clg_session_has(session, CLG_PARAM_JSON))
        clg_json_sweep(&session->out, &sweep);
    else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_sweep_rows(&session->out, &sweep);
    else
        clg_report_sweep(&session->out, &sweep);
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_GPU,    CLG_PARAM_GPUS,    CLG_PARAM_NODE,
                                  CLG_PARAM_FABRIC, CLG_PARAM_NETWORK, CLG_PARAM_BYTES,
                                  CLG_PARAM_JSON,   CLG_PARAM_CSV,     CLG_PARAM_SVG,
                                  CLG_PARAM_COLOR,  CLG_PARAMS};

static void names(clg_text *text) {
    for (const clg_name *row = clg_collective_names; row->name; row++)
        clg_text_print(text, "%s ", row->name);
}

const clg_command clg_command_collective = {
    .name = "collective",
    .operands = "NAME[,NAME..]",
    .summary = "time and bus bandwidth a collective should show, by ranks and buffer",
    .details = "The fastest algorithm and protocol at each size, as the library would choose, on "
               "a network the job has to itself. Bus bandwidth as nccl-tests defines it, so that a "
               "log can be held beside it. --gpus and --bytes take 8..2048 (doubling) or a list.",
    .example = "ceiling collective all-reduce,all-gather --gpus 8..2048 --bytes 64MiB",
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .run = run,
    .first_words = names};
