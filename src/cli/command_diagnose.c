/* command_diagnose.c -- why a job is as slow as it is. */
#include "cli/job_files.h"
#include "cli/planning.h"

#include "api/answer_diagnose.h"
#include "report/plan_text.h"

static clg_status run(clg_session *session, clg_error *error) {
    clg_diagnose_answer *a = clg_take(session->arena, 1, clg_diagnose_answer);
    if (clg_planning_request(session, true, error) != CLG_OK ||
        clg_answer_diagnose(session->arena, &session->request, clg_planning_progress(session), a,
                            error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_diagnosis(&session->out, &a->plan.scenario, &a->plan.evaluation, &a->seen,
                           &a->diagnosis);
        return CLG_OK;
    }
    clg_report_heading(&session->out, &a->plan.scenario, &a->plan.space);
    clg_report_diagnosis(&session->out, &a->plan.scenario, &a->plan.evaluation, &a->seen,
                         &a->diagnosis);
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_MEASURED, CLG_PARAM_LOG,   CLG_PARAM_NCCL,
                                  CLG_PARAM_JSON,     CLG_PARAM_COLOR, CLG_PARAMS};

const clg_command clg_command_diagnose = {
    .name = "diagnose",
    .operands = "MODEL|FILE...",
    .summary = "why a job is as slow as it is: causes with their odds, and what to measure next",
    .details =
        "Prices the job as given, then in worlds where one thing is wrong, and weighs which of "
        "them gives what was measured. Flags left out are chosen as 'plan' would, so say what the "
        "job does. --measured takes 12.5s a step, 200tok/s/GPU, 6400tok/s, 230Tflop/s/GPU, 13%MFU "
        "or 40GB/s:all-reduce:6 (bus bandwidth, collective, nodes); several with commas.",
    .example = "ceiling diagnose llama-3-70b --gpu h200-sxm --gpus 32 --tp 8 --zero 3 "
               "--micro-batch 8 --global-batch 32 --recompute full --measured 200tok/s/GPU",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT),
    .knobs = knobs,
    .least = 1,
    .most = CLG_JOB_OPERANDS,
    .run = run,
    .first_words = clg_help_model_names};
