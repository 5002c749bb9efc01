/* answer_improve.c -- the job as its flags say, then the space around it. */
#include "api/answer.h"
#include "api/command.h"
#include "report_plan/improve_report.h"
#include "report_plan/plan_json.h"
#include "report_plan/plan_text.h"
#include "report_plan/plans_picture.h"

typedef struct improved {
    clg_answer job;
    clg_improvements improvements;
} improved;

/* The flags that say how a job is split: those of its group but for what is allowed or forbidden.
 */
static bool splits(clg_param param) {
    return clg_param_row_of(param).group == CLG_GROUP_LAYOUT && param != CLG_PARAM_FIX &&
           param != CLG_PARAM_NOT && param != CLG_PARAM_ATTENTION && param != CLG_PARAM_ORDER;
}

/* Layout flags say how the job runs today; --not says what must not change or be used. */
static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    static const double WORTH = 0.01;
    improved *a = to;
    clg_request *open = clg_take(q->arena, 1, clg_request);
    clg_scenario *scenario = clg_take(q->arena, 1, clg_scenario);
    clg_space space;
    *a = (improved){0};
    *open = *q->request;
    for (int p = 0; p < CLG_PARAMS; p++)
        if (splits((clg_param)p)) open->value[p] = NULL;
    if (clg_answer_explain(q->arena, q->request, (clg_progress){0}, NULL, &a->job, error) !=
            CLG_OK ||
        clg_request_read(q->arena, open, true, scenario, &space, error) != CLG_OK)
        return error->status;
    return clg_improve(q->arena, &a->job.scenario, &space, &a->job.evaluation, WORTH, q->progress,
                       &a->improvements, error);
}

static void write_text(clg_text *out, const void *from) {
    const improved *a = from;
    clg_report_heading(out, &a->job.scenario, &a->job.space);
    clg_report_improvements(out, &a->job.scenario.machine.gpu, &a->job.evaluation,
                            a->job.space.risk, &a->improvements);
}

static void write_json(clg_json_writer *w, const void *from) {
    const improved *a = from;
    clg_json_improvements(w, &a->job.scenario, &a->job.evaluation, &a->improvements);
}

static void write_csv(clg_text *out, const void *from) {
    const improved *a = from;
    clg_report_improvement_rows(out, &a->job.evaluation, &a->improvements);
}

static void write_svg(clg_text *out, const void *from) {
    const improved *a = from;
    const clg_improvements *all = &a->improvements;
    clg_drawn_plan rows[1 + CLG_IMPROVE_CHANGES] = {{"the job", &a->job.evaluation, 0}};
    for (int i = 0; i < all->count; i++) {
        int changes = all->step[i].changes;
        const char *words =
            clg_arena_print(out->arena, "%d change%s", changes, changes == 1 ? "" : "s");
        rows[1 + i] = (clg_drawn_plan){words, &all->step[i].plan, 0};
    }
    const clg_scenario *s = &a->job.scenario;
    clg_picture_plans(out,
                      clg_arena_print(out->arena, "%s on %d x %s", s->model.title, s->machine.gpus,
                                      s->machine.gpu.title),
                      rows, 1 + all->count);
}

const clg_command clg_command_improve = {
    .name = "improve",
    .operands = "MODEL|FILE...",
    .summary = "the fewest flags to change in a job, and what they bring",
    .details = "The layout flags (or the job's files) say how it runs today; those left out are "
               "chosen as 'plan' would. For one change, two, three, four: the fastest layout that "
               "differs in no more, found by a complete search of that neighbourhood. Batch, "
               "precision and software stay.",
    .example = "ceiling improve llama-2-70b --gpus 128 --tp 8 --pp 8 --recompute full "
               "--global-batch 1536",
    .groups = CLG_TAKES_PLANNING,
    .subject = CLG_SUBJECT_JOB,
    .busy = "searching",
    .bytes = sizeof(improved),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv, [CLG_FORM_SVG] = write_svg}};
