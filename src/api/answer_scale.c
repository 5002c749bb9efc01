/* answer_scale.c -- a request becomes a scaling curve. */
#include "api/answer.h"
#include "report/curve.h"

#include <math.h>
#include <string.h>

/* Twenty tokens a parameter when nothing is asked: where parameters and data are in balance
 * (Hoffmann et al. 2022, arXiv:2203.15556). */
static const double BALANCED_TOKENS = 20;

static clg_status read_mode(const clg_request *request, clg_scale_mode *mode, clg_error *error) {
    int value = CLG_STRONG;
    const char *word = request->value[CLG_PARAM_MODE];
    if (word && clg_name_value(clg_scale_mode_names, "mode", word, &value, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *mode = (clg_scale_mode)value;
    return CLG_OK;
}

static clg_status read_wall(const clg_request *request, double *tokens, clg_error *error) {
    const char *word = request->value[CLG_PARAM_CRITICAL_BATCH];
    if (word && strcmp(word, "none") == 0) {
        *tokens = INFINITY;
        return CLG_OK;
    }
    return clg_request_number(request, CLG_PARAM_CRITICAL_BATCH, 0, tokens, error);
}

/* The sizes first: what else the request says is read at the first of them. */
static clg_status read_scale(clg_arena *arena, const clg_request *given, clg_scenario *scenario,
                             clg_space *space, clg_scale_request *ask, clg_error *error) {
    clg_request *request = clg_take(arena, 1, clg_request);
    *request = *given;
    if (clg_request_sizes(request, ask->gpus, CLG_SCALE_POINTS, &ask->count, error) != CLG_OK)
        return error->status;
    request->value[CLG_PARAM_GPUS] = clg_arena_print(arena, "%lld", (long long)ask->gpus[0]);
    if (read_mode(request, &ask->mode, error) != CLG_OK ||
        read_wall(request, &ask->critical_tokens, error) != CLG_OK ||
        clg_request_number(request, CLG_PARAM_KNEE, 0.5, &ask->knee_share, error) != CLG_OK ||
        clg_request_read(arena, request, true, scenario, space, error) != CLG_OK)
        return error->status;
    double balanced = BALANCED_TOKENS * (double)scenario->model.active_parameters;
    return clg_request_number(request, CLG_PARAM_TOKENS, balanced, &ask->train_tokens, error);
}

clg_status clg_answer_scale(clg_arena *arena, const clg_request *request, clg_progress progress,
                            clg_scenario *scenario, clg_curve *curve, clg_error *error) {
    clg_space space;
    clg_scale_request ask = {0};
    if (read_scale(arena, request, scenario, &space, &ask, error) != CLG_OK) return error->status;
    return clg_scale(arena, scenario, &space, &ask, progress, curve, error);
}

void clg_answer_scale_json(clg_text *text, const clg_scenario *scenario, const clg_curve *curve) {
    clg_json_writer writer = {.text = text, .pretty = true};
    clg_json_scale(&writer, scenario, curve);
    clg_text_print(text, "\n");
}
