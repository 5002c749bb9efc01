/* command_plan.c -- the best layouts of a model on a machine. */
#include "cli/job_files.h"
#include "cli/page.h"
#include "cli/planning.h"

#include "report/plan_text.h"

static void print_text(clg_session *session, const clg_answer *answer, double seconds) {
    clg_text *out = &session->out;
    const clg_found *found = &answer->found;
    clg_report_heading(out, &answer->scenario, &answer->space);
    if (found->count == 0) {
        clg_report_nothing_fits(session->arena, out, &answer->scenario, &answer->space, found,
                                answer->on_more);
        clg_report_fits_with(out, answer->fits_with, answer->fitting);
    } else {
        clg_report_evaluation(out, &answer->scenario, &found->best[0], answer->tokens);
        clg_report_ladder(session->arena, out, &answer->scenario, &found->best[0]);
        clg_report_gamble(out, found, answer->space.risk);
        clg_report_families(out, answer->family, answer->families, &found->best[0]);
        clg_report_alternatives(out, found);
        clg_report_front(out, found);
    }
    clg_report_certificate(out, found, seconds);
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_answer answer;
    int trainer;
    double start = clg_clock_s();
    if (clg_page_check(session, error) != CLG_OK ||
        clg_planning_trainer(session, &trainer, error) != CLG_OK ||
        clg_planning_request(session, false, error) != CLG_OK ||
        clg_answer_plan(session->arena, &session->request, clg_planning_progress(session), &answer,
                        error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    double seconds = clg_clock_s() - start;
    if (clg_session_has(session, CLG_PARAM_JSON))
        clg_answer_plan_json(&session->out, &answer, seconds);
    else
        print_text(session, &answer, seconds);
    if (answer.found.count > 0 &&
        clg_planning_launch(session, trainer, &answer.scenario, &answer.found.best[0].layout,
                            error) != CLG_OK)
        return error->status;
    clg_text json = {.arena = session->arena};
    clg_answer_plan_json(&json, &answer, seconds);
    return clg_page_report(session, "plan", &json, NULL, error);
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_LAUNCH, CLG_PARAM_TOP,
                                  CLG_PARAM_OUT,  CLG_PARAM_COLOR,  CLG_PARAMS};

const clg_command clg_command_plan = {
    .name = "plan",
    .operands = "MODEL|FILE...",
    .summary = "the best layouts of a model on a machine, and why they win",
    .details = "MODEL is a preset ('ceiling show models') or a path to a Hugging Face config.json. "
               "Every legal layout is bounded or priced; the certificate at the end says how many. "
               "A flag that sets an axis (--tp 8) fixes it.",
    .example = "ceiling plan llama-3.1-405b --gpu h100-sxm --gpus 16384 --seq 8192 "
               "--global-batch 16Mtok",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT),
    .knobs = knobs,
    .least = 1,
    .most = CLG_JOB_OPERANDS,
    .run = run,
    .first_words = clg_help_model_names};
