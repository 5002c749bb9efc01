/* workload.c -- reading data/workload, and the best replica for one.
 *
 * Left out: formats that miss the accuracy a benchmark asks for, pipeline stages, disaggregation.
 */
#include "measured/workload.h"

#include "dataset/open.h"
#include "dataset/value.h"
#include "serve/replica_search.h"

#include <math.h>
#include <string.h>

clg_status clg_workload_find(clg_arena *arena, const char *name, clg_workload *w,
                             clg_error *error) {
    const clg_file *file;
    const clg_json *root;
    if (clg_dataset_open(arena, "workload", name, &file, &root, error) != CLG_OK)
        return error->status;
    *w = (clg_workload){.name = clg_json_text(root, "name", ""),
                        .model = clg_json_text(root, "model", "")};
    w->layouts = clg_json_member(root, "layouts");
    w->runtimes = clg_json_member(root, "runtimes");
    if (clg_serving_habits_read(arena, &w->habits, error) != CLG_OK) return error->status;
    const clg_value_field rows[] = {
        {"prompt", CLG_COUNT, &w->prompt_tokens}, {"output", CLG_COUNT, &w->output_tokens},
        {"spread", CLG_COUNT, &w->spread},        {"ttft", CLG_SECONDS, &w->target.ttft_s},
        {"tpot", CLG_SECONDS, &w->target.tpot_s}, {"share", CLG_FRACTION, &w->target.share}};
    const clg_value_field most[] = {{"most_prompt", CLG_COUNT, &w->most_prompt},
                                    {"most_output", CLG_COUNT, &w->most_output}};
    if (clg_value_fields(root, file->path, rows, sizeof rows / sizeof rows[0], error) != CLG_OK ||
        clg_value_optional(root, file->path, most, 2, error) != CLG_OK)
        return error->status;
    static const char *const keys[] = {"gpu",  "tp",    "sequences", "sequences_timed",
                                       "kind", "source"};
    for (const clg_json *l = w->layouts ? w->layouts->first : NULL; l; l = l->next)
        if (clg_value_keys(l, keys, sizeof keys / sizeof *keys, file->path, error) != CLG_OK)
            return error->status;
    static const char *const of_runtimes[] = {"engine", "as", "kind", "source"};
    for (const clg_json *r = w->runtimes ? w->runtimes->first : NULL; r; r = r->next)
        if (clg_value_keys(r, of_runtimes, 4, file->path, error) != CLG_OK) return error->status;
    return clg_value_done(root, file->path, error);
}

const char *clg_workload_runtime(const clg_workload *w, const char *engine) {
    for (const clg_json *r = w->runtimes ? w->runtimes->first : NULL; r; r = r->next)
        if (strcmp(clg_json_text(r, "engine", ""), engine) == 0)
            return clg_json_text(r, "as", engine);
    return engine;
}

clg_precision clg_narrowest(const clg_gpu *gpu) {
    static const clg_precision order[] = {CLG_NVFP4, CLG_FP8, CLG_BF16};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (gpu->peak_flop_per_s[order[i]] > 0) return order[i];
    return CLG_FP16;
}

/* What is weighed: replicas of one engine in a box. */
typedef struct submission {
    clg_arena *arena;
    const clg_workload *workload;
    const clg_scenario *scenario;
    const clg_engine *engine;
    clg_demand demand;
    int gpus;
    bool timed;
    clg_workload_best best; /* so far */
} submission;

static double rate_of(const submission *s, const clg_replica *r) {
    clg_serve_target none = {INFINITY, INFINITY, 0};
    clg_api_price price = {0};
    clg_serve_answer a = {0};
    clg_serve_question q = {.replica = r,
                            .demand = &s->demand,
                            .target = s->timed ? s->workload->target : none,
                            .api = &price,
                            .replicas = 1}; /* a Poisson stream each: how a box deals requests is
                                               not stated; errs low */
    clg_serve_capacity(s->arena, &q, &a);
    double rate = s->timed ? a.target_tokens_per_s : a.offline_tokens_per_s;
    return isfinite(rate) && (!s->timed || a.attainable) ? rate / clg_replica_gpus(r) : 0;
}

/* Keeps the choice when it is better than the best so far. */
static void weigh(submission *s, const clg_replica_choice *c) {
    clg_arena_mark mark = clg_arena_here(s->arena);
    clg_replica r;
    clg_error no = {0};
    bool fits =
        clg_replica_prepare(s->arena, s->scenario, s->engine, c, &s->demand, &r, &no) == CLG_OK;
    double rate = fits ? rate_of(s, &r) : 0;
    if (rate > s->best.tokens_per_s_per_gpu)
        s->best = (clg_workload_best){.tp = c->tp,
                                      .dp = r.layout.dp,
                                      .ep = r.layout.ep,
                                      .sigma = r.sigma,
                                      .tokens_per_s_per_gpu = rate};
    clg_arena_back_to(s->arena, mark);
}

/* Whole numbers of a layout, as published; anything else: 0. */
static int published(const clg_json *layout, const char *key) {
    const clg_json *member = clg_json_member(layout, key);
    bool good = member && member->kind == CLG_JSON_NUMBER && member->number >= 1 &&
                member->number <= 1 << 16;
    return good ? (int)member->number : 0;
}

/* Layouts that are published for the GPU and inside the box, all of them weighed. */
static void weigh_published(submission *s, clg_replica_choice c) {
    const clg_json *list = s->workload->layouts;
    for (const clg_json *l = list ? list->first : NULL; l; l = l->next) {
        c.tp = published(l, "tp");
        c.max_sequences = published(l, s->timed ? "sequences_timed" : "sequences");
        bool same = strcmp(clg_json_text(l, "gpu", ""), s->scenario->machine.gpu.name) == 0;
        if (same && c.tp >= 1 && c.tp <= s->gpus) weigh(s, &c);
    }
}

/* The engine's own limit of sequences (0), then those that benchmarks raise it to. */
static void weigh_limits(submission *s, clg_replica_choice c) {
    const clg_serving_habits *h = &s->workload->habits;
    c.max_sequences = 0;
    weigh(s, &c);
    for (double limit = h->limit_least; limit <= h->limit_most; limit *= 2) {
        c.max_sequences = (int)limit * c.dp;
        weigh(s, &c);
    }
}

/* All ways to share the work inside the box. */
static void weigh_degrees(submission *s, clg_replica_choice c) {
    clg_copy_degrees list[CLG_DEGREES];
    int count = clg_replica_degrees(s->scenario, &c, list);
    for (int i = 0; i < count; i++) {
        if (list[i].tp * list[i].dp > s->gpus) continue;
        c.tp = list[i].tp;
        c.dp = list[i].dp;
        c.ep = list[i].ep;
        weigh_limits(s, c);
    }
}

clg_workload_best clg_workload_serve(clg_arena *arena, const clg_workload *w,
                                     const clg_scenario *scenario, const clg_engine *engine,
                                     clg_precision weights, int gpus, bool timed) {
    clg_error error = {0};
    clg_synthetic lengths = {.requests_per_s = 10,
                             .span_s = 600,
                             .burstiness = 1,
                             .peak_over_mean = 1,
                             .duty = 1,
                             .prompt_tokens = w->prompt_tokens,
                             .output_tokens = w->output_tokens,
                             .spread = w->spread,
                             .most_prompt = w->most_prompt,
                             .most_output = w->most_output,
                             .most = 4000,
                             .seed = 1};
    submission s = {.arena = arena,
                    .workload = w,
                    .scenario = scenario,
                    .engine = engine,
                    .gpus = gpus,
                    .timed = timed};
    if (clg_demand_make(arena, &lengths, &s.demand, &error) != CLG_OK) return s.best;
    clg_replica_choice c = {.weights = weights};
    c.compute = clg_serve_arithmetic(&scenario->machine.gpu, c.weights);
    c.cache = clg_precision_bytes(c.weights) < 2 ? CLG_FP8 : CLG_BF16;
    weigh_published(&s, c);
    if (s.best.tp == 0) weigh_degrees(&s, c);
    return s.best;
}
