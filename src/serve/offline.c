/* offline.c -- see the header. */
#include "serve/offline.h"

#include "serve/crowd.h"
#include "serve/route.h"
#include "serve/sizing.h"

#include <math.h>

enum { OFFLINE_REQUESTS = 6000 }; /* enough that start and drain are a few per cent */

static const uint64_t sample_seed = 20240517;

/* All at once with so many places: the rate from a quarter admitted until the queue is empty. */
static double rate_at_once(clg_arena *arena, const clg_replica *r, const clg_demand *sample,
                           int places, clg_reuse found, clg_serve_totals *t) {
    clg_served *served = clg_take(arena, (size_t)sample->count, clg_served);
    clg_replica open = *r;
    open.rules.clients = 0;
    open.rules.cached_share = found.cached;
    open.rules.read_share = found.read;
    clg_replica prompts;
    if (r->prefill) {
        prompts = *r->prefill;
        prompts.rules.cached_share = found.cached;
        prompts.rules.read_share = found.read;
        open.prefill = &prompts;
    }
    open.rules.max_sequences = places;
    clg_replica_serve(arena, &open, sample, served, t);
    bool full = t->full_s > t->warm_s && t->full_tokens > t->warm_tokens;
    return full ? (double)(t->full_tokens - t->warm_tokens) / (t->full_s - t->warm_s)
                : (double)t->made_tokens / fmax(t->busy_s, 1e-9);
}

void clg_serve_offline(clg_arena *arena, const clg_replica *r, const clg_demand *d, clg_reuse found,
                       clg_serve_answer *a) {
    clg_arena_mark mark = clg_arena_here(arena);
    int places = r->rules.max_sequences;
    int64_t count = 10 * (int64_t)places;
    if (count < OFFLINE_REQUESTS) count = OFFLINE_REQUESTS;
    clg_demand sample = clg_demand_resample(arena, d, count, 0, 1, sample_seed);
    clg_demand_means means = clg_demand_means_of(d);
    clg_serve_totals t, fewer;
    double rate = rate_at_once(arena, r, &sample, places, found, &t);
    double states = (double)r->rules.sequence_blocks * r->rules.block_tokens;
    double held = (double)r->rules.blocks * r->rules.block_tokens /
                  (means.prompt_tokens + means.output_tokens + states);
    if (t.preemptions > 0 && held >= 1 && held < places) {
        double calm = rate_at_once(arena, r, &sample, (int)held, found, &fewer);
        if (calm > rate) {
            rate = calm;
            t = fewer;
        }
    }
    a->offline_tokens_per_s = rate;
    a->steady_batch = t.busy_s > 0 ? t.sequence_s / t.busy_s : 0;
    clg_arena_back_to(arena, mark);
}

/* What is found of prompts depends on who comes when, which all at once do not keep: the share that
 * a fleet finds which is about as large as the demand needs, found of every prompt. */
void clg_serve_reuse(clg_arena *arena, const clg_serve_question *q, clg_serve_answer *a) {
    bool timed = clg_demand_in_time(q->demand) && !q->demand->apart;
    double per_s = timed ? (double)q->demand->output_tokens / q->demand->span_s : 0;
    int64_t n = q->replicas, before = 0;
    if (!q->demand->prefix || q->replica->rules.no_prefix_cache) return;
    for (int i = 0; i < 2; i++, before = n) {
        if (q->replicas <= 0) n = (int64_t)fmax(1, ceil(per_s / a->offline_tokens_per_s));
        if (n == before) return;
        a->fleet.found = clg_fleet_found(arena, q->replica, q->demand, n);
        clg_serve_offline(arena, q->replica, q->demand, a->fleet.found, a);
    }
}

/* Conversations go where their prompt is. */
static bool keeps_talks(const clg_serve_question *q) {
    const clg_replica *r = q->replica;
    return clg_demand_in_time(q->demand) && q->demand->prefix && !r->rules.no_prefix_cache &&
           !r->in_turn;
}

/* Dealt in turn between as many replicas as are given, or as the demand takes at least. */
static double rate_dealt(clg_arena *arena, const clg_serve_question *q, const clg_replica *r,
                         double most) {
    double dealt = fmax(1, ceil(clg_demand_rate_per_s(q->demand) / most));
    if (q->replicas > 0) dealt = (double)q->replicas;
    return clg_steady_rate_per_s(arena, r, q->demand, &q->target, most, dealt);
}

/* The rate of one of so many replicas with the conversations it has. */
static double rate_of_own(clg_arena *arena, const clg_serve_question *q, const clg_replica *r,
                          int64_t replicas, double most) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand own = *q->demand;
    if (replicas > 1)
        own = clg_route_part(arena, &own, clg_route_requests(arena, &r->engine, &own, replicas), 0);
    double rate = clg_steady_rate_per_s(arena, r, &own, &q->target, most, 1);
    clg_arena_back_to(arena, mark);
    return rate;
}

/* Too many conversations crowd each other out of a cache, however slowly they talk: where those of
 * the smallest fleet do, those of a larger one are looked at. */
double clg_serve_rate_at_target(clg_arena *arena, const clg_serve_question *q, const clg_replica *r,
                                const clg_serve_answer *a, double most) {
    enum { MOST_TIMES = 32 };
    if (!keeps_talks(q)) return rate_dealt(arena, q, r, most);
    if (q->replicas > 0) return rate_of_own(arena, q, r, q->replicas, most);
    double per_s = (double)q->demand->output_tokens / q->demand->span_s, rate = 0;
    int64_t least = (int64_t)fmax(1, ceil(per_s / a->offline_tokens_per_s));
    for (int64_t n = least; rate <= 0 && n <= MOST_TIMES * least && n <= q->demand->count; n *= 2)
        rate = rate_of_own(arena, q, r, n, most);
    return rate;
}

bool clg_serve_front_binds(const clg_serve_question *q, const clg_serve_answer *a) {
    static const double nearly_all = 0.9; /* of what these processes do */
    const clg_serve_rules *rules = &q->replica->rules;
    clg_demand_means m = clg_demand_means_of(q->demand);
    double each_s = rules->front.turn_s + m.prompt_tokens * rules->front.prompt_token_s;
    double taken = a->offline_tokens_per_s / m.output_tokens * each_s,
           handed = a->offline_tokens_per_s * rules->front.token_s;
    return fmax(taken, handed) > nearly_all * fmax(rules->front_ends, 1);
}

/* Boards at their limits, which circuits are laid out for; hosts by GPU, as in training. */
double clg_serve_gpu_w(const clg_serve_question *q) {
    const clg_machine *m = &q->replica->scenario->machine;
    double limit = m->node.gpu_limit_w > 0 ? fmin(m->node.gpu_limit_w, m->gpu.tdp_w) : m->gpu.tdp_w;
    return q->pue * (limit + m->node.host_w / m->node.gpus);
}
