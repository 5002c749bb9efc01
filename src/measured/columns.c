/* columns.c -- the plan of a serving measurement, docs/formats.md: names are those of data/,
 * nothing is guessed from words. */
#include "measured/cells.h"

#include "measured/bench_limits.h"
#include "measured/client.h"
#include "measured/workload.h"
#include "model/preset.h"
#include "stack/terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Requests that settle: beyond them runs are longer, not different. */
static const double MANY = 6000, ROUNDS = 10;

/* The first cell that should hold a number and holds something else, as a sentence. */
static const char *no_number(const clg_cell_reader *r) {
    static const char *const columns[] = {"tp",
                                          "pp",
                                          "dp",
                                          "ep",
                                          "prefill_tp",
                                          "prefill_pp",
                                          "prefill_dp",
                                          "prefill_ep",
                                          "decode_copies",
                                          "prefill_copies",
                                          "prompt_tokens",
                                          "output_tokens",
                                          "shortest",
                                          "spread",
                                          "clients",
                                          "requests",
                                          "requests_per_s",
                                          "distinct",
                                          "seen",
                                          "seen_tokens",
                                          "max_sequences",
                                          "max_tokens",
                                          "prefill_max_tokens",
                                          "decode_max_sequences",
                                          "memory_share",
                                          "drafted",
                                          "gained",
                                          "graph_most",
                                          "graph_tokens",
                                          "fits",
                                          "poll_iterations",
                                          "wait_iterations",
                                          "wait_tokens",
                                          "two_batches",
                                          "no_prefix_cache",
                                          "balanced",
                                          "gpus",
                                          "boxes",
                                          "ttft_ms",
                                          "tpot_ms",
                                          "answer_s",
                                          "batch_s",
                                          "output_tokens_per_s",
                                          "held_out"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const char *word = clg_cell_word(r, columns[i]);
        if (*word && isnan(clg_cell_number(r, columns[i], (double)NAN)))
            return clg_arena_print(r->arena, "%s '%.40s' is not a number", columns[i], word);
    }
    return NULL;
}

static const char *read_precision(const clg_cell_reader *r, const char *column,
                                  clg_precision *into) {
    const char *word = clg_cell_word(r, column);
    clg_error error = {0};
    int value;
    if (!*word) return NULL;
    if (clg_name_value(clg_precision_names, column, word, &value, &error) != CLG_OK)
        return clg_arena_print(r->arena, "'%.40s' is no %s of numbers", word, column);
    *into = (clg_precision)value;
    return NULL;
}

/* Formats of weights and cache. Some 8-bit checkpoints keep attention in 16 bit. */
static const char *read_formats(const clg_cell_reader *r, clg_serve_plan *p) {
    clg_precision attention = CLG_PRECISIONS;
    const char *reason;
    if ((reason = read_precision(r, "weights", &p->weights)) ||
        (reason = read_precision(r, "cache", &p->cache)) ||
        (reason = read_precision(r, "attention_weights", &attention)))
        return reason;
    if (attention < CLG_PRECISIONS && attention != CLG_BF16 && attention != p->weights)
        return "attention_weights: bf16, or as weights";
    p->wide_attention = attention == CLG_BF16;
    return NULL;
}

static clg_part part_of(const clg_cell_reader *r, const char *prefix, const char *copies) {
    clg_arena *a = r->arena;
    return (clg_part){clg_cell_degree(r, clg_arena_print(a, "%stp", prefix)),
                      clg_cell_degree(r, clg_arena_print(a, "%spp", prefix)),
                      clg_cell_degree(r, clg_arena_print(a, "%sdp", prefix)),
                      clg_cell_degree(r, clg_arena_print(a, "%sep", prefix)),
                      clg_cell_degree(r, copies)};
}

static void read_measures(clg_cell_reader *r) {
    clg_cell_measure(r, CLG_MEASURE_TTFT, clg_cell_number(r, "ttft_ms", 0) / 1e3);
    clg_cell_measure(r, CLG_MEASURE_TPOT, clg_cell_number(r, "tpot_ms", 0) / 1e3);
    clg_cell_measure(r, CLG_MEASURE_ANSWER, clg_cell_number(r, "answer_s", 0));
    clg_cell_measure(r, CLG_MEASURE_RATE, clg_cell_number(r, "output_tokens_per_s", 0));
    r->into->plan.manner.whole_batch = clg_cell_number(r, "batch_s", 0) > 0;
    clg_cell_measure(r, CLG_MEASURE_ANSWER, clg_cell_number(r, "batch_s", 0));
}

/* Lengths are printed as means; the plan has the longest of evenly spread ones. */
static const char *read_lengths(const clg_cell_reader *r, clg_serve_plan *p) {
    p->load.shortest = clg_cell_number(r, "shortest", 1);
    p->load.spread = clg_cell_number(r, "spread", 0);
    if (p->load.shortest < 0 || p->load.shortest > 1) return "shortest: a share from 0 to 1";
    if (p->load.spread < 0 || p->load.spread > 10)
        return "spread: a deviation over the mean, 0 to 10";
    double longest = 2 / (1 + p->load.shortest);
    p->load.prompt_tokens = clg_cell_number(r, "prompt_tokens", 0) * longest;
    p->load.output_tokens = clg_cell_number(r, "output_tokens", 0);
    if (p->load.output_tokens > 1) p->load.output_tokens *= longest;
    const char *name = clg_cell_word(r, "lengths");
    clg_lengths *lengths = clg_take(r->arena, 1, clg_lengths);
    clg_error error = {0};
    if (!*name) return NULL;
    if (p->load.spread > 0 || p->load.shortest < 1)
        return "lengths of texts, or shortest and spread";
    if (clg_lengths_find(r->arena, name, lengths, &error) != CLG_OK)
        return clg_arena_print(r->arena, "no lengths are known as '%.40s'", name);
    p->load.lengths = lengths;
    return NULL;
}

static const char *read_load(const clg_cell_reader *r, clg_serve_plan *p) {
    p->load.clients = (int64_t)clg_cell_number(r, "clients", 0);
    p->load.requests_per_s = clg_cell_number(r, "requests_per_s", 0);
    double distinct = clg_cell_number(r, "distinct", 0);
    p->load.distinct = (int64_t)distinct;
    double seen = clg_cell_number(r, "seen", 0);
    p->load.seen = (int64_t)seen;
    double seen_tokens = clg_cell_number(r, "seen_tokens", 0);
    p->load.seen_tokens = (int64_t)seen_tokens;
    double most = fmax(MANY, ROUNDS * (double)p->load.clients);
    p->load.requests = (int64_t)fmin(clg_cell_number(r, "requests", 0), most);
    if (p->load.requests_per_s < 0 || p->load.requests_per_s > 1e6)
        return "requests_per_s is absurd";
    if (distinct < 0 || distinct > MANY)
        return clg_arena_print(r->arena, "distinct: prompts, 0 to %.0f", MANY);
    if (seen < 0 || seen > 1e9) return "seen: prompts, 0 to 1000000000";
    if (seen_tokens < 0 || seen_tokens > 1e6 || (seen_tokens > 0 && seen == 0))
        return "seen_tokens: of each prompt that is seen, up to 1000000";
    if (p->load.requests_per_s > 0 && p->load.clients > 0)
        return "clients that wait and a rate that does not: give one";
    return NULL;
}

static const char *read_speculation(const clg_cell_reader *r, clg_serve_plan *p) {
    double drafted = clg_cell_number(r, "drafted", 0), gained = clg_cell_number(r, "gained", 1);
    if (drafted < 0 || drafted > 64) return "drafted: tokens an iteration, 0 to 64";
    if (gained < 1 || gained > drafted + 1) return "gained: from 1 to the drafted tokens and one";
    p->drafted = (int)drafted;
    p->gained = gained;
    return NULL;
}

static int limit(const clg_cell_reader *r, const char *column) {
    return (int)fmin(fmax(clg_cell_number(r, column, 0), 0), 1 << 24);
}

/* Limits that the client reckons before it starts, for the GPUs of a copy. */
static void reckon_limits(const clg_cell_reader *r, clg_serve_plan *p) {
    clg_model model;
    clg_gpu gpu;
    clg_error error = {0};
    if (clg_model_asked(r->arena, p->model, &model, &error) != CLG_OK ||
        clg_gpu_find(r->arena, p->gpu, &gpu, &error) != CLG_OK)
        return;
    clg_bench_limits limits = clg_bench_limits_of(
        &model, &gpu, p->part.tp * p->part.dp * p->part.pp, p->weights, p->cache,
        p->load.prompt_tokens, p->load.output_tokens, p->limits.memory_share);
    p->limits.max_sequences = limits.sequences * p->part.dp;
    p->limits.max_tokens = limits.tokens * p->part.dp;
}

/* What drove the engine. */
static const char *read_client(clg_cell_reader *r, clg_serve_plan *p) {
    const char *name = clg_cell_word(r, "client");
    clg_client *client = clg_take(r->arena, 1, clg_client);
    clg_error error = {0};
    if (!*name) return NULL;
    if (clg_client_find(r->arena, name, client, &error) != CLG_OK)
        return clg_arena_print(r->arena, "no client is known as '%.40s'", name);
    p->manner.in_process = client->in_process > 0;
    p->manner.settled = client->settled > 0;
    if (p->manner.settled && (p->load.clients <= 0 || p->manner.medians))
        return "this client keeps a number of requests under way, and prints means";
    if (p->limits.memory_share <= 0) p->limits.memory_share = client->memory_share;
    if (client->graphs.count > 0) p->limits.graphs = &client->graphs;
    if (client->reckoned > 0) reckon_limits(r, p);
    if (client->wait_iterations > 0) {
        p->limits.wait_iterations = (int64_t)client->wait_iterations;
        p->limits.wait_ranks = p->part.dp;
    }
    return NULL;
}

/* Whether a column has one word or another; blank is the second. */
static const char *one_of(const clg_cell_reader *r, const char *column, const char *word,
                          const char *otherwise, bool *is) {
    const char *cell = clg_cell_word(r, column);
    *is = strcmp(cell, word) == 0;
    if (*is || !*cell || strcmp(cell, otherwise) == 0) return NULL;
    return clg_arena_print(r->arena, "no %s is known as '%.40s'", column, cell);
}

/* How requests are made, sampled and summed up. */
static const char *read_manner(const clg_cell_reader *r, clg_serve_plan *p) {
    const char *reason, *kernels = clg_cell_word(r, "experts");
    int value = CLG_EXPERTS_TIMED;
    clg_error error = {0};
    p->manner.fits = clg_cell_number(r, "fits", 0) > 0;
    if ((reason = one_of(r, "prompts", "random", "text", &p->load.random_tokens)) ||
        (reason = one_of(r, "phase", "decode", "both", &p->load.prefilled)) ||
        (reason = one_of(r, "sampling", "filtered", "plain", &p->filtered)) ||
        (reason = one_of(r, "statistic", "median", "mean", &p->manner.medians)))
        return reason;
    if (*kernels &&
        clg_name_value(clg_expert_kernel_names, "experts", kernels, &value, &error) != CLG_OK)
        return clg_arena_print(r->arena, "no experts are known as '%.40s'", kernels);
    p->expert_kernels = (clg_expert_kernels)value;
    return NULL;
}

/* Graphs as "to:step to:step", ends that rise. */
static const char *read_graphs(const clg_cell_reader *r, clg_serve_plan *p) {
    const char *at = clg_cell_word(r, "graphs");
    clg_graph_sizes *sizes = clg_take(r->arena, 1, clg_graph_sizes);
    *sizes = (clg_graph_sizes){0};
    while (*at) {
        char *end;
        long to = strtol(at, &end, 10), step = *end == ':' ? strtol(end + 1, &end, 10) : 0;
        int last = sizes->count > 0 ? sizes->to[sizes->count - 1] : 0;
        if ((*end && *end != ' ') || to <= last || to > 1000000 || step < 1 || step > 1000000 ||
            sizes->count == CLG_GRAPH_STRETCHES)
            return "graphs: pairs to:step whose ends rise, as 8:1 64:8";
        sizes->to[sizes->count] = (int)to;
        sizes->step[sizes->count++] = (int)step;
        at = *end ? end + 1 : end;
    }
    if (sizes->count > 0) p->limits.graphs = sizes;
    return NULL;
}

static const char bad_arrivals[] =
    "arrivals: second:prompt:output of each request, seconds that rise";

/* Requests as they came, "second:prompt:output" of each. */
static const char *read_arrivals(const clg_cell_reader *r, clg_serve_plan *p) {
    const char *at = clg_cell_word(r, "arrivals");
    if (!*at) return NULL;
    if (p->load.requests > (int64_t)strlen(at)) return bad_arrivals;
    clg_arrival *request = clg_take(r->arena, (size_t)p->load.requests, clg_arrival);
    for (int64_t i = 0; i < p->load.requests; i++) {
        char *end;
        double when = strtod(at, &end);
        long prompt = *end == ':' ? strtol(end + 1, &end, 10) : 0;
        long output = *end == ':' ? strtol(end + 1, &end, 10) : 0;
        bool last = i + 1 == p->load.requests;
        bool rises = when >= (i > 0 ? request[i - 1].arrival_s : 0) && when < 1e9;
        if (!rises || prompt < 1 || prompt > 1000000 || output < 1 || output > 1000000 ||
            *end != (last ? 0 : ' '))
            return bad_arrivals;
        request[i] = (clg_arrival){
            .arrival_s = when, .prompt_tokens = (int32_t)prompt, .output_tokens = (int32_t)output};
        at = last ? end : end + 1;
    }
    p->load.request = request;
    return NULL;
}

/* A benchmark whose layout is chosen, as are weights that the row does not name; the rest of the
 * row is not looked at. */
static const char *read_chosen(const clg_cell_reader *r, clg_serve_plan *p) {
    const char *scenario = clg_cell_word(r, "scenario");
    clg_workload workload;
    clg_error error = {0};
    p->box.workload = clg_cell_word(r, "workload");
    p->box.timed = strcmp(scenario, "server") == 0;
    p->box.gpus = clg_cell_degree(r, "gpus");
    p->load.requests = 1;
    p->box.boxes = clg_cell_degree(r, "boxes");
    if (clg_workload_find(r->arena, p->box.workload, &workload, &error) != CLG_OK)
        return clg_arena_print(r->arena, "workload '%.60s' is not built in", p->box.workload);
    p->model = workload.model;
    clg_gpu gpu;
    if (clg_gpu_find(r->arena, p->gpu, &gpu, &error) == CLG_OK) p->weights = clg_narrowest(&gpu);
    const char *reason = read_precision(r, "weights", &p->weights);
    if (reason) return reason;
    if (!p->box.timed && strcmp(scenario, "offline") != 0) return "scenario: server or offline";
    return p->box.gpus < 1 || p->box.boxes < 1 ? "a number of GPUs is absurd" : NULL;
}

/* A name, or that of the default, in its release of the row's date; a name with a month has its
 * own. An unknown name is an error of the prediction. */
static void read_engine(const clg_cell_reader *r, clg_serve_plan *p) {
    clg_engine engine;
    clg_error error = {0};
    const char *month = clg_arena_print(r->arena, "%.7s", clg_cell_word(r, "date"));
    p->engine = clg_cell_word(r, "engine");
    if (!*p->engine && clg_engine_find(r->arena, NULL, &engine, &error) == CLG_OK)
        p->engine = engine.name;
    if (clg_stack_is_month(month) && !strchr(p->engine, '@'))
        p->engine = clg_arena_print(r->arena, "%s@%s", p->engine, month);
    if (clg_engine_find(r->arena, p->engine, &engine, &error) == CLG_OK) p->engine = engine.name;
}

/* What a row sets of an engine. */
static void read_limits(const clg_cell_reader *r, clg_serve_plan *p) {
    p->limits.max_sequences = limit(r, "max_sequences");
    p->limits.max_tokens = limit(r, "max_tokens");
    p->limits.prefill_tokens = limit(r, "prefill_max_tokens");
    p->limits.decode_sequences = limit(r, "decode_max_sequences");
    p->limits.memory_share = clg_cell_number(r, "memory_share", 0);
    bool eager = strcmp(clg_cell_word(r, "graph_most"), "0") == 0;
    p->limits.graph_most = eager ? CLG_NO_GRAPHS : limit(r, "graph_most");
    p->limits.graph_tokens = eager ? CLG_NO_GRAPHS : limit(r, "graph_tokens");
    p->limits.poll_iterations = limit(r, "poll_iterations");
    p->limits.wait_iterations = limit(r, "wait_iterations");
    p->limits.wait_tokens = limit(r, "wait_tokens");
    if (p->limits.wait_iterations > 0 && p->limits.wait_tokens == 0)
        p->limits.wait_ranks = p->part.dp;
    p->two_batches = clg_cell_number(r, "two_batches", 0) > 0;
    p->balanced = clg_cell_number(r, "balanced", 0) > 0;
    p->no_prefix_cache = clg_cell_number(r, "no_prefix_cache", 0) > 0;
}

const char *clg_measured_plain(clg_cell_reader *r) {
    clg_serve_plan *p = &r->into->plan;
    const char *reason;
    if (*clg_cell_word(r, "source")) r->into->source = clg_cell_word(r, "source");
    r->into->held_out = clg_cell_number(r, "held_out", 0) > 0;
    if (*clg_cell_word(r, "date"))
        r->into->year = clg_arena_print(r->arena, "%.4s", clg_cell_word(r, "date"));
    p->model = clg_cell_word(r, "model");
    p->gpu = clg_cell_word(r, "gpu");
    read_engine(r, p);
    read_measures(r);
    if ((reason = no_number(r))) return reason;
    if (*clg_cell_word(r, "workload")) return read_chosen(r, p);
    bool split = clg_cell_number(r, "prefill_copies", 0) > 0;
    p->part = part_of(r, "", "decode_copies");
    if (split) p->prefill = part_of(r, "prefill_", "prefill_copies");
    read_limits(r, p);
    if ((reason = read_formats(r, p)) || (reason = read_lengths(r, p)) ||
        (reason = read_load(r, p)) || (reason = read_speculation(r, p)) ||
        (reason = clg_check_part(&p->part)) || (reason = clg_check_lengths(p)) ||
        (split && (reason = clg_check_part(&p->prefill))) || (reason = read_manner(r, p)) ||
        (reason = read_graphs(r, p)) || (reason = read_client(r, p)) ||
        (reason = read_arrivals(r, p)))
        return reason;
    if (p->limits.memory_share < 0 || p->limits.memory_share > 1)
        return "memory_share: a share from 0 to 1";
    return NULL;
}
