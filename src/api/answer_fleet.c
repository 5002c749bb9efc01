/* answer_fleet.c -- a table of models, each a question of `ceiling demand`, packed on one fleet. */
#include "api/answer_demand.h"

#include "api/command.h"
#include "api/fleet_kinds.h"
#include "api/request_parts.h"
#include "portfolio/table.h"
#include "report_serving/placing_report.h"
#include "report_serving/serving_rows.h"

#include <math.h>
#include <string.h>

extern const clg_command clg_command_demand;

/* One fleet, or one of each kind of GPU that models were placed on. */
typedef struct filled {
    clg_joint_model model[CLG_JOINT_MODELS * CLG_PLACE_KINDS];
    int models;
    clg_placement placing; /* kinds 0: nothing was placed */
    clg_joint joint[CLG_PLACE_KINDS];
    clg_fleet_shown shown[CLG_PLACE_KINDS];
    int fleets;
} filled;

enum { MOST_COLUMNS = 256 };

/* Columns that are no flag. */
enum { NAME = -1, MODEL = -2, NOT_READ = -3 };

typedef struct reader {
    clg_arena *arena;
    const clg_question *question;
    clg_csv csv;
    int column[MOST_COLUMNS]; /* a flag of demand, or one of the above */
    int row;
    const char *gpu;    /* of several kinds; NULL: as asked */
    double from, share; /* of all the work: that of the row */
    clg_error *error;
} reader;

/* What one model cannot say for itself: all stand in the same nodes, their demands come in time,
 * and are sized for today. */
static bool of_all(clg_param param) {
    static const clg_param others[] = {CLG_PARAM_DEADLINE, CLG_PARAM_LEVERS, CLG_PARAM_COMPARE,
                                       CLG_PARAM_POWER,    CLG_PARAM_PUE,    CLG_PARAM_LEAD,
                                       CLG_PARAM_GROWTH};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] == param) return true;
    return clg_param_row_of(param).group == CLG_GROUP_MACHINE;
}

/* Names of all columns that mean something, and which flag each is. */
static int known_columns(const char **name, int *flag) {
    int count = 0;
    name[count] = "name", flag[count++] = NAME;
    name[count] = "model", flag[count++] = MODEL;
    for (int p = 0; p < CLG_PARAMS; p++)
        if (clg_command_asks(&clg_command_demand, (clg_param)p) && !of_all((clg_param)p))
            name[count] = clg_param_row_of((clg_param)p).flag, flag[count++] = p;
    return count;
}

static clg_status of_fleet(const reader *r, int column, clg_param param) {
    clg_error_at(r->error, r->csv.name, 1, column + 1, NULL);
    bool machine = clg_param_row_of(param).group == CLG_GROUP_MACHINE;
    return clg_fail(r->error, CLG_BAD_INPUT,
                    machine ? "give it as a flag: --gpu NAME,NAME places models on kinds"
                            : "see 'ceiling demand', a model at a time",
                    machine ? "all models stand in the same nodes: '%.64s' is no column"
                            : "'%.64s' is not answered for several models",
                    r->csv.column[column]);
}

static clg_status find_columns(reader *r, const char **ignored) {
    const char *name[CLG_PARAMS + 2];
    int flag[CLG_PARAMS + 2], count = known_columns(name, flag);
    bool model = false;
    for (int c = 0; c < r->csv.columns; c++) {
        const char *word = r->csv.column[c], *same = clg_name_same(name, count, word);
        r->column[c] = NOT_READ;
        for (int i = 0; same && i < count; i++)
            if (strcmp(name[i], same) == 0) r->column[c] = flag[i];
        model = model || r->column[c] == MODEL;
        if (same) continue;
        int other = clg_param_find(word);
        if (other >= 0 && of_all((clg_param)other)) return of_fleet(r, c, (clg_param)other);
        const char *meant = clg_command_word(r->arena, name, count, word);
        if (meant) {
            clg_error_at(r->error, r->csv.name, 1, c + 1, NULL);
            return clg_fail(r->error, CLG_BAD_INPUT,
                            clg_arena_print(r->arena, "columns are flags: %s", meant),
                            "there is no column '%.40s'", word);
        }
        if (clg_name_nearest(name, count, word))
            return clg_table_unknown(&r->csv, c, name, count, r->error);
        *ignored = *ignored ? clg_arena_print(r->arena, "%s, %.40s", *ignored, word)
                            : clg_arena_print(r->arena, "%.40s", word);
    }
    if (model) return CLG_OK;
    clg_error_at(r->error, r->csv.name, 1, 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, "columns are name, model, and flags of demand",
                    "there is no column 'model'");
}

/* A switch takes yes and no, others what is written after the flag. */
static const char *value_of(clg_param param, const char *cell) {
    static const char *const no[] = {"no", "false", "0"};
    if (clg_param_row_of(param).kind != CLG_KIND_SWITCH) return cell;
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        if (clg_name_same(&no[i], 1, cell)) return NULL;
    return cell;
}

/* The path of a table that a cell names is read where files can be. */
static clg_status attach(const reader *r, clg_param param, const char *cell, clg_request *own) {
    const clg_model_files *files = &r->question->models;
    if (param != CLG_PARAM_TRACE && param != CLG_PARAM_PROFILE) return CLG_OK;
    own->file[param] = (clg_attachment){0};
    if (!files->read) return CLG_OK;
    return files->read(files->context, cell, &own->file[param], r->error);
}

/* A fault of a cell is one of its line; one of a flag that all have is not. */
static clg_status at_line(const reader *r, const clg_request *own) {
    clg_error *e = r->error;
    int line = r->csv.row[r->row].line, column = 0;
    const char *flag = strncmp(e->field, "--", 2) == 0 ? e->field + 2 : "";
    int param = clg_param_find(flag);
    for (int c = 0; c < r->csv.columns; c++)
        if (param >= 0 && r->column[c] == param && r->csv.row[r->row].field[c][0]) column = c + 1;
    if (param >= 0 && column == 0 && own->value[param]) return e->status;
    if (e->file[0] == '\0')
        clg_error_at(e, r->csv.name, line, column > 0 ? column : 1, column > 0 ? flag : NULL);
    return e->status;
}

static bool has_trace(const reader *r) {
    for (int c = 0; c < r->csv.columns; c++)
        if (r->column[c] == CLG_PARAM_TRACE && r->csv.row[r->row].field[c][0]) return true;
    return false;
}

/* The request with what a row says. */
static clg_status read_row(const reader *r, clg_request *own, const char **name) {
    const char *model = "";
    *own = *r->question->request;
    own->model = NULL;
    own->model_file = (clg_attachment){0};
    own->value[CLG_PARAM_GPUS] = NULL; /* those of all */
    if (r->gpu) own->value[CLG_PARAM_GPU] = r->gpu;
    *name = "";
    if (has_trace(r)) clg_request_drop_made_up(own); /* said of the others */
    for (int c = 0; c < r->csv.columns; c++) {
        const char *cell = r->csv.row[r->row].field[c];
        if (!*cell || r->column[c] == NOT_READ) continue;
        if (r->column[c] == NAME) *name = cell;
        if (r->column[c] == MODEL) model = cell;
        if (r->column[c] < 0) continue;
        clg_param param = (clg_param)r->column[c];
        own->value[param] = value_of(param, cell);
        if (attach(r, param, cell, own) != CLG_OK) return r->error->status;
    }
    for (int p = 0; p < CLG_PARAMS; p++) /* said of rows with what it is of */
        if (own->value[p] == r->question->request->value[p] &&
            clg_request_is_lone(own, (clg_param)p))
            own->value[p] = NULL;
    if (!**name) *name = model;
    if (*model)
        return clg_command_model(r->arena, &r->question->models, model, own, r->error) == CLG_OK
                   ? clg_request_lone(own, r->error)
                   : r->error->status;
    return clg_fail(r->error, CLG_BAD_INPUT, "name a preset or a config.json",
                    "a row without model");
}

static clg_status check_timed(const clg_demand_answer *a, clg_error *error) {
    if (a->answer.windows > 0) return CLG_OK;
    if (a->demand.clients > 0)
        return clg_fail(error, CLG_BAD_INPUT, "say how often each asks: turn-gap 30s",
                        "clients who always wait for an answer come at no rate");
    return clg_fail(error, CLG_BAD_INPUT, "give a rate, a profile or a trace with times",
                    "requests that all come at once have no fleet");
}

typedef struct part {
    clg_progress all;
    double from, share;
} part;

static bool tell_part(void *context, double share) {
    const part *p = context;
    return !p->all.tell || p->all.tell(p->all.context, p->from + p->share * share);
}

static clg_status answer_row(const reader *r, clg_joint_model *m) {
    clg_request *own = clg_take(r->arena, 1, clg_request);
    clg_demand_answer *a = clg_take(r->arena, 1, clg_demand_answer);
    part some = {r->question->progress, r->from, r->share};
    clg_question q = *r->question;
    q.request = own;
    q.progress = (clg_progress){tell_part, &some, r->question->progress.cores};
    if (read_row(r, own, &m->name) != CLG_OK || clg_answer_served(&q, a, r->error) != CLG_OK ||
        check_timed(a, r->error) != CLG_OK)
        return at_line(r, own);
    m->question = &a->question;
    m->answer = &a->answer;
    return CLG_OK;
}

static bool is_blank(const reader *r) {
    for (int c = 0; c < r->csv.columns; c++)
        if (r->csv.row[r->row].field[c][0]) return false;
    return true;
}

/* The row on every kind; the first fault where it can be served on none. */
static clg_status answer_on_kinds(reader *r, clg_placement *p) {
    clg_place_option *row = p->option[p->models++];
    clg_error first = {0};
    bool served = false;
    double share = r->share / p->kinds;
    reader one = *r;
    for (int k = 0; k < p->kinds; k++) {
        clg_error fault = {0};
        one.gpu = p->kind[k].name, one.error = &fault;
        one.from = r->from + k * share, one.share = share;
        if (answer_row(&one, &row[k].alone) == CLG_OK) {
            const clg_scenario *s = row[k].alone.question->replica->scenario;
            p->kind[k].node_gpus = s->machine.node.gpus;
            p->kind[k].node_usd_per_s = s->machine.node.gpus * s->price.usd_per_s;
            row[k].own_usd_per_s = s->price.usd_per_s *
                                   (double)row[k].alone.answer->fleet.replicas *
                                   clg_replica_gpus(row[k].alone.question->replica);
            served = true;
            continue;
        }
        row[k].alone.question = NULL;
        row[k].why_not = clg_arena_print(r->arena, "%s", fault.message);
        if (first.status == CLG_OK) first = fault;
    }
    if (!served) *r->error = first;
    return served ? CLG_OK : r->error->status;
}

static clg_status read_table(reader *r, filled *f) {
    const clg_attachment *file = &r->question->request->model_file;
    if (!file->text)
        return clg_fail(r->error, CLG_BAD_USAGE, "docs/economics.md has one",
                        "there is no table of models");
    if (clg_table_read(r->arena, file->name, file->text, file->size, &r->csv, r->error) != CLG_OK)
        return r->error->status;
    if (r->csv.columns > MOST_COLUMNS || r->csv.rows > CLG_JOINT_MODELS) {
        clg_error_at(r->error, file->name, 1, 1, NULL);
        return clg_fail(r->error, CLG_BAD_INPUT, "plan parts of it",
                        "more than %d models or %d columns", CLG_JOINT_MODELS, MOST_COLUMNS);
    }
    return find_columns(r, &f->shown[0].ignored);
}

static clg_status read_models(reader *r, filled *f) {
    if (read_table(r, f) != CLG_OK) return r->error->status;
    f->placing.option =
        clg_arena_take(r->arena, (size_t)r->csv.rows + 1, sizeof *f->placing.option);
    r->share = 1.0 / r->csv.rows;
    for (r->row = 0; r->row < r->csv.rows; r->row++) {
        r->from = r->row * r->share;
        if (is_blank(r)) continue;
        clg_status status = f->placing.kinds > 0 ? answer_on_kinds(r, &f->placing)
                                                 : answer_row(r, &f->model[f->models]);
        if (status != CLG_OK) return status;
        f->models++;
    }
    if (f->models > 0) return CLG_OK;
    clg_error_at(r->error, r->csv.name, 0, 0, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, "give it rows below its header", "no model is in it");
}

/* Flags of 'ceiling demand' that have no answer here. */
static clg_status check_flags(const clg_request *request, clg_error *error) {
    for (int p = 0; p < CLG_PARAMS; p++)
        if (request->value[p] && of_all((clg_param)p) &&
            clg_param_row_of((clg_param)p).group != CLG_GROUP_MACHINE)
            return clg_fail(error, CLG_BAD_USAGE, "see 'ceiling demand', a model at a time",
                            "--%s is not answered for several models",
                            clg_param_row_of((clg_param)p).flag);
    return CLG_OK;
}

static clg_status place(reader *r, filled *f) {
    clg_placement *p = &f->placing;
    const char *ignored = f->shown[0].ignored;
    if (clg_fleet_priced(p, r->error) != CLG_OK) return r->error->status;
    clg_placing_find(r->arena, p);
    for (int k = 0, at = 0; k < p->kinds; k++) {
        int models = clg_placing_on(p, p->on, k, &f->model[at]);
        if (models == 0) continue;
        f->shown[f->fleets] =
            (clg_fleet_shown){.joint = &f->joint[f->fleets],
                              .ignored = f->fleets ? NULL : ignored,
                              .owned_gpus = p->kind[k].there_nodes * p->kind[k].node_gpus};
        if (clg_joint_make(r->arena, &f->model[at], models, r->question->progress.cores,
                           &f->joint[f->fleets++], r->error) != CLG_OK)
            return r->error->status;
        at += models;
    }
    return CLG_OK;
}

static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    filled *f = to;
    double gpus;
    memset(f, 0, sizeof *f);
    reader r = {.arena = q->arena, .question = q, .error = error};
    if (check_flags(q->request, error) != CLG_OK ||
        clg_request_number(q->request, CLG_PARAM_GPUS, &gpus, error) != CLG_OK ||
        clg_fleet_kinds(q, &f->placing, error) != CLG_OK || read_models(&r, f) != CLG_OK)
        return error->status;
    if (f->placing.kinds > 0) return place(&r, f);
    f->fleets = 1;
    f->shown[0].joint = &f->joint[0];
    f->shown[0].owned_gpus = (int64_t)gpus;
    return clg_joint_make(q->arena, f->model, f->models, q->progress.cores, &f->joint[0], error);
}

static void write_text(clg_text *out, const void *from) {
    const filled *f = from;
    if (f->placing.kinds > 0) clg_report_placing(out, &f->placing);
    for (int i = 0; i < f->fleets; i++) {
        if (f->placing.kinds > 0) clg_text_print(out, "\n");
        clg_report_fleet(out, &f->shown[i]);
    }
}

static void write_json(clg_json_writer *w, const void *from) {
    const filled *f = from;
    clg_json_open_answer(w, NULL, "fleet");
    if (f->placing.kinds == 0) {
        clg_json_fleet(w, &f->shown[0]);
    } else {
        clg_json_placing(w, &f->placing);
        clg_json_open(w, "fleets", '[');
        for (int i = 0; i < f->fleets; i++) {
            clg_json_open(w, NULL, '{');
            clg_json_fleet(w, &f->shown[i]);
            clg_json_close(w, '}');
        }
        clg_json_close(w, ']');
    }
    clg_json_close(w, '}');
}

static void write_csv(clg_text *out, const void *from) {
    const filled *f = from;
    clg_report_fleet_head(out);
    for (int i = 0; i < f->fleets; i++) clg_report_fleet_rows(out, &f->shown[i]);
}

static const clg_param knobs[] = {CLG_PARAM_ADAPTER_RANK,
                                  CLG_PARAM_ADAPTER_TARGETS,
                                  CLG_PARAM_PRECISION,
                                  CLG_PARAM_IMBALANCE,
                                  CLG_PARAM_TP,
                                  CLG_PARAM_PP,
                                  CLG_PARAM_DP,
                                  CLG_PARAM_EP,
                                  CLG_PARAMS};
static const clg_own_words words[] = {
    {CLG_PARAM_GPU, "NAME[:N],..|FILE", NULL,
     "GPU kind, or several that models are placed on, and how many of each there are: "
     "h100-sxm:16,h200-sxm:8"},
    {.param = CLG_PARAM_GPUS, .help = "GPUs that you have: whether they are enough"},
    {.param = CLG_PARAMS}};

const clg_command clg_command_fleet = {
    .name = "fleet",
    .operands = "MODELS.csv",
    .summary = "several served models packed on one fleet: how many nodes, who shares, what it "
               "saves",
    .details =
        "Each row is a question of 'ceiling demand': the columns name, model and any of its flags "
        "(rate, prompt, output, ttft, tpot, weights, tp, peak-at, trace, ...); flags of the "
        "command line hold where a cell is blank. Replicas are packed on whole nodes, models of "
        "one GPU each also on the same GPUs where that saves a node. Of several kinds of GPU "
        "(--gpu) each model takes the one with which all nodes together cost least. --growth "
        "and orders ahead are questions of 'ceiling demand', a model at a time.",
    .example = "ceiling fleet models.csv --gpu h100-sxm --span 1d",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(SERVING),
    .knobs = knobs,
    .words = words,
    .least = 1,
    .most = 1,
    .subject = CLG_SUBJECT_TABLE,
    .by_row = true,
    .busy = "simulating",
    .bytes = sizeof(filled),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv}};
