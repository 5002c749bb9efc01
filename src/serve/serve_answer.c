/* serve_answer.c -- from a demand and a replica to replicas needed, factors and break-even. */
#include "serve/serve_answer.h"

#include "serve/autoscale.h"
#include "serve/break_even.h"
#include "serve/crowd.h"
#include "serve/offline.h"
#include "serve/refusal.h"
#include "serve/sizing.h"
#include "serve/windows.h"

#include "units/units.h"

#include <math.h>

const clg_name clg_factor_names[] = {
    {"hardware floor", CLG_FACTOR_FLOOR, "batch without bound: reading weights is free"},
    {"batch", CLG_FACTOR_BATCH, "what cache memory and scheduler leave of it"},
    {"latency target", CLG_FACTOR_LATENCY, "steady arrivals that meet the target"},
    {"bursts", CLG_FACTOR_BURSTS, "as they come; below 1 where dealing smooths"},
    {"replica granularity", CLG_FACTOR_GRANULARITY, "whole replicas, scaled by window"},
    {"idle hours", CLG_FACTOR_IDLE, "the same fleet through all windows"},
    {NULL, 0, NULL}};

/* Forward flop of one output token and its share of prompts, as MFU counts them: a third of what
 * clg_model_flop_per_token counts for training, attention over the mean context. */
static double flop_per_output_token(const clg_model *m, const clg_demand_means *means) {
    double decode = clg_model_flop_per_token(m, (int64_t)means->context_tokens) / 3;
    double prompt = clg_model_flop_per_token(m, (int64_t)(means->prompt_tokens / 2)) / 3;
    return decode + prompt * means->prompt_tokens / means->output_tokens;
}

double clg_serve_useful_flop(const clg_replica *r, const clg_demand_means *means,
                             double cached_share) {
    clg_demand_means computed = *means; /* what is found in a cache is no work */
    computed.prompt_tokens *= 1 - cached_share;
    return flop_per_output_token(&r->scenario->model, &computed);
}

double clg_usd_per_useful_eflop(double usd_per_million, double flop_per_output) {
    return 1e18 / 1e6 * usd_per_million / flop_per_output;
}

double clg_serve_peak_flop_per_s(const clg_replica *r) {
    const double *peak = r->scenario->machine.gpu.peak_flop_per_s;
    return peak[r->layout.compute] > 0 ? peak[r->layout.compute] : peak[CLG_FP16];
}

/* Means of what is computed where a share of each prompt is found: the rest attends to all of it,
 * p^2/2 - (c p)^2/2 pairs. */
static clg_demand_means computed_of(const clg_demand_means *means, double cached_share) {
    clg_demand_means m = *means;
    m.prompt_tokens *= 1 - cached_share;
    m.pairs_per_output *= 1 - cached_share * cached_share;
    return m;
}

static double floor_tokens_per_s(const clg_replica *r, const clg_demand_means *means) {
    double best = 0;
    for (double b = 1; b <= 1 << 20; b *= 2)
        best = fmax(best, clg_replica_steady_tokens_per_s(r, means, b));
    return best;
}

static double usd_per_million(double usd_per_s, double tokens_per_s) {
    return tokens_per_s > 0 ? 1e6 * usd_per_s / tokens_per_s : (double)NAN;
}

/* A fleet that falls behind is paid until the last answer, others as long as there is demand. */
static double paid_s(const clg_demand *d, const clg_serve_answer *a) {
    return a->rho > 1 && d->clients <= 0 ? fmax(d->span_s, a->fleet.span_s) : d->span_s;
}

/* Tokens a second that the fleet is asked for: over the time requests come in or, where that is
 * less than one answer takes, until the last. */
static double demanded_per_s(const clg_serve_question *q, const clg_serve_answer *a) {
    if (!clg_demand_in_time(q->demand)) return a->fleet.output_tokens_per_s;
    double over_s = a->brief ? a->fleet.span_s : q->demand->span_s;
    return (double)q->demand->output_tokens / over_s;
}

/* Each factor takes up where the one before it ended; all together they are what is paid. */
static void settle_factors(clg_serve_answer *a, const clg_window_sum *sum, double fleet_paid_s) {
    double *f = a->factor, fleet = (double)a->fleet.replicas * fleet_paid_s;
    f[CLG_FACTOR_FLOOR] = usd_per_million(a->usd_per_s, a->floor_tokens_per_s);
    f[CLG_FACTOR_BATCH] = a->floor_tokens_per_s / a->offline_tokens_per_s;
    f[CLG_FACTOR_LATENCY] = a->offline_tokens_per_s / a->target_tokens_per_s;
    f[CLG_FACTOR_GRANULARITY] = sum->whole / sum->steady;
    f[CLG_FACTOR_BURSTS] = sum->needed / sum->whole;
    f[CLG_FACTOR_IDLE] = fleet / sum->needed;
}

/* Without a rate there is nothing to scale, and nothing but the batch to pay for. */
static void settle_burst(clg_serve_answer *a) {
    for (int i = 0; i < CLG_FACTORS; i++) a->factor[i] = 1;
    a->factor[CLG_FACTOR_FLOOR] = usd_per_million(a->usd_per_s, a->floor_tokens_per_s);
    a->factor[CLG_FACTOR_BATCH] = a->usd_per_million / a->factor[CLG_FACTOR_FLOOR];
}

/* What follows from the windows of a demand in time; of a given fleet that no rate keeps in time,
 * by its load. */
static void settle_timed(const clg_serve_question *q, int64_t replicas, clg_window_sum *sum,
                         clg_serve_answer *a) {
    if (a->brief) {
        settle_burst(a);
        return;
    }
    if (!a->attainable)
        sum->needed = sum->whole = sum->steady = (double)replicas * q->demand->span_s;
    settle_factors(a, sum, paid_s(q->demand, a));
    if (!a->attainable) a->factor[CLG_FACTOR_LATENCY] = 1 / a->rho;
}

static void settle_totals(const clg_serve_question *q, const clg_demand_means *means,
                          clg_serve_answer *a) {
    clg_serve_break_even(q, means, a); /* again: now the share of cached input is known */
    const clg_replica *r = q->replica;
    int gpus = clg_replica_gpus(r);
    double fleet = (double)a->fleet.replicas, share = q->full_share;
    double demanded = demanded_per_s(q, a), peak = clg_serve_peak_flop_per_s(r);
    a->rho = demanded / (fleet * a->offline_tokens_per_s);
    double paid = q->demand->span_s > 0 && !a->brief ? paid_s(q->demand, a) / q->demand->span_s : 1;
    a->usd_per_million = usd_per_million(a->usd_per_s * fleet * paid, demanded);
    double flop = clg_serve_useful_flop(r, means, a->fleet.found.cached);
    a->mfu = a->fleet.output_tokens_per_s * flop / (fleet * gpus * peak);
    a->usd_per_useful_eflop = clg_usd_per_useful_eflop(a->usd_per_million, flop);
    a->peak_usd_per_eflop = 1e18 * a->usd_per_s / (gpus * peak);
    a->gpus_kept_full = floor(demanded / (a->offline_tokens_per_s * share)) * gpus;
}

void clg_serve_capacity(clg_arena *arena, const clg_serve_question *q, clg_serve_answer *a) {
    clg_demand_means means = clg_demand_means_of(q->demand);
    *a = (clg_serve_answer){.usd_per_s = q->replica->scenario->price.usd_per_s *
                                         clg_replica_gpus(q->replica)};
    clg_serve_offline(arena, q->replica, q->demand, (clg_reuse){0}, a);
    clg_serve_reuse(arena, q, a);
    clg_demand_means computed = computed_of(&means, a->fleet.found.cached);
    a->floor_tokens_per_s = floor_tokens_per_s(q->replica, &computed);
    clg_serve_break_even(q, &means, a);
    a->attainable = true;
    a->target_tokens_per_s = a->offline_tokens_per_s;
    if (!clg_demand_in_time(q->demand) && !q->demand->apart) return;
    double most = a->offline_tokens_per_s / means.output_tokens;
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica slow = clg_replica_slowed(arena, q->replica, 1 + q->margin);
    double rate = clg_serve_rate_at_target(arena, q, &slow, a, most);
    clg_arena_back_to(arena, mark);
    a->attainable = rate > 0;
    if (a->attainable) a->target_tokens_per_s = rate * means.output_tokens;
}

/* p99 of the first token when every iteration takes `scale` times as long. */
static double scaled_ttft_s(clg_arena *arena, const clg_serve_question *q, int64_t n,
                            double scale) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica r = clg_replica_slowed(arena, q->replica, scale);
    double share, p99 = clg_fleet_first_token_s(arena, &r, q->demand, n, &q->target, &share);
    clg_arena_back_to(arena, mark);
    return p99;
}

/* How sure costs are at best: a few per cent, which load multiplies. */
static const double cost_doubt = 0.05;

/* What is worked on at once, by the cores that were lent. */
typedef struct work {
    const clg_serve_question *question;
    clg_serve_answer *answer;
    int64_t replicas;
} work;

/* The fleet as priced, and a little faster and slower. */
static void run_scaled(void *context, int index, clg_arena *arena) {
    const work *at = context;
    const clg_serve_question *q = at->question;
    clg_serve_answer *a = at->answer;
    int64_t n = at->replicas;
    if (index == 0)
        clg_fleet_run(arena, q->replica, q->demand, n, &q->target, &a->fleet);
    else if (index == 1)
        a->ttft_low_s = scaled_ttft_s(arena, q, n, 1 - cost_doubt);
    else if (a->ttft_high_s <= 0)
        a->ttft_high_s = scaled_ttft_s(arena, q, n, 1 + cost_doubt);
    clg_arena_clear(arena);
}

static void run_fleet(clg_arena *arena, const clg_serve_question *q, int64_t n,
                      clg_serve_answer *a) {
    work all = {.question = q, .answer = a, .replicas = n};
    clg_cores_each((clg_progress){.cores = q->cores}, arena, 3, run_scaled, &all);
    a->meets = a->fleet.well_served >= q->target.share;
}

/* The fleet for the slowed replica. What is guessed is run to its end: where it is the one, that is
 * also the fleet a little slower. */
static int64_t size_fleet(clg_arena *arena, const clg_serve_question *sized, clg_serve_answer *a) {
    const clg_demand *d = sized->demand;
    const clg_serve_target *target = &sized->target;
    int64_t guess = (int64_t)fmin(fmax(a->windows_most, 1), (double)d->count);
    double share, p99 = clg_fleet_first_token_s(arena, sized->replica, d, guess, target, &share);
    int64_t meets = share >= target->share ? guess : 0;
    int64_t n = clg_fleet_needed(arena, sized->replica, d, target, (double)guess, meets);
    if (n == guess && sized->margin == cost_doubt) a->ttft_high_s = p99;
    return n;
}

/* A demand that comes all at once, or a closed loop: one fleet, no windows. */
static void answer_burst(clg_arena *arena, const clg_serve_question *q,
                         const clg_demand_means *means, clg_serve_answer *a) {
    int64_t n = q->replicas > 0 ? q->replicas : 1;
    run_fleet(arena, q, n, a);
    a->windows_mean = a->windows_most = (double)n;
    settle_totals(q, means, a);
    settle_burst(a);
}

/* Windows are counted, kept and drawn. */
static clg_status check_windows(const clg_serve_question *q, clg_error *error) {
    enum { MOST_WINDOWS = 100000 };
    if (q->window_s <= 0 || q->demand->span_s <= MOST_WINDOWS * q->window_s) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "give a longer --window",
                    "windows of %.3g s are more than %d in %.6g s", q->window_s, MOST_WINDOWS,
                    q->demand->span_s);
}

/* Whether the cache holds any request of the demand at all. */
static clg_status check_fit(const clg_serve_question *q, clg_error *error) {
    const clg_serve_rules *rules = &q->replica->rules;
    double room = (double)(rules->blocks - rules->sequence_blocks) * rules->block_tokens;
    for (int64_t i = 0; i < q->demand->count; i++)
        if (q->demand->request[i].prompt_tokens + q->demand->request[i].output_tokens <= room)
            return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "raise --tp, or store --weights fp8 --cache fp8",
                    "no request fits in a cache of %.0f tokens", room);
}

/* The fleet that the target needs with such iterations; its dollars go with its size. */
static void size_anew(clg_arena *arena, const clg_serve_question *q, const clg_serve_answer *a,
                      clg_serve_bound *b) {
    double fleet = (double)a->fleet.replicas;
    double most = a->offline_tokens_per_s / b->scale / clg_demand_means_of(q->demand).output_tokens;
    clg_replica r = clg_replica_slowed(arena, q->replica, b->scale * (1 + q->margin));
    b->attainable = clg_serve_rate_at_target(arena, q, &r, a, most) > 0;
    b->usd_per_million = (double)NAN;
    if (!b->attainable) return;
    int64_t meets = b->scale < 1 && a->meets ? a->fleet.replicas : 0;
    b->replicas = clg_fleet_needed(arena, &r, q->demand, &q->target, fleet * b->scale, meets);
    b->usd_per_million = a->usd_per_million * (double)b->replicas / fleet;
}

/* A fleet's rate is its users over the time of an answer, and goes with its iterations. */
static void size_crowd_anew(clg_arena *arena, const clg_serve_question *q,
                            const clg_serve_answer *a, clg_serve_bound *b) {
    clg_replica slow = clg_replica_slowed(arena, q->replica, b->scale * (1 + q->margin)), r;
    clg_fleet alone = clg_fleet_alone(arena, &slow, q->demand, &q->target), fleet;
    b->attainable = alone.well_served >= q->target.share;
    b->usd_per_million = (double)NAN;
    if (!b->attainable) return;
    b->replicas = clg_crowd_needed(arena, &slow, q->demand, &q->target, alone.e2e_s.mean,
                                   a->target_tokens_per_s / b->scale);
    r = clg_replica_slowed(arena, q->replica, b->scale);
    clg_fleet_run(arena, &r, q->demand, b->replicas, &q->target, &fleet);
    b->usd_per_million =
        usd_per_million(a->usd_per_s * (double)b->replicas, fleet.output_tokens_per_s);
}

static clg_serve_bound bound_of(clg_arena *arena, const clg_serve_question *q,
                                const clg_serve_answer *a, double scale) {
    clg_serve_bound b = {scale, true, a->fleet.replicas, a->usd_per_million, q->target.share};
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica r = clg_replica_slowed(arena, q->replica, scale);
    if (!clg_demand_in_time(q->demand)) b.usd_per_million *= scale;
    if (clg_demand_in_time(q->demand) && q->replicas == 0)
        size_anew(arena, q, a, &b);
    else if (q->demand->apart && q->replicas == 0)
        size_crowd_anew(arena, q, a, &b);
    else
        b.well_served = clg_fleet_well_served(arena, &r, q->demand, b.replicas, &q->target);
    clg_arena_back_to(arena, mark);
    return b;
}

static void find_bound(void *context, int index, clg_arena *arena) {
    const work *at = context;
    clg_serve_answer *a = at->answer;
    if (index == 0)
        a->fast = bound_of(arena, at->question, a, 1 / a->doubt.rate);
    else
        a->slow = bound_of(arena, at->question, a, a->doubt.rate);
    clg_arena_clear(arena);
}

static void settle_doubt(clg_arena *arena, const clg_serve_question *q, clg_serve_answer *a) {
    work all = {.question = q, .answer = a};
    a->doubt = clg_serve_doubt_of(&q->replica->sigma);
    clg_cores_each((clg_progress){.cores = q->cores}, arena, 2, find_bound, &all);
}

/* Users of whom a target is asked, or of whom each has a share of a given fleet. */
static clg_status answer_crowd(clg_arena *arena, const clg_serve_question *q,
                               const clg_demand_means *means, clg_serve_answer *a,
                               clg_error *error) {
    clg_replica slow = clg_replica_slowed(arena, q->replica, 1 + q->margin);
    clg_fleet alone = clg_fleet_alone(arena, &slow, q->demand, &q->target);
    a->alone_share = alone.well_served;
    int64_t n = q->replicas;
    if (n == 0 && (!a->attainable || alone.well_served < q->target.share)) {
        clg_serve_question sized = *q;
        sized.replica = &slow;
        return clg_refuse_target(arena, &sized, error);
    }
    if (n == 0)
        n = clg_crowd_needed(arena, &slow, q->demand, &q->target, alone.e2e_s.mean,
                             a->target_tokens_per_s);
    run_fleet(arena, q, n, a);
    a->windows_mean = a->windows_most = (double)n;
    settle_totals(q, means, a);
    settle_burst(a);
    settle_doubt(arena, q, a);
    return CLG_OK;
}

static void tell(clg_serve_progress progress, double share) {
    if (progress.tell) progress.tell(progress.context, share);
}

clg_status clg_serve_answer_make(clg_arena *arena, const clg_serve_question *q,
                                 clg_serve_progress progress, clg_serve_answer *a,
                                 clg_error *error) {
    const clg_demand *d = q->demand;
    clg_demand_means means = clg_demand_means_of(d);
    if (check_fit(q, error) != CLG_OK || check_windows(q, error) != CLG_OK ||
        clg_autoscaler_check(q, error) != CLG_OK)
        return error->status;
    clg_serve_capacity(arena, q, a);
    if (d->apart) return answer_crowd(arena, q, &means, a, error);
    if (!clg_demand_in_time(q->demand)) {
        answer_burst(arena, q, &means, a);
        settle_doubt(arena, q, a);
        return CLG_OK;
    }
    clg_window_sum sum = {0};
    clg_replica slow = clg_replica_slowed(arena, q->replica, 1 + q->margin);
    clg_serve_question sized = *q;
    sized.replica = &slow;
    clg_fleet alone = clg_fleet_alone(arena, &slow, d, &q->target);
    a->alone_share = alone.well_served;
    a->brief = d->span_s < alone.e2e_s.mean;
    bool hopeless = !a->attainable || a->alone_share < q->target.share;
    if (hopeless && q->replicas == 0) return clg_refuse_target(arena, &sized, error);
    tell(progress, 0.4);
    if (a->attainable) sum = clg_serve_windows(arena, &sized, progress, alone.e2e_s.mean, a);
    int64_t n = q->replicas > 0 ? q->replicas : size_fleet(arena, &sized, a);
    run_fleet(arena, q, n, a);
    if (q->replicas == 0 && !a->meets && n > 1 && n >= d->count)
        return clg_fail(error, CLG_BAD_INPUT, "lower --within, or see --replicas of several sizes",
                        "no fleet meets the target for %.4g%% of requests: with a replica for each "
                        "%.4g%% are served so, for prompts are then found less often",
                        100 * q->target.share, 100 * a->fleet.well_served);
    if (a->attainable && q->replicas == 0) clg_cap_windows(a, d->span_s, &sum);
    settle_totals(q, &means, a);
    settle_timed(q, n, &sum, a);
    if (q->replicas == 0 && !a->brief) clg_autoscale(arena, q, a);
    settle_doubt(arena, q, a);
    return CLG_OK;
}
