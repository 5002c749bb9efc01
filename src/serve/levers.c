/* levers.c -- the same demand on replicas that differ in one thing. */
#include "serve/levers.h"

#include <math.h>
#include <stdlib.h>

typedef struct change {
    const char *name;
    clg_replica_choice choice;
    double block_tokens; /* 0: the engine's */
} change;

/* Before paging (Kwon et al., SOSP 2023) a sequence held room for its longest possible answer. */
static int list_changes(const clg_serve_question *q, const clg_replica_choice *c, change *list) {
    const clg_gpu *gpu = &q->replica->scenario->machine.gpu;
    int count = 0, tp = q->replica->layout.tp;
    clg_replica_choice as_asked = *c;
    as_asked.tp = tp;
    list[count++] = (change){"as asked", as_asked, 0};
    list[count++] = (change){"cache without paging", as_asked, (double)q->demand->longest_tokens};
    change fp8 = {"weights in fp8", as_asked, 0};
    fp8.choice.weights = CLG_FP8;
    fp8.choice.compute = gpu->peak_flop_per_s[CLG_FP8] > 0 ? CLG_FP8 : CLG_BF16;
    if (c->weights == CLG_BF16) list[count++] = fp8;
    change cache = {"cache in fp8", as_asked, 0};
    cache.choice.cache = CLG_FP8;
    if (c->cache == CLG_BF16) list[count++] = cache;
    change few = {"at most 8 sequences", as_asked, 0}, many = {"twice the sequences", as_asked, 0};
    few.choice.max_sequences = 8;
    many.choice.max_sequences = 2 * q->replica->rules.max_sequences;
    list[count++] = few;
    list[count++] = many;
    change guess = {"speculation, 3 at 70 %", as_asked, 0},
           apart = {"disaggregated 1:1", as_asked, 0};
    change blind = {"no prefix cache", as_asked, 0};
    guess.choice.drafted = 3;
    guess.choice.accepted = 0.7;
    apart.choice.prefills = apart.choice.decodes = 1;
    blind.choice.no_prefix_cache = true;
    if (c->drafted == 0) list[count++] = guess;
    if (c->prefills == 0) list[count++] = apart;
    if (q->demand->prefix && !c->no_prefix_cache) list[count++] = blind;
    static const char *const names[] = {"tp 1", "tp 2", "tp 4", "tp 8"};
    for (int i = 0, t = 1; t <= 8; t *= 2, i++) {
        change other = {names[i], as_asked, 0};
        other.choice.tp = t;
        if (t != tp) list[count++] = other;
    }
    return count;
}

/* GPUs a demand takes on replicas of a kind; infinite when they miss the target. A demand without
 * time is worth the GPU-seconds of its tokens. */
static double gpus_taken(const clg_serve_question *q, const clg_replica *r,
                         const clg_serve_answer *a) {
    double gpus = clg_replica_gpus(r), span = q->demand->span_s;
    if (span <= 0 || q->demand->clients > 0) return gpus / a->offline_tokens_per_s;
    if (!a->attainable) return INFINITY;
    double load = (double)q->demand->output_tokens / span / a->target_tokens_per_s;
    return gpus * fmax(1, q->replicas > 0 ? load : ceil(load));
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
    double output = clg_demand_means_of(q.demand).output_tokens, never = (double)NAN;
    row->usd_per_million = a.attainable ? 1e6 * a.usd_per_s / a.target_tokens_per_s : never;
    row->half_price_per_s = a.attainable ? a.target_tokens_per_s / output / 2 : never;
    row->usd_per_h = 3600 * r->scenario->price.usd_per_s * gpus_taken(&q, r, &a);
    row->break_even_share = a.break_even_share;
    row->break_even_per_s = a.break_even_per_s;
    clg_arena_back_to(arena, mark);
    const clg_price *price = &r->scenario->price;
    row->price = clg_arena_print(arena, "$%.2f %.7s %.20s", 3600 * price->usd_per_s,
                                 price->date ? price->date : "undated",
                                 price->provider ? price->provider : "");
}

int clg_levers(clg_arena *arena, const clg_serve_question *q, const clg_replica_choice *choice,
               clg_serve_progress progress, clg_lever lever[CLG_LEVERS]) {
    change list[CLG_LEVERS];
    int count = list_changes(q, choice, list);
    for (int i = 0; i < count; i++) {
        clg_engine engine = q->replica->engine;
        clg_replica r;
        clg_error no = {0};
        if (list[i].block_tokens > 0) engine.block_tokens = list[i].block_tokens;
        lever[i] = (clg_lever){.name = list[i].name};
        lever[i].fits = clg_replica_prepare(arena, q->replica->scenario, &engine, &list[i].choice,
                                            q->demand, &r, &no) == CLG_OK;
        if (lever[i].fits) clg_lever_measure(arena, q, &r, &lever[i]);
        if (progress.tell) progress.tell(progress.context, (i + 1.0) / count);
    }
    return count;
}

static double gpus_needed(clg_arena *arena, const clg_serve_question *q, const clg_replica *r) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_serve_question asked = *q;
    clg_serve_answer a;
    asked.replica = r;
    clg_serve_capacity(arena, &asked, &a);
    clg_arena_back_to(arena, mark);
    return gpus_taken(&asked, r, &a);
}

clg_status clg_replica_choose(clg_arena *arena, const clg_serve_question *q,
                              const clg_scenario *scenario, const clg_engine *engine,
                              const clg_replica_choice *choice, clg_replica *replica,
                              clg_error *error) {
    clg_status smallest =
        clg_replica_prepare(arena, scenario, engine, choice, q->demand, replica, error);
    if (smallest != CLG_OK || choice->tp > 0) return smallest;
    double best = gpus_needed(arena, q, replica);
    int domain = scenario->machine.node.domain;
    for (int tp = 2 * replica->layout.tp; tp <= 8 && tp <= domain; tp *= 2) {
        clg_replica_choice other = *choice;
        clg_replica wider;
        clg_error no = {0};
        other.tp = tp;
        if (clg_replica_prepare(arena, scenario, engine, &other, q->demand, &wider, &no) != CLG_OK)
            continue;
        double taken = gpus_needed(arena, q, &wider);
        if (taken >= best) continue;
        best = taken;
        *replica = wider;
    }
    return CLG_OK;
}

/* ---- search */

typedef struct open_axes {
    int tp[4], tps, ep[2], eps, sequences[4], limits, split[4][2], splits;
} open_axes;

static bool has_experts(const clg_model *m) {
    for (int k = 0; k < m->kinds; k++)
        if (m->kind[k].mlp.kind == CLG_MLP_MOE) return true;
    return false;
}

static open_axes axes_of(const clg_scenario *s, const clg_engine *e, const clg_replica_choice *c) {
    open_axes a = {.split = {{0, 0}, {1, 1}, {1, 2}, {2, 1}}};
    int domain = s->machine.node.domain;
    for (int tp = 1; tp <= 8 && (tp == 1 || tp <= domain); tp *= 2)
        if (c->tp == 0 || c->tp == tp) a.tp[a.tps++] = tp;
    if (a.tps == 0) a.tp[a.tps++] = c->tp;
    a.ep[a.eps++] = c->ep;
    if (c->ep == 0 && has_experts(&s->model)) a.ep[a.eps++] = 8; /* the prepared one divides tp */
    a.sequences[a.limits++] = c->max_sequences > 0 ? c->max_sequences : (int)e->max_sequences;
    for (int few = 64; c->max_sequences == 0 && few >= 16; few /= 4) a.sequences[a.limits++] = few;
    a.splits = c->prefills > 0 ? 1 : 4;
    if (c->prefills > 0) a.split[0][0] = c->prefills, a.split[0][1] = c->decodes;
    return a;
}

static int by_dollars(const void *x, const void *y) {
    const clg_lever *a = &((const clg_serve_candidate *)x)->worth;
    const clg_lever *b = &((const clg_serve_candidate *)y)->worth;
    double left = isfinite(a->usd_per_h) ? a->usd_per_h : 1e300 / a->offline_tokens_per_s;
    double right = isfinite(b->usd_per_h) ? b->usd_per_h : 1e300 / b->offline_tokens_per_s;
    return (left > right) - (left < right);
}

static const char *name_of(clg_arena *arena, const clg_replica *r) {
    const char *split =
        r->prefill ? clg_arena_print(arena, ", %d:%d", r->prefills, r->decodes) : "";
    const char *ep = r->layout.ep > 1 ? clg_arena_print(arena, " ep %d", r->layout.ep) : "";
    return clg_arena_print(arena, "tp %d%s, %d seq.%s", r->layout.tp, ep, r->rules.max_sequences,
                           split);
}

static bool weigh(clg_arena *arena, const clg_serve_question *q, const clg_scenario *scenario,
                  const clg_engine *engine, clg_serve_candidate *c) {
    clg_replica r;
    clg_error no = {0};
    if (c->choice.ep > c->choice.tp) c->choice.ep = c->choice.tp;
    if (clg_replica_prepare(arena, scenario, engine, &c->choice, q->demand, &r, &no) != CLG_OK)
        return false;
    c->worth = (clg_lever){.name = name_of(arena, &r), .fits = true};
    clg_lever_measure(arena, q, &r, &c->worth);
    return true;
}

/* Every combination, numbered; false past the last. */
static bool combination(const open_axes *a, int at, clg_replica_choice *c) {
    int tp = at % a->tps, ep = at / a->tps % a->eps, limit = at / a->tps / a->eps % a->limits;
    int split = at / a->tps / a->eps / a->limits;
    if (split >= a->splits) return false;
    c->tp = a->tp[tp];
    c->ep = a->ep[ep];
    c->max_sequences = a->sequences[limit];
    c->prefills = a->split[split][0];
    c->decodes = a->split[split][1];
    return true;
}

int clg_replica_search(clg_arena *arena, const clg_serve_question *q, const clg_scenario *scenario,
                       const clg_engine *engine, const clg_replica_choice *choice,
                       clg_serve_progress progress, clg_serve_candidate found[CLG_CANDIDATES]) {
    open_axes axes = axes_of(scenario, engine, choice);
    int all = axes.tps * axes.eps * axes.limits * axes.splits, count = 0;
    for (int at = 0; at < all && count < CLG_CANDIDATES; at++) {
        found[count].choice = *choice;
        if (!combination(&axes, at, &found[count].choice)) break;
        bool twice = found[count].choice.tp == 1 && found[count].choice.ep > 1;
        if (!twice && weigh(arena, q, scenario, engine, &found[count])) count++;
        if (progress.tell) progress.tell(progress.context, (at + 1.0) / all);
    }
    qsort(found, (size_t)count, sizeof *found, by_dollars);
    return count;
}
