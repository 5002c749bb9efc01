/* command_size.c -- how many GPUs to rent, and of which kind. */
#include "cli/job_files.h"
#include "cli/page.h"
#include "cli/planning.h"
#include "cli/threads.h"

#include "api/answer_size.h"

static bool tell(void *context, double share) {
    clg_progress_tell(context, "planning clusters", share);
    return true;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_size_answer *a = clg_take(session->arena, 1, clg_size_answer);
    if (clg_page_check(session, error) != CLG_OK ||
        clg_planning_request(session, false, error) != CLG_OK ||
        clg_answer_size(session->arena, &session->request,
                        (clg_progress){tell, session, clg_threads()}, a, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    if (clg_session_has(session, CLG_PARAM_JSON))
        clg_answer_size_json(&session->out, a);
    else
        clg_report_clusters(&session->out, &a->clusters, &a->sizing, &a->owning,
                            a->grams_per_joule);
    clg_text json = {.arena = session->arena};
    clg_answer_size_json(&json, a);
    return clg_page_report(session, "size", &json, NULL, error);
}

static const clg_param knobs[] = {
    CLG_PARAM_GPU,   CLG_PARAM_NODE,  CLG_PARAM_FABRIC,         CLG_PARAM_NICS,
    CLG_PARAM_STACK, CLG_PARAM_PRICE, CLG_PARAM_CRITICAL_BATCH, CLG_PARAM_KNEE,
    CLG_PARAM_JSON,  CLG_PARAM_OUT,   CLG_PARAM_COLOR,          CLG_PARAMS};

const clg_command clg_command_size = {
    .name = "size",
    .operands = "MODEL|FILE...",
    .summary = "which cluster meets a deadline, a budget or a power limit",
    .details =
        "Plans every GPU kind with a known price of one term (--rent; or the one given) at every "
        "size up to --max-gpus, with failures, checkpoints and restarts. Within a deadline money "
        "decides; without one, time does, up to the knee. Limits hold at P90 of the step. A batch "
        "past the critical one needs more tokens than --tokens.",
    .example = "ceiling size llama-3-70b --tokens 15T --deadline 60d --seq 8192 --global-batch "
               "16Mtok",
    .groups = CLG_TAKES(JOB) | CLG_TAKES(LAYOUT) | CLG_TAKES(CLUSTER),
    .knobs = knobs,
    .least = 1,
    .most = CLG_JOB_OPERANDS,
    .run = run,
    .first_words = clg_help_model_names};
