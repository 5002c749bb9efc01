/* answer.c -- reading, searching, evaluating: in this order, here only. */
#include "api/answer.h"

#include "report/json.h"
#include "scaling/fewest.h"
#include "timeline/perfetto.h"

enum { FRONT = 5 }; /* plans shown on the front of time against memory */

/* `keep` plans, or as many as the request says when 0: fewer kept, more cut. */
static clg_status search(clg_arena *arena, const clg_request *request, int keep, int front,
                         clg_progress progress, clg_answer *answer, clg_error *error) {
    if (clg_request_number(request, CLG_PARAM_TOKENS, 0, &answer->tokens, error) != CLG_OK ||
        clg_request_read(arena, request, true, &answer->scenario, &answer->space, error) != CLG_OK)
        return error->status;
    if (keep > 0) answer->space.keep = keep;
    answer->space.front = front;
    answer->space.gamble = keep == 0;
    return clg_search(arena, &answer->scenario, &answer->space, progress, &answer->found, error);
}

clg_status clg_answer_plan(clg_arena *arena, const clg_request *request, clg_progress progress,
                           clg_answer *answer, clg_error *error) {
    *answer = (clg_answer){0};
    if (search(arena, request, 0, FRONT, progress, answer, error) != CLG_OK) return error->status;
    if (answer->found.count == 0 && answer->found.complete)
        answer->on_more = clg_fewest_gpus(arena, &answer->scenario, &answer->space);
    if (answer->found.count > 0 && answer->found.complete)
        answer->families =
            clg_layout_families(arena, &answer->scenario, &answer->space,
                                (clg_progress){.cores = progress.cores}, answer->family);
    return CLG_OK;
}

clg_status clg_answer_explain(clg_arena *arena, const clg_request *request, clg_progress progress,
                              clg_timeline *timeline, clg_answer *answer, clg_error *error) {
    *answer = (clg_answer){0};
    if (search(arena, request, 1, 0, progress, answer, error) != CLG_OK) return error->status;
    const clg_found *found = &answer->found;
    clg_space bold = answer->space;
    bold.risk = 0.5; /* nothing is safe: what is predicted to fit is explained all the same */
    if (found->count == 0 && found->has_nearest && found->nearest.fits &&
        clg_search(arena, &answer->scenario, &bold, progress, &answer->found, error) != CLG_OK)
        return error->status;
    const clg_evaluation *plan = found->count > 0     ? &found->best[0]
                                 : found->has_nearest ? &found->nearest
                                                      : NULL;
    if (!plan) return clg_fail(error, CLG_BAD_INPUT, "give fewer flags", "no layout can be priced");
    return clg_evaluate(arena, &answer->scenario, &plan->layout, true, timeline,
                        &answer->evaluation, error);
}

void clg_answer_picture_json(clg_text *text, const clg_text *svg) {
    clg_json_writer writer = {.text = text, .pretty = true}, *w = &writer;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "kind", "picture");
    clg_json_add_string(w, "svg", svg->data);
    clg_json_close(w, '}');
    clg_text_print(text, "\n");
}

void clg_answer_plan_json(clg_text *text, const clg_answer *answer, double seconds) {
    clg_json_writer writer = {.text = text, .pretty = true};
    clg_planned planned = {&answer->found, answer->on_more, answer->family, answer->families};
    clg_json_plan(&writer, &answer->scenario, &answer->space, &planned, seconds);
    clg_text_print(text, "\n");
}

void clg_answer_explain_json(clg_text *text, const clg_answer *answer) {
    clg_json_writer writer = {.text = text, .pretty = true};
    clg_json_explained(&writer, &answer->scenario, &answer->space, &answer->evaluation);
    clg_text_print(text, "\n");
}

void clg_answer_timeline_json(clg_text *text, const clg_timeline *timeline) {
    clg_timeline_perfetto(text, timeline, "predicted step");
}
