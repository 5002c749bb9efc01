/* measured.c -- predicts rows. */
#include "measured/measured.h"

#include "measured/peers.h"
#include "measured/roofline.h"
#include "measured/row_demand.h"
#include "measured/scores.h"
#include "measured/settled.h"
#include "measured/workload.h"
#include "model/preset.h"
#include "serve/serve_answer.h"

#include <math.h>
#include <string.h>

static clg_status read_scenario(clg_arena *arena, const clg_serve_plan *p, clg_scenario *s,
                                clg_error *error) {
    clg_machine *m = &s->machine;
    *s = (clg_scenario){.expert_imbalance = 1};
    if (clg_model_asked(arena, p->model, &s->model, error) != CLG_OK ||
        clg_gpu_find(arena, p->gpu, &m->gpu, error) != CLG_OK ||
        clg_node_default(arena, &m->gpu, &m->node, error) != CLG_OK ||
        clg_fabric_find(arena, m->node.fabric, &m->fabric, error) != CLG_OK ||
        clg_stack_find(arena, "unknown", &s->stack, error) != CLG_OK)
        return error->status;
    m->gpus = m->node.gpus;
    return clg_scenario_prepare(arena, s, error);
}

/* The chance that makes so many tokens of an iteration; the sum of its powers rises with it. */
static double accepted_for(int drafted, double gained) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (clg_replica_gained_tokens(drafted, middle) < gained)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Limits of a part, and whether it speculates. The prediction module's pass over prompts, a layer
 * among 61, is left out. */
static void limit_part(const clg_serve_plan *p, const clg_part *part, clg_replica_choice *c) {
    bool first = part == &p->prefill;
    c->max_sequences = p->limits.max_sequences;
    c->max_tokens = p->limits.max_tokens;
    if (first && p->limits.prefill_tokens > 0) c->max_tokens = p->limits.prefill_tokens;
    if (!first && p->limits.decode_sequences > 0) c->max_sequences = p->limits.decode_sequences;
    c->drafted = first ? 0 : p->drafted;
    if (c->drafted > 0) c->accepted = accepted_for(c->drafted, p->gained);
}

/* Requests are put into the engine's own process. */
static void leave_front_end(const clg_engine *engine, clg_serve_rules *rules) {
    rules->front.turn_s = rules->front.after_s = 0;
    rules->late_output = engine->late_output > 0;
    if (engine->core_process <= 0)
        rules->front.prompt_token_s = rules->front.before_s = rules->front.token_s = 0;
}

static clg_status prepare_part(clg_arena *arena, const clg_serve_plan *p, const clg_part *part,
                               const clg_scenario *s, const clg_engine *engine, const clg_demand *d,
                               clg_replica *replica, clg_error *error) {
    clg_replica_choice c = {.tp = part->tp, .pp = part->pp, .dp = part->dp, .ep = part->ep};
    c.weights = p->weights;
    c.cache = p->cache;
    c.wide_attention = p->wide_attention;
    c.compute = clg_serve_arithmetic(&s->machine.gpu, p->weights);
    limit_part(p, part, &c);
    c.memory_share = p->limits.memory_share;
    c.graphs = p->limits.graphs;
    c.graph_most = p->limits.graph_most;
    c.graph_tokens = p->limits.graph_tokens;
    c.expert_kernels = p->expert_kernels;
    c.two_batches = p->two_batches;
    c.no_prefix_cache = p->no_prefix_cache;
    c.balanced = p->balanced;
    c.filtered = p->filtered;
    if (p->manner.fits) {
        double each = ceil((p->load.prompt_tokens + p->load.output_tokens) / engine->block_tokens);
        c.blocks = p->load.requests * (int64_t)each;
    }
    int64_t clients = p->load.clients / part->copies;
    bool limited = engine->pooled_sequences > 0 && clg_model_pools(&s->model);
    if (c.max_sequences == 0 && !limited && clients > (int64_t)engine->max_sequences * part->dp)
        c.max_sequences = (int)clients;
    if (clg_replica_prepare(arena, s, engine, &c, d, replica, error) != CLG_OK)
        return error->status;
    clg_serve_rules *rules = &replica->rules;
    rules->poll_iterations = p->limits.poll_iterations;
    rules->wait_iterations = p->limits.wait_iterations;
    rules->wait_tokens = p->limits.wait_tokens;
    rules->wait_ranks = p->limits.wait_ranks;
    rules->prefilled = p->load.prefilled;
    rules->prompts_seen = p->load.seen;
    rules->tokens_seen = p->load.seen_tokens;
    if (p->load.random_tokens) rules->front.prompt_token_s = engine->random_token_s;
    if (p->manner.in_process) leave_front_end(engine, rules);
    return CLG_OK;
}

static void widen(const clg_serve_sigma *sigma, clg_measured *row) {
    clg_serve_doubt doubt = clg_serve_doubt_of(sigma);
    const double wide[] = {doubt.first, doubt.token, doubt.token, doubt.rate};
    for (int i = 0; i < CLG_MEASURES; i++) {
        row->low[i] = row->predicted[i] / wide[i];
        row->high[i] = row->predicted[i] * wide[i];
    }
}

static void take_results(const clg_fleet *f, const clg_replica *r, clg_measured *row) {
    bool medians = row->plan.manner.medians;
    row->predicted[CLG_MEASURE_TTFT] = medians ? f->ttft_s.p50 : f->ttft_s.mean;
    row->predicted[CLG_MEASURE_TPOT] = medians ? f->tpot_s.p50 : f->tpot_s.mean;
    double answer_s = medians ? f->e2e_s.p50 : f->e2e_s.mean;
    row->predicted[CLG_MEASURE_ANSWER] = row->plan.manner.whole_batch ? f->e2e_s.p99 : answer_s;
    row->predicted[CLG_MEASURE_RATE] = f->output_tokens_per_s;
    widen(&r->sigma, row);
}

/* Instead of what all requests took: those of a load that has settled. */
static const char *take_settled(const clg_settled *s, const clg_replica *r, clg_measured *row) {
    if (s->requests == 0) return "too few requests for the load to settle";
    row->predicted[CLG_MEASURE_TTFT] = s->ttft_s;
    row->predicted[CLG_MEASURE_TPOT] = s->tpot_s;
    row->predicted[CLG_MEASURE_ANSWER] = s->answer_s;
    row->predicted[CLG_MEASURE_RATE] = s->tokens_per_s;
    widen(&r->sigma, row);
    return NULL;
}

/* What nothing but peaks would give, and how many sequences want to be there over those that fit.
 */
static void take_roofline(const clg_replica *r, const clg_demand *d, clg_measured *row) {
    const clg_serve_plan *p = &row->plan;
    clg_demand_means means = clg_demand_means_of(d);
    double clients = (double)p->load.clients, requests = (double)p->load.requests,
           rate = p->load.requests_per_s;
    if (p->load.request) rate = clg_demand_rate_per_s(d);
    clg_serve_roofline f = clg_serve_roofline_of(r, &means, clients, rate, requests);
    row->roofline[CLG_MEASURE_TTFT] = f.ttft_s;
    row->roofline[CLG_MEASURE_TPOT] = f.tpot_s;
    row->roofline[CLG_MEASURE_ANSWER] = p->manner.whole_batch ? f.batch_s : f.answer_s;
    row->roofline[CLG_MEASURE_RATE] = f.tokens_per_s;
    double wanted = clients > 0 ? clients : requests;
    if (clients <= 0 && rate > 0) wanted = rate * row->predicted[CLG_MEASURE_ANSWER];
    row->rho = wanted / (clg_serve_room(r, &means) * (r->prefill ? r->decodes : 1));
}

/* Tokens of a model without experts cannot come faster than its weights are read. */
static bool impossible(const clg_measured *row, const clg_replica *r) {
    if (clg_model_experts(&r->scenario->model) || r->layout.pp > 1) return false;
    double least = r->room.weight_bytes / r->scenario->machine.gpu.hbm_bytes_per_s;
    double answer = least * fmax(1, row->plan.load.output_tokens * row->plan.load.shortest - 1);
    return row->measured[CLG_MEASURE_TPOT] < least || row->measured[CLG_MEASURE_ANSWER] < answer;
}

/* Clients that get their answers so soon would have more multiplied than the peak of the GPUs that
 * are given: 2 flop a token and parameter outside the tables. */
static bool over_peak(const clg_measured *row, const clg_replica *r) {
    const clg_serve_plan *p = &row->plan;
    const clg_model *m = &r->scenario->model;
    double ttft = row->measured[CLG_MEASURE_TTFT], tpot = row->measured[CLG_MEASURE_TPOT];
    double share = p->load.spread > 0 ? 1 : (1 + p->load.shortest) / 2;
    double prompt = share * p->load.prompt_tokens, output = share * p->load.output_tokens;
    if (p->load.clients <= 0 || p->load.request || !isfinite(ttft + tpot)) return false;
    double requests_per_s = (double)p->load.clients / (ttft + tpot * fmax(0, output - 1));
    double each = 2 * (double)(m->active_parameters - m->embedding_parameters);
    double peak = r->scenario->machine.gpu.peak_flop_per_s[r->layout.compute] * clg_replica_gpus(r);
    return requests_per_s * (prompt + output) * each > peak;
}

/* A benchmark whose layout is chosen: throughput alone. */
static const char *predict_workload(clg_arena *arena, clg_measured *row) {
    const clg_serve_plan *p = &row->plan;
    clg_error error = {0};
    clg_scenario *s = clg_take(arena, 1, clg_scenario);
    clg_workload workload;
    clg_engine engine;
    if (clg_workload_find(arena, p->box.workload, &workload, &error) != CLG_OK ||
        read_scenario(arena, p, s, &error) != CLG_OK ||
        clg_engine_find(arena, p->engine, &engine, &error) != CLG_OK ||
        clg_engine_find(arena, clg_workload_runtime(&workload, engine.name), &engine, &error) !=
            CLG_OK)
        return clg_error_words(arena, &error);
    clg_workload_best best =
        clg_workload_serve(arena, &workload, s, &engine, p->weights, p->box.gpus, p->box.timed);
    if (best.tp == 0) return "no layout fits the box and meets the target";
    row->plan.part = (clg_part){best.tp, 1, best.dp, best.ep, 1};
    row->predicted[CLG_MEASURE_RATE] = best.tokens_per_s_per_gpu * p->box.gpus * p->box.boxes;
    widen(&best.sigma, row);
    return NULL;
}

/* A row before this one of the same workload on the same kind of box: searched once. */
static const clg_measured *alike(const clg_measured *first, const clg_measured *row) {
    const clg_serve_plan *p = &row->plan;
    for (; p->box.workload && first < row; first++) {
        const clg_serve_plan *q = &first->plan;
        if (!first->reason && q->box.workload && strcmp(q->box.workload, p->box.workload) == 0 &&
            strcmp(q->gpu, p->gpu) == 0 && strcmp(q->engine, p->engine) == 0 &&
            q->box.gpus == p->box.gpus && q->box.timed == p->box.timed && q->weights == p->weights)
            return first;
    }
    return NULL;
}

static void take_alike(const clg_measured *from, clg_measured *row) {
    row->reason = from->reason;
    double boxes = (double)row->plan.box.boxes / from->plan.box.boxes;
    row->plan.part = from->plan.part;
    row->predicted[CLG_MEASURE_RATE] = from->predicted[CLG_MEASURE_RATE] * boxes;
    row->low[CLG_MEASURE_RATE] = from->low[CLG_MEASURE_RATE] * boxes;
    row->high[CLG_MEASURE_RATE] = from->high[CLG_MEASURE_RATE] * boxes;
}

static const char *predict(clg_arena *arena, clg_measured *row) {
    const clg_serve_plan *p = &row->plan;
    clg_error error = {0};
    clg_scenario *s = clg_take(arena, 1, clg_scenario);
    clg_engine engine;
    clg_replica replica, prefill;
    clg_fleet fleet;
    if (read_scenario(arena, p, s, &error) != CLG_OK ||
        clg_engine_find(arena, p->engine, &engine, &error) != CLG_OK)
        return clg_error_words(arena, &error);
    engine = clg_engine_on(&engine, &s->machine.gpu);
    clg_demand d = clg_row_demand(arena, p, engine.block_tokens);
    if (prepare_part(arena, p, &p->part, s, &engine, &d, &replica, &error) != CLG_OK)
        return clg_error_words(arena, &error);
    if (p->prefill.copies > 0) {
        if (prepare_part(arena, p, &p->prefill, s, &engine, &d, &prefill, &error) != CLG_OK)
            return clg_error_words(arena, &error);
        clg_replica_disaggregate(&replica, &prefill, p->prefill.copies, p->part.copies);
    }
    if (impossible(row, &replica)) return "measured faster than the weights can be read";
    if (over_peak(row, &replica)) return "measured faster than the GPUs can multiply";
    replica.rules.clients = p->load.clients;
    clg_serve_target none = {INFINITY, INFINITY, 0};
    clg_fleet_run(arena, &replica, &d, 1, &none, &fleet);
    if (fleet.requests == fleet.refused) return "no request fits in the cache";
    take_results(&fleet, &replica, row);
    take_roofline(&replica, &d, row);
    if (!p->manner.settled) return NULL;
    clg_settled settled = clg_settled_of(arena, &replica, &d);
    return take_settled(&settled, &replica, row);
}

/* Rows to predict, and whose answer the others of their kind take. */
typedef struct asked_rows {
    clg_measured *row;
    const clg_measured **same; /* of each row; NULL: it is predicted */
    int *ask, asked;           /* rows that are */
} asked_rows;

static void predict_row(void *context, int index, clg_arena *arena) {
    asked_rows *all = context;
    clg_measured *row = &all->row[all->ask[index]];
    clg_arena scratch = clg_arena_beside(arena);
    const char *reason =
        row->plan.box.workload ? predict_workload(&scratch, row) : predict(&scratch, row);
    if (reason) row->reason = clg_arena_copy(arena, reason, strlen(reason));
    clg_arena_clear(&scratch);
}

static void predict_rows(clg_arena *arena, clg_progress progress, clg_measured_table *t) {
    asked_rows all = {.row = t->row,
                      .same = clg_take(arena, (size_t)t->rows + 1, const clg_measured *),
                      .ask = clg_take(arena, (size_t)t->rows + 1, int)};
    for (int i = 0; i < t->rows; i++) {
        if (t->row[i].reason) continue;
        all.same[i] = alike(t->row, &t->row[i]);
        if (!all.same[i]) all.ask[all.asked++] = i;
    }
    clg_cores_each(progress, arena, all.asked, predict_row, &all);
    for (int i = 0; i < t->rows; i++)
        if (all.same[i]) take_alike(all.same[i], &t->row[i]);
}

/* All rows of a table, in order. */
static void read_table(clg_arena *arena, const clg_csv *table, clg_measured_table *t) {
    for (int line = 0; line < table->rows; line++) {
        clg_measured *row = &t->row[t->rows++];
        row->reason = clg_measured_read(arena, table, line, row);
    }
}

clg_status clg_measured_score_all(clg_arena *arena, const clg_csv *tables, int count,
                                  clg_progress progress, clg_measured_table *result,
                                  clg_error *error) {
    clg_measured_table t = {0};
    int rows = 0, recognised = 0;
    for (int i = 0; i < count; i++) {
        recognised += clg_measured_recognised(&tables[i]);
        rows += tables[i].rows;
    }
    if (recognised == 0) {
        clg_error_at(error, tables[0].name, 1, 1, NULL);
        return clg_fail(
            error, CLG_BAD_INPUT,
            "see docs/formats.md; tools/tables/serving.py brings published ones into it",
            "not a known form of serving measurements");
    }
    t.row = clg_take(arena, (size_t)rows + 1, clg_measured);
    for (int i = 0; i < count; i++)
        if (!clg_peers_recognised(&tables[i])) read_table(arena, &tables[i], &t);
    t.peer = clg_peers_read(arena, tables, count, &t.peers);
    predict_rows(arena, progress, &t);
    clg_measured_score_table(arena, &t);
    *result = t;
    return CLG_OK;
}
