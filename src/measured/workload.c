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

static double rate_of(clg_arena *arena, const clg_workload *w, const clg_replica *r,
                      const clg_demand *d, bool timed) {
    clg_serve_target none = {INFINITY, INFINITY, 0};
    clg_serve_question q = {.replica = r, .demand = d, .target = timed ? w->target : none};
    clg_api_price price = {0};
    clg_serve_answer a = {0};
    q.api = &price;
    q.replicas = 1; /* a Poisson stream each: how a box deals requests is not stated; errs low */
    clg_serve_capacity(arena, &q, &a);
    double rate = timed ? a.target_tokens_per_s : a.offline_tokens_per_s;
    return isfinite(rate) && (!timed || a.attainable) ? rate / clg_replica_gpus(r) : 0;
}

/* Keeps the choice when it is better than the best so far. */
static void weigh(clg_arena *arena, const clg_workload *w, const clg_scenario *s,
                  const clg_engine *engine, const clg_replica_choice *c, const clg_demand *d,
                  bool timed, clg_workload_best *best) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica r;
    clg_error no = {0};
    bool fits = clg_replica_prepare(arena, s, engine, c, d, &r, &no) == CLG_OK;
    double rate = fits ? rate_of(arena, w, &r, d, timed) : 0;
    if (rate > best->tokens_per_s_per_gpu) {
        best->tokens_per_s_per_gpu = rate;
        best->tp = c->tp;
        best->dp = r.layout.dp;
        best->ep = r.layout.ep;
        best->sigma = r.sigma;
    }
    clg_arena_back_to(arena, mark);
}

/* Whole numbers of a layout, as published; anything else: 0. */
static int published(const clg_json *layout, const char *key) {
    const clg_json *member = clg_json_member(layout, key);
    bool good = member && member->kind == CLG_JSON_NUMBER && member->number >= 1 &&
                member->number <= 1 << 16;
    return good ? (int)member->number : 0;
}

/* Layouts that are published for the GPU and inside the box, all of them weighed. */
static void weigh_published(clg_arena *arena, const clg_workload *w, const clg_scenario *s,
                            const clg_engine *engine, clg_replica_choice c, const clg_demand *d,
                            int gpus, bool timed, clg_workload_best *best) {
    for (const clg_json *l = w->layouts ? w->layouts->first : NULL; l; l = l->next) {
        c.tp = published(l, "tp");
        c.max_sequences = published(l, timed ? "sequences_timed" : "sequences");
        if (strcmp(clg_json_text(l, "gpu", ""), s->machine.gpu.name) != 0 || c.tp < 1 ||
            c.tp > gpus)
            continue;
        weigh(arena, w, s, engine, &c, d, timed, best);
    }
}

/* Beside the engine's own limit (0): as many as benchmarks raise it to, and fewer, sizes that
 * graphs are kept for, so that little is padded. */
static const int limits[] = {0, 512, 1024, 2048};

/* All ways to share the work inside the box. */
static void weigh_degrees(clg_arena *arena, const clg_workload *w, const clg_scenario *s,
                          const clg_engine *engine, clg_replica_choice c, const clg_demand *d,
                          int gpus, bool timed, clg_workload_best *best) {
    clg_copy_degrees list[CLG_DEGREES];
    int count = clg_replica_degrees(s, &c, list);
    for (int i = 0; i < count; i++) {
        if (list[i].tp * list[i].dp > gpus) continue;
        c.tp = list[i].tp;
        c.dp = list[i].dp;
        c.ep = list[i].ep;
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            c.max_sequences = limits[l] * c.dp;
            weigh(arena, w, s, engine, &c, d, timed, best);
        }
    }
}

void clg_workload_serve(clg_arena *arena, const clg_workload *w, const clg_scenario *s,
                        const clg_engine *engine, clg_precision weights, int gpus, bool timed,
                        clg_workload_best *best) {
    clg_error error = {0};
    clg_demand d;
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
    *best = (clg_workload_best){0};
    if (clg_demand_make(arena, &lengths, &d, &error) != CLG_OK) return;
    clg_replica_choice c = {.weights = weights};
    c.compute = clg_serve_arithmetic(&s->machine.gpu, c.weights);
    c.cache = clg_precision_bytes(c.weights) < 2 ? CLG_FP8 : CLG_BF16;
    weigh_published(arena, w, s, engine, c, &d, gpus, timed, best);
    if (best->tp > 0) return;
    weigh_degrees(arena, w, s, engine, c, &d, gpus, timed, best);
}
