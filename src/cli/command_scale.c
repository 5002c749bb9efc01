/* command_scale.c -- how far adding GPUs gets a job. */
#include "cli/planning.h"

#include "report/curve.h"

static bool tell(void *context, double share) {
    clg_progress_tell(context, "planning sizes", share);
    return true;
}

static const clg_scale_point *last_that_runs(const clg_curve *curve) {
    for (int i = curve->count - 1; i >= 0; i--)
        if (curve->point[i].runs) return &curve->point[i];
    return NULL;
}

static clg_status print_text(clg_session *session, const clg_scenario *scenario,
                             const clg_curve *curve, clg_error *error) {
    clg_sensitivity resources[CLG_RESOURCES];
    const clg_scale_point *at =
        curve->knee >= 0 ? &curve->point[curve->knee] : last_that_runs(curve);
    clg_report_curve(&session->out, scenario, curve);
    if (!at) return CLG_OK;
    if (clg_sensitivities(session->arena, scenario, &at->plan.layout, resources, error) != CLG_OK)
        return error->status;
    clg_report_sensitivity(&session->out, resources, at->gpus);
    return CLG_OK;
}

static clg_status print(clg_session *session, const clg_scenario *scenario, const clg_curve *curve,
                        clg_error *error) {
    const char *picture = session->request.value[CLG_PARAM_SVG];
    clg_text svg = {.arena = session->arena};
    if (picture) {
        clg_picture_curve(&svg, scenario, curve);
        if (clg_file_write(picture, &svg, error) != CLG_OK) return error->status;
    }
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_answer_scale_json(&session->out, scenario, curve);
        return CLG_OK;
    }
    if (!clg_session_has(session, CLG_PARAM_CSV))
        return print_text(session, scenario, curve, error);
    clg_report_curve_rows(&session->out, curve);
    return CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_scenario scenario;
    clg_curve *curve = clg_take(session->arena, 1, clg_curve);
    if (clg_planning_request(session, error) != CLG_OK ||
        clg_answer_scale(session->arena, &session->request, (clg_progress){tell, session},
                         &scenario, curve, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    return print(session, &scenario, curve, error);
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_CSV, CLG_PARAM_SVG, CLG_PARAM_COLOR,
                                  CLG_PARAMS};

const clg_command clg_command_scale = {
    .name = "scale",
    .operands = "MODEL",
    .summary = "how far adding GPUs gets a job: the curve, its walls, the knee, what would move it",
    .details = "Every size is planned anew. --gpus takes 8..65536 (doubling), a list or one size; "
               "--mode weak grows the batch with the GPUs. Efficiency is relative to the first "
               "size that runs; 1/(1+c) is the share of the step that is not exposed traffic.",
    .example = "ceiling scale llama-3-70b --gpus 8..16384 --seq 8192 --global-batch 4Mtok",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT) | CLG_TAKES(SCALING),
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .run = run};
