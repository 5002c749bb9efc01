/* answer_scale.c -- a request becomes a scaling curve, alone or beside another. */
#include "api/answer.h"

#include <math.h>
#include <string.h>

/* Twenty tokens a parameter when nothing is asked: where parameters and data are in balance
 * (Hoffmann et al. 2022, arXiv:2203.15556). */
static const double BALANCED_TOKENS = 20;

/* Both regimes are two curves: strong, and weak beside it. */
static bool wants_both(const clg_request *request) {
    const char *word = request->value[CLG_PARAM_MODE];
    return word && strcmp(word, "both") == 0;
}

static clg_status read_mode(const clg_request *request, clg_scale_mode *mode, clg_error *error) {
    int value = CLG_STRONG;
    const char *word = request->value[CLG_PARAM_MODE];
    if (word && !wants_both(request) &&
        clg_name_value(clg_scale_mode_names, "mode", word, &value, error) != CLG_OK)
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
static clg_status read_scale(clg_arena *arena, clg_request *request, clg_scenario *scenario,
                             clg_space *space, clg_scale_request *ask, clg_error *error) {
    if (clg_request_sizes(request, ask->gpus, CLG_SCALE_POINTS, &ask->count, error) != CLG_OK)
        return error->status;
    request->value[CLG_PARAM_GPUS] = clg_arena_print(arena, "%lld", (long long)ask->gpus[0]);
    if (read_mode(request, &ask->mode, error) != CLG_OK ||
        read_wall(request, &ask->critical_tokens, error) != CLG_OK ||
        clg_request_number(request, CLG_PARAM_KNEE, 0.5, &ask->knee_share, error) != CLG_OK ||
        clg_request_read(arena, request, true, scenario, space, error) != CLG_OK)
        return error->status;
    double balanced = BALANCED_TOKENS * (double)scenario->model.active_parameters;
    if (clg_request_number(request, CLG_PARAM_TOKENS, balanced, &ask->train_tokens, error) !=
        CLG_OK)
        return error->status;
    if (ask->train_tokens > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "give some, like 15T, or leave it out",
                    "--tokens: there is nothing to train on");
}

static const struct {
    clg_param against, own;
} machine_knobs[] = {{CLG_PARAM_AGAINST_GPU, CLG_PARAM_GPU},
                     {CLG_PARAM_AGAINST_NODE, CLG_PARAM_NODE},
                     {CLG_PARAM_AGAINST_FABRIC, CLG_PARAM_FABRIC},
                     {CLG_PARAM_AGAINST_PRICE, CLG_PARAM_PRICE}};
enum { MACHINE_KNOBS = sizeof machine_knobs / sizeof machine_knobs[0] };

static bool wants_against(const clg_request *request) {
    for (int i = 0; i < MACHINE_KNOBS; i++)
        if (request->value[machine_knobs[i].against]) return true;
    return false;
}

/* The other machine: what --against says, the rest as asked. Another GPU comes with its own node,
 * fabric and price, another node with its own fabric, unless they are said too. */
static clg_status read_against(clg_arena *arena, const clg_request *request, clg_scenario *scenario,
                               clg_space *space, clg_error *error) {
    clg_request *other = clg_take(arena, 1, clg_request);
    bool own = false;
    *other = *request;
    for (int i = 0; i < MACHINE_KNOBS; i++) {
        clg_param from = machine_knobs[i].against, to = machine_knobs[i].own;
        bool said = request->value[from] != NULL;
        bool priced = to == CLG_PARAM_PRICE && !request->value[CLG_PARAM_AGAINST_GPU];
        if (said || (own && !priced)) {
            other->value[to] = request->value[from];
            other->file[to] = request->file[from];
        }
        own = own || said;
    }
    if (request->value[CLG_PARAM_AGAINST_GPU] || request->value[CLG_PARAM_AGAINST_NODE])
        other->value[CLG_PARAM_NICS] = NULL;
    return clg_request_read(arena, other, true, scenario, space, error);
}

/* What tells one machine from another, in as few words as do. */
static const char *label_of(clg_arena *arena, const clg_scenario *s, const clg_scenario *other) {
    const clg_machine *m = &s->machine, *o = &other->machine;
    bool gpu = strcmp(m->gpu.name, o->gpu.name) != 0;
    bool node = strcmp(m->node.name, o->node.name) != 0;
    bool fabric = strcmp(m->fabric.name, o->fabric.name) != 0;
    double gbit_per_s = clg_machine_inter_bytes_per_s(m) * 8e-9;
    if (gpu && !fabric) return m->gpu.name;
    if (gpu || (node && fabric))
        return clg_arena_print(arena, "%s, %s", gpu ? m->gpu.name : m->node.name, m->fabric.name);
    if (node) return m->node.name;
    if (!fabric && clg_machine_line_bytes_per_s(m) == clg_machine_line_bytes_per_s(o) &&
        s->price.usd_per_s != other->price.usd_per_s)
        return clg_arena_print(arena, "%.2f USD/GPU-h", s->price.usd_per_s * 3600);
    return fabric ? m->fabric.name : clg_arena_print(arena, "%.0f Gbit/s per GPU", gbit_per_s);
}

/* The second curve, if one is asked for. */
static clg_status answer_beside(clg_arena *arena, const clg_request *request, clg_progress progress,
                                const clg_scale_request *ask, clg_scale_answer *a,
                                clg_error *error) {
    clg_scale_request again = *ask;
    clg_space its_space = a->space;
    bool both = wants_both(request), against = wants_against(request);
    a->two = both || against;
    if (!a->two) return CLG_OK;
    if (both && against)
        return clg_fail(error, CLG_BAD_USAGE, "drop --against-... or say --mode strong",
                        "--mode both already draws two curves");
    a->other = a->scenario;
    if (against && read_against(arena, request, &a->other, &its_space, error) != CLG_OK)
        return error->status;
    if (both) again.mode = CLG_WEAK;
    a->one.label = both ? "strong: the job stays" : label_of(arena, &a->scenario, &a->other);
    a->beside =
        (clg_drawn){&a->other, &a->space, &a->other_curve, both ? "weak" : "against",
                    both ? "weak: work per GPU stays" : label_of(arena, &a->other, &a->scenario)};
    return clg_scale(arena, &a->other, &its_space, &again, progress, &a->other_curve, error);
}

clg_status clg_answer_scale(clg_arena *arena, const clg_request *given, clg_progress progress,
                            clg_scale_answer *a, clg_error *error) {
    clg_scale_request ask = {0};
    clg_request *request = clg_take(arena, 1, clg_request);
    *request = *given;
    *a = (clg_scale_answer){.one = {&a->scenario, &a->space, &a->curve, NULL, NULL}};
    if (read_scale(arena, request, &a->scenario, &a->space, &ask, error) != CLG_OK ||
        clg_scale(arena, &a->scenario, &a->space, &ask, progress, &a->curve, error) != CLG_OK)
        return error->status;
    return answer_beside(arena, request, progress, &ask, a, error);
}

void clg_answer_scale_json(clg_text *text, const clg_scale_answer *a) {
    clg_json_writer writer = {.text = text, .pretty = true};
    clg_json_scale(&writer, &a->one, a->two ? &a->beside : NULL);
    clg_text_print(text, "\n");
}
