/* answer_improve.c -- the job as its flags say, then the space around it. */
#include "api/answer_improve.h"

/* The flags that say how a job is split: those of its group but for what is allowed or forbidden.
 */
static bool splits(clg_param param) {
    return clg_param_row_of(param).group == CLG_GROUP_LAYOUT && param != CLG_PARAM_FIX &&
           param != CLG_PARAM_NOT && param != CLG_PARAM_ATTENTION && param != CLG_PARAM_ORDER;
}

clg_status clg_answer_improve(clg_arena *arena, const clg_request *request, clg_progress progress,
                              clg_improve_answer *a, clg_error *error) {
    static const double WORTH = 0.01;
    clg_request *open = clg_take(arena, 1, clg_request);
    clg_scenario *scenario = clg_take(arena, 1, clg_scenario);
    clg_space space;
    *a = (clg_improve_answer){0};
    *open = *request;
    for (int p = 0; p < CLG_PARAMS; p++)
        if (splits((clg_param)p)) open->value[p] = NULL;
    if (clg_answer_explain(arena, request, (clg_progress){0}, NULL, &a->job, error) != CLG_OK ||
        clg_request_read(arena, open, true, scenario, &space, error) != CLG_OK)
        return error->status;
    return clg_improve(arena, &a->job.scenario, &space, &a->job.evaluation, WORTH, progress,
                       &a->improvements, error);
}
