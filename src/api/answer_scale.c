/* answer_scale.c -- a request becomes a scaling curve, alone or beside another. */
#include "api/command.h"
#include "api/request_parts.h"
#include "base/word_list.h"
#include "explain/sensitivity.h"
#include "model/preset.h"
#include "report_plan/curve_report.h"

#include <string.h>

/* A curve, and the one beside it when both regimes or another machine were asked for. */
typedef struct scaled {
    clg_scenario scenario, other;
    clg_space space; /* of the first size */
    clg_curve curve, other_curve;
    clg_drawn one, beside;
    bool two;
    const clg_scale_point *at; /* of the text: the knee or the last that runs; NULL: none runs */
    clg_sensitivity moves[CLG_RESOURCES];
} scaled;

/* Both regimes are two curves: strong, and weak beside it. */
static bool wants_both(const clg_request *request) {
    const char *word = request->value[CLG_PARAM_MODE];
    return word && strcmp(word, "both") == 0;
}

static clg_status read_mode(const clg_request *request, clg_scale_mode *mode, clg_error *error) {
    static const clg_name regimes[] = {{"strong", CLG_STRONG, NULL},
                                       {"weak", CLG_WEAK, NULL},
                                       {"grow", CLG_GROW, NULL},
                                       {"both", CLG_STRONG, NULL},
                                       {NULL, 0, NULL}};
    int value = CLG_STRONG;
    if (clg_request_name(request, CLG_PARAM_MODE, regimes, "mode", &value, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *mode = (clg_scale_mode)value;
    return CLG_OK;
}

/* "llama-3-8b:512", "my/config.json:512": a model and, where one is given, its batch. */
static clg_status read_rung(const clg_question *q, char *word, const clg_model **model,
                            int64_t *batch, clg_error *error) {
    double number = 0;
    clg_request named = {0};
    clg_model *read = clg_take(q->arena, 1, clg_model);
    char *colon = strrchr(word, ':');
    if (colon && clg_request_count(colon + 1, &number, error) != CLG_OK) return CLG_BAD_INPUT;
    if (colon) *colon = '\0';
    if (!*word)
        return clg_fail(error, CLG_BAD_INPUT, "name one model for each size", "no model's name");
    *model = read;
    *batch = (int64_t)number;
    if (clg_command_model(q->arena, &q->models, word, &named, error) != CLG_OK)
        return error->status;
    return clg_request_model(q->arena, &named, read, error);
}

/* A model per size: as many as there are sizes. */
static clg_status read_rungs(const clg_question *q, const char *text, int sizes, clg_growth *growth,
                             clg_error *error) {
    const clg_model **models = clg_take(q->arena, CLG_SCALE_POINTS, const clg_model *);
    int64_t *batches = clg_take(q->arena, CLG_SCALE_POINTS, int64_t);
    *growth = (clg_growth){.batch = CLG_BATCH_WORK, .models = models, .batches = batches};
    for (char *word;
         growth->count < CLG_SCALE_POINTS && (word = clg_list_next(q->arena, &text, ',')) != NULL;
         growth->count++)
        if (read_rung(q, word, &models[growth->count], &batches[growth->count], error) != CLG_OK)
            return error->status;
    if (growth->count == sizes) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "name one model for each size of --gpus",
                    "%d models for %d sizes", growth->count, sizes);
}

/* A word of the ladders, an exponent, or models. */
static clg_status read_growth(const clg_question *q, const clg_request *request, int sizes,
                              clg_growth *growth, clg_error *error) {
    const char *word = clg_request_word(request, CLG_PARAM_GROW);
    double exponent;
    clg_error none = {0};
    *growth = (clg_growth){.batch = CLG_BATCH_WORK};
    for (const clg_name *name = clg_growth_names; name->name; name++)
        if (clg_name_same(&name->name, 1, word)) {
            growth->batch = (clg_growth_batch)name->value;
            return CLG_OK;
        }
    if (clg_quantity(word, CLG_COUNT, &exponent, &none) != CLG_OK)
        return clg_request_at_flag(read_rungs(q, word, sizes, growth, error), CLG_PARAM_GROW,
                                   error);
    growth->exponent = exponent;
    if (exponent > 0 && exponent <= 3) return CLG_OK;
    return clg_request_at_flag(clg_fail(error, CLG_BAD_INPUT, "give one above 0, up to 3",
                                        "'%.16s' is out of range", word),
                               CLG_PARAM_GROW, error);
}

static clg_status read_sites(const clg_request *request, clg_sites *s, clg_error *error) {
    double steps, sites, bits;
    const clg_wanted_number rows[] = {{CLG_PARAM_DILOCO, &steps},
                                      {CLG_PARAM_SITES, &sites},
                                      {CLG_PARAM_EXCHANGE_BITS, &bits},
                                      {CLG_PARAM_BETWEEN, &s->bytes_per_s}};
    if (CLG_REQUEST_NUMBERS(request, rows, error) != CLG_OK) return error->status;
    s->sites = (int)sites;
    s->inner_steps = (int)steps;
    s->exchange_bytes = bits / 8;
    s->streamed = request->value[CLG_PARAM_STREAM] != NULL;
    if (s->sites < 2 || s->bytes_per_s > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_USAGE, "say how fast: --between 100Gbit/s",
                    "%d sites need a link", s->sites);
}

/* The sizes first: what else the request says is read at the first of them. */
static clg_status read_scale(const clg_question *q, clg_request *request, clg_scenario *scenario,
                             clg_space *space, clg_scale_request *ask, clg_error *error) {
    clg_arena *arena = q->arena;
    if (clg_request_sizes(q->arena, request, ask->gpus, CLG_SCALE_POINTS, &ask->count, error) !=
        CLG_OK)
        return error->status;
    request->value[CLG_PARAM_GPUS] = clg_arena_print(arena, "%lld", (long long)ask->gpus[0]);
    if (read_mode(request, &ask->mode, error) != CLG_OK ||
        clg_request_critical_batch(request, &ask->critical_tokens, error) != CLG_OK ||
        read_growth(q, request, ask->count, &ask->growth, error) != CLG_OK ||
        read_sites(request, &ask->sites, error) != CLG_OK ||
        clg_request_number(request, CLG_PARAM_KNEE, &ask->knee_share, error) != CLG_OK ||
        clg_request_read(arena, request, true, scenario, space, error) != CLG_OK)
        return error->status;
    ask->useful = request->value[CLG_PARAM_USEFUL] != NULL;
    double balanced = CLG_BALANCED_TOKENS * (double)scenario->model.active_parameters;
    return clg_request_number_or(request, CLG_PARAM_TOKENS, balanced, &ask->train_tokens, error);
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

static const char *flag_of(clg_arena *arena, clg_param param) {
    return clg_arena_print(arena, "--%s", clg_param_row_of(param).flag);
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
    if (clg_request_read(arena, other, true, scenario, space, error) == CLG_OK) return CLG_OK;
    for (int i = 0; i < MACHINE_KNOBS; i++) /* what was said of the other machine is named so */
        if (request->value[machine_knobs[i].against] &&
            strcmp(error->field, flag_of(arena, machine_knobs[i].own)) == 0)
            clg_error_at(error, NULL, 0, 0, flag_of(arena, machine_knobs[i].against));
    return error->status;
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
                                const clg_scale_request *ask, scaled *a, clg_error *error) {
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

static const clg_scale_point *last_that_runs(const clg_curve *curve) {
    for (int i = curve->count - 1; i >= 0; i--)
        if (curve->point[i].runs) return &curve->point[i];
    return NULL;
}

/* What would move the knee, or the last size that runs. */
static clg_status find_moves(clg_arena *arena, scaled *a, clg_error *error) {
    const clg_curve *curve = &a->curve;
    a->at = curve->knee >= 0 ? &curve->point[curve->knee] : last_that_runs(curve);
    if (!a->at) return CLG_OK;
    clg_scenario there = a->scenario;
    there.model = *a->at->model;
    return clg_sensitivities(arena, &there, &a->at->plan.layout, a->moves, error);
}

/* The best layout at every size of --gpus, the walls and the knee. */
static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    scaled *a = to;
    clg_scale_request ask = {0};
    clg_request *request = clg_take(q->arena, 1, clg_request);
    *request = *q->request;
    *a = (scaled){.one = {&a->scenario, &a->space, &a->curve, NULL, NULL}};
    if (read_scale(q, request, &a->scenario, &a->space, &ask, error) != CLG_OK ||
        clg_scale(q->arena, &a->scenario, &a->space, &ask, q->progress, &a->curve, error) != CLG_OK)
        return error->status;
    if (clg_question_asks(q, CLG_FORM_TEXT) && find_moves(q->arena, a, error) != CLG_OK)
        return error->status;
    return answer_beside(q->arena, request, q->progress, &ask, a, error);
}

static const clg_drawn *beside_of(const scaled *a) { return a->two ? &a->beside : NULL; }

static void write_text(clg_text *out, const void *from) {
    const scaled *a = from;
    clg_report_curve(out, &a->one, beside_of(a));
    if (a->at) clg_report_sensitivity(out, a->moves, a->at->gpus);
}

static void write_json(clg_json_writer *w, const void *from) {
    const scaled *a = from;
    clg_json_scale(w, &a->one, beside_of(a));
}

static void write_csv(clg_text *out, const void *from) {
    const scaled *a = from;
    clg_report_curve_rows(out, &a->one, beside_of(a));
}

static void write_svg(clg_text *out, const void *from) {
    const scaled *a = from;
    clg_picture_curve(out, &a->one, beside_of(a));
}

static const clg_param local[] = {CLG_PARAM_OUT, CLG_PARAMS};

const clg_command clg_command_scale = {
    .name = "scale",
    .operands = "MODEL|FILE...",
    .summary = "how far adding GPUs gets a job: the curve, its walls, the knee, what would move it",
    .details = "Every size is planned anew. --gpus takes 8..65536 (doubling), a list or one size; "
               "--mode weak grows the batch with the GPUs, grow the model and its tokens too "
               "(--grow says how). --diloco, --sites and --between train in several places. "
               "--against-gpu, --against-node and --against-fabric draw a second machine's curve "
               "too. Efficiency is relative to the first size that runs; 1/(1+c) is the share of "
               "the step that is not exposed traffic.",
    .example = "ceiling scale llama-3-70b --gpus 8..16384 --seq 8192 --global-batch 4Mtok",
    .groups = CLG_TAKES_PLANNING | CLG_TAKES(SCALING),
    .local = local,
    .subject = CLG_SUBJECT_MODEL,
    .busy = "planning sizes",
    .bytes = sizeof(scaled),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv, [CLG_FORM_SVG] = write_svg}};
