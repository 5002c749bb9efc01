/* command_explain.c -- where each millisecond and each byte of one layout goes. */
#include "cli/planning.h"

#include "report/json.h"
#include "report/launch.h"
#include "report/text.h"
#include "report/why.h"
#include "timeline/perfetto.h"

/* The best layout that fits; when none does, the nearest: a plan that does not fit is an answer. */
static clg_status pick(const clg_found *found, clg_layout *layout, clg_error *error) {
    if (found->count == 0 && !found->has_nearest)
        return clg_fail(error, CLG_BAD_INPUT, "give fewer flags", "no layout can be priced");
    *layout = found->count > 0 ? found->best[0].layout : found->nearest.layout;
    return CLG_OK;
}

static clg_status write_timeline(clg_session *session, const clg_timeline *timeline,
                                 clg_error *error) {
    const char *path = session->request.value[CLG_PARAM_TIMELINE];
    clg_text trace = {.arena = session->arena};
    clg_timeline_perfetto(&trace, timeline, "predicted step");
    return clg_file_write(path, &trace, error);
}

static void print(clg_session *session, const clg_scenario *scenario, const clg_space *space,
                  const clg_evaluation *evaluation, double tokens) {
    clg_text *out = &session->out;
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = out, .pretty = true};
        clg_json_explain(&writer, NULL, scenario, evaluation);
        clg_text_print(out, "\n");
        return;
    }
    clg_report_heading(out, scenario, space);
    clg_report_evaluation(out, scenario, evaluation, tokens);
    clg_report_stages(out, evaluation);
    clg_report_ladder(session->arena, out, scenario, evaluation);
    const char *mend = clg_evaluate_mend(session->arena, scenario, &evaluation->layout);
    if (mend) clg_text_print(out, "\nSmallest change that fits: %s\n", mend);
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_scenario scenario;
    clg_space space;
    clg_found found;
    clg_layout layout;
    double seconds, tokens;
    int trainer;
    if (clg_planning_trainer(session, &trainer, error) != CLG_OK ||
        clg_planning_tokens(session, &tokens, error) != CLG_OK ||
        clg_planning_read(session, &scenario, &space, error) != CLG_OK ||
        clg_planning_search(session, &scenario, &space, &found, &seconds, error) != CLG_OK ||
        pick(&found, &layout, error) != CLG_OK)
        return error->status;
    bool drawn = clg_session_has(session, CLG_PARAM_TIMELINE);
    clg_timeline timeline = {.arena = session->arena};
    clg_evaluation evaluation;
    if (clg_evaluate(session->arena, &scenario, &layout, true, drawn ? &timeline : NULL,
                     &evaluation, error) != CLG_OK ||
        (drawn && write_timeline(session, &timeline, error) != CLG_OK))
        return error->status;
    const char *number = session->request.value[CLG_PARAM_WHY];
    if (number) return clg_report_why(&session->out, &scenario, &evaluation, number, error);
    print(session, &scenario, &space, &evaluation, tokens);
    if (trainer >= 0 && !clg_session_has(session, CLG_PARAM_JSON))
        clg_report_launch(&session->out, trainer, &layout);
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_LAUNCH, CLG_PARAM_TIMELINE,
                                  CLG_PARAM_WHY,  CLG_PARAM_COLOR,  CLG_PARAMS};

const clg_command clg_command_explain = {
    .name = "explain",
    .operands = "MODEL",
    .summary = "where each millisecond and each byte of one layout goes",
    .details = "Layout flags left out are chosen as 'plan' would. A layout that does not fit is "
               "explained too: what is missing, and the smallest change that mends it.",
    .example = "ceiling explain llama-3.1-8b --gpus 512 --tp 4 --pp 2 --zero 1 --micro-batch 1 "
               "--global-batch 1024",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT),
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .run = run};
