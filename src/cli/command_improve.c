/* command_improve.c -- the fewest changes that make a job faster. */
#include "cli/job_files.h"
#include "cli/planning.h"

#include "api/answer_improve.h"
#include "report/plan_text.h"

static clg_status run(clg_session *session, clg_error *error) {
    clg_improve_answer *a = clg_take(session->arena, 1, clg_improve_answer);
    if (clg_planning_request(session, true, error) != CLG_OK ||
        clg_answer_improve(session->arena, &session->request, clg_planning_progress(session), a,
                           error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    const clg_evaluation *job = &a->job.evaluation;
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_improvements(&session->out, &a->job.scenario, job, &a->improvements);
        return CLG_OK;
    }
    clg_report_heading(&session->out, &a->job.scenario, &a->job.space);
    clg_report_improvements(&session->out, job, a->job.space.risk, &a->improvements);
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_COLOR, CLG_PARAMS};

const clg_command clg_command_improve = {
    .name = "improve",
    .operands = "MODEL|FILE...",
    .summary = "the fewest flags to change in a job, and what they bring",
    .details = "The layout flags (or the job's files) say how it runs today; those left out are "
               "chosen as 'plan' would. For one change, two, three, four: the fastest layout that "
               "differs in no more, found by a complete search of that neighbourhood. Batch, "
               "precision and software stay.",
    .example = "ceiling improve llama-2-70b --gpus 128 --tp 8 --pp 8 --recompute full --seq 4096 "
               "--global-batch 1536 --micro-batch 1",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT),
    .knobs = knobs,
    .least = 1,
    .most = CLG_JOB_OPERANDS,
    .run = run,
    .first_words = clg_help_model_names};
