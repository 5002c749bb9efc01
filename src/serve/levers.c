/* levers.c -- the same demand on replicas that differ in one thing. */
#include "serve/levers.h"

#include "serve/crowd.h"

#include <math.h>
#include <string.h>

typedef struct change {
    const char *name;
    clg_replica_choice choice;
    double block_tokens; /* 0: the engine's */
    bool whole_batches;
    bool host_apart; /* the host works between iterations, not beside them */
} change;

/* Engines halve batches whose exchange DeepEP does (SGLang two_batch_overlap.py, vLLM's
 * --enable-dbo): with experts, on ranks of attention. */
static bool takes_halves(const clg_replica *r, const clg_replica_choice *c) {
    return !c->two_batches && r->layout.dp > 1 && r->engine.sends_tokens > 0 &&
           clg_model_experts(&r->scenario->model);
}

/* What runs beside the GPU stands between two iterations (vLLM --no-async-scheduling, SGLang
 * --disable-overlap-schedule). */
static void set_host_apart(const clg_node *node, clg_engine *e) {
    double time = node->host_time > 0 ? node->host_time : 1;
    e->overlapped = 0;
    e->step_s += time * e->loop_s;
    e->sequence_s += time * e->loop_sequence_s;
    e->loop_s = e->loop_sequence_s = 0;
}

/* Before paging (Kwon et al., SOSP 2023) a sequence held room for its longest possible answer.
 * Before iterations were scheduled one by one (Yu et al., Orca, OSDI 2022) nobody joined a batch
 * until the last of it was answered. */
static int list_changes(clg_arena *arena, const clg_serve_question *q, const clg_replica_choice *c,
                        change *list) {
    const clg_gpu *gpu = &q->replica->scenario->machine.gpu;
    int count = 0, tp = q->replica->layout.tp;
    clg_replica_choice as_asked = *c;
    as_asked.tp = tp;
    list[count++] = (change){.name = "as asked", .choice = as_asked};
    list[count++] = (change){.name = "cache without paging",
                             .choice = as_asked,
                             .block_tokens = (double)q->demand->longest_tokens};
    list[count++] = (change){.name = "static batches", .choice = as_asked, .whole_batches = true};
    change fp8 = {.name = "weights in fp8", .choice = as_asked};
    fp8.choice.weights = CLG_FP8;
    fp8.choice.compute = gpu->peak_flop_per_s[CLG_FP8] > 0 ? CLG_FP8 : CLG_BF16;
    if (c->weights == CLG_BF16) list[count++] = fp8;
    fp8.name = "and on half the GPUs";
    fp8.choice.tp = tp / 2;
    if (c->weights == CLG_BF16 && tp > 1) list[count++] = fp8;
    change cache = {.name = "cache in fp8", .choice = as_asked};
    cache.choice.cache = CLG_FP8;
    if (c->cache == CLG_BF16) list[count++] = cache;
    change few = {.name = "at most 8 sequences", .choice = as_asked},
           many = {.name = "twice the sequences", .choice = as_asked};
    few.choice.max_sequences = 8;
    many.choice.max_sequences = 2 * q->replica->rules.max_sequences;
    list[count++] = few;
    list[count++] = many;
    change guess = {.name = NULL, .choice = as_asked},
           apart = {.name = "disaggregated 1:1", .choice = as_asked};
    change blind = {.name = "no prefix cache", .choice = as_asked},
           host = {.name = NULL, .choice = as_asked};
    bool lacks_host = c->host_bytes <= 0;
    host.choice.host_bytes = lacks_host ? q->habits.host_bytes : 0;
    host.name = lacks_host
                    ? clg_arena_print(arena, "%.0f GB of host a GPU", q->habits.host_bytes / 1e9)
                    : "no host cache";
    guess.choice.drafted = 3;
    guess.name = clg_arena_print(arena, "speculation, 3 at %.0f %%", 100 * guess.choice.accepted);
    apart.choice.prefills = apart.choice.decodes = 1;
    blind.choice.no_prefix_cache = true;
    if (c->drafted == 0) list[count++] = guess;
    if (c->prefills == 0) list[count++] = apart;
    if (q->demand->prefix && !c->no_prefix_cache) list[count++] = host;
    if (q->demand->prefix && !c->no_prefix_cache) list[count++] = blind;
    change apart_host = {.name = "host not overlapped", .choice = as_asked, .host_apart = true},
           halves = {.name = "two-batch overlap", .choice = as_asked};
    halves.choice.two_batches = true;
    if (q->replica->engine.overlapped > 0) list[count++] = apart_host;
    if (takes_halves(q->replica, c)) list[count++] = halves;
    static const char *const names[] = {"tp 1", "tp 2", "tp 4", "tp 8"};
    for (int i = 0, t = 1; t <= 8; t *= 2, i++) {
        change other = {.name = names[i], .choice = as_asked};
        other.choice.tp = t;
        if (t != tp) list[count++] = other;
    }
    return count;
}

double clg_gpus_taken(const clg_serve_question *q, const clg_replica *r, double tokens_per_s) {
    double gpus = clg_replica_gpus(r), span = q->demand->span_s;
    if (span <= 0 || q->demand->clients > 0) return gpus / tokens_per_s;
    double load = (double)q->demand->output_tokens / span / tokens_per_s;
    return gpus * fmax(1, q->replicas > 0 ? load : ceil(load));
}

double clg_gpus_at_mean(const clg_serve_question *q, const clg_replica *r,
                        const clg_serve_answer *a) {
    if (!a->attainable) return INFINITY;
    return clg_gpus_taken(q, r, a->target_tokens_per_s);
}

void clg_lever_reprice(clg_arena *arena, const clg_price *price, double ratio, clg_lever *row) {
    row->usd_per_h *= ratio;
    row->usd_per_million *= ratio;
    row->usd_per_useful_eflop *= ratio;
    row->break_even_share *= ratio;
    row->break_even_per_s *= ratio;
    row->lone = price->lone != NULL;
    const char *by = price->provider ? price->provider : "";
    row->price =
        clg_arena_print(arena, "$%.2f %.7s %s", 3600 * price->usd_per_s,
                        price->date ? price->date : "undated", strlen(by) <= 10 ? by : "survey");
}

void clg_lever_measure(clg_arena *arena, const clg_serve_question *asked, const clg_replica *r,
                       clg_lever *row) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_serve_question q = *asked;
    clg_serve_answer a;
    q.replica = r;
    clg_serve_capacity(arena, &q, &a);
    row->gpus = clg_replica_gpus(r);
    row->offline_tokens_per_s = a.offline_tokens_per_s / row->gpus;
    clg_demand_means means = clg_demand_means_of(q.demand);
    double output = means.output_tokens, never = (double)NAN;
    double flop = clg_serve_useful_flop(r, &means, a.fleet.found.cached);
    row->usd_per_million = a.attainable ? 1e6 * a.usd_per_s / a.target_tokens_per_s : never;
    row->mfu = a.attainable
                   ? a.target_tokens_per_s * flop / (row->gpus * clg_serve_peak_flop_per_s(r))
                   : never;
    row->usd_per_useful_eflop = clg_usd_per_useful_eflop(row->usd_per_million, flop);
    row->half_price_per_s = a.attainable ? a.target_tokens_per_s / output / 2 : never;
    row->gpus_all = clg_gpus_at_mean(&q, r, &a);
    row->usd_per_h = 3600 * r->scenario->price.usd_per_s * row->gpus_all;
    row->break_even_share = a.break_even_share;
    row->break_even_per_s = a.break_even_per_s;
    clg_arena_back_to(arena, mark);
    clg_lever_reprice(arena, &r->scenario->price, 1, row);
}

/* A copy costs p m dollars a second where it is full at the rate m at a price p a token, so its
 * tokens cost P at the rate p m / P. */
static void fix_price(clg_lever *lever, int count) {
    double price = 2 * lever[0].usd_per_million;
    for (int i = 0; i < count; i++) {
        clg_lever *l = &lever[i];
        bool reached = l->fits && l->usd_per_million <= price;
        l->fixed_price_per_s =
            reached ? 2 * l->half_price_per_s * l->usd_per_million / price : (double)NAN;
    }
}

typedef struct pulls {
    const clg_serve_question *question;
    change list[CLG_LEVERS];
    clg_lever *lever;
    clg_serve_progress progress;
} pulls;

static void pull(void *context, int index, clg_arena *arena) {
    const pulls *p = context;
    const clg_serve_question *q = p->question;
    const change *c = &p->list[index];
    clg_lever *lever = &p->lever[index];
    clg_engine engine = q->replica->engine;
    clg_replica r;
    clg_error no = {0};
    if (c->block_tokens > 0) engine.block_tokens = c->block_tokens;
    if (c->host_apart) set_host_apart(&q->replica->scenario->machine.node, &engine);
    *lever = (clg_lever){.name = c->name};
    lever->fits = clg_replica_prepare(arena, q->replica->scenario, &engine, &c->choice, q->demand,
                                      &r, &no) == CLG_OK;
    if (lever->fits && c->whole_batches) r.rules.wait_iterations = r.rules.wait_tokens = INT64_MAX;
    if (lever->fits) clg_lever_measure(arena, q, &r, lever);
}

static bool tell_pulled(void *context, double share) {
    const pulls *p = context;
    if (p->progress.tell) p->progress.tell(p->progress.context, share);
    return true;
}

int clg_levers(clg_arena *arena, const clg_serve_question *q, const clg_replica_choice *choice,
               clg_serve_progress progress, clg_lever lever[CLG_LEVERS]) {
    pulls p = {.question = q, .lever = lever, .progress = progress};
    int count = list_changes(arena, q, choice, p.list);
    clg_cores_each((clg_progress){tell_pulled, &p, q->cores}, arena, count, pull, &p);
    fix_price(lever, count);
    return count;
}
