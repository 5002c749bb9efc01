/* mixed.c -- the share of the batch by which two unlike halves end a step together. */
#include "scaling/mixed.h"

#include <math.h>

/* Around the share at which both take as long: whole layouts divide some shares better. */
enum { AROUND = 4, PARTS = 64 };

typedef double seconds_of_parts(void *context, int which, int64_t parts);

static double longer(seconds_of_parts *seconds, void *context, int64_t parts, int64_t first) {
    return fmax(seconds(context, 0, first), seconds(context, 1, parts - first));
}

/* The share nearest to the middle that runs on both; `low` where none between does. */
static int64_t middle_of(seconds_of_parts *seconds, void *context, int64_t parts, int64_t low,
                         int64_t high) {
    int64_t middle = low + (high - low) / 2;
    for (int64_t off = 0; off < high - low; off++)
        for (int side = -1; side <= 1; side += 2) {
            int64_t k = middle + side * off;
            if (k > low && k < high && isfinite(longer(seconds, context, parts, k))) return k;
        }
    return low;
}

int64_t clg_mixed_share(int64_t parts, double (*seconds)(void *context, int which, int64_t parts),
                        void *context) {
    int64_t low = 0, high = parts, best = 0;
    double least_s = INFINITY;
    for (int64_t k; (k = middle_of(seconds, context, parts, low, high)) > low;) {
        if (seconds(context, 0, k) < seconds(context, 1, parts - k))
            low = k;
        else
            high = k;
    }
    for (int64_t k = low - AROUND; k <= high + AROUND; k++) {
        if (k < 1 || k >= parts) continue;
        double step_s = longer(seconds, context, parts, k);
        if (step_s < least_s) {
            least_s = step_s;
            best = k;
        }
    }
    return best;
}

/* Plans of a half, by the parts of the batch it has. */
typedef struct sharing {
    clg_arena *arena;
    clg_mixed *mixed;
    int64_t part; /* sequences */
    bool planned[CLG_HALVES][PARTS + 1], runs[CLG_HALVES][PARTS + 1];
    clg_evaluation plan[CLG_HALVES][PARTS + 1];
} sharing;

static bool plan_share(clg_arena *arena, const clg_half *half, int64_t batch,
                       clg_evaluation *plan) {
    clg_space space = half->space;
    space.global_batch = batch;
    return clg_search_fastest(arena, half->scenario, &space, plan);
}

static double seconds_of(void *context, int which, int64_t parts) {
    sharing *s = context;
    if (!s->planned[which][parts]) {
        s->planned[which][parts] = true;
        s->runs[which][parts] =
            plan_share(s->arena, &s->mixed->half[which], parts * s->part, &s->plan[which][parts]);
    }
    return s->runs[which][parts] ? s->plan[which][parts].step_s : (double)INFINITY;
}

/* As many parts as divide the batch. */
static int64_t parts_of(int64_t batch) {
    int64_t parts = PARTS;
    while (batch % parts != 0) parts--;
    return parts;
}

static void join(clg_mixed *m) {
    const clg_half *h = m->half;
    const clg_evaluation *a = &h[0].plan, *b = &h[1].plan;
    double parameters = (double)h[0].scenario->model.parameters;
    double together_s = fmax(a->step_s, b->step_s);
    m->exchange_s = clg_sites_exposed_s(&m->link, parameters, together_s);
    m->step_s = together_s + m->exchange_s;
    m->step_p10_s = fmax(a->step_p10_s, b->step_p10_s) + m->exchange_s;
    m->step_p90_s = fmax(a->step_p90_s, b->step_p90_s) + m->exchange_s;
    double sequences = (double)(a->layout.global_batch + b->layout.global_batch);
    m->tokens_per_s = sequences * (double)a->layout.seq / m->step_s;
    m->cluster_w = a->cluster_w + b->cluster_w;
    if (!(a->usd_per_h > 0 && b->usd_per_h > 0)) return;
    m->usd_per_h = a->usd_per_h + b->usd_per_h;
    m->usd_per_million_tokens = m->usd_per_h / 3600 / m->tokens_per_s * 1e6;
}

clg_status clg_mixed_plan(clg_arena *arena, int64_t global_batch, clg_mixed *m, clg_error *error) {
    sharing *s = clg_take(arena, 1, sharing);
    m->parts = parts_of(global_batch);
    if (m->parts < 2)
        return clg_fail(error, CLG_BAD_INPUT, "give a batch that small numbers divide",
                        "%lld sequences cannot be shared", (long long)global_batch);
    *s = (sharing){.arena = arena, .mixed = m, .part = global_batch / m->parts};
    for (int i = 0; i < CLG_HALVES; i++) {
        const char *why =
            clg_scenario_refuses(arena, m->half[i].scenario, m->half[i].space.precision);
        if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
        m->half[i].alone_runs = plan_share(arena, &m->half[i], global_batch, &m->half[i].alone);
        if (m->half[i].alone_runs) m->apart_tokens_per_s += m->half[i].alone.tokens_per_s;
    }
    int64_t first = clg_mixed_share(m->parts, seconds_of, s);
    m->runs = first > 0;
    if (!m->runs) return CLG_OK;
    m->half[0].plan = s->plan[0][first];
    m->half[1].plan = s->plan[1][m->parts - first];
    join(m);
    for (int i = 0; i < CLG_HALVES; i++)
        m->half[i].waits_s = m->step_s - m->exchange_s - m->half[i].plan.step_s;
    return CLG_OK;
}
