/* answer_portfolio.c -- a list of jobs, each planned, becomes lives of clusters. */
#include "api/answer_demand.h"
#include "api/command.h"
#include "api/request_parts.h"
#include "portfolio/task.h"
#include "report_serving/portfolio_report.h"

#include <math.h>
#include <string.h>

typedef struct filled {
    clg_scenario scenario; /* machine and price alone */
    clg_operations operations;
    clg_job_list jobs;
    clg_portfolio portfolio;
    clg_portfolio_shown shown;
} filled;

typedef struct maker {
    clg_arena *arena;
    const clg_request *request;
    const clg_model_files *files;
    clg_trained **trained; /* [count] what jobs train, each once */
    int count;
    clg_planning planning;
    filled *answer;
    clg_error *error;
} maker;

enum { TRAINED = 4096, MOST_LIVES = 50000000 };

static clg_status read_rules(const maker *m, clg_portfolio_request *ask, clg_error *error) {
    const clg_request *r = m->request;
    double draws, seed;
    const clg_wanted_number rows[] = {{CLG_PARAM_HORIZON, &ask->horizon_s},
                                      {CLG_PARAM_BUDGET, &ask->budget_usd},
                                      {CLG_PARAM_KNEE, &ask->knee_share},
                                      {CLG_PARAM_DRAWS, &draws},
                                      {CLG_PARAM_SEED, &seed}};
    if (clg_request_sizes(m->arena, r, ask->gpus, CLG_PORTFOLIO_POINTS, &ask->count, error) !=
            CLG_OK ||
        CLG_REQUEST_NUMBERS(r, rows, error) != CLG_OK)
        return error->status;
    ask->draws = (int)draws;
    ask->seed = (uint64_t)seed;
    return CLG_OK;
}

/* The request with what one job says of itself. */
static clg_request *request_of(const maker *m, const clg_listed_job *job) {
    clg_request *own = clg_take(m->arena, 1, clg_request);
    *own = *m->request;
    own->value[CLG_PARAM_GPUS] = "1";
    if (*job->seq) own->value[CLG_PARAM_SEQ] = job->seq;
    if (*job->global_batch) own->value[CLG_PARAM_GLOBAL_BATCH] = job->global_batch;
    return own;
}

/* A fault in what a job names is a fault of its line, one in a flag is not. */
static clg_status at_line(const maker *m, const clg_listed_job *job) {
    if (strncmp(m->error->field, "--", 2) == 0) return m->error->status;
    if (m->error->file[0] == '\0' || m->error->line == 0)
        clg_error_at(m->error, m->request->model, job->line, 1, "model");
    return m->error->status;
}

static clg_status read_trained(maker *m, const clg_listed_job *job, clg_trained *t) {
    clg_request *own = request_of(m, job);
    *t = (clg_trained){.model = job->model, .seq = job->seq, .global_batch = job->global_batch};
    if (clg_command_model(m->arena, m->files, job->model, own, m->error) != CLG_OK ||
        clg_request_read(m->arena, own, true, &t->scenario, &t->space, m->error) != CLG_OK)
        return at_line(m, job);
    return CLG_OK;
}

static bool alike(const clg_trained *t, const clg_listed_job *job) {
    return strcmp(t->model, job->model) == 0 && strcmp(t->seq, job->seq) == 0 &&
           strcmp(t->global_batch, job->global_batch) == 0;
}

/* What a job trains, read when it is met first; NULL for hours of GPUs. */
static clg_status find_trained(maker *m, const clg_listed_job *job, clg_trained **found) {
    *found = NULL;
    if (!*job->model) return CLG_OK;
    for (int i = 0; i < m->count && !*found; i++)
        if (alike(m->trained[i], job)) *found = m->trained[i];
    if (*found) return CLG_OK;
    if (m->count == TRAINED)
        return clg_fail(m->error, CLG_BAD_INPUT, "name fewer", "more than %d models and batches",
                        TRAINED);
    *found = m->trained[m->count++] = clg_take(m->arena, 1, clg_trained);
    return read_trained(m, job, *found);
}

static clg_status make_tasks(maker *m, clg_task *tasks) {
    const clg_job_list *jobs = &m->answer->jobs;
    for (int i = 0; i < jobs->count; i++) {
        clg_trained *trained;
        m->planning.share = (double)i / jobs->count;
        if (find_trained(m, &jobs->job[i], &trained) != CLG_OK) return m->error->status;
        tasks[i] = clg_task_make(&m->planning, &jobs->job[i], trained);
    }
    return CLG_OK;
}

/* GPU, node and price: those of the request, whatever is trained. */
static clg_status read_machine(const maker *m, clg_error *error) {
    clg_scenario *s = &m->answer->scenario;
    if (clg_request_machine(m->arena, m->request, &s->machine, error) != CLG_OK)
        return error->status;
    return clg_request_price(m->arena, m->request, &s->machine.gpu, &s->price, error);
}

/* The demand to serve, as `ceiling demand` has it: flags of training are not for it. */
static clg_request *serving_request(const maker *m) {
    static const clg_param training[] = {CLG_PARAM_GPUS, CLG_PARAM_TP, CLG_PARAM_PP,
                                         CLG_PARAM_DP,   CLG_PARAM_EP, CLG_PARAM_PRECISION};
    clg_request *own = clg_take(m->arena, 1, clg_request);
    *own = *m->request;
    own->model = m->request->value[CLG_PARAM_SERVE];
    own->model_file = (clg_attachment){0};
    for (size_t i = 0; i < sizeof training / sizeof training[0]; i++)
        own->value[training[i]] = NULL;
    return own;
}

/* GPUs by the window: replicas that meet the target, times the GPUs of one. */
static clg_status read_serving(maker *m, clg_progress progress, clg_tide *tide, clg_error *error) {
    if (!m->request->value[CLG_PARAM_SERVE]) return CLG_OK;
    clg_demand_answer *served = clg_take(m->arena, 1, clg_demand_answer);
    clg_question q = {.arena = m->arena, .request = serving_request(m), .progress = progress};
    if (clg_answer_served(&q, served, error) != CLG_OK) return error->status;
    const clg_serve_answer *a = &served->answer;
    if (!a->window || a->windows == 0)
        return clg_fail(error, CLG_BAD_USAGE, "say a rate and a span: --rate 20req/s --span 1d",
                        "what is served has no span");
    int64_t *gpus = clg_take(m->arena, (size_t)a->windows, int64_t);
    for (int64_t i = 0; i < a->windows; i++)
        gpus[i] = (int64_t)ceil(a->window[i].needed) * clg_replica_gpus(&served->replica);
    *tide = (clg_tide){a->window[0].seconds, gpus, (int)a->windows};
    return CLG_OK;
}

static clg_status read_owned(const maker *m, clg_terms *terms, clg_error *error) {
    clg_price owned = {0};
    if (clg_request_owned(m->arena, m->request, &m->answer->scenario.machine,
                          &m->answer->operations, &owned, error) != CLG_OK)
        return error->status;
    if (clg_price_known(&owned)) clg_terms_own(terms, &owned);
    return CLG_OK;
}

static clg_status read_jobs(const maker *m, double horizon_s, clg_error *error) {
    const clg_attachment *file = &m->request->model_file;
    if (!file->text)
        return clg_fail(error, CLG_BAD_USAGE, "give a table of jobs: docs/portfolio.md",
                        "there is no list of jobs");
    return clg_job_list_read(m->arena, file->name, file->text, file->size, horizon_s,
                             &m->answer->jobs, error);
}

/* The list of jobs comes as the request's model file. */
static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    filled *a = to;
    clg_arena *arena = q->arena;
    clg_portfolio_request ask = {0};
    *a = (filled){0};
    maker m = {.arena = arena,
               .request = q->request,
               .files = &q->models,
               .trained = clg_take(arena, TRAINED, clg_trained *),
               .answer = a,
               .error = error};
    if (read_rules(&m, &ask, error) != CLG_OK ||
        clg_request_operations(arena, q->request, &a->operations, error) != CLG_OK ||
        read_machine(&m, error) != CLG_OK ||
        read_serving(&m, q->progress, &ask.serving, error) != CLG_OK ||
        read_jobs(&m, ask.horizon_s, error) != CLG_OK)
        return error->status;
    ask.horizon_s = fmax(ask.horizon_s, a->jobs.horizon_s);
    ask.quota = a->jobs.quota;
    ask.quotas = a->jobs.quotas;
    if ((double)ask.draws * a->jobs.count > MOST_LIVES)
        return clg_fail(error, CLG_BAD_INPUT, "give fewer --draws",
                        "%d lives of %d jobs are too many", ask.draws, a->jobs.count);
    clg_task *tasks = clg_take(arena, (size_t)a->jobs.count, clg_task);
    m.planning = (clg_planning){.arena = arena,
                                .operations = &a->operations,
                                .most_gpus = ask.gpus[ask.count - 1],
                                .progress = q->progress};
    if (make_tasks(&m, tasks) != CLG_OK ||
        clg_doubts_default(arena, &a->scenario.price, &ask.doubts, error) != CLG_OK ||
        clg_storage_prices_read(arena, &ask.storage, error) != CLG_OK)
        return error->status;
    ask.operations = a->operations;
    ask.node_gpus = a->scenario.machine.node.gpus;
    clg_terms_find(arena, &a->scenario.price, &ask.terms);
    if (read_owned(&m, &ask.terms, error) != CLG_OK) return error->status;
    clg_portfolio_run(arena, tasks, a->jobs.count, &ask, &a->portfolio);
    a->shown = (clg_portfolio_shown){.scenario = &a->scenario,
                                     .jobs = &a->jobs,
                                     .portfolio = &a->portfolio,
                                     .plans = m.planning.plans};
    a->shown.recorded = a->jobs.recorded && clg_waiting_recorded(arena, &a->jobs, &a->shown.waited);
    return CLG_OK;
}

static void write_text(clg_text *out, const void *from) {
    clg_report_portfolio(out, &((const filled *)from)->shown);
}

static void write_json(clg_json_writer *w, const void *from) {
    clg_json_portfolio(w, &((const filled *)from)->shown);
}

static void write_csv(clg_text *out, const void *from) {
    clg_report_portfolio_rows(out, &((const filled *)from)->shown);
}

static void write_svg(clg_text *out, const void *from) {
    clg_picture_portfolio(out, &((const filled *)from)->shown);
}

static const clg_param knobs[] = {
    CLG_PARAM_BUDGET,   CLG_PARAM_CAPEX,    CLG_PARAM_LIFE, CLG_PARAM_PUE,    CLG_PARAM_ELECTRICITY,
    CLG_PARAM_FAILURES, CLG_PARAM_RESTART,  CLG_PARAM_SWAP, CLG_PARAM_REPAIR, CLG_PARAM_KNEE,
    CLG_PARAM_RESIDUAL, CLG_PARAM_INTEREST, CLG_PARAMS};

const clg_command clg_command_portfolio = {
    .name = "portfolio",
    .operands = "JOBS.csv",
    .summary = "how full a list of jobs keeps clusters of several sizes, how late it ends and what "
               "it costs",
    .details =
        "Every job is planned at the sizes it may take, then queued with backfill over the life of "
        "each cluster, with failures and the planner's own errors drawn. JOBS.csv has the columns "
        "name, model, tokens or steps or gpu_hours, arrival_h, deadline_h, every_h, priority, "
        "min_gpus, max_gpus, seq, global_batch, team, quota_gpus; or it is an export of sacct -P "
        "or --json "
        "or a public trace.",
    .example = "ceiling portfolio jobs.csv --gpus 64..4096 --horizon 365d",
    .groups = CLG_TAKES_PLANNING | CLG_TAKES(PORTFOLIO) | CLG_TAKES(SERVING),
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .subject = CLG_SUBJECT_TABLE,
    .busy = "planning jobs",
    .bytes = sizeof(filled),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv, [CLG_FORM_SVG] = write_svg}};
