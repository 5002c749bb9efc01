/* answer_fleet.c -- a table of models, each a question of `ceiling demand`, packed on one fleet. */
#include "api/answer_demand.h"

#include "api/command.h"
#include "api/fleet_kinds.h"
#include "api/fleet_table.h"
#include "api/request_parts.h"
#include "report_serving/placing_report.h"
#include "report_serving/serving_rows.h"

#include <string.h>

/* One fleet, or one of each kind of GPU that models were placed on. */
typedef struct filled {
    clg_joint_model model[CLG_JOINT_MODELS * CLG_PLACE_KINDS];
    int models;
    clg_placement placing; /* kinds 0: nothing was placed */
    clg_joint joint[CLG_PLACE_KINDS];
    clg_joint_growth growth[CLG_PLACE_KINDS];
    clg_fleet_shown shown[CLG_PLACE_KINDS];
    int fleets;
} filled;

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

static clg_status answer_row(const clg_fleet_reader *r, clg_joint_model *m) {
    clg_request *own = clg_take(r->arena, 1, clg_request);
    clg_demand_answer *a = clg_take(r->arena, 1, clg_demand_answer);
    part some = {r->question->progress, r->from, r->share};
    clg_question q = *r->question;
    q.request = own;
    q.progress = (clg_progress){tell_part, &some, r->question->progress.cores};
    if (clg_fleet_read_row(r, own, &m->name) != CLG_OK ||
        clg_answer_served(&q, a, r->error) != CLG_OK || check_timed(a, r->error) != CLG_OK)
        return clg_fleet_at_line(r, own);
    m->question = &a->question;
    m->answer = &a->answer;
    return CLG_OK;
}

/* The row on every kind; the first fault where it can be served on none. */
static clg_status answer_on_kinds(clg_fleet_reader *r, clg_placement *p) {
    clg_place_option *row = p->option[p->models++];
    clg_error first = {0};
    bool served = false;
    double share = r->share / p->kinds;
    clg_fleet_reader one = *r;
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

static clg_status read_models(clg_fleet_reader *r, filled *f) {
    if (clg_fleet_read_table(r) != CLG_OK) return r->error->status;
    f->placing.option =
        clg_arena_take(r->arena, (size_t)r->csv.rows + 1, sizeof *f->placing.option);
    r->share = 1.0 / r->csv.rows;
    for (r->row = 0; r->row < r->csv.rows; r->row++) {
        r->from = r->row * r->share;
        if (clg_fleet_row_is_blank(r)) continue;
        clg_status status = f->placing.kinds > 0 ? answer_on_kinds(r, &f->placing)
                                                 : answer_row(r, &f->model[f->models]);
        if (status != CLG_OK) return status;
        f->models++;
    }
    if (f->models > 0) return CLG_OK;
    clg_error_at(r->error, r->csv.name, 0, 0, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, "give it rows below its header", "no model is in it");
}

/* Packs the last of the fleets, and looks ahead where it grows. */
static clg_status pack(const clg_fleet_reader *r, filled *f, clg_joint_model *model, int models) {
    int at = f->fleets - 1;
    const clg_cores *cores = r->question->progress.cores;
    if (clg_joint_make(r->arena, model, models, cores, &f->joint[at], r->error) != CLG_OK)
        return r->error->status;
    clg_joint_grow(r->arena, &f->joint[at], cores, &f->growth[at]);
    return CLG_OK;
}

static void begin_fleet(const clg_fleet_reader *r, filled *f, int64_t owned_gpus) {
    int at = f->fleets++;
    f->shown[at] = (clg_fleet_shown){.joint = &f->joint[at],
                                     .growth = &f->growth[at],
                                     .ignored = at == 0 ? r->ignored : NULL,
                                     .owned_gpus = owned_gpus};
}

static clg_status place(clg_fleet_reader *r, filled *f) {
    clg_placement *p = &f->placing;
    if (clg_fleet_priced(p, r->error) != CLG_OK) return r->error->status;
    clg_placing_find(r->arena, p);
    for (int k = 0, at = 0; k < p->kinds; k++) {
        int models = clg_placing_on(p, p->on, k, &f->model[at]);
        if (models == 0) continue;
        begin_fleet(r, f, p->kind[k].there_nodes * p->kind[k].node_gpus);
        if (pack(r, f, &f->model[at], models) != CLG_OK) return r->error->status;
        at += models;
    }
    return CLG_OK;
}

/* A time from order to nodes, and nothing that grows until then. */
static clg_status check_lead(const clg_request *request, const filled *f, clg_error *error) {
    for (int i = 0; i < f->fleets; i++)
        if (f->growth[i].known) return CLG_OK;
    if (!request->value[CLG_PARAM_LEAD]) return CLG_OK;
    return clg_fail(error, CLG_BAD_USAGE, "add --growth 10%, or a column growth",
                    "--lead-time says more of --growth, which no model has");
}

static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    filled *f = to;
    double gpus;
    clg_status status;
    memset(f, 0, sizeof *f);
    clg_fleet_reader r = {.arena = q->arena, .question = q, .error = error};
    if (clg_fleet_check_flags(q->request, error) != CLG_OK ||
        clg_request_number(q->request, CLG_PARAM_GPUS, &gpus, error) != CLG_OK ||
        clg_fleet_kinds(q, &f->placing, error) != CLG_OK || read_models(&r, f) != CLG_OK)
        return error->status;
    if (f->placing.kinds > 0) {
        status = place(&r, f);
    } else {
        begin_fleet(&r, f, (int64_t)gpus);
        status = pack(&r, f, f->model, f->models);
    }
    return status == CLG_OK ? check_lead(q->request, f, error) : status;
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
        "(--gpu) each model takes the one with which all nodes together cost least. --growth, of "
        "all or a column, says when the next nodes are due.",
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
