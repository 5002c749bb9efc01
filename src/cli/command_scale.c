/* command_scale.c -- how far adding GPUs gets a job. */
#include "cli/job_files.h"
#include "cli/page.h"
#include "cli/planning.h"
#include "cli/threads.h"

#include "api/answer.h"

static bool tell(void *context, double share) {
    clg_progress_tell(context, "planning sizes", share);
    return true;
}

static const clg_scale_point *last_that_runs(const clg_curve *curve) {
    for (int i = curve->count - 1; i >= 0; i--)
        if (curve->point[i].runs) return &curve->point[i];
    return NULL;
}

static clg_status print_text(clg_session *session, const clg_drawn *one, const clg_drawn *beside,
                             clg_error *error) {
    clg_sensitivity resources[CLG_RESOURCES];
    const clg_curve *curve = one->curve;
    const clg_scale_point *at =
        curve->knee >= 0 ? &curve->point[curve->knee] : last_that_runs(curve);
    clg_report_curve(&session->out, one, beside);
    if (!at) return CLG_OK;
    clg_scenario there = *one->scenario;
    there.model = *at->model;
    if (clg_sensitivities(session->arena, &there, &at->plan.layout, resources, error) != CLG_OK)
        return error->status;
    clg_report_sensitivity(&session->out, resources, at->gpus);
    return CLG_OK;
}

static clg_status print(clg_session *session, const clg_scale_answer *answer, const clg_text *svg,
                        clg_error *error) {
    const char *picture = session->request.value[CLG_PARAM_SVG];
    const clg_drawn *beside = answer->two ? &answer->beside : NULL;
    if (picture && clg_file_write(picture, svg, error) != CLG_OK) return error->status;
    if (clg_session_has(session, CLG_PARAM_JSON))
        clg_answer_scale_json(&session->out, answer);
    else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_curve_rows(&session->out, &answer->one, beside);
    else
        return print_text(session, &answer->one, beside, error);
    return CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_scale_answer *answer = clg_take(session->arena, 1, clg_scale_answer);
    if (clg_page_check(session, error) != CLG_OK ||
        clg_planning_request(session, false, error) != CLG_OK ||
        clg_answer_scale(session->arena, &session->request,
                         (clg_progress){tell, session, clg_threads()}, answer, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    clg_text json = {.arena = session->arena}, svg = {.arena = session->arena};
    clg_picture_curve(&svg, &answer->one, answer->two ? &answer->beside : NULL);
    if (print(session, answer, &svg, error) != CLG_OK) return error->status;
    clg_answer_scale_json(&json, answer);
    return clg_page_report(session, "scale", &json, &svg, error);
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_CSV,   CLG_PARAM_SVG,
                                  CLG_PARAM_OUT,  CLG_PARAM_COLOR, CLG_PARAMS};

const clg_command clg_command_scale = {
    .name = "scale",
    .operands = "MODEL|FILE...",
    .summary = "how far adding GPUs gets a job: the curve, its walls, the knee, what would move it",
    .details = "Every size is planned anew. --gpus takes 8..65536 (doubling), a list or one size; "
               "--mode weak grows the batch with the GPUs, grow the model and its tokens too "
               "(--grow says how). --diloco, --sites and --between train in several places. "
               "--against-gpu, --against-node "
               "and --against-fabric put a second machine beside the first. Efficiency is relative "
               "to the first "
               "size that runs; 1/(1+c) is the share of the step that is not exposed traffic.",
    .example = "ceiling scale llama-3-70b --gpus 8..16384 --seq 8192 --global-batch 4Mtok",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT) | CLG_TAKES(SCALING),
    .knobs = knobs,
    .least = 1,
    .most = CLG_JOB_OPERANDS,
    .run = run,
    .first_words = clg_help_model_names};
