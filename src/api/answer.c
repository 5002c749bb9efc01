/* answer.c -- reading, searching, evaluating: in this order, here only, for plan and explain
 * and for what begins as they do. */
#include "api/answer.h"

#include "job/launch.h"
#include "scaling/fewest.h"

enum { FRONT = 5 }; /* plans shown on the front of time against memory */

/* As many plans as `space` keeps; of a tie the one to start with is first, however few are kept. */
static clg_status find(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                       clg_progress progress, clg_found *found, clg_error *error) {
    clg_space tied = *space;
    if (tied.keep < CLG_TIE_PLANS) tied.keep = CLG_TIE_PLANS;
    if (clg_search(arena, scenario, &tied, progress, found, error) != CLG_OK) return error->status;
    clg_found_choose_of_tie(found);
    if (found->count > space->keep) found->count = space->keep;
    return CLG_OK;
}

/* Who asks for the files of a trainer, and names no software, asks of that trainer's. */
static const clg_request *of_its_stack(clg_arena *arena, const clg_request *request) {
    const char *launch = request->value[CLG_PARAM_LAUNCH];
    const char *stack = launch ? clg_launch_stack(launch) : NULL;
    if (!stack || request->value[CLG_PARAM_STACK]) return request;
    clg_request *own = clg_take(arena, 1, clg_request);
    *own = *request;
    own->value[CLG_PARAM_STACK] = stack;
    return own;
}

/* `keep` plans, or as many as the request says when 0. */
static clg_status search(clg_arena *arena, const clg_request *request, int keep, int front,
                         clg_progress progress, clg_answer *answer, clg_error *error) {
    request = of_its_stack(arena, request);
    if (clg_request_number(request, CLG_PARAM_TOKENS, &answer->tokens, error) != CLG_OK ||
        clg_request_read(arena, request, true, &answer->scenario, &answer->space, error) != CLG_OK)
        return error->status;
    if (keep > 0) answer->space.keep = keep;
    answer->space.front = front;
    answer->space.gamble = keep == 0;
    return find(arena, &answer->scenario, &answer->space, progress, &answer->found, error);
}

/* Where the trainer of --launch cannot run the best plan: the best of those that it can. Where it
 * can run none, what was found stays. */
static clg_status writable(clg_arena *arena, const clg_request *request, clg_progress progress,
                           clg_answer *answer, clg_error *error) {
    const char *word = request->value[CLG_PARAM_LAUNCH];
    int trainer;
    clg_found found;
    clg_error none = {0};
    answer->trainer = word;
    if (!word || answer->found.count == 0) return CLG_OK;
    if (clg_name_value(clg_trainer_names, "trainer", word, &trainer, error) != CLG_OK)
        return error->status;
    const clg_evaluation *best = &answer->found.best[0];
    clg_launch launch = clg_launch_of(arena, trainer, &answer->scenario, &best->layout);
    if (!launch.refused || clg_launch_can(trainer, &answer->scenario, &best->layout)) return CLG_OK;
    clg_space space = answer->space;
    space.may = clg_launch_can, space.may_context = trainer;
    if (find(arena, &answer->scenario, &space, progress, &found, &none) != CLG_OK ||
        found.count == 0)
        return CLG_OK;
    answer->not_written = launch.refused;
    answer->unwritten_step_s = best->step_s;
    answer->space = space, answer->found = found;
    return CLG_OK;
}

/* Layers of 4 bits are priced under the software that they would be asked for with. */
static void fit_with(clg_arena *arena, const clg_request *request, clg_answer *answer) {
    clg_error none = {0};
    clg_space space;
    clg_scenario *narrow = clg_take(arena, 1, clg_scenario);
    clg_request *with = clg_take(arena, 1, clg_request);
    *with = *request;
    if (!with->value[CLG_PARAM_ADAPTER]) with->value[CLG_PARAM_ADAPTER] = "qlora";
    with->value[CLG_PARAM_BASE] = "nf4";
    bool read = clg_request_read(arena, with, true, narrow, &space, &none) == CLG_OK;
    answer->fitting = clg_fit_with(arena, &answer->scenario, read ? narrow : NULL, &answer->space,
                                   answer->fits_with);
}

clg_status clg_answer_plan(clg_arena *arena, const clg_request *request, clg_progress progress,
                           clg_answer *answer, clg_error *error) {
    *answer = (clg_answer){0};
    if (search(arena, request, 0, FRONT, progress, answer, error) != CLG_OK) return error->status;
    if (writable(arena, request, progress, answer, error) != CLG_OK) return error->status;
    if (answer->found.count == 0 && answer->found.complete)
        answer->on_more = clg_fewest_gpus(arena, &answer->scenario, &answer->space);
    if (answer->found.count == 0) fit_with(arena, request, answer);
    if (answer->found.count > 0 && answer->found.complete)
        answer->families =
            clg_layout_families(arena, &answer->scenario, &answer->space,
                                (clg_progress){.cores = progress.cores}, answer->family);
    return CLG_OK;
}

static clg_status explain_once(clg_arena *arena, const clg_request *request, clg_progress progress,
                               clg_timeline *timeline, clg_answer *answer, clg_error *error) {
    *answer = (clg_answer){0};
    if (search(arena, request, 1, 0, progress, answer, error) != CLG_OK) return error->status;
    const clg_found *found = &answer->found;
    clg_space bold = answer->space;
    bold.risk = 0.5; /* nothing is safe: what is predicted to fit is explained all the same */
    if (found->count == 0 && found->has_nearest && found->nearest.fits &&
        find(arena, &answer->scenario, &bold, progress, &answer->found, error) != CLG_OK)
        return error->status;
    const clg_evaluation *plan = found->count > 0     ? &found->best[0]
                                 : found->has_nearest ? &found->nearest
                                                      : NULL;
    if (!plan) return clg_fail(error, CLG_BAD_INPUT, "give fewer flags", "no layout can be priced");
    return clg_evaluate(arena, &answer->scenario, &plan->layout, true, timeline,
                        &answer->evaluation, error);
}

/* A run that ran must fit: where nobody named software and the current one does not hold the
 * layout, the trainer of this model on this GPU, if one is known and holds it. */
static bool fits_its_trainer(clg_arena *arena, const clg_request *request, clg_timeline *timeline,
                             const clg_answer *current, clg_answer *own) {
    clg_stack trainer;
    clg_error none = {0};
    clg_request *named = clg_take(arena, 1, clg_request);
    if (request->value[CLG_PARAM_STACK] || current->evaluation.fits) return false;
    if (clg_stack_trainer(arena, current->scenario.model.name, current->scenario.machine.gpu.name,
                          &trainer, &none) != CLG_OK ||
        !trainer.known)
        return false;
    *named = *request;
    named->value[CLG_PARAM_STACK] = trainer.name;
    if (explain_once(arena, named, (clg_progress){0}, timeline, own, &none) != CLG_OK ||
        !own->evaluation.fits)
        return false;
    char needs[32];
    clg_quantity_print(current->evaluation.memory.total_bytes, CLG_BYTES, 3, needs, sizeof needs);
    own->scenario.stack.chosen =
        clg_arena_print(arena, "none was named, its trainer holds it; %s needs %s",
                        current->scenario.stack.name, needs);
    return true;
}

clg_status clg_answer_explain(clg_arena *arena, const clg_request *request, clg_progress progress,
                              clg_timeline *timeline, clg_answer *answer, clg_error *error) {
    if (explain_once(arena, request, progress, NULL, answer, error) != CLG_OK) return error->status;
    clg_answer *own = clg_take(arena, 1, clg_answer);
    if (fits_its_trainer(arena, request, timeline, answer, own)) {
        *answer = *own;
        return CLG_OK;
    }
    if (!answer->evaluation.fits) fit_with(arena, request, answer);
    if (!timeline) return CLG_OK;
    return clg_evaluate(arena, &answer->scenario, &answer->evaluation.layout, true, timeline,
                        &answer->evaluation, error);
}
