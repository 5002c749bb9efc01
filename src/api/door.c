/* door.c -- a JSON request becomes a clg_request, its answer text. */
#include "api/door.h"

#include "api/answer.h"
#include "api/answer_collective.h"
#include "api/answer_demand.h"
#include "api/answer_diagnose.h"
#include "api/answer_improve.h"
#include "api/answer_portfolio.h"
#include "api/answer_size.h"
#include "api/answer_trace.h"
#include "api/knobs.h"
#include "base/json.h"

#include <string.h>

typedef struct caller {
    clg_arena *arena;
    clg_progress progress;
    clg_files files;
    bool picture; /* asked for instead of the numbers */
    clg_text *out;
} caller;

static clg_status plan(const caller *c, const clg_request *request, clg_error *error) {
    clg_answer *answer = clg_take(c->arena, 1, clg_answer);
    clg_status status = clg_answer_plan(c->arena, request, c->progress, answer, error);
    if (status == CLG_OK) clg_answer_plan_json(c->out, answer, 0);
    return status;
}

static clg_status explain(const caller *c, const clg_request *request, clg_error *error) {
    clg_answer *answer = clg_take(c->arena, 1, clg_answer);
    clg_status status = clg_answer_explain(c->arena, request, c->progress, NULL, answer, error);
    if (status == CLG_OK) clg_answer_explain_json(c->out, answer);
    return status;
}

/* What explain --timeline writes to a file. */
static clg_status timeline(const caller *c, const clg_request *request, clg_error *error) {
    clg_answer *answer = clg_take(c->arena, 1, clg_answer);
    clg_timeline drawn = {.arena = c->arena};
    clg_status status = clg_answer_explain(c->arena, request, c->progress, &drawn, answer, error);
    if (status == CLG_OK) clg_answer_timeline_json(c->out, &drawn);
    return status;
}

static clg_status scale(const caller *c, const clg_request *request, clg_error *error) {
    clg_scale_answer *answer = clg_take(c->arena, 1, clg_scale_answer);
    clg_status status = clg_answer_scale(c->arena, request, c->progress, answer, error);
    if (status != CLG_OK) return status;
    if (!c->picture) {
        clg_answer_scale_json(c->out, answer);
        return CLG_OK;
    }
    clg_text svg = {.arena = c->arena};
    clg_picture_curve(&svg, &answer->one, answer->two ? &answer->beside : NULL);
    clg_answer_picture_json(c->out, &svg);
    return CLG_OK;
}

static clg_status why(const caller *c, const clg_request *request, clg_error *error) {
    clg_answer *answer = clg_take(c->arena, 1, clg_answer);
    clg_status status = clg_answer_explain(c->arena, request, c->progress, NULL, answer, error);
    if (status != CLG_OK) return status;
    return clg_answer_why_json(c->arena, answer, c->out, error);
}

static clg_status size(const caller *c, const clg_request *request, clg_error *error) {
    clg_size_answer *answer = clg_take(c->arena, 1, clg_size_answer);
    clg_status status = clg_answer_size(c->arena, request, c->progress, answer, error);
    if (status == CLG_OK) clg_answer_size_json(c->out, answer);
    return status;
}

/* The list of jobs comes as "config". */
static clg_status portfolio(const caller *c, const clg_request *request, clg_error *error) {
    clg_portfolio_answer *answer = clg_take(c->arena, 1, clg_portfolio_answer);
    clg_status status = clg_answer_portfolio(c->arena, request, NULL, c->progress, answer, error);
    if (status == CLG_OK) clg_answer_portfolio_json(c->out, answer);
    return status;
}

static clg_status demand(const caller *c, const clg_request *request, clg_error *error) {
    clg_demand_answer *answer = clg_take(c->arena, 1, clg_demand_answer);
    clg_status status = clg_answer_demand(c->arena, request, c->progress, answer, error);
    if (status == CLG_OK) clg_answer_demand_json(c->out, answer);
    return status;
}

static clg_status diagnose(const caller *c, const clg_request *request, clg_error *error) {
    clg_diagnose_answer *a = clg_take(c->arena, 1, clg_diagnose_answer);
    clg_status status = clg_answer_diagnose(c->arena, request, c->progress, a, error);
    if (status == CLG_OK)
        clg_json_diagnosis(c->out, &a->plan.scenario, &a->plan.evaluation, &a->seen, &a->diagnosis);
    return status;
}

static clg_status improve(const caller *c, const clg_request *request, clg_error *error) {
    clg_improve_answer *a = clg_take(c->arena, 1, clg_improve_answer);
    clg_status status = clg_answer_improve(c->arena, request, c->progress, a, error);
    if (status == CLG_OK)
        clg_json_improvements(c->out, &a->job.scenario, &a->job.evaluation, &a->improvements);
    return status;
}

static clg_status collective(const caller *c, const clg_request *request, clg_error *error) {
    clg_sweep sweep;
    clg_status status = clg_answer_collective(c->arena, request, &sweep, error);
    if (status == CLG_OK) clg_json_sweep(c->out, &sweep);
    return status;
}

static clg_status trace(const caller *c, const clg_request *request, clg_error *error) {
    return clg_answer_trace_json(c->arena, request, &c->files, c->picture, c->progress, c->out,
                                 error);
}

static clg_status params(const caller *c, const clg_request *request, clg_error *error) {
    (void)request;
    (void)error;
    clg_knobs_json(c->out);
    return CLG_OK;
}

#define TAKES(group) (1u << CLG_GROUP_##group)
#define PLANNING (TAKES(MACHINE) | TAKES(JOB) | TAKES(LAYOUT))

/* As the command line has them (cli/command_*.c); tests/web/same.mjs holds the two together. */
typedef struct command {
    const char *name;
    bool model; /* whether one must be named */
    clg_status (*run)(const caller *c, const clg_request *request, clg_error *error);
    unsigned groups;       /* of knobs it takes */
    const clg_param *more; /* single ones, ended by CLG_PARAMS; may be NULL */
} command;

static const clg_param plan_knobs[] = {CLG_PARAM_TOP, CLG_PARAMS};
static const clg_param size_knobs[] = {
    CLG_PARAM_GPU,   CLG_PARAM_NODE,           CLG_PARAM_FABRIC, CLG_PARAM_NICS, CLG_PARAM_STACK,
    CLG_PARAM_PRICE, CLG_PARAM_CRITICAL_BATCH, CLG_PARAM_KNEE,   CLG_PARAMS};
static const clg_param portfolio_knobs[] = {
    CLG_PARAM_BUDGET,   CLG_PARAM_CAPEX,   CLG_PARAM_LIFE, CLG_PARAM_PUE, CLG_PARAM_ELECTRICITY,
    CLG_PARAM_FAILURES, CLG_PARAM_RESTART, CLG_PARAM_KNEE, CLG_PARAMS};
static const clg_param demand_knobs[] = {CLG_PARAM_PRECISION, CLG_PARAM_IMBALANCE, CLG_PARAM_TP,
                                         CLG_PARAM_PP,        CLG_PARAM_DP,        CLG_PARAM_EP,
                                         CLG_PARAMS};
static const clg_param collective_knobs[] = {CLG_PARAM_GPU,    CLG_PARAM_GPUS,    CLG_PARAM_NODE,
                                             CLG_PARAM_FABRIC, CLG_PARAM_NETWORK, CLG_PARAM_BYTES,
                                             CLG_PARAMS};
static const clg_param trace_knobs[] = {CLG_PARAM_PLAN, CLG_PARAMS};

static const command commands[] = {
    {"plan", true, plan, PLANNING, plan_knobs},
    {"explain", true, explain, PLANNING, NULL},
    {"scale", true, scale, PLANNING | TAKES(SCALING), NULL},
    {"size", true, size, TAKES(JOB) | TAKES(LAYOUT) | TAKES(CLUSTER), size_knobs},
    {"portfolio", true, portfolio, PLANNING | TAKES(PORTFOLIO) | TAKES(SERVING), portfolio_knobs},
    {"demand", true, demand, TAKES(MACHINE) | TAKES(SERVING), demand_knobs},
    {"improve", true, improve, PLANNING, NULL},
    {"diagnose", true, diagnose, PLANNING | TAKES(MEASURED), NULL},
    {"collective", true, collective, 0, collective_knobs},
    {"timeline", true, timeline, PLANNING, NULL},
    {"why", true, why, PLANNING, NULL},
    {"trace", false, trace, 0, trace_knobs},
    {"params", false, params, 0, NULL}};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const command *find_command(const char *name, clg_error *error) {
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) {
        if (name && strcmp(commands[i].name, name) == 0) return &commands[i];
        names[i] = commands[i].name;
    }
    const char *nearest = name ? clg_name_nearest(names, COMMANDS, name) : NULL;
    clg_error_at(error, NULL, 0, 0, "command");
    clg_fail(error, CLG_BAD_USAGE,
             nearest ? nearest : "plan, explain, scale, size, demand and trace are some",
             "there is no command '%.64s'", name ? name : "");
    return NULL;
}

static clg_status no_value(const clg_json *value, clg_error *error) {
    clg_error_at(error, "request", value->line, value->column, value->key);
    return clg_fail(error, CLG_BAD_USAGE, "write it as text, the way the flag takes it",
                    "this value cannot be read");
}

/* Appends the texts of a list, or of one text, to the list of a request. */
static clg_status take_list(const clg_json *value, const char **list, int *count,
                            clg_error *error) {
    const clg_json *one = value->kind == CLG_JSON_ARRAY ? value->first : value;
    for (; one; one = one == value ? NULL : one->next) {
        if (one->kind != CLG_JSON_STRING || *count == CLG_REQUEST_LISTS)
            return no_value(value, error);
        list[(*count)++] = one->text;
    }
    return CLG_OK;
}

static bool takes(const command *c, clg_param param) {
    if (c->groups & (1u << clg_param_row_of(param).group)) return true;
    for (const clg_param *knob = c->more; knob && *knob != CLG_PARAMS; knob++)
        if (*knob == param) return true;
    return false;
}

const char *clg_door_command(int at, bool (*taken)[CLG_PARAMS]) {
    if (at >= COMMANDS || !commands[at].model) return NULL;
    for (int p = 0; p < CLG_PARAMS; p++) (*taken)[p] = takes(&commands[at], (clg_param)p);
    return commands[at].name;
}

/* {"name","text"}: a file that the host has read. */
static clg_status take_file(const clg_json *value, clg_param param, clg_request *request,
                            clg_error *error) {
    const clg_json *text = clg_json_member(value, "text");
    clg_attachment *file = &request->file[param];
    if (clg_json_string(value, "name", value->key, &file->name, "request", error) != CLG_OK ||
        clg_json_string(value, "text", NULL, &file->text, "request", error) != CLG_OK)
        return error->status;
    if (!file->text) return no_value(value, error);
    file->size = text->text_size;
    request->value[param] = file->name;
    return CLG_OK;
}

/* Names of files that the host reads on demand. */
static clg_status take_names(const clg_json *root, const char *key, const char **name, int *count,
                             clg_error *error) {
    const clg_json *list = clg_json_member(root, key);
    for (const clg_json *one = list ? list->first : NULL; one; one = one->next) {
        if (one->kind != CLG_JSON_STRING) return no_value(one, error);
        name[(*count)++] = one->text;
    }
    return CLG_OK;
}

static clg_status take_files(clg_arena *arena, const clg_json *root, clg_files *files,
                             clg_error *error) {
    const clg_json *own = clg_json_member(root, "files");
    const clg_json *other = clg_json_member(root, "other_files");
    files->name =
        clg_take(arena, (own ? own->count : 0) + (other ? other->count : 0) + 1, const char *);
    files->count = 0;
    if (take_names(root, "files", files->name, &files->count, error) != CLG_OK)
        return error->status;
    int first = files->count;
    if (take_names(root, "other_files", files->name, &files->count, error) != CLG_OK)
        return error->status;
    files->others = files->count - first;
    return CLG_OK;
}

static clg_status take_knob(const command *c, const clg_json *value, clg_request *request,
                            clg_error *error) {
    int param = clg_param_find(value->key, error);
    if (param < 0) return CLG_BAD_USAGE;
    if (!takes(c, (clg_param)param))
        return clg_fail(error, CLG_BAD_USAGE, NULL, "'%s' takes no --%.64s", c->name, value->key);
    if (param == CLG_PARAM_FIX) return take_list(value, request->fix, &request->fixes, error);
    if (param == CLG_PARAM_NOT) return take_list(value, request->forbid, &request->forbids, error);
    bool is_switch = clg_param_row_of((clg_param)param).kind == CLG_KIND_SWITCH;
    if (is_switch && value->kind == CLG_JSON_BOOL) {
        request->value[param] = value->truth ? "" : NULL;
        return CLG_OK;
    }
    if (value->kind == CLG_JSON_OBJECT) return take_file(value, (clg_param)param, request, error);
    if (value->kind != CLG_JSON_STRING && value->kind != CLG_JSON_NUMBER)
        return no_value(value, error);
    request->value[param] = value->text;
    return CLG_OK;
}

/* What stands beside the knobs: the command, the model and its file, recordings. */
static bool is_head(const char *key) {
    static const char *const heads[] = {"command", "model",       "config",
                                        "files",   "other_files", "picture"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strcmp(key, heads[i]) == 0) return true;
    return false;
}

static clg_status take_model(const clg_json *root, bool needed, clg_request *request,
                             clg_error *error) {
    clg_attachment *file = &request->model_file;
    if (clg_json_string(root, "model", NULL, &request->model, "request", error) != CLG_OK ||
        clg_json_string(root, "config", NULL, &file->text, "request", error) != CLG_OK)
        return error->status;
    if (file->text) {
        file->size = clg_json_member(root, "config")->text_size;
        file->name = request->model ? request->model : "config.json";
        request->model = file->name;
    }
    if (request->model || !needed) return CLG_OK;
    clg_error_at(error, NULL, 0, 0, "model");
    return clg_fail(error, CLG_BAD_USAGE, "name a preset or give a config", "no model is named");
}

static clg_status answer(caller *c, const char *text, size_t size, clg_error *error) {
    clg_json *root;
    const char *name;
    clg_request *request = clg_take(c->arena, 1, clg_request);
    if (clg_json_parse(c->arena, "request", text, size, &root, error) != CLG_OK ||
        clg_json_string(root, "command", NULL, &name, "request", error) != CLG_OK)
        return error->status;
    const command *found = find_command(name, error);
    if (!found || take_model(root, found->model, request, error) != CLG_OK ||
        take_files(c->arena, root, &c->files, error) != CLG_OK)
        return error->status;
    if (clg_json_bool(root, "picture", false, &c->picture, "request", error) != CLG_OK)
        return error->status;
    if (c->picture && found->run != scale && found->run != trace)
        return clg_fail(error, CLG_BAD_USAGE, "scale and trace are", "'%s' is not drawn",
                        found->name);
    for (const clg_json *value = root->first; value; value = value->next)
        if (!is_head(value->key) && value->kind != CLG_JSON_NULL &&
            take_knob(found, value, request, error) != CLG_OK)
            return error->status;
    return found->run(c, request, error);
}

static void print_error(clg_text *out, const clg_error *error) {
    char sentence[2048];
    clg_json_writer writer = {.text = out, .pretty = true}, *w = &writer;
    clg_error_sentence(error, sentence, sizeof sentence);
    clg_json_open(w, NULL, '{');
    clg_json_open(w, "error", '{');
    clg_json_add_integer(w, "status", (int64_t)error->status);
    clg_json_add_string(w, "file", error->file);
    clg_json_add_integer(w, "line", error->line);
    clg_json_add_integer(w, "column", error->column);
    clg_json_add_string(w, "field", error->field);
    clg_json_add_string(w, "message", error->message);
    clg_json_add_string(w, "mend", error->mend);
    clg_json_add_string(w, "sentence", sentence);
    clg_json_close(w, '}');
    clg_json_close(w, '}');
    clg_text_print(out, "\n");
}

clg_status clg_door_call(clg_arena *arena, const char *text, size_t size, clg_door_host host,
                         clg_text *out) {
    clg_error error = {0};
    caller c = {.arena = arena,
                .progress = host.progress,
                .files = {.read = host.read, .context = host.context},
                .out = out};
    clg_status status = answer(&c, text, size, &error);
    if (status != CLG_OK) print_error(out, &error);
    return status;
}
