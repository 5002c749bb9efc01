/* command_scale.c -- how far adding GPUs gets a job. */
#include "cli/planning.h"

#include "report/curve.h"

#include <math.h>
#include <string.h>

/* Twenty tokens a parameter when nothing is asked: where parameters and data are in balance
 * (Hoffmann et al. 2022, arXiv:2203.15556). */
static const double BALANCED_TOKENS = 20;

/* Both regimes are two curves: strong, and weak beside it. */
static bool wants_both(const clg_session *session) {
    const char *word = session->request.value[CLG_PARAM_MODE];
    return word && strcmp(word, "both") == 0;
}

static clg_status read_mode(clg_session *session, clg_scale_mode *mode, clg_error *error) {
    int value = CLG_STRONG;
    const char *word = session->request.value[CLG_PARAM_MODE];
    if (word && !wants_both(session) &&
        clg_name_value(clg_scale_mode_names, "mode", word, &value, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *mode = (clg_scale_mode)value;
    return CLG_OK;
}

static const struct {
    clg_param against, own;
} machine_knobs[] = {{CLG_PARAM_AGAINST_GPU, CLG_PARAM_GPU},
                     {CLG_PARAM_AGAINST_NODE, CLG_PARAM_NODE},
                     {CLG_PARAM_AGAINST_FABRIC, CLG_PARAM_FABRIC},
                     {CLG_PARAM_AGAINST_PRICE, CLG_PARAM_PRICE}};
enum { MACHINE_KNOBS = sizeof machine_knobs / sizeof machine_knobs[0] };

static bool wants_against(const clg_session *session) {
    for (int i = 0; i < MACHINE_KNOBS; i++)
        if (session->request.value[machine_knobs[i].against]) return true;
    return false;
}

/* The other machine: what --against says, the rest as asked. Another GPU comes with its own node,
 * fabric and price, another node with its own fabric, unless they are said too. */
static clg_status read_against(clg_session *session, clg_scenario *scenario, clg_space *space,
                               clg_error *error) {
    clg_session other = *session;
    clg_request *r = &other.request;
    bool own = false;
    for (int i = 0; i < MACHINE_KNOBS; i++) {
        clg_param from = machine_knobs[i].against, to = machine_knobs[i].own;
        bool said = session->request.value[from] != NULL;
        bool priced = to == CLG_PARAM_PRICE && !session->request.value[CLG_PARAM_AGAINST_GPU];
        if (said || (own && !priced)) {
            r->value[to] = session->request.value[from];
            r->file[to] = session->request.file[from];
        }
        own = own || said;
    }
    return clg_planning_read(&other, scenario, space, error);
}

static clg_status read_wall(clg_session *session, double *tokens, clg_error *error) {
    const char *word = session->request.value[CLG_PARAM_CRITICAL_BATCH];
    if (word && strcmp(word, "none") == 0) {
        *tokens = INFINITY;
        return CLG_OK;
    }
    return clg_request_number(&session->request, CLG_PARAM_CRITICAL_BATCH, 0, tokens, error);
}

/* The sizes first: what else the request says is read at the first of them. */
static clg_status read_request(clg_session *session, clg_scenario *scenario, clg_space *space,
                               clg_scale_request *ask, clg_error *error) {
    clg_request *request = &session->request;
    if (clg_request_sizes(request, ask->gpus, CLG_SCALE_POINTS, &ask->count, error) != CLG_OK)
        return error->status;
    request->value[CLG_PARAM_GPUS] =
        clg_arena_print(session->arena, "%lld", (long long)ask->gpus[0]);
    if (read_mode(session, &ask->mode, error) != CLG_OK ||
        read_wall(session, &ask->critical_tokens, error) != CLG_OK ||
        clg_request_number(request, CLG_PARAM_KNEE, 0.5, &ask->knee_share, error) != CLG_OK ||
        clg_planning_read(session, scenario, space, error) != CLG_OK)
        return error->status;
    double balanced = BALANCED_TOKENS * (double)scenario->model.active_parameters;
    return clg_request_number(request, CLG_PARAM_TOKENS, balanced, &ask->train_tokens, error);
}

static bool tell(void *context, double share) {
    clg_progress_tell(context, "planning sizes", share);
    return true;
}

static const clg_scale_point *last_that_runs(const clg_curve *curve) {
    for (int i = curve->count - 1; i >= 0; i--)
        if (curve->point[i].runs) return &curve->point[i];
    return NULL;
}

/* What tells one machine from another, in as few words as do. */
static const char *label_of(clg_arena *arena, const clg_scenario *s, const clg_scenario *other) {
    const clg_machine *m = &s->machine, *o = &other->machine;
    bool gpu = strcmp(m->gpu.name, o->gpu.name) != 0,
         node = strcmp(m->node.name, o->node.name) != 0,
         fabric = strcmp(m->fabric.name, o->fabric.name) != 0;
    double gbit_per_s = clg_machine_inter_bytes_per_s(m) * 8e-9;
    if (gpu && !fabric) return m->gpu.name;
    if (gpu || (node && fabric))
        return clg_arena_print(arena, "%s, %s", gpu ? m->gpu.name : m->node.name, m->fabric.name);
    if (node) return m->node.name;
    if (!fabric && m->fabric.bytes_per_s == o->fabric.bytes_per_s &&
        s->price.usd_per_s != other->price.usd_per_s)
        return clg_arena_print(arena, "%.2f USD/GPU-h", s->price.usd_per_s * 3600);
    return fabric ? m->fabric.name : clg_arena_print(arena, "%.0f Gbit/s per GPU", gbit_per_s);
}

static clg_status print_text(clg_session *session, const clg_drawn *one, const clg_drawn *beside,
                             clg_error *error) {
    clg_sensitivity resources[CLG_RESOURCES];
    const clg_curve *curve = one->curve;
    const clg_scale_point *at =
        curve->knee >= 0 ? &curve->point[curve->knee] : last_that_runs(curve);
    clg_report_curve(&session->out, one, beside);
    if (!at) return CLG_OK;
    clg_scenario there = *one->scenario;
    there.model = *at->model;
    if (clg_sensitivities(session->arena, &there, &at->plan.layout, resources, error) != CLG_OK)
        return error->status;
    clg_report_sensitivity(&session->out, resources, at->gpus);
    return CLG_OK;
}

static clg_status print(clg_session *session, const clg_drawn *one, const clg_drawn *beside,
                        clg_error *error) {
    const char *picture = session->request.value[CLG_PARAM_SVG];
    clg_text svg = {.arena = session->arena};
    if (picture) {
        clg_picture_curve(&svg, one, beside);
        if (clg_file_write(picture, &svg, error) != CLG_OK) return error->status;
    }
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = &session->out, .pretty = true};
        clg_json_scale(&writer, one, beside);
        clg_text_print(&session->out, "\n");
        return CLG_OK;
    }
    if (!clg_session_has(session, CLG_PARAM_CSV)) return print_text(session, one, beside, error);
    clg_report_curve_rows(&session->out, one, beside);
    return CLG_OK;
}

/* The second curve, if one is asked for; drawn->curve stays NULL otherwise. */
static clg_status run_beside(clg_session *session, const clg_scenario *first,
                             const clg_space *space, const clg_scale_request *ask, clg_drawn *one,
                             clg_drawn *beside, clg_error *error) {
    clg_scale_request again = *ask;
    clg_space its_space = *space;
    clg_scenario *scenario = clg_take(session->arena, 1, clg_scenario);
    clg_curve *curve = clg_take(session->arena, 1, clg_curve);
    bool both = wants_both(session);
    if (!both && !wants_against(session)) return CLG_OK;
    if (both && wants_against(session))
        return clg_fail(error, CLG_BAD_USAGE, "drop --against-... or say --mode strong",
                        "--mode both already draws two curves");
    *scenario = *first;
    if (!both && read_against(session, scenario, &its_space, error) != CLG_OK) return error->status;
    if (both) again.mode = CLG_WEAK;
    if (clg_scale(session->arena, scenario, &its_space, &again, (clg_progress){tell, session},
                  curve, error) != CLG_OK)
        return error->status;
    one->label = both ? "strong: the job stays" : label_of(session->arena, first, scenario);
    *beside =
        (clg_drawn){scenario, curve, both ? "weak" : "against",
                    both ? "weak: work per GPU stays" : label_of(session->arena, scenario, first)};
    return CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_scenario scenario;
    clg_space space;
    clg_scale_request ask = {0};
    clg_curve *curve = clg_take(session->arena, 1, clg_curve);
    clg_drawn one = {.scenario = &scenario, .curve = curve}, beside = {0};
    if (read_request(session, &scenario, &space, &ask, error) != CLG_OK ||
        clg_scale(session->arena, &scenario, &space, &ask, (clg_progress){tell, session}, curve,
                  error) != CLG_OK ||
        run_beside(session, &scenario, &space, &ask, &one, &beside, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    return print(session, &one, beside.curve ? &beside : NULL, error);
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_CSV, CLG_PARAM_SVG, CLG_PARAM_COLOR,
                                  CLG_PARAMS};

const clg_command clg_command_scale = {
    .name = "scale",
    .operands = "MODEL",
    .summary = "how far adding GPUs gets a job: the curve, its walls, the knee, what would move it",
    .details = "Every size is planned anew. --gpus takes 8..65536 (doubling), a list or one size; "
               "--mode weak grows the batch with the GPUs, grow the model and its tokens too "
               "(parameters and tokens with the root of the GPUs). --against-gpu, --against-node "
               "and --against-fabric put a second machine beside the first. Efficiency is relative "
               "to the first "
               "size that runs; 1/(1+c) is the share of the step that is not exposed traffic.",
    .example = "ceiling scale llama-3-70b --gpus 8..16384 --seq 8192 --global-batch 4Mtok",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(JOB) | CLG_TAKES(LAYOUT) | CLG_TAKES(SCALING),
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .run = run};
