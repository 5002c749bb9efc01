/* command_scale.c -- how far adding GPUs gets a job. */
#include "cli/planning.h"

#include "report/curve.h"

#include <math.h>
#include <string.h>

/* Twenty tokens a parameter when nothing is asked: where parameters and data are in balance
 * (Hoffmann et al. 2022, arXiv:2203.15556). */
static const double BALANCED_TOKENS = 20;

static clg_status read_mode(clg_session *session, clg_scale_mode *mode, clg_error *error) {
    int value = CLG_STRONG;
    const char *word = session->request.value[CLG_PARAM_MODE];
    if (word && clg_name_value(clg_scale_mode_names, "mode", word, &value, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *mode = (clg_scale_mode)value;
    return CLG_OK;
}

static clg_status read_wall(clg_session *session, double *tokens, clg_error *error) {
    const char *word = session->request.value[CLG_PARAM_CRITICAL_BATCH];
    if (word && strcmp(word, "none") == 0) {
        *tokens = INFINITY;
        return CLG_OK;
    }
    return clg_request_number(&session->request, CLG_PARAM_CRITICAL_BATCH, 0, tokens, error);
}

/* The sizes first: what else the request says is read at the first of them. */
static clg_status read_request(clg_session *session, clg_scenario *scenario, clg_space *space,
                               clg_scale_request *ask, clg_error *error) {
    clg_request *request = &session->request;
    if (clg_request_sizes(request, ask->gpus, CLG_SCALE_POINTS, &ask->count, error) != CLG_OK)
        return error->status;
    request->value[CLG_PARAM_GPUS] =
        clg_arena_print(session->arena, "%lld", (long long)ask->gpus[0]);
    if (read_mode(session, &ask->mode, error) != CLG_OK ||
        read_wall(session, &ask->critical_tokens, error) != CLG_OK ||
        clg_request_number(request, CLG_PARAM_KNEE, 0.5, &ask->knee_share, error) != CLG_OK ||
        clg_planning_read(session, scenario, space, error) != CLG_OK)
        return error->status;
    double balanced = BALANCED_TOKENS * (double)scenario->model.active_parameters;
    return clg_request_number(request, CLG_PARAM_TOKENS, balanced, &ask->train_tokens, error);
}

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
        clg_json_writer writer = {.text = &session->out, .pretty = true};
        clg_json_scale(&writer, scenario, curve);
        clg_text_print(&session->out, "\n");
        return CLG_OK;
    }
    if (!clg_session_has(session, CLG_PARAM_CSV))
        return print_text(session, scenario, curve, error);
    clg_report_curve_rows(&session->out, curve);
    return CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_scenario scenario;
    clg_space space;
    clg_scale_request ask = {0};
    clg_curve *curve = clg_take(session->arena, 1, clg_curve);
    if (read_request(session, &scenario, &space, &ask, error) != CLG_OK ||
        clg_scale(session->arena, &scenario, &space, &ask, (clg_progress){tell, session}, curve,
                  error) != CLG_OK)
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
