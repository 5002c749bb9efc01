/* answer_plan.c -- the best layouts of a model on a machine. */
#include "api/answer.h"
#include "api/command.h"

#include "report_plan/plan_json.h"
#include "report_plan/plan_text.h"
#include "report_plan/plans_picture.h"

static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    clg_answer *a = to;
    double start_s = q->clock_s ? q->clock_s() : 0;
    if (clg_answer_plan(q->arena, q->request, q->progress, a, error) != CLG_OK)
        return error->status;
    if (q->clock_s) a->seconds = q->clock_s() - start_s;
    return CLG_OK;
}

/* What it costs that the trainer of --launch cannot run the best plan. */
static void report_written(clg_text *out, const clg_answer *a) {
    size_t from = out->size;
    if (!a->not_written) return;
    double step_s = a->found.best[0].step_s;
    clg_text_print(out,
                   "launch   the best that %s can run; the best plan is not for it: %s. It costs ",
                   a->trainer, a->not_written);
    clg_text_print(out, "%.1f %% of the step: %.4g s, not %.4g s\n",
                   100 * (step_s / a->unwritten_step_s - 1), step_s, a->unwritten_step_s);
    clg_text_fold(out, from, 9);
}

static void write_text(clg_text *out, const void *from) {
    const clg_answer *a = from;
    const clg_found *found = &a->found;
    clg_report_heading(out, &a->scenario, &a->space);
    report_written(out, a);
    if (found->count == 0) {
        clg_report_nothing_fits(out, &a->scenario, &a->space, found, a->on_more);
        clg_report_fits_with(out, a->fits_with, a->fitting);
    } else {
        clg_report_evaluation(out, &a->scenario, &found->best[0], a->tokens);
        clg_report_chosen(out, found);
        clg_report_ladder(out, &a->scenario, &found->best[0]);
        clg_report_safer(out, found);
        clg_report_gamble(out, found, a->space.risk);
        clg_report_families(out, a->family, a->families, &found->best[0]);
        clg_report_alternatives(out, found);
        clg_report_front(out, found);
    }
    clg_report_certificate(out, found, a->seconds);
}

static void write_json(clg_json_writer *w, const void *from) {
    const clg_answer *a = from;
    clg_planned planned = {.found = &a->found,
                           .tokens = a->tokens,
                           .on_more = a->on_more,
                           .family = a->family,
                           .families = a->families,
                           .fits_with = a->fits_with,
                           .fitting = a->fitting,
                           .not_written = a->not_written,
                           .unwritten_step_s = a->unwritten_step_s};
    clg_json_plan(w, &a->scenario, &a->space, &planned, a->seconds);
}

static void write_csv(clg_text *out, const void *from) {
    clg_report_plan_rows(out, &((const clg_answer *)from)->found);
}

static void write_svg(clg_text *out, const void *from) {
    enum { MOST = 5 };
    const clg_answer *a = from;
    clg_drawn_plan rows[MOST];
    int count = a->found.count < MOST ? a->found.count : MOST;
    for (int i = 0; i < count; i++) rows[i] = (clg_drawn_plan){"", &a->found.best[i], 0};
    clg_picture_plans(out,
                      clg_arena_print(out->arena, "%s on %d x %s", a->scenario.model.title,
                                      a->scenario.machine.gpus, a->scenario.machine.gpu.title),
                      rows, count);
}

static const clg_layout *chosen(const void *from, const clg_scenario **scenario) {
    const clg_answer *a = from;
    *scenario = &a->scenario;
    return a->found.count > 0 ? &a->found.best[0].layout : NULL;
}

static const clg_param knobs[] = {CLG_PARAM_TOP, CLG_PARAMS};
static const clg_param local[] = {CLG_PARAM_OUT, CLG_PARAMS};

const clg_command clg_command_plan = {
    .name = "plan",
    .operands = "MODEL|FILE...",
    .summary = "the best layouts of a model on a machine, and why they win",
    .details = "MODEL is a preset ('ceiling show models') or a path to a Hugging Face config.json. "
               "Every legal layout is bounded or priced; the certificate at the end says how many. "
               "A flag that sets an axis (--tp 8) fixes it.",
    .example = "ceiling plan llama-3.1-405b --gpu h100-sxm --gpus 16384 --seq 8192 "
               "--global-batch 16Mtok",
    .groups = CLG_TAKES_PLANNING,
    .knobs = knobs,
    .local = local,
    .subject = CLG_SUBJECT_MODEL,
    .busy = "searching",
    .bytes = sizeof(clg_answer),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv, [CLG_FORM_SVG] = write_svg},
    .chosen = chosen};
