/* answer_demand.c -- what serves a demand and what that costs: read, simulated, answered. */
#include "api/answer_demand.h"

#include "api/command.h"
#include "api/demand_gpus.h"
#include "api/request_parts.h"
#include "job/launch_engine.h"
#include "serve/degree.h"

#include <stdio.h>
#include <string.h>

static void tell(void *context, double share) {
    const clg_progress *to = context;
    if (to->tell) to->tell(to->context, share);
}

/* Takes the replica that meets the target on the fewest GPUs into the choice. */
static clg_status search(const clg_question *q, const clg_serve_question *question,
                         const clg_scenario *scenario, const clg_engine *engine,
                         clg_replica_choice *choice, clg_lever_rows *found, clg_error *error) {
    clg_progress progress = q->progress;
    clg_serve_candidate *candidate = clg_take(q->arena, CLG_CANDIDATES, clg_serve_candidate);
    clg_format format[CLG_FORMATS];
    int formats;
    if (clg_demand_formats(q, scenario, choice, format, &formats, error) != CLG_OK)
        return error->status;
    found->count = clg_replica_search(q->arena, question, scenario, engine, choice, format, formats,
                                      (clg_serve_progress){tell, &progress}, candidate);
    found->row = clg_take(q->arena, CLG_CANDIDATES, clg_lever);
    const clg_serve_candidate *best = clg_search_best(candidate, found->count);
    for (int i = 0; i < found->count; i++) {
        found->row[i] = candidate[i].worth;
        found->row[i].chosen = &candidate[i] == best;
    }
    if (best) *choice = best->choice;
    return CLG_OK;
}

static clg_status read_api(const clg_question *q, const clg_model *model, clg_api_price *api,
                           clg_error *error) {
    const char *name = q->request->value[CLG_PARAM_API_PRICE];
    clg_status status = name ? clg_api_price_find(q->arena, name, api, error)
                             : clg_api_price_default(q->arena, model->name, api, error);
    if (status != CLG_OK && !*error->mend)
        snprintf(error->mend, sizeof error->mend,
                 "'ceiling show api-prices' lists them; or give --api-input and --api-output");
    if (status != CLG_OK) return clg_request_at_flag(status, CLG_PARAM_API_PRICE, error);
    double input, output, cached;
    const clg_request *r = q->request;
    if (clg_request_number_or(r, CLG_PARAM_API_INPUT, -1, &input, error) != CLG_OK ||
        clg_request_number_or(r, CLG_PARAM_API_OUTPUT, -1, &output, error) != CLG_OK ||
        clg_request_number_or(r, CLG_PARAM_API_CACHED, -1, &cached, error) != CLG_OK)
        return error->status;
    if (input < 0 && output < 0) return CLG_OK;
    if (input < 0 || output < 0)
        return clg_fail(error, CLG_BAD_USAGE, "give both; 0USD/Mtok where it is free",
                        "--%s is given and --%s is not", input < 0 ? "api-output" : "api-input",
                        input < 0 ? "api-input" : "api-output");
    *api = (clg_api_price){.name = "given",
                           .title = "given by you",
                           .date = "given",
                           .usd_per_cached_token = cached,
                           .usd_per_input_token = input,
                           .usd_per_output_token = output};
    return CLG_OK;
}

/* Who asks for the command of an engine, and names none, asks of that engine. */
static const char *engine_asked(const clg_request *request) {
    const char *launch = request->value[CLG_PARAM_LAUNCH];
    for (const clg_name *n = clg_engine_command_names; launch && n->name; n++)
        if (!request->value[CLG_PARAM_ENGINE] && strcmp(n->name, launch) == 0) return launch;
    return clg_request_word(request, CLG_PARAM_ENGINE);
}

/* A fleet of one's own, held through idle hours. */
static clg_status own_fleet(const clg_question *q, clg_scenario *s, clg_error *error) {
    clg_operations site;
    if (clg_question_gives(q, CLG_PARAM_CAPEX) &&
        (clg_question_gives(q, CLG_PARAM_PRICE) || clg_question_gives(q, CLG_PARAM_COMPARE)))
        return clg_fail(error, CLG_BAD_USAGE, "drop --capex, or --price and --compare-gpus",
                        "--capex says what GPUs of one kind cost");
    if (clg_request_operations(q->arena, q->request, &site, error) != CLG_OK) return error->status;
    return clg_request_owned(q->arena, q->request, &s->machine, &site, &s->price, error);
}

static clg_status prepare_replica(const clg_question *q, clg_demand_answer *a, clg_error *error) {
    clg_space space;
    clg_engine engine;
    const char *name = engine_asked(q->request);
    if (clg_request_at_flag(clg_request_meant(q->arena, CLG_PARAM_ENGINE, &name, error),
                            CLG_PARAM_ENGINE, error) != CLG_OK ||
        clg_demand_scenario(q, q->request, &a->scenario, &space, error) != CLG_OK ||
        own_fleet(q, &a->scenario, error) != CLG_OK ||
        read_api(q, &a->scenario.model, &a->api, error) != CLG_OK ||
        clg_engine_find(q->arena, name, &engine, error) != CLG_OK ||
        clg_request_replica(q->request, &a->scenario.model, &space, &a->choice, error) != CLG_OK)
        return error->status;
    a->choice.compute = clg_serve_arithmetic(&a->scenario.machine.gpu, a->choice.weights);
    if (clg_question_gives(q, CLG_PARAM_SEARCH) &&
        search(q, &a->question, &a->scenario, &engine, &a->choice, &a->found, error) != CLG_OK)
        return error->status;
    return clg_replica_choose(q->arena, &a->question, &a->scenario, &engine, &a->choice,
                              &a->replica, error);
}

static clg_status read_question(const clg_question *q, clg_serve_question *question,
                                clg_error *error) {
    double replicas, least;
    clg_operations site;
    clg_autoscaler *scaler = &question->autoscaler;
    if (clg_serving_habits_read(q->arena, &question->habits, error) != CLG_OK) return error->status;
    const clg_wanted_number rows[] = {
        {CLG_PARAM_TTFT, &question->target.ttft_s},  {CLG_PARAM_TPOT, &question->target.tpot_s},
        {CLG_PARAM_WITHIN, &question->target.share}, {CLG_PARAM_REPLICAS, &replicas},
        {CLG_PARAM_WINDOW, &question->window_s},     {CLG_PARAM_SCALE_AT, &scaler->share},
        {CLG_PARAM_SCALE_WINDOW, &scaler->window_s}, {CLG_PARAM_SCALE_IN, &scaler->keep_s},
        {CLG_PARAM_LEAST_REPLICAS, &least},          {CLG_PARAM_MARGIN, &question->margin},
        {CLG_PARAM_GROWTH, &question->growth},       {CLG_PARAM_LEAD, &question->lead_s},
        {CLG_PARAM_FULL, &question->full_share}};
    if (CLG_REQUEST_NUMBERS(q->request, rows, error) != CLG_OK) return error->status;
    if (clg_request_operations(q->arena, q->request, &site, error) != CLG_OK ||
        clg_request_number(q->request, CLG_PARAM_POWER, &question->power_w, error) != CLG_OK)
        return error->status;
    question->pue = site.pue;
    question->replicas = (int64_t)replicas;
    scaler->least = (int64_t)least;
    return CLG_OK;
}

/* As asked, else from what its nodes have to read. */
static clg_status settle_cold_start(const clg_question *q, clg_serve_question *question,
                                    clg_error *error) {
    clg_serving_habits *habits = &question->habits;
    if (clg_request_number_or(q->request, CLG_PARAM_LOAD_BANDWIDTH, habits->load_bytes_per_s,
                              &habits->load_bytes_per_s, error) != CLG_OK)
        return error->status;
    return clg_request_number_or(q->request, CLG_PARAM_COLD_START,
                                 clg_replica_cold_start_s(question->replica, habits),
                                 &question->cold_start_s, error);
}

/* --gpus says the size of the fleet in GPUs. */
static clg_status settle_fleet(const clg_question *q, clg_serve_question *question,
                               clg_error *error) {
    double gpus;
    int each = clg_replica_gpus(question->replica);
    if (clg_request_number(q->request, CLG_PARAM_GPUS, &gpus, error) != CLG_OK)
        return error->status;
    if (gpus > 0 && gpus < each)
        return clg_fail(error, CLG_BAD_INPUT, "raise --gpus or lower --tp",
                        "one replica takes %d GPUs", each);
    if (gpus > 0 && question->replicas > 0 && gpus != (double)(question->replicas * each))
        return clg_fail(error, CLG_BAD_USAGE, "leave one of --replicas and --gpus out",
                        "%lld replicas of %d GPU%s are not --gpus %.0f",
                        (long long)question->replicas, each, each == 1 ? "" : "s", gpus);
    if (question->replicas == 0) {
        question->replicas = (int64_t)(gpus / each);
        question->spare_gpus = (int64_t)gpus % each;
    }
    int64_t clients = (int64_t)question->demand->clients, replicas = question->replicas;
    if (clients > 0 && replicas > 1 && clients < replicas)
        return clg_fail(error, CLG_BAD_INPUT, "raise --clients or lower --gpus",
                        "%lld clients are fewer than %lld replicas", (long long)clients,
                        (long long)replicas);
    return CLG_OK;
}

static void add_levers(const clg_question *q, clg_demand_answer *a) {
    clg_progress progress = q->progress;
    clg_lever *lever = clg_take(q->arena, CLG_LEVERS, clg_lever);
    int count = clg_levers(q->arena, &a->question, &a->choice,
                           (clg_serve_progress){tell, &progress}, lever);
    a->levers = (clg_lever_rows){.row = lever, .count = count};
}

/* The demand is a sample of what --requests counts; of a trace it is all. */
static clg_status answer_job(const clg_question *q, clg_demand_answer *a, clg_error *error) {
    double requests = 0;
    clg_batch_limits limits = {0};
    const clg_wanted_number rows[] = {{CLG_PARAM_DEADLINE, &limits.deadline_s},
                                      {CLG_PARAM_NIGHTLY, &limits.night_s},
                                      {CLG_PARAM_REQUESTS, &requests}};
    if (CLG_REQUEST_NUMBERS(q->request, rows, error) != CLG_OK) return error->status;
    if (clg_question_gives(q, CLG_PARAM_TRACE)) requests = (double)a->demand.count;
    return clg_batch_job_of(q->arena, &a->question, &a->answer, requests, limits, &a->job, error);
}

clg_status clg_answer_served(const clg_question *q, clg_demand_answer *a, clg_error *error) {
    clg_progress progress = q->progress;
    *a = (clg_demand_answer){
        .question = {
            .replica = &a->replica, .demand = &a->demand, .api = &a->api, .cores = progress.cores}};
    if (clg_request_demand(q->arena, q->request, progress.cores, &a->demand, error) != CLG_OK ||
        read_question(q, &a->question, error) != CLG_OK || prepare_replica(q, a, error) != CLG_OK ||
        settle_fleet(q, &a->question, error) != CLG_OK ||
        settle_cold_start(q, &a->question, error) != CLG_OK)
        return error->status;
    return clg_serve_answer_make(q->arena, &a->question, (clg_serve_progress){tell, &progress},
                                 &a->answer, error);
}

static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    clg_demand_answer *a = to;
    if (clg_answer_served(q, a, error) != CLG_OK ||
        (clg_question_gives(q, CLG_PARAM_DEADLINE) && answer_job(q, a, error) != CLG_OK))
        return error->status;
    clg_serve_frontier(q->arena, &a->question, &a->answer, &a->frontier);
    clg_serve_headroom_of(q->arena, &a->question, &a->answer, &a->headroom);
    if (clg_question_gives(q, CLG_PARAM_LEVERS)) add_levers(q, a);
    if (clg_question_gives(q, CLG_PARAM_COMPARE)) clg_demand_gpus(q, &a->question, &a->gpus);
    return CLG_OK;
}

static void write_text(clg_text *out, const void *from) {
    const clg_demand_answer *a = from;
    if (a->job.requests > 0)
        clg_report_deadline(out, &a->question, &a->answer, &a->job);
    else
        clg_report_demand(out, &a->question, &a->answer, &a->headroom);
    clg_report_quality(out, &a->replica, a->found.count > 0);
    clg_report_frontier(out, &a->question, &a->frontier);
    bool sized = a->job.requests == 0 && a->question.replicas == 0 && a->answer.attainable;
    double gpus = (double)a->answer.fleet.replicas * clg_replica_gpus(&a->replica);
    if (a->found.count > 0) clg_report_search(out, a->found.row, a->found.count, sized ? gpus : 0);
    if (a->levers.row) clg_report_levers(out, a->levers.row, a->levers.count);
    if (a->gpus.row) clg_report_gpus(out, a->gpus.row, a->gpus.count, &a->gpus.unranked);
}

static void write_json(clg_json_writer *w, const void *from) {
    const clg_demand_answer *a = from;
    clg_json_open_answer(w, NULL, "demand");
    clg_json_demand(w, &a->question, &a->answer);
    if (a->job.requests > 0) clg_json_deadline(w, &a->question, &a->job);
    clg_json_headroom(w, &a->question, &a->headroom);
    clg_json_frontier(w, &a->question, &a->frontier);
    if (a->found.row) clg_json_levers(w, "search", a->found.row, a->found.count);
    if (a->levers.row) clg_json_levers(w, "levers", a->levers.row, a->levers.count);
    if (a->gpus.row) clg_json_levers(w, "gpus_compared", a->gpus.row, a->gpus.count);
    if (a->gpus.row) clg_json_unranked(w, &a->gpus.unranked);
    clg_json_close(w, '}');
}

/* The tables that were asked for, else the answer. */
static void write_csv(clg_text *out, const void *from) {
    const clg_demand_answer *a = from;
    if (a->found.row || a->levers.row || a->gpus.row) {
        clg_report_lever_head(out);
        clg_report_lever_rows(out, "search", a->found.row, a->found.count);
        clg_report_lever_rows(out, "levers", a->levers.row, a->levers.count);
        clg_report_lever_rows(out, "gpus", a->gpus.row, a->gpus.count);
    } else if (a->job.requests > 0)
        clg_report_job_rows(out, &a->question, &a->job);
    else
        clg_report_demand_row(out, &a->question, &a->answer, &a->headroom);
}

static void write_svg(clg_text *out, const void *from) {
    const clg_demand_answer *a = from;
    clg_picture_demand(out, &a->question, &a->answer);
}

static clg_launch started(const void *from, clg_arena *arena, int engine) {
    const clg_demand_answer *a = from;
    return clg_launch_engine_of(arena, engine, &a->replica, &a->choice, a->answer.fleet.replicas);
}

static const clg_param knobs[] = {
    CLG_PARAM_PRECISION, CLG_PARAM_IMBALANCE,   CLG_PARAM_TP,           CLG_PARAM_PP,
    CLG_PARAM_DP,        CLG_PARAM_EP,          CLG_PARAM_DEADLINE,     CLG_PARAM_POWER,
    CLG_PARAM_PUE,       CLG_PARAM_CAPEX,       CLG_PARAM_LIFE,         CLG_PARAM_RESIDUAL,
    CLG_PARAM_INTEREST,  CLG_PARAM_ELECTRICITY, CLG_PARAM_ADAPTER_RANK, CLG_PARAM_ADAPTER_TARGETS,
    CLG_PARAMS};
static const clg_param local[] = {CLG_PARAM_OUT, CLG_PARAMS};

static const clg_own_words words[] = {
    {CLG_PARAM_LAUNCH, "ENGINE", NULL,
     "also the command that starts it: vllm sglang trtllm; -o DIR writes it"},
    {CLG_PARAMS, NULL, NULL, NULL}};

const clg_command clg_command_demand = {
    .name = "demand",
    .operands = "MODEL|FILE...",
    .summary = "what a demand needs to be served, what it costs per token, and why",
    .details = "Requests come from a trace, a profile of rates or numbers. Continuous batching is "
               "simulated iteration by iteration on as many replicas as the latency target needs. "
               "The cost per token is a product of factors, set against a dated API price. Several "
               "models on one fleet: 'ceiling fleet'.",
    .example =
        "ceiling demand llama-3.1-8b --rate 20req/s --prompt 1ktok --output 200tok --ttft 1s "
        "--tpot 50ms",
    .groups = CLG_TAKES(MACHINE) | CLG_TAKES(SERVING),
    .knobs = knobs,
    .words = words,
    .local = local,
    .subject = CLG_SUBJECT_JOB,
    .busy = "simulating",
    .bytes = sizeof(clg_demand_answer),
    .started = started,
    .starters = clg_engine_command_names,
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv, [CLG_FORM_SVG] = write_svg}};
