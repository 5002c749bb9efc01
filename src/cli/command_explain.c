/* command_explain.c -- where each millisecond and each byte of one layout goes. */
#include "cli/job_files.h"
#include "cli/page.h"
#include "cli/planning.h"

#include "report/operations_report.h"
#include "report/plan_text.h"
#include "report/why.h"

static clg_status write_timeline(clg_session *session, const clg_timeline *timeline,
                                 clg_error *error) {
    const char *path = session->request.value[CLG_PARAM_TIMELINE];
    clg_text trace = {.arena = session->arena};
    clg_answer_timeline_json(&trace, timeline);
    return clg_file_write(path, &trace, error);
}

static void print_text(clg_session *session, const clg_answer *answer) {
    clg_text *out = &session->out;
    const clg_scenario *scenario = &answer->scenario;
    const clg_evaluation *evaluation = &answer->evaluation;
    clg_report_heading(out, scenario, &answer->space);
    clg_report_evaluation(out, scenario, evaluation, answer->tokens);
    clg_report_stages(out, evaluation);
    clg_report_groups(session->arena, out, scenario, evaluation);
    clg_report_widths(session->arena, out, scenario, evaluation);
    clg_report_ladder(session->arena, out, scenario, evaluation);
    const char *mend = clg_evaluate_mend(session->arena, scenario, &evaluation->layout);
    if (mend) clg_text_print(out, "\nSmallest change that fits: %s\n", mend);
    const char *others =
        evaluation->fits ? NULL
                         : clg_evaluate_elsewhere(session->arena, scenario, &evaluation->layout);
    if (others)
        clg_text_print(out, "%sAs it is, it fits under --stack %s\n", mend ? "" : "\n", others);
    clg_report_fits_with(out, answer->fits_with, answer->fitting);
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_answer answer;
    int trainer;
    bool drawn = clg_session_has(session, CLG_PARAM_TIMELINE);
    clg_timeline timeline = {.arena = session->arena};
    if (clg_page_check(session, error) != CLG_OK ||
        clg_planning_trainer(session, &trainer, error) != CLG_OK ||
        clg_planning_request(session, true, error) != CLG_OK ||
        clg_answer_explain(session->arena, &session->request, clg_planning_progress(session),
                           drawn ? &timeline : NULL, &answer, error) != CLG_OK ||
        (drawn && write_timeline(session, &timeline, error) != CLG_OK))
        return error->status;
    clg_progress_end(session);
    const char *number = session->request.value[CLG_PARAM_WHY];
    if (number)
        return clg_report_why(&session->out, &answer.scenario, &answer.evaluation, number, error);
    if (clg_session_has(session, CLG_PARAM_JSON))
        clg_answer_explain_json(&session->out, &answer);
    else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_term_rows(&session->out, &answer.scenario, &answer.evaluation);
    else
        print_text(session, &answer);
    if (clg_planning_launch(session, trainer, &answer.scenario, &answer.evaluation.layout, error) !=
        CLG_OK)
        return error->status;
    clg_text json = {.arena = session->arena};
    clg_answer_explain_json(&json, &answer);
    return clg_page_report(session, "explain", &json, NULL, error);
}

static const clg_param knobs[] = {CLG_PARAM_JSON,     CLG_PARAM_CSV, CLG_PARAM_LAUNCH,
                                  CLG_PARAM_TIMELINE, CLG_PARAM_WHY, CLG_PARAM_OUT,
                                  CLG_PARAM_COLOR,    CLG_PARAMS};

const clg_command clg_command_explain = {
    .name = "explain",
    .operands = "MODEL|FILE...",
    .summary = "where each millisecond and each byte of one layout goes",
    .details =
        "Layout flags left out are chosen as 'plan' would. A layout that does not fit is "
        "explained too: what is missing, and the smallest change that mends it. --csv lists every "
        "operation of the busiest stage with its shape, group and seconds.",
    .example = "ceiling explain llama-3.1-8b --gpus 512 --tp 4 --pp 2 --zero 1 --micro-batch 1 "
               "--global-batch 1024",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT),
    .knobs = knobs,
    .least = 1,
    .most = CLG_JOB_OPERANDS,
    .run = run,
    .first_words = clg_help_model_names};
