/* curve.c -- plans every size, then reads the curve off the plans. */
#include "scaling/curve.h"

#include <math.h>

const clg_name clg_scale_mode_names[] = {
    {"strong", CLG_STRONG, "model, batch and tokens stay, GPUs grow"},
    {"weak", CLG_WEAK, "the batch grows with the GPUs: work per GPU stays"},
    {NULL, 0, NULL}};

static double batch_tokens(const clg_evaluation *e) {
    return (double)e->layout.global_batch * (double)e->layout.seq;
}

static double exposed_s(const clg_time_ledger *t) {
    return t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->dp_exposed_s + t->pp_exposed_s;
}

/* The space at one size: in weak scaling the batch of the first size times the growth, rounded to
 * whole sequences per GPU step. */
static clg_space space_at(const clg_space *space, const clg_scale_request *request, int i) {
    clg_space at = *space;
    at.gpus = request->gpus[i];
    at.keep = 1;
    if (request->mode == CLG_WEAK) {
        double growth = (double)request->gpus[i] / (double)request->gpus[0];
        at.global_batch = (int64_t)fmax(1, floor((double)space->global_batch * growth + 0.5));
    }
    return at;
}

static void plan_point(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                       clg_scale_point *point) {
    clg_scenario here = *scenario;
    clg_error error = {0};
    clg_found found;
    point->gpus = space->gpus;
    here.machine.gpus = (int)space->gpus;
    if (clg_search(arena, &here, space, (clg_progress){0}, &found, &error) != CLG_OK)
        point->why = clg_arena_print(arena, "%s", error.message);
    else if (found.count == 0)
        point->why = "nothing fits in memory";
    else {
        point->runs = true;
        point->plan = found.best[0];
    }
}

static const clg_scale_point *first_that_runs(const clg_curve *curve) {
    for (int i = 0; i < curve->count; i++)
        if (curve->point[i].runs) return &curve->point[i];
    return NULL;
}

/* dp <= B_crit / (micro-batch x accumulation x seq), at no accumulation, times the GPUs of one
 * model copy at the first size. */
static double cap_gpus(const clg_curve *curve, const clg_scale_point *first) {
    const clg_layout *l = &first->plan.layout;
    if (isinf(curve->critical.tokens)) return INFINITY;
    double ranks = floor(curve->critical.tokens / ((double)l->micro_batch * (double)l->seq));
    return fmax(1, ranks) * l->tp * l->cp * l->pp;
}

static void fill_point(clg_curve *curve, const clg_scenario *scenario, const clg_scale_point *first,
                       clg_scale_point *p) {
    const clg_evaluation *e = &p->plan;
    double critical = curve->critical.tokens;
    p->efficiency = e->tokens_per_s_per_gpu / first->plan.tokens_per_s_per_gpu;
    p->communication_fraction = exposed_s(&e->time) / (e->step_s - exposed_s(&e->time));
    p->bound_efficiency = 1 / (1 + p->communication_fraction);
    p->samples_ratio = clg_samples_ratio(batch_tokens(e), critical);
    double more = p->samples_ratio / clg_samples_ratio(batch_tokens(&first->plan), critical);
    p->seconds_to_target = curve->request.train_tokens * more / e->tokens_per_s;
    p->usd_to_target = p->seconds_to_target * scenario->price.usd_per_s * (double)p->gpus;
    p->past_dp_cap = (double)p->gpus > curve->dp_cap_gpus || batch_tokens(e) > critical;
}

/* Progress per second is 1 / seconds_to_target: what the last GPUs added to it, over their share.
 */
static void fill_margins(clg_curve *curve) {
    const clg_scale_point *before = NULL;
    curve->knee = -1;
    for (int i = 0; i < curve->count; i++) {
        clg_scale_point *p = &curve->point[i];
        if (!p->runs) continue;
        p->marginal_share = 1;
        if (before && p->gpus > before->gpus) {
            double gain = before->seconds_to_target / p->seconds_to_target - 1;
            double paid = (double)p->gpus / (double)before->gpus - 1;
            p->marginal_share = gain / paid;
            if (curve->knee < 0 && p->marginal_share < curve->request.knee_share)
                curve->knee = (int)(before - curve->point);
        }
        before = p;
    }
}

clg_status clg_scale(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                     const clg_scale_request *request, clg_progress progress, clg_curve *curve,
                     clg_error *error) {
    *curve = (clg_curve){.request = *request, .count = request->count, .knee = -1};
    const char *why = clg_scenario_refuses(arena, scenario, space->precision);
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    if (clg_critical_batch_find(arena, &scenario->model, request->train_tokens,
                                request->critical_tokens, &curve->critical, error) != CLG_OK)
        return CLG_BAD_INPUT;
    for (int i = 0; i < request->count; i++) {
        clg_space at = space_at(space, request, i);
        if (progress.tell && !progress.tell(progress.context, (double)i / request->count)) break;
        plan_point(arena, scenario, &at, &curve->point[i]);
    }
    const clg_scale_point *first = first_that_runs(curve);
    curve->dp_cap_gpus = first ? cap_gpus(curve, first) : INFINITY;
    for (int i = 0; first && i < curve->count; i++)
        if (curve->point[i].runs) fill_point(curve, scenario, first, &curve->point[i]);
    fill_margins(curve);
    return CLG_OK;
}
