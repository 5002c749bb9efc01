/* command_plan.c -- the best layouts of a model on a machine. */
#include "cli/planning.h"

#include "report/json.h"
#include "report/launch.h"
#include "report/text.h"

enum { FRONT = 5 }; /* plans shown on the front of time against memory */

static void print_text(clg_session *session, const clg_scenario *scenario, const clg_space *space,
                       const clg_found *found, double seconds, double tokens) {
    clg_text *out = &session->out;
    clg_report_heading(out, scenario, space);
    if (found->count == 0)
        clg_report_nothing_fits(session->arena, out, scenario, found);
    else {
        clg_report_evaluation(out, scenario, &found->best[0], tokens);
        clg_report_ladder(session->arena, out, scenario, &found->best[0]);
        clg_report_alternatives(out, found);
        clg_report_front(out, found);
    }
    clg_report_certificate(out, found, seconds);
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_scenario scenario;
    clg_space space;
    clg_found found;
    double seconds, tokens;
    int trainer;
    if (clg_planning_trainer(session, &trainer, error) != CLG_OK ||
        clg_planning_tokens(session, &tokens, error) != CLG_OK ||
        clg_planning_read(session, &scenario, &space, error) != CLG_OK ||
        clg_planning_search(session, &scenario, &space, &found, &seconds, error) != CLG_OK)
        return error->status;
    clg_search_front(session->arena, &scenario, &space, FRONT, &found);
    if (!clg_session_has(session, CLG_PARAM_JSON)) {
        print_text(session, &scenario, &space, &found, seconds, tokens);
        if (trainer >= 0 && found.count > 0)
            clg_report_launch(&session->out, trainer, &found.best[0].layout);
        return CLG_OK;
    }
    clg_json_writer writer = {.text = &session->out, .pretty = true};
    clg_json_plan(&writer, &scenario, &found, seconds);
    clg_text_print(&session->out, "\n");
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_LAUNCH, CLG_PARAM_TOP, CLG_PARAM_COLOR,
                                  CLG_PARAMS};

const clg_command clg_command_plan = {
    .name = "plan",
    .operands = "MODEL",
    .summary = "the best layouts of a model on a machine, and why they win",
    .details = "MODEL is a preset ('ceiling show models') or a path to a Hugging Face config.json. "
               "Every legal layout is bounded or priced; the certificate at the end says how many. "
               "A flag that sets an axis (--tp 8) fixes it.",
    .example = "ceiling plan llama-3.1-405b --gpu h100-sxm --gpus 16384 --seq 8192 "
               "--global-batch 16Mtok",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT),
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .run = run};
