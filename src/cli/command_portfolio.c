/* command_portfolio.c -- how full jobs keep clusters of several sizes. */
#include "cli/planning.h"

#include "api/answer_portfolio.h"

enum { JOBS_BYTES = 512 << 20, CONFIG_BYTES = 16 << 20 };

static bool tell(void *context, double share) {
    clg_progress_tell(context, "planning jobs", share);
    return true;
}

static clg_status read_model(void *context, const char *path, clg_attachment *file,
                             clg_error *error) {
    clg_session *session = context;
    file->name = path;
    return clg_file_read(session->arena, path, CONFIG_BYTES, &file->text, &file->size, error);
}

/* Reads the file a knob of serving names, where it was given. */
static clg_status attach(clg_session *session, clg_param param, size_t most, clg_error *error) {
    clg_attachment *file = &session->request.file[param];
    file->name = session->request.value[param];
    if (!file->name) return CLG_OK;
    return clg_file_read(session->arena, file->name, most, &file->text, &file->size, error);
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_portfolio_answer *answer = clg_take(session->arena, 1, clg_portfolio_answer);
    clg_request *request = &session->request;
    clg_attachment *list = &request->model_file;
    clg_model_files files = {read_model, session};
    request->model = list->name = session->operand[0];
    if (clg_file_read(session->arena, list->name, JOBS_BYTES, &list->text, &list->size, error) !=
            CLG_OK ||
        attach(session, CLG_PARAM_TRACE, JOBS_BYTES, error) != CLG_OK ||
        attach(session, CLG_PARAM_PROFILE, CONFIG_BYTES, error) != CLG_OK ||
        clg_answer_portfolio(session->arena, request, &files, (clg_progress){tell, session, NULL},
                             answer, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    if (clg_session_has(session, CLG_PARAM_JSON))
        clg_answer_portfolio_json(&session->out, answer);
    else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_portfolio_rows(&session->out, &answer->shown);
    else
        clg_report_portfolio(&session->out, &answer->shown);
    return CLG_OK;
}

static const clg_param knobs[] = {
    CLG_PARAM_BUDGET,   CLG_PARAM_CAPEX,   CLG_PARAM_LIFE, CLG_PARAM_PUE,  CLG_PARAM_ELECTRICITY,
    CLG_PARAM_FAILURES, CLG_PARAM_RESTART, CLG_PARAM_KNEE, CLG_PARAM_JSON, CLG_PARAM_CSV,
    CLG_PARAM_OUT,      CLG_PARAM_COLOR,   CLG_PARAMS};

const clg_command clg_command_portfolio = {
    .name = "portfolio",
    .operands = "JOBS.csv",
    .summary = "how full a list of jobs keeps clusters of several sizes, how late, how dear",
    .details =
        "Every job is planned at the sizes it may take, then queued with backfill over the life of "
        "each cluster, with failures and the planner's own errors drawn. JOBS.csv has the columns "
        "name, model, tokens or steps or gpu_hours, arrival_h, deadline_h, every_h, priority, "
        "min_gpus, max_gpus, seq, global_batch; or it is an export of sacct -P or a public trace.",
    .example = "ceiling portfolio jobs.csv --gpus 64..4096 --horizon 365d",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT) | CLG_TAKES(PORTFOLIO) |
              CLG_TAKES(SERVING),
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .run = run};
