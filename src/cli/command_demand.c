/* command_demand.c -- what a demand needs to be served, and what it costs. */
#include "cli/page.h"
#include "cli/planning.h"

#include "api/answer_demand.h"

static const size_t trace_bytes = (size_t)8 << 30, profile_bytes = (size_t)16 << 20;

/* Reads the file a knob names, where it was given. */
static clg_status attach(clg_session *session, clg_param param, size_t most, clg_error *error) {
    clg_attachment *file = &session->request.file[param];
    file->name = session->request.value[param];
    if (!file->name) return CLG_OK;
    return clg_file_read(session->arena, file->name, most, &file->text, &file->size, error);
}

static bool tell(void *context, double share) {
    clg_progress_tell(context, "simulating", share);
    return true;
}

static void print_text(clg_text *out, const clg_demand_answer *a) {
    const clg_lever_rows *found = &a->found;
    clg_report_demand(out, &a->question, &a->answer);
    clg_report_frontier(out, &a->question, &a->answer, &a->frontier);
    if (found->count > 0)
        clg_report_gpus(out, "search", found->row, found->count < 12 ? found->count : 12);
    if (a->levers.row) clg_report_levers(out, a->levers.row, a->levers.count);
    if (a->gpus.row) clg_report_gpus(out, "gpus", a->gpus.row, a->gpus.count);
}

/* Drawn where something shows it; written where --svg says. */
static clg_status draw(clg_session *session, const clg_demand_answer *a, clg_text *svg,
                       clg_error *error) {
    const char *picture = session->request.value[CLG_PARAM_SVG];
    if (picture || session->request.value[CLG_PARAM_OUT])
        clg_picture_demand(svg, &a->question, &a->answer);
    return picture ? clg_file_write(picture, svg, error) : CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_demand_answer *answer = clg_take(session->arena, 1, clg_demand_answer);
    if (clg_page_check(session, error) != CLG_OK ||
        attach(session, CLG_PARAM_TRACE, trace_bytes, error) != CLG_OK ||
        attach(session, CLG_PARAM_PROFILE, profile_bytes, error) != CLG_OK ||
        clg_planning_request(session, false, error) != CLG_OK ||
        clg_answer_demand(session->arena, &session->request, (clg_progress){tell, session, NULL},
                          answer, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    clg_text json = {.arena = session->arena}, svg = {.arena = session->arena};
    if (draw(session, answer, &svg, error) != CLG_OK) return error->status;
    if (clg_session_has(session, CLG_PARAM_JSON))
        clg_answer_demand_json(&session->out, answer);
    else
        print_text(&session->out, answer);
    clg_answer_demand_json(&json, answer);
    return clg_page_report(session, "demand", &json, &svg, error);
}

static const clg_param knobs[] = {CLG_PARAM_PRECISION, CLG_PARAM_IMBALANCE, CLG_PARAM_TP,
                                  CLG_PARAM_PP,        CLG_PARAM_DP,        CLG_PARAM_EP,
                                  CLG_PARAM_JSON,      CLG_PARAM_SVG,       CLG_PARAM_OUT,
                                  CLG_PARAM_COLOR,     CLG_PARAMS};

const clg_command clg_command_demand = {
    .name = "demand",
    .operands = "MODEL",
    .summary = "what a demand needs to be served, what it costs per token, and why",
    .details = "Requests come from a trace, a profile of rates or numbers. Continuous batching is "
               "simulated iteration by iteration on as many replicas as the latency target needs. "
               "The cost per token is a product of factors, set against a dated API price.",
    .example = "ceiling demand llama-3.1-8b --gpu h100-sxm --rate 20req/s --prompt 1ktok "
               "--output 200tok --ttft 1s --tpot 50ms",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(SERVING),
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .run = run,
    .first_words = clg_help_model_names};
