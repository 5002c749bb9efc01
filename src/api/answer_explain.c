/* answer_explain.c -- where each millisecond and each byte of one layout goes; why it is what it
 * is, what would move it, how to start it. */
#include "api/answer.h"
#include "api/command.h"

#include "evaluate/advice.h"
#include "explain/sensitivity.h"
#include "explain/undone.h"
#include "job/launch.h"
#include "report_plan/operations_report.h"
#include "report_plan/plan_json.h"
#include "report_plan/plan_text.h"
#include "report_plan/storage_report.h"
#include "report_plan/why.h"
#include "timeline/perfetto.h"

typedef struct explained {
    clg_answer plan;
    /* Where they are asked for: */
    clg_timeline drawn;
    clg_text number;
    clg_sensitivity moves[CLG_RESOURCES];
} explained;

static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    explained *e = to;
    const clg_answer *a = &e->plan;
    clg_timeline *drawn = clg_question_asks(q, CLG_FORM_TIMELINE) ? &e->drawn : NULL;
    e->drawn.arena = e->number.arena = q->arena;
    if (clg_answer_explain(q->arena, q->request, q->progress, drawn, &e->plan, error) != CLG_OK)
        return error->status;
    if (clg_question_asks(q, CLG_FORM_REASONS) &&
        clg_sensitivities(q->arena, &a->scenario, &a->evaluation.layout, e->moves, error) != CLG_OK)
        return error->status;
    if (!clg_question_asks(q, CLG_FORM_NUMBER)) return CLG_OK;
    return clg_report_why(&e->number, &a->scenario, &a->evaluation,
                          q->request->value[CLG_PARAM_WHY], error);
}

static void write_text(clg_text *out, const void *from) {
    const clg_answer *a = &((const explained *)from)->plan;
    const clg_scenario *scenario = &a->scenario;
    const clg_evaluation *evaluation = &a->evaluation;
    clg_report_heading(out, scenario, &a->space);
    clg_report_evaluation(out, scenario, evaluation, a->tokens);
    clg_report_storage(out, scenario, evaluation);
    clg_report_stages(out, evaluation);
    clg_report_groups(out, scenario, evaluation);
    clg_report_widths(out, scenario, evaluation);
    clg_report_ladder(out, scenario, evaluation);
    const char *mend = clg_evaluate_mend(out->arena, scenario, &evaluation->layout);
    if (mend) clg_text_print(out, "\nSmallest change that fits: %s\n", mend);
    const char *others =
        evaluation->fits ? NULL : clg_evaluate_elsewhere(out->arena, scenario, &evaluation->layout);
    if (others)
        clg_text_print(out, "%sAs it is, it fits under --stack %s\n", mend ? "" : "\n", others);
    clg_report_fits_with(out, a->fits_with, a->fitting);
}

static void write_json(clg_json_writer *w, const void *from) {
    const clg_answer *a = &((const explained *)from)->plan;
    clg_json_explained(w, &a->scenario, &a->space, &a->evaluation, a->tokens, a->fits_with,
                       a->fitting);
}

static void write_csv(clg_text *out, const void *from) {
    const clg_answer *a = &((const explained *)from)->plan;
    clg_report_term_rows(out, &a->scenario, &a->evaluation);
}

static void write_timeline(clg_text *out, const void *from) {
    clg_timeline_perfetto(out, &((const explained *)from)->drawn, "predicted step");
}

static void write_number(clg_text *out, const void *from) {
    const clg_text *number = &((const explained *)from)->number;
    clg_text_add(out, number->data, number->size);
}

static void add_undone(clg_json_writer *w, const clg_scenario *s, const clg_undone *row,
                       int count) {
    clg_json_open(w, "undone", '[');
    for (int i = 0; i < count; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "what", row[i].what);
        clg_json_add_string(w, "illegal", row[i].illegal);
        if (row[i].illegal)
            clg_json_add_null(w, "plan");
        else
            clg_json_explain(w, "plan", s, &row[i].plan);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_moves(clg_json_writer *w, const clg_sensitivity *row) {
    clg_json_open(w, "moves", '[');
    for (int i = 0; i < CLG_RESOURCES; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "resource", row[i].resource);
        clg_json_add_number(w, "elasticity", row[i].elasticity);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_launch(clg_arena *arena, clg_json_writer *w, const clg_scenario *s,
                       const clg_layout *layout) {
    clg_json_open(w, "launch", '[');
    for (int i = 0; clg_trainer_names[i].name; i++) {
        clg_text flags = {.arena = arena};
        clg_launch launch = clg_launch_of(arena, clg_trainer_names[i].value, s, layout);
        clg_launch_print(&flags, clg_trainer_names[i].help, &launch);
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "trainer", clg_trainer_names[i].name);
        clg_json_add_string(w, "text", flags.data);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

/* {"kind":"why", "undone": the plan with one thing undone, "moves": what would move it, "mend": the
 * smallest change that fits, "launch": the flags of trainers}. */
static void write_reasons(clg_json_writer *w, const void *from) {
    const clg_answer *a = &((const explained *)from)->plan;
    const clg_layout *layout = &a->evaluation.layout;
    clg_arena *arena = w->text->arena;
    clg_undone undone[CLG_UNDONE];
    int count = clg_undo(arena, &a->scenario, layout, undone);
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "kind", "why");
    clg_json_layout(w, layout);
    add_undone(w, &a->scenario, undone, count);
    add_moves(w, ((const explained *)from)->moves);
    clg_json_add_string(w, "mend", clg_evaluate_mend(arena, &a->scenario, layout));
    add_launch(arena, w, &a->scenario, layout);
    clg_json_close(w, '}');
}

static const clg_layout *chosen(const void *from, const clg_scenario **scenario) {
    const clg_answer *a = &((const explained *)from)->plan;
    *scenario = &a->scenario;
    return &a->evaluation.layout;
}

static const clg_param local[] = {CLG_PARAM_OUT, CLG_PARAMS};

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
    .groups = CLG_TAKES_PLANNING,
    .local = local,
    .subject = CLG_SUBJECT_JOB,
    .busy = "searching",
    .bytes = sizeof(explained),
    .answer = answer,
    .json = write_json,
    .reasons = write_reasons,
    .form = {[CLG_FORM_TEXT] = write_text,
             [CLG_FORM_CSV] = write_csv,
             [CLG_FORM_TIMELINE] = write_timeline,
             [CLG_FORM_NUMBER] = write_number},
    .chosen = chosen};
